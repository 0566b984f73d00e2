#!/bin/sh
# Logs, recorded and written by hand, whole, cut off and damaged, as two readers see them: mlog_reader (tests/mlog/dump), and reader.py,
# which knows nothing but doc/mlog-format.md. They agree to the last byte.
here=${srcdir:-.}/tests/mlog
malitop=${MALITOP:-./malitop}
python3 -B "$here/reader.py" 2>/dev/null
[ $? -eq 2 ] || { echo "second_reader.sh: skipped, there is no python3"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0

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
hurt "$work/hand.mlog" 97 "by hand"

backends=$("$malitop" list backends | cut -d ' ' -f 1)
if echo "$backends" | grep -qx sim; then
	cpus=
	echo "$backends" | grep -qx proc && cpus=,proc

	while read -r gpu interval duration more; do
		what="$gpu every $interval $more"
		# shellcheck disable=SC2086
		"$malitop" record -b sim$cpus --gpu "$gpu" -i "$interval" -d "$duration" $more -o "$work/run.mlog" --force \
			2>"$work/errors" || fail "$what" "$(cat "$work/errors")"
		whole "$work/run.mlog" "$what"
	done <<-'END'
		G715 100ms 2300ms
		G52 1ms 1200ms
		G31 100ms 500ms --per-core
		G78 1ms 150ms --per-core
		G1-Ultra 10ms 300ms
	END
	"$malitop" record -b sim$cpus -i 10ms -d 2500ms -o "$work/hurt.mlog" 2>"$work/errors" || fail "hurt" "$(cat "$work/errors")"
	hurt "$work/hurt.mlog" $(($(wc -c <"$work/hurt.mlog") / 9 + 1)) "recorded"
fi
exit $failed
