#!/bin/sh
# Logs, recorded and written by hand, whole, cut off and damaged, as two readers see them: mlog_reader (tests/mlog/dump), and reader.py,
# which knows nothing but doc/mlog-format.md. They agree to the last byte.
here=${srcdir:-.}/tests/mlog
malitop=${MALITOP:-./malitop}
python3 -B -c 'import ctypes; ctypes.CDLL("libzstd.so.1")' 2>/dev/null ||
	{ echo "second_reader.sh: skipped, there is no python3 that finds libzstd.so.1"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0
preload=

fail()
{
	echo "$1: $2"
	failed=1
}

# same FILE WHAT: both read the same of it; what they say is in $work/python
same()
{
	python3 -B "$here/reader.py" dump "$1" >"$work/python" 2>"$work/python-errors"
	wanted=$?
	tests/mlog/dump "$1" >"$work/c" 2>"$work/c-errors"
	[ $? -eq $wanted ] || fail "$2" "mlog_reader: $(cat "$work/c-errors"); reader.py: $(cat "$work/python-errors")"
	cmp -s "$work/python" "$work/c" || fail "$2" "reader.py (<) and mlog_reader (>) differ: $(diff "$work/python" "$work/c" | cut -c -300 | head -n 6)"
}

# whole FILE WHAT: it keeps what the format promises, and both read the same
whole()
{
	promises=$(python3 -B "$here/reader.py" check "$1" 2>&1) || fail "$2" "$(echo "$promises" | head -n 6)"
	same "$1" "$2"
	grep -q '^[0-9]' "$work/python" || fail "$2" "no sample is in it"
}

# flip FILE OFFSET: another byte stands there
flip()
{
	byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
	printf "\\$(printf %03o $((byte ^ 32)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# hurt FILE STEP WHAT: cut off at every STEP-th byte, and damaged there, it reads the same
hurt()
{
	size=$(($(wc -c <"$1")))
	at=$(($2 / 2))
	while [ "$at" -lt "$size" ]; do
		head -c "$at" "$1" >"$work/cut.mlog"
		same "$work/cut.mlog" "$3, cut at $at"
		cp "$1" "$work/damaged.mlog"
		flip "$work/damaged.mlog" "$at"
		same "$work/damaged.mlog" "$3, damaged at $at"
		python3 -B "$here/reader.py" check "$work/damaged.mlog" >/dev/null 2>&1 && fail "$3, damaged at $at" "nobody sees it"
		at=$((at + $2))
	done
}

python3 -B "$here/handmade.py" "$work/hand.mlog" || fail "by hand" "not written"
whole "$work/hand.mlog" "by hand"
hurt "$work/hand.mlog" 211 "by hand"

# recorded WHAT ARG...: a record that ends with the status $expected
recorded()
{
	what=$1
	shift
	LD_PRELOAD=$preload "$malitop" record -o "$work/run.mlog" --force "$@" 2>"$work/errors"
	[ $? -eq ${expected:-0} ] || fail "$what" "$(cat "$work/errors")"
	whole "$work/run.mlog" "$what"
}

backends=$("$malitop" list backends | cut -d ' ' -f 1)
has()
{
	echo "$backends" | grep -qx "$1"
}

if has sim; then
	cpus=
	has proc && cpus=,proc
	while read -r gpu interval duration more; do
		# shellcheck disable=SC2086
		recorded "$gpu every $interval $more" -b sim$cpus --gpu "$gpu" -i "$interval" -d "$duration" $more
	done <<-'END'
		G715 100ms 2300ms
		G52 1ms 1200ms
		G31 100ms 500ms --per-core
		G78 1ms 150ms --per-core
		G1-Ultra 10ms 300ms
	END
	"$malitop" record -b sim$cpus -i 10ms -d 2500ms -o "$work/hurt.mlog" 2>"$work/errors" || fail "hurt" "$(cat "$work/errors")"
	hurt "$work/hurt.mlog" $(($(wc -c <"$work/hurt.mlog") / 7 + 1)) "recorded"
fi

# Two GPUs, one of which goes away, and CPUs that have counters. A sanitizer wants to be the first library, and is not.
if has kbase && has perf && [ -f tests/fake/libfakemali.so ]; then
	export FAKEMALI='driver=r44p0 gpu=0x90820000 cores=0x5b3 slices=2;driver=r54p1 gpu=0xb8520000 cores=0x5b3 values=128 gone='"$work/gone"
	export FAKEPERF=machine=rk3588 ASAN_OPTIONS=verify_asan_link_order=0
	preload=$PWD/tests/fake/libfakemali.so
	# until the log has samples of the second GPU and of the events; then until it has that the GPU is gone
	cat >"$work/watch" <<-'END'
		has() { tests/mlog/dump "$1/run.mlog" 2>/dev/null | grep -q "$2"; }
		until has "$1" '^1 ' && has "$1" '^2 '; do sleep 0.1; done
		: >"$1/gone"
		until has "$1" '^note 4 [0-9]* 1 '; do sleep 0.1; done
	END
	expected=1 # one is away at the end
	recorded "two GPUs and CPU events" -b kbase,perf -i 20ms --per-core -- timeout 120 sh "$work/watch" "$work"
	for pattern in '^1 ' '^slot 2 .*Cortex-A76' '^2 ' '^note 4 [0-9]* 1 '; do
		grep -q "$pattern" "$work/python" || fail "two GPUs and CPU events" "there is no line '$pattern'"
	done
fi
exit $failed
