#!/bin/sh
# The installed `malitop stat --control`: regions of a run, and other programs that do not keep to the rules. Nothing here waits for
# a time: each step waits for its acknowledgement.
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^sim ' || { echo "control.sh: skipped, built without the simulator"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0
mkfifo "$work/commands" "$work/answers"

# check STATUS WHAT: report a failure
check()
{
	if [ "$1" -ne 0 ]; then
		echo "$2: $(cat "$work/out" "$work/errors")"
		failed=1
	fi
}

# A command that asks for what its arguments say, and waits for each answer. A number is that many seconds.
cat >"$work/run" <<'END'
exec 8>"$1/commands" 9<>"$1/answers"
work=$1
shift
for word; do
	case $word in
	[0-9]*) sleep "$word" ;;
	*) echo "$word" >&8; read -r answer <&9; echo "$answer" >>"$work/got" ;;
	esac
done
END

# region ARG...: measure the command above with these words
region()
{
	: >"$work/got"
	"$malitop" stat -b sim:gpu -m MaliGPUActiveCy --control "fifo:$work/commands,$work/answers" $options -- \
		sh "$work/run" "$work" "$@" >"$work/out" 2>"$work/errors"
	check $? "$*: status"
}

options=
region enable 0.1 disable 0.3
awk '/ s  counted, in 1 part$/ { counted = $1 } / s  elapsed$/ { all = $1 } END { exit !(counted >= 0.1 && all >= counted + 0.3) }' "$work/out"
check $? "a region"
[ "$(cat "$work/got")" = 'ack
ack' ]
check $? "a region: $(cat "$work/got")"
grep -q '^MaliGPUActiveCy .*[0-9]' "$work/out"
check $? "a region: no value"
region 0.1 enable 0.1 disable enable 0.1
grep -q ' s  counted, in 2 parts$' "$work/out"
check $? "a region that the end of the command ends"
region 0.05
grep -q 'counting was never enabled: nothing was counted$' "$work/errors"
check $? "no region"
region nonsense enable 0.05 disable
[ "$(head -n 1 "$work/got")" = error ] && grep -q "^malitop: --control: 'nonsense': unknown command" "$work/errors"
check $? "nonsense"

# Rows are those of the regions; a mark is in the row of its time.
options='-i 10ms -f csv'
region enable 0.1 'mark here' 0.1 disable 0.3 enable 0.1 disable
tr -d '\r' <"$work/out" | awk -F, 'NR > 1 && $3 !~ /total/ { rows++; s += $2; gaps += $3 ~ /gap/; lost += $3 ~ /lost/; marks += $3 ~ /mark/ }
	$3 ~ /total/ { total = $2; sum = $4 } NR > 1 && $3 !~ /total/ { parts += $4 }
	END { exit !(rows >= 25 && gaps == 1 && marks == 1 && !lost && sum == parts && s > 0.25 && (s - total) ^ 2 < 0.05 ^ 2) }'
check $? "rows"

# A delay ends with `enable`, or counting begins after it.
options='--delay 50ms'
region 0.3 disable 0.3
grep -q ' s  counted, in 1 part$' "$work/out"
check $? "after a delay"
options='--delay 30s'
region enable 0.1
grep -q ' s  counted, in 1 part$' "$work/out"
check $? "enable ends a delay"
options='--repeat 2'
region enable 0.1 disable
grep -q '^counted .* s ' "$work/out"
check $? "each of several runs"

# A log has the marks; the file descriptor is one that the shell opened. The writer leaves.
mkfifo "$work/pipe"
(exec 8>"$work/pipe"; echo enable >&8; sleep 0.2; echo 'mark level 2' >&8; sleep 0.2; echo disable >&8) &
"$malitop" record -b sim:gpu -i 10ms --control 7 -o "$work/log.mlog" -d 60s 7<"$work/pipe" >"$work/out" 2>"$work/errors" &
until grep -q '^malitop: --control: the other side has closed it: no more commands$' "$work/errors"; do
	kill -0 $! || break
	sleep 0.05
done
kill $!
wait $!
check $? "record"
"$malitop" export "$work/log.mlog" -f csv -m MaliGPUActiveCy >"$work/out"
[ "$(grep -c mark "$work/out")" -eq 1 ] && ! grep -q lost "$work/out"
check $? "record: the mark"

# No writer at all, and no FIFO.
"$malitop" stat -b sim:gpu --control "$work/commands" -i 10ms -d 50ms >"$work/out" 2>"$work/errors"
check $? "no writer"
grep -q 'never enabled' "$work/errors"
check $? "no writer"
"$malitop" stat --control "$work/absent" -d 50ms >"$work/out" 2>"$work/errors"
[ $? -eq 1 ] && [ ! -s "$work/out" ] && grep -q 'absent: cannot open: No such file or directory: make it with mkfifo$' "$work/errors"
check $? "no FIFO"

exit $failed
