#!/bin/sh
# serve keeps only the capabilities that measuring needs, in all of its threads, and cannot gain any.
malitop=${MALITOP:-./malitop}
"$malitop" --version | grep -qw serve || { echo "privileges.sh: skipped, built without serve"; exit 77; }
"$malitop" list backends | grep -q '^sim ' || { echo "privileges.sh: skipped, built without sim"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0

"$malitop" serve --demo --listen 127.0.0.1:0 2>"$work/errors" &
pid=$!
tries=0
until grep -q serving "$work/errors"; do
	tries=$((tries + 1))
	[ $tries -lt 600 ] && kill -0 $pid || { echo "it does not serve: $(cat "$work/errors")"; exit 1; }
	sleep 0.1
done

# CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, and CAP_PERFMON or CAP_SYS_ADMIN
kept=$((0x4000080006))
[ "$(cat /proc/sys/kernel/cap_last_cap)" -lt 38 ] && kept=$((0x280006))
capabilities()
{
	sed -n "s/^$2:\t/0x/p" "$1"
}
for set in CapInh CapPrm CapEff; do
	had=$(capabilities /proc/self/status $set)
	for status in /proc/$pid/task/*/status; do
		has=$(capabilities "$status" $set)
		[ $((has)) -eq $((had & kept)) ] || { echo "$status: $set is $has, from $had"; failed=1; }
	done
done
# CAP_SETPCAP shrinks what a program that is started may have
if [ $(($(capabilities /proc/self/status CapEff) & 0x100)) -ne 0 ]; then
	has=$(capabilities /proc/$pid/status CapBnd)
	[ $((has & ~kept)) -eq 0 ] || { echo "CapBnd is $has"; failed=1; }
fi
grep -q '^NoNewPrivs:	1' /proc/$pid/status || { echo "new privileges are not ruled out"; failed=1; }
kill $pid
wait $pid || { echo "it ended with $?: $(cat "$work/errors")"; failed=1; }
exit $failed
