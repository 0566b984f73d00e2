#!/bin/sh
# The installed program with a driver whose calls do not return: logs are intact, other devices continue, and every exit works.
[ -f tests/fake/libfakemali.so ] || { echo "hang.sh: skipped, the fake library was not built"; exit 77; }
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^kbase ' || { echo "hang.sh: skipped, built without kbase"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0
hold=$work/hold # the driver hangs while this file exists

g78='driver=r46p0 gpu=0x90820000 cores=0x5b3 slices=2'
g52='driver=r25p0 gpu=0x74021000 cores=0x3'

# check NAME STATUS TEXT: report a failure
check()
{
	if [ "$2" -ne 0 ]; then
		echo "$1: $3"
		failed=1
	fi
}

# begin DEVICES ARG...: start the program in the background, until `end`
begin()
{
	FAKEMALI=$1
	export FAKEMALI
	shift
	rm -f "$hold" "$work/run.mlog"
	: >"$work/out"
	: >"$work/errors"
	# a sanitizer checks that its library is the first, but the fake comes before it
	timeout --foreground -s KILL 120 env ASAN_OPTIONS=verify_asan_link_order=0 FAKEMALI_BREACHES="$work/breaches" \
		LD_PRELOAD="$PWD/tests/fake/libfakemali.so" "$malitop" "$@" >"$work/out" 2>"$work/errors" &
	pid=$!
}

# until_said PATTERN FILE: wait up to a minute for it
until_said()
{
	n=0
	until grep -q -- "$1" "$work/$2" 2>/dev/null || [ $n -ge 1200 ]; do
		sleep 0.05
		n=$((n + 1))
	done
	grep -q -- "$1" "$work/$2"
	check "$name" $? "no '$1' in: $(cat "$work/$2")"
}

# end STATUS [SIGNAL]: the program exits with that status, whether the driver hangs or not
end()
{
	[ -z "$2" ] || kill -s "$2" $pid
	wait $pid
	got=$?
	[ $got -eq "$1" ]
	check "$name" $? "status $got, not $1: $(cat "$work/errors")"
}

# samples SOURCE: their number in the log, and the longest duration in ms
samples()
{
	tests/mlog/dump "$work/run.mlog" | awk -v source="$1" '$1 ~ /^[0-9]+$/ && $1 == source && $2 ~ /^[0-9]+$/ {
		n++; if ($4 - $3 > longest) longest = $4 - $3 } END { printf "%d %d\n", n, longest / 1e6 }'
}

# await_log SOURCE: wait up to a minute for twenty more of its samples in the log
await_log()
{
	n=0
	enough=$(($(samples "$1" 2>/dev/null | cut -d ' ' -f 1) + 20))
	until got=$(samples "$1" 2>/dev/null | cut -d ' ' -f 1) && [ "$got" -ge $enough ] || [ $n -ge 1200 ]; do
		sleep 0.05
		n=$((n + 1))
	done
	[ "$got" -ge $enough ]
	check "$name" $? "$got samples of source $1 in the log, not $enough: $(cat "$work/errors")"
}

# ---- record ----

for signal in INT TERM HUP; do
	name="record, $signal"
	begin "$g52 hang=$hold" record -o "$work/run.mlog" -i 10ms
	await_log 0
	touch "$hold"
	until_said 'malitop: Mali-G52 2 cores: not responding for [0-9]* s$' errors
	end 1 $signal
	until_said 'malitop: Mali-G52 2 cores: not responding for [0-9.]* s; its newest samples are missing' errors
	tests/mlog/dump "$work/run.mlog" >"$work/dump" 2>"$work/errors"
	check "$name" $? "the log is not whole: $(cat "$work/errors")"
	grep -q '^note 4 .* Mali-G52 2 cores: not responding for ' "$work/dump"
	check "$name" $? "the log does not tell that the device fell silent: $(grep ^note "$work/dump")"
done

# A signal as soon as the driver hangs, before any message.
name="record, at once"
begin "$g52 hang=$hold" record -o "$work/run.mlog" -i 10ms
await_log 0
touch "$hold"
end 0 TERM
until_said 'malitop: Mali-G52 2 cores: not responding for ' errors

# One of two hangs: the other continues. When the first responds again, its next sample has what it counted in between.
name="record, two GPUs"
begin "$g52 hang=$hold;$g78" record -o "$work/run.mlog" -i 10ms
await_log 0
touch "$hold"
until_said 'Mali-G52 2 cores: not responding for ' errors
await_log 1
rm "$hold"
until_said 'Mali-G52 2 cores: responds again' errors
await_log 0
end 0 TERM
set -- $(samples 0)
[ "$2" -ge 1000 ] # of the 2 s it has some in its buffers
check "$name" $? "the silent one has $1 samples, the longest of $2 ms"

# ---- stat ----

name="stat, lines"
begin "$g52 hang=$hold" stat --long -i 100ms
until_said MaliGPUActiveCy out
touch "$hold"
until_said 'not responding for ' errors
end 1 TERM

name="stat, a command"
begin "$g52 hang=$hold" stat -- touch "$hold"
end 0
grep -q 'not responding for' "$work/errors"
check "$name" $? "nothing tells why the GPU is missing: $(cat "$work/errors")"

# ---- CPU events ----

if "$malitop" list backends | grep -q '^perf '; then
	name="perf"
	export FAKEPERF="machine=rk3588 hang=$hold"
	begin "$g52" record -o "$work/run.mlog" -i 10ms
	await_log 0
	touch "$hold"
	until_said 'malitop: .*CPUs.*: not responding for ' errors
	await_log 0 # the GPU goes on
	end 0 TERM
	unset FAKEPERF
fi

! [ -s "$work/breaches" ]
check "breaches" $? "rules were broken: $(cat "$work/breaches" 2>/dev/null)"
exit $failed
