#!/bin/sh
# export --tables: every table of a log that has all of them, joined by time; the lines of doc/formats.md for pandas, where it is
# installed; what is refused.
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^sim ' || { echo "tables.sh: skipped, built without sim"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
	echo "$*"
	failed=1
}

mkdir "$work/out" "$work/two"
"$malitop" record --demo=bandwidth-bound -d 6s -o "$work/run.mlog" >/dev/null 2>&1 || fail "no log"
"$malitop" export --tables "$work/out" "$work/run.mlog" >"$work/said" 2>&1 || fail "status $?"
[ -s "$work/said" ] && fail "said $(cat "$work/said")"
for table in samples frames passes processes functions findings marks; do
	head -n 1 "$work/out/$table.csv" | grep -q '^time,' || fail "$table.csv: no header"
done

# rows of each table, in the time of the samples
rows()
{
	awk -F, -v table="$1" -v least="$2" -v samples="$work/out/samples.csv" '
		BEGIN { while ((getline line < samples) > 0) { split(line, s, ","); if (s[1] + 0) { first = first ? first : s[1]; last = s[1] } } }
		FNR > 1 { n++; if ($1 + 0 < first - 1 || $1 + 0 > last + 1) { print table ": time " $1; bad = 1 } }
		END { if (n < least) print table ": " n + 0 " rows"; exit bad || n < least }' "$work/out/$1.csv" || failed=1
}
rows samples 50
rows frames 60
rows passes 60
rows processes 20
rows findings 1
grep -q ',finding,[a-z]*,[a-z-]*,' "$work/out/findings.csv" || fail "no finding: $(cat "$work/out/findings.csv")"
grep -q ',verdict,,memory,' "$work/out/findings.csv" || fail "no verdict: $(cat "$work/out/findings.csv")"

# two logs: a host before the time, one header
cp "$work/run.mlog" "$work/again.mlog"
"$malitop" export --tables "$work/two" "$work/run.mlog" "$work/again.mlog" || fail "two logs: status $?"
[ "$(grep -c '^host,time,frame' "$work/two/frames.csv")" = 1 ] || fail "two logs: headers"
[ "$(wc -l <"$work/two/frames.csv")" = $((2 * $(wc -l <"$work/out/frames.csv") - 1)) ] || fail "two logs: rows"

# from a pipe, as from a file
mkdir "$work/pipe"
"$malitop" export --tables "$work/pipe" - <"$work/run.mlog" || fail "a pipe: status $?"
cmp "$work/pipe/passes.csv" "$work/out/passes.csv" || fail "a pipe: other passes"

refused()
{
	"$malitop" export "$@" "$work/run.mlog" >/dev/null 2>"$work/said" && fail "$1 $2: not refused"
	grep -q "$expected" "$work/said" || fail "$*: said $(cat "$work/said")"
}
expected="not a directory: create it first" refused --tables "$work/none"
expected="not with --log" refused --tables "$work/out" -o "$work/x.csv"
expected="not with --format" refused --tables "$work/out" -f jsonl
expected="already exists: choose another name" refused --tables "$work/out"

if python3 -c 'import pandas' 2>/dev/null; then
	(cd "$work/out" && python3 -) <<'EOF' || fail "pandas"
import pandas
# the lines of doc/formats.md
samples, frames = pandas.read_csv("samples.csv"), pandas.read_csv("frames.csv")
slow = frames[frames.ms > 20]
joined = pandas.merge_asof(frames, samples, on="time")
passes = pandas.read_csv("passes.csv").groupby("pass").ms.describe()
assert len(joined) == len(frames) > 60 and joined.iloc[-1]["MaliGPUActiveRawCy"] > 0
assert len(passes) >= 1 and (passes["mean"] > 0).all() and len(slow) < len(frames)
EOF
else
	echo "tables.sh: no pandas: its lines were not run"
fi
exit $failed
