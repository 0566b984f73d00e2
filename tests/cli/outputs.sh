#!/bin/sh
# Output: readers that close the pipe early, and a log beside one frame.
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^sim ' || { echo "outputs.sh: skipped, built without sim"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# check NAME STATUS TEXT: report a failure
check()
{
	if [ "$2" -ne 0 ]; then
		echo "$1: $3"
		failed=1
	fi
}

# closed STATUS ARG...: the reader closes the pipe early; the output is larger than a pipe. No message is printed. A command can wait for
# the file `left`.
closed()
{
	expected=$1
	shift
	rm -f "$work/left"
	{
		"$malitop" "$@" 2>"$work/errors"
		echo $? >"$work/status"
	} | {
		head -n 1 >/dev/null
		exec <&-
		: >"$work/left"
	}
	[ "$(cat "$work/status")" -eq "$expected" ] && ! [ -s "$work/errors" ]
	check "$*" $? "status $(cat "$work/status"), said '$(cat "$work/errors")'"
}
"$malitop" record -b sim:gpu -i 1ms -d 500ms -o "$work/run.mlog" >/dev/null
check record $? "no log to export"
closed 0 list counters
closed 0 list metrics -f jsonl
closed 0 export "$work/run.mlog" -f csv
closed 0 stat -b sim:gpu -i 20ms -d 100s -m '*'
closed 7 stat -b sim:gpu -i 20ms -m '*' -- sh -c "until [ -e '$work/left' ]; do sleep 0.05; done; exit 7"

# Raw counter tables that cannot be written leave no file, and do not empty one that exists.
for sums in "export $work/run.mlog" "record -b sim:gpu -i 10ms -d 50ms"; do
	# shellcheck disable=SC2086
	"$malitop" $sums -f counters -o "$work/none.tsv" 2>"$work/errors"
	[ $? -eq 1 ] && grep -q 'only sums over the cores' "$work/errors" && ! [ -e "$work/none.tsv" ]
	check "$sums -f counters" $? "left $(ls "$work"), said '$(cat "$work/errors")'"
	echo kept >"$work/kept.tsv"
	# shellcheck disable=SC2086
	"$malitop" $sums -f counters --force -o "$work/kept.tsv" 2>"$work/errors"
	[ $? -eq 1 ] && [ "$(cat "$work/kept.tsv")" = kept ]
	check "$sums -f counters --force" $? "emptied the file that was there"
done

# --report: the same page as of the log, the status of CMD, no other file left; an error before the run costs none.
mkdir "$work/reports"
"$malitop" record -b sim -i 20ms -d 400ms -o "$work/reports/run.mlog" --report "$work/reports/run.html" >/dev/null &&
	"$malitop" report "$work/reports/run.mlog" -o "$work/again.html" && cmp -s "$work/reports/run.html" "$work/again.html"
check "record --report" $? "not the page that malitop report makes"
"$malitop" record -b sim -i 20ms -d 400ms -o "$work/reports/run.csv" --report "$work/reports/rows.md" >/dev/null &&
	grep -q '| Duration |' "$work/reports/rows.md"
check "record -f csv --report" $? "no table of the run"
"$malitop" stat -b sim --report "$work/reports/stat.html" -- sh -c 'sleep 0.3; exit 7' >"$work/table" 2>"$work/errors"
[ $? -eq 7 ] && grep -q 'GPU active' "$work/table" && grep -q '<dd>stat</dd>' "$work/reports/stat.html" && grep -q '</html>' "$work/reports/stat.html"
check "stat --report" $? "no status, table or page: $(cat "$work/table")"
"$malitop" stat -b sim --report "$work/reports/none.md" -- "$work/reports/none" 2>/dev/null
[ $? -eq 127 ]
check "stat --report" $? "a command that cannot run: another status than 127"
"$malitop" stat -b sim --report "$work/reports/stat.html" -- touch "$work/reports/ran" 2>"$work/errors"
[ $? -eq 1 ] && grep -q 'already exists' "$work/errors"
check "stat --report" $? "a report that exists: $(cat "$work/errors")"
[ "$(ls "$work/reports" | tr '\n' ' ')" = "rows.md run.csv run.html run.mlog stat.html " ]
check "--report" $? "left $(ls "$work/reports")"
for wrong in "record -o $work/x.mlog --report $work/x.pdf" "record -o $work/x.mlog --rotate 1MB --report $work/x.md" \
	"stat --repeat 2 --report $work/x.md -- true" "record -o - --control - --report $work/x.md" \
	"record -f csv -o $work/x.md --report $work/x.md"; do
	# shellcheck disable=SC2086
	"$malitop" $wrong >/dev/null 2>"$work/errors"
	[ $? -eq 2 ] && grep -q 'malitop: --report: ' "$work/errors"
	check "$wrong" $? "said '$(cat "$work/errors")'"
