#!/bin/sh
# malitop on user@board over a real sshd on loopback, with keys of its own: screens, refusals, and ends. MALITOP_TEST_KILLS says how
# often each side is killed; 5 without it. Exit status 77: there is no sshd here, or no simulator.
malitop=$(realpath "${MALITOP:-./malitop}") || exit 2
"$malitop" list backends | grep -q '^sim ' || { echo "remote.sh: skipped, built without sim"; exit 77; }
sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) && command -v ssh >/dev/null && command -v ssh-keygen >/dev/null ||
	{ echo "remote.sh: skipped: install openssh-server"; exit 77; }
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd || exit 77
work=$(mktemp -d) || exit 2
failed=0
clean_up()
{
	[ ! -s "$work/sshd.pid" ] || kill "$(cat "$work/sshd.pid")" 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# check NAME STATUS TEXT: report a failure
check()
{
	if [ "$2" -ne 0 ]; then
		echo "$1: $3"
		failed=1
	fi
}

# await COMMAND...: until it succeeds, 30 s at most
await()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || return 1
		sleep 0.1
	done
}

# The board has malitop in its PATH, which writes down who it is; the bare board has none.
mkdir "$work/board" "$work/bare" "$work/desk" "$work/tmp"
cat >"$work/board/malitop" <<END
#!/bin/sh
echo \$\$ >>$work/there
exec $malitop "\$@"
END
cat >"$work/desk/ssh" <<END
#!/bin/sh
exec $(command -v ssh) -F $work/config "\$@"
END
chmod +x "$work/board/malitop" "$work/desk/ssh"
ssh-keygen -q -t ed25519 -N '' -f "$work/host" && ssh-keygen -q -t ed25519 -N '' -f "$work/key" || exit 2

# start_sshd PORT PATH: false if the port is taken
start_sshd()
{
	cat >"$work/sshd_config" <<END
ListenAddress 127.0.0.1:$1
HostKey $work/host
PidFile $work/sshd.pid
AuthorizedKeysFile $work/key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
SetEnv PATH=$2
END
	rm -f "$work/sshd.pid"
	"$sshd" -f "$work/sshd_config" -E "$work/sshd.log" && await test -s "$work/sshd.pid"
}

stop_sshd()
{
	pid=$(cat "$work/sshd.pid")
	kill "$pid"
	await sh -c "! kill -0 $pid 2>/dev/null"
	rm -f "$work/sshd.pid"
}

port=$((20000 + $$ % 20000))
until start_sshd $port "$work/board:/usr/bin:/bin"; do
	port=$((port + 1))
	[ $port -lt 65000 ] || { echo "remote.sh: sshd does not start: $(cat "$work/sshd.log")"; exit 1; }
done
cat >"$work/config" <<END
Host board
	HostName 127.0.0.1
	Port $port
	User $(id -un)
	IdentityFile $work/key
	IdentitiesOnly yes
	UserKnownHostsFile $work/known
	StrictHostKeyChecking accept-new
	LogLevel ERROR
END
PATH=$work/desk:$PATH
TMPDIR=$work/tmp
export PATH TMPDIR

# One command shows the board; what is measured is what the options say.
"$malitop" on board --demo=vertex-bound --gpu g52 --once=100x30 >"$work/screen" 2>"$work/errors"
check 'on board' $? "status $?: $(cat "$work/errors")"
grep -q "REMOTE $(uname -n)" "$work/screen" && grep -q 'Mali-G52' "$work/screen" && grep -q 'GPU active' "$work/screen"
check 'on board' $? "shows $(cat "$work/screen")"

# has_ended: nothing that was started on the board still runs
has_ended()
{
	for pid in $(cat "$work/there"); do
		kill -0 "$pid" 2>/dev/null && return 1
	done
	return 0
}
await has_ended
check 'on board' $? 'leaves a process on the board'

# refused TEXT ARG...: one line with this text, and a status that is not zero
refused()
{
	text=$1
	shift
	"$malitop" on "$@" --once >"$work/out" 2>"$work/errors"
	[ $? -ne 0 ] && [ "$(wc -l <"$work/errors")" -eq 1 ] && grep -q "$text" "$work/errors"
	check "on $*" $? "said '$(cat "$work/errors")', not '$text'"
}
refused "no stream came: malitop: --demo: unknown 'nosuch'" board --demo=nosuch
refused 'Could not resolve hostname' no.such.host.invalid
refused "'' is not a board" ''

# Each side is killed, at any time: it leaves no process and no file, there and here.
round=0
while [ $round -lt "${MALITOP_TEST_KILLS:-5}" ]; do
	round=$((round + 1))
	for side in here there; do
		: >"$work/there"
		"$malitop" on board --demo --flush 50ms --once --frames 100000 >"$work/out" 2>"$work/errors" &
		here=$!
		await test -s "$work/there"
		check "kill $side" $? "round $round: nothing started: $(cat "$work/errors")"
		sleep "0.$(((round * 37) % 60 + 10))"
		if [ $side = here ]; then
			kill -9 $here
			wait $here 2>/dev/null
		else
			kill -9 "$(cat "$work/there")"
			wait $here
			[ $? -ne 137 ]
			check 'kill there' $? "round $round: ends by itself"
		fi
		await has_ended
		check "kill $side" $? "round $round: leaves a process on the board"
		[ -z "$(ls "$work/tmp")" ]
		check "kill $side" $? "round $round: leaves $(ls "$work/tmp")"
	done
	[ $failed -eq 0 ] || break
done

# The server is gone; it has no malitop.
stop_sshd
refused 'Connection refused' board
start_sshd $port "$work/bare:/usr/bin:/bin"
refused 'no malitop there' board
exit $failed
