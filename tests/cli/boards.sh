#!/bin/sh
# Several boards at once, simulated, each behind a program that can be cut, stopped and killed. Exit status 77: there is no simulator.
malitop=$(realpath "${MALITOP:-./malitop}") || exit 2
"$malitop" list backends | grep -q '^sim ' || { echo "boards.sh: skipped, built without sim"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 2
failed=0

# check NAME STATUS TEXT: report a failure
check()
{
	if [ "$2" -ne 0 ]; then
		echo "$1: $3"
		failed=1
	fi
}

# A board is a shell command that gets what malitop should do there as further arguments. Its pid is written down.
cat >board <<END
#!/bin/sh
n=\$1
shift 2
echo \$\$ >>$work/pids
[ ! -e "$work/refuse-\$n" ] || { echo "board \$n is down" >&2; exit 255; }
command=\$1
shift
exec "$malitop" "\$command" --demo=\$(sed -n "\${n}p" $work/scenes) --gpu \$(sed -n "\${n}p" $work/gpus) "\$@"
END
chmod +x board
printf '%s\n' mixed fragment-bound cpu-bound idle >scenes
printf '%s\n' g715 g610 g57 g31 >gpus
touch refuse-4
mkdir config config/malitop logs
cat >config/malitop/config <<END
boards
  phone   cmd:$work/board 1
  tv      cmd:$work/board 2
  car     cmd:$work/board 3
  down    cmd:$work/board 4
END
XDG_CONFIG_HOME=$work/config
export XDG_CONFIG_HOME

# The stanza names them; the worst is first; one that is away says why and holds up none.
"$malitop" on --once=160x40 --frames 7 >screen 2>errors
check 'on' $? "$(cat errors)"
grep -q '3 of 4 boards live' screen && grep -q 'phone .*Mali-G715 .*60\.[0-9]' screen && grep -q 'car .*CPU bound' screen &&
	grep -q 'down .*reconnecting .*try in' screen && grep -q 'lost: board 4 is down' screen
check 'on' $? "shows $(cat screen)"
[ "$(grep -n 'phone' screen | cut -d: -f1 | head -n 1)" -gt "$(grep -n '^│.*car ' screen | cut -d: -f1 | head -n 1)" ]
check 'on' $? "the worst is not first: $(cat screen)"

# A name of the stanza is one board, with its own views; others are left alone.
"$malitop" on tv --once >screen 2>errors && grep -q 'Mali-G610' screen && grep -q 'GPU active' screen
check 'on tv' $? "$(cat errors screen)"

# Every size has a picture.
for size in 80x24 40x10 1x1 200x60; do
	"$malitop" on phone tv --once=$size --frames 1 >screen 2>errors
	check "on at $size" $? "$(cat errors)"
done

# What runs there ends here: results, logs, exit statuses.
"$malitop" on phone record -d 1s -o logs/run.mlog 2>errors && "$malitop" --once logs/run.mlog | grep -q 'Mali-G715'
check 'on record' $? "$(cat errors)"
"$malitop" on phone record -d 1s -o logs/run.csv 2>errors && [ "$(grep -c ',' logs/run.csv)" -gt 5 ]
check 'on record csv' $? "$(cat errors)"
"$malitop" on phone record -d 1s -o logs/run.csv 2>errors
[ $? -eq 1 ] && grep -q 'exists' errors
check 'on record' $? "overwrites a file: $(cat errors)"
"$malitop" on car stat -d 1s -m GPUBusy >out 2>errors && grep -q '1.000' out
check 'on stat' $? "$(cat errors out)"
"$malitop" on car stat --nosuch >out 2>errors
[ $? -eq 2 ]
check 'on stat' $? "an unknown option: $(cat errors)"
"$malitop" on phone doctor >out 2>errors # without a GPU here it fails there, too
grep -q 'simulated' out
check 'on doctor' $? "$(cat errors out)"
"$malitop" on phone tv stat 2>errors
[ $? -eq 2 ] && grep -q 'stat: works with one board only' errors
check 'on two stat' $? "$(cat errors)"

# An adb that behaves as the real one: a shell of its own, no pty with -T, and CRLF with a pty.
cat >adb <<'END'
#!/bin/sh
[ "$1" != -s ] || { [ "$2" = R58M ] || { echo "adb: device '$2' not found" >&2; exit 1; }; shift 2; }
[ "$1" = shell ] || exit 1
shift
[ "$1" = -T ] || { sh -c "$*" | sed 's/$/\r/'; exit; }
shift
exec sh -c "$*"
END
printf '#!/bin/sh\nexec "%s" "$@"\n' "$malitop" >malitop
chmod +x adb malitop
PATH=$work:$PATH "$malitop" on adb --demo --gpu g52 --once >screen 2>errors && grep -q 'Mali-G52' screen
check 'on adb' $? "$(cat errors)"
PATH=$work:$PATH "$malitop" on adb:R58M --demo --gpu 'g 5-2' --once >screen 2>errors && grep -q 'Mali-G52' screen
check 'on adb:SERIAL' $? "$(cat errors)"
PATH=$work:$PATH "$malitop" on adb:other --demo --once >screen 2>errors
[ $? -ne 0 ] && grep -q "device 'other' not found" errors
check 'on adb:other' $? "$(cat errors)"

# A board without malitop gets one, which leaves nothing.
mkdir tmp
printf '#!/bin/sh\nPATH=/usr/bin:/bin TMPDIR=%s exec "$@"\n' "$work/tmp" >bare
chmod +x bare
"$malitop" on "cmd:$work/bare" --demo --once >screen 2>errors
[ $? -ne 0 ] && grep -q 'no malitop there: .*give --push' errors
check 'on a bare board' $? "$(cat errors)"
program=$malitop
[ ! -x .libs/malitop ] || program=.libs/malitop
"$malitop" on "cmd:$work/bare" --demo --gpu g52 --once --push="$program" >screen 2>errors && grep -q 'Mali-G52' screen
check 'on --push' $? "$(cat errors)"
"$malitop" on "cmd:$work/bare" --demo --once --push=nosuch >screen 2>errors
[ $? -ne 0 ] && grep -q 'push: nosuch: not there' errors
check 'on --push=nosuch' $? "$(cat errors)"
tries=0
until [ -z "$(ls tmp)" ] || [ $tries -gt 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
[ -z "$(ls tmp)" ]
check 'on --push' $? "leaves $(ls tmp)"

# ended: nothing that was started for a board still runs
ended()
{
	for pid in $(cat pids); do
		kill -0 "$pid" 2>/dev/null && return 1
	done
	return 0
}
tries=0
until ended || [ $tries -gt 50 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
ended
check 'on' $? 'leaves processes on the boards'
exit $failed