done

# One frame with --log also writes a complete log.
for ending in mlog csv; do
	"$malitop" --once=40x10 -b sim:gpu -i 10ms -r 100ms -o "$work/once.$ending" >"$work/frame" 2>"$work/errors"
	check "--once --log" $? "failed: $(cat "$work/errors")"
	[ "$(wc -l <"$work/frame")" -eq 10 ]
	check "--once --log" $? "no frame: $(cat "$work/frame")"
done
[ "$("$malitop" export "$work/once.mlog" -f csv 2>"$work/errors" | wc -l)" -gt 10 ] && ! [ -s "$work/errors" ]
check "--once --log" $? "the log of raw counters is not complete: $(cat "$work/errors")"
[ "$(wc -l <"$work/once.csv")" -gt 10 ]
check "--once --log" $? "the log has $(wc -l <"$work/once.csv") lines"
"$malitop" --once=40x10 -b sim:gpu -o "$work/once.csv" >"$work/frame" 2>"$work/errors"
[ $? -eq 1 ] && grep -q 'already exists' "$work/errors"
check "--once --log" $? "a log that exists: $(cat "$work/errors")"

# Without any locale installed its name tells the charset.
for locale in C xx_YY.UTF-8 xx_YY; do
	expected=0
	[ $locale = xx_YY.UTF-8 ] && expected=1
	LOCPATH=/nonexistent LC_ALL=$locale "$malitop" --once=60x12 -b sim:gpu >"$work/frame"
	LC_ALL=C grep -q "$(printf '\342')" "$work/frame"
	[ $? -eq $((1 - expected)) ]
	check "$locale" $? "the frame is: $(cat "$work/frame")"
done

# Output with guide definitions is marked.
for definitions in current guide; do
	given="--gpu g715 -b sim:gpu --definitions $definitions" expected=0
	[ $definitions = guide ] && expected=1
	# shellcheck disable=SC2086
	set -- $given
	"$malitop" --once=100x30 "$@" >"$work/frame"
	[ "$(head -n 1 "$work/frame" | grep -c ' GUIDE ')" -eq $expected ]
	check "$definitions" $? "the header is: $(head -n 1 "$work/frame")"
	"$malitop" stat -i 10ms -d 100ms -f csv "$@" >"$work/rows"
	[ "$(sed 1d "$work/rows" | grep -c 'simulated guide,')" -eq $((expected * ($(wc -l <"$work/rows") - 1))) ]
	check "$definitions" $? "the rows are: $(head -n 3 "$work/rows")"
	"$malitop" stat -i 10ms -d 100ms -f jsonl "$@" | head -n 1 | grep -q "\"definitions\":\"$definitions\""
	check "$definitions" $? "the first object of JSON lines does not say so"
done

# The simulated game has frames of its own; nothing else is waited for.
XDG_RUNTIME_DIR=$work "$malitop" stat --demo --passes -m frame.fps -f csv -i 500ms -d 2s >"$work/frames" 2>"$work/errors"
grep -q ',simulated,[1-9]' "$work/frames"
check "stat --demo --passes" $? "$(cat "$work/frames" "$work/errors")"

exit $failed
