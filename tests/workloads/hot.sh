#!/bin/sh
# The hot functions of a known program, by the real kernel: live, in a log and exported; and beside perf record in the same run, where
# that is there: shares within 2 points, or within what chance makes of so many samples.
malitop=${MALITOP:-./malitop}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
hot=tests/workloads/hot
failed=0
"$malitop" stat --hot=cpu-clock:499 -f jsonl -o "$work/stat.jsonl" -- "$hot" 10 >/dev/null 2>"$work/errors" ||
	{ echo "hot.sh: skipped: $(cat "$work/errors")"; exit 77; }
command -v python3 >/dev/null || { echo "hot.sh: skipped, there is no python3"; exit 77; }

# check STATUS WHAT: tell what went wrong
check()
{
	[ "$1" -eq 0 ] || { echo "$2"; failed=1; }
}

# shares FILE: name and share of each function of the last object, of those of the program alone
cat >"$work/shares.py" <<'PYTHON'
import json, math, sys

def loops(path):
    hot = [json.loads(line) for line in open(path) if line.startswith('{"hot"')][-1]["hot"]
    own = {f["name"]: f["samples"] for f in hot["functions"] if f["name"].endswith("_loop")}
    return own, hot

own, hot = loops(sys.argv[1])
n = sum(own.values())
bad = n < 200
for name, share in (("first_loop", 0.6), ("second_loop", 0.3), ("third_loop", 0.1)):
    got = own.get(name, 0) / n if n else 0
    margin = 0.02 + 3 * math.sqrt(share * (1 - share) / n) if n else 0
    print("%-12s %5.1f %%, known %2.0f %%, of %d samples" % (name, got * 100, share * 100, n))
    bad |= abs(got - share) > margin
if len(sys.argv) > 2:  # what perf saw in the same run
    theirs = {}
    for line in open(sys.argv[2]):
        words = line.split()
        if len(words) > 1 and words[-1].endswith("_loop"):
            theirs[words[-1]] = float(words[0].rstrip("%"))
    whole = sum(theirs.values())
    for name, share in theirs.items():
        got = own.get(name, 0) / n * 100
        margin = 2 + 3 * math.sqrt(2 * share / whole * (1 - share / whole) / n) * 100
        print("%-12s %5.1f %%, perf %5.1f %%" % (name, got, share / whole * 100))
        bad |= abs(got - share / whole * 100) > margin
sys.exit(bad)
PYTHON

"$malitop" stat --hot=cpu-clock:499 -f jsonl --force -o "$work/stat.jsonl" -- "$hot" 1500 >/dev/null 2>"$work/errors"
check $? "stat: $(cat "$work/errors")"
python3 "$work/shares.py" "$work/stat.jsonl"
check $? "stat --hot: other shares than the program has, above"

if "$malitop" record --hot=cpu-clock:499 --hot-callers -o "$work/run.mlog" -- "$hot" 1000 >/dev/null 2>"$work/errors"; then
	"$malitop" report "$work/run.mlog" "$work/run.mlog" -o "$work/run.html"
	grep -q 'first_loop.* %.*+0.0 %' "$work/run.html"
	check $? "report: a comparison with itself has not the program's functions, or they grew"
	"$malitop" report "$work/run.mlog" -f md >"$work/run.md"
	grep -q 'Hot functions.*first\\_loop [1-9]' "$work/run.md"
	check $? "report: its functions are $(grep 'Hot functions' "$work/run.md")"
	"$malitop" export "$work/run.mlog" -f folded >"$work/folded"
	check $? "export: not as folded stacks"
	grep -q '^hot;.*first_loop [0-9]*$' "$work/folded"
	check $? "the stacks do not have first_loop"
	"$malitop" export "$work/run.mlog" -f jsonl | python3 "$work/shares.py" /dev/stdin
	check $? "the log has other shares than the program, above"
else
	echo "record --hot: not here: $(cat "$work/errors")"
fi

if perf record -q -F 499 -e cpu-clock -o "$work/perf.data" true >/dev/null 2>&1; then
	"$malitop" stat --hot=cpu-clock:499 -f jsonl --force -o "$work/both.jsonl" -- \
		perf record -q -F 499 -e cpu-clock -o "$work/perf.data" "$hot" 2000 >/dev/null 2>"$work/errors"
	check $? "stat beside perf: $(cat "$work/errors")"
	perf report -i "$work/perf.data" --stdio -q -F overhead,sym 2>/dev/null >"$work/report"
	python3 "$work/shares.py" "$work/both.jsonl" "$work/report"
	check $? "other shares than perf has, above"
fi
exit $failed
