#!/bin/sh
# Streams of counters: what one can do with a finished log one can do with a pipe, also while it is written.
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^sim ' || { echo "streams.sh: skipped, built without sim"; exit 77; }
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

# refused TEXT ARG...: the stream $work/bad is refused with this message and a status that is not zero
refused()
{
	text=$1
	shift
	"$malitop" "$@" <"$work/bad" >"$work/out" 2>"$work/errors"
	[ $? -ne 0 ] && [ "$(wc -l <"$work/errors")" -eq 1 ] && grep -q "$text" "$work/errors"
	check "$*" $? "said '$(cat "$work/errors")', not '$text'"
}

# The stream is the log, and the summary does not get between.
"$malitop" record --demo -o - -d 2s 2>"$work/errors" >"$work/run.mlog"
check 'record -o -' $? "failed: $(cat "$work/errors")"
grep -q '^malitop: stream: [1-9][0-9]* samples' "$work/errors"
check 'record -o -' $? "no summary: $(cat "$work/errors")"

# Everything says the same of the stream as of the file.
"$malitop" export "$work/run.mlog" -f csv >"$work/file"
(dd bs=777 2>/dev/null <"$work/run.mlog") | "$malitop" export - -f csv >"$work/stream" 2>"$work/errors"
check 'export -' $? "failed: $(cat "$work/errors")"
[ "$(wc -l <"$work/file")" -gt 10 ] && cmp -s "$work/file" "$work/stream"
check 'export -' $? 'differs from the export of the file'
"$malitop" stat - <"$work/run.mlog" >"$work/stream" 2>"$work/errors" && [ "$(wc -l <"$work/stream")" -gt 10 ]
check 'stat -' $? "$(cat "$work/errors" "$work/stream")"
for view in $("$malitop" list views | awk '!/^name/ {print $1}'); do
	for size in 80x24 160x48; do
		"$malitop" --once=$size --frames 3 -v "$view" "$work/run.mlog" >"$work/file"
		"$malitop" --once=$size --frames 3 -v "$view" - <"$work/run.mlog" >"$work/stream"
		[ "$(wc -l <"$work/file")" -gt 20 ] && [ "$(sed 1d "$work/file")" = "$(sed 1d "$work/stream")" ]
		check "--once - of $view at $size" $? 'differs from the screen of the file'
		grep -q REMOTE "$work/stream"
		check "--once - of $view" $? 'does not say where it comes from'
	done
done

# It can be read while it grows: a row is there long before the end.
mkfifo "$work/pipe"
"$malitop" record --demo --flush 100ms -o - -d 60s >"$work/pipe" 2>"$work/record" &
record=$!
"$malitop" export - -f csv <"$work/pipe" 2>"$work/errors" | head -n 5 >"$work/rows"
[ "$(wc -l <"$work/rows")" -eq 5 ]
check 'export - of a stream that grows' $? "$(cat "$work/errors")"

# The reader has left: so does the writer, which is no failure.
wait $record
check 'record whose reader left' $? "status $?, said '$(cat "$work/record")'"
[ "$(grep -c cut "$work/record")" -eq 0 ] && ! grep -q 'Broken pipe' "$work/record"
check 'record whose reader left' $? "said '$(cat "$work/record")'"

# What is no stream is refused.
echo 'permission denied' >"$work/bad"
refused "not a stream of malitop: it begins with 'permission denied" --once -
: >"$work/bad"
refused 'ended without any data' export -
head -c 100 "$work/run.mlog" >"$work/bad"
refused 'ended inside its start block' stat -
sed 's/$/\r/' "$work/run.mlog" >"$work/bad"
refused 'is there a terminal between' --once -

# A byte that was changed on the way costs its block, which is said.
size=$(wc -c <"$work/run.mlog")
{ head -c $((size / 2)) "$work/run.mlog"; printf '\377\377'; tail -c +$((size / 2 + 3)) "$work/run.mlog"; } |
	"$malitop" export - -f csv >"$work/stream" 2>"$work/errors"
[ $? -eq 1 ] && grep -q 'bytes of the stream were damaged and were skipped' "$work/errors" && [ "$(wc -l <"$work/stream")" -gt 5 ]
check 'a damaged stream' $? "said '$(cat "$work/errors")'"
exit $failed
