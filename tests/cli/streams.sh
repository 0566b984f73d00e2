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
# Hot is a view of sources that sample functions; this log has none.
for view in $("$malitop" list views | awk '!/^(name|hot) / {print $1}'); do
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

# blocks FILE: what is in its blocks
blocks()
{
	python3 - "$1" "$(dirname "$0")/../mlog" <<'END'
import sys
sys.path.insert(0, sys.argv[2])
import reader
data, at = open(sys.argv[1], "rb").read(), 0
while at < len(data):
    _, _, _, coding, _, _, _, _, size, raw_size, _, _ = reader.HEAD.unpack_from(data, at)
    payload = data[at + reader.HEAD.size : at + reader.HEAD.size + size]
    sys.stdout.buffer.write(reader.zstd_decode(payload, raw_size) if coding else payload)
    at += reader.HEAD.size + size
END
}

# The reader asks: each request is answered in the stream, done or refused with a reason, and what it wants is heeded.
{
	sleep 1
	printf '%s\n' '1 mark hello there' '2 interval 20000000' '3 nonsense' '4 signal 1 5 SIGTERM' '5 signal x' '6 interval 3' '7 gpu pause' \
		'8 send lean' '9 frames all' 'ack x' "10 mark $(printf '%0300d' 7)" "$(printf '\033[31m')" \
		'11 hot sometimes' '12 hot on'
	sleep 2
} | "$malitop" record --demo --flush 100ms --control - -o - 2>"$work/errors" >"$work/asked"
check 'record --control -' $? "$(cat "$work/errors")"
"$malitop" export - -f csv <"$work/asked" >"$work/rows" 2>"$work/errors" && grep -q ',mark' "$work/rows"
check 'record --control -' $? "a stream that begins again is not read: $(cat "$work/errors")"
for text in 'interval: 20 ms' "'nonsense': an unknown request" '1 process: not signaled' 'expected a pid' 'expected 1000000 to' \
	'counting: stopped' 'expected next' 'expected on or off' 'functions are not sampled there'; do
	blocks "$work/asked" | grep -a "$text" >/dev/null
	check "a request" $? "no answer with '$text'"
done

# Which functions run is sampled while the reader asks for it, where the kernel allows that.
{
	sleep 1
	printf '%s\n' '1 hot on'
	end=$(($(date +%s) + 3))
	while [ "$(date +%s)" -lt $end ]; do :; done
	printf '%s\n' '2 hot off'
} | "$malitop" record --control - -o - 2>"$work/errors" >"$work/hot"
check 'hot on' $? "$(cat "$work/errors")"
if blocks "$work/hot" | grep -a 'per busy CPU' >/dev/null; then
	"$malitop" export - -f folded <"$work/hot" >"$work/folded" 2>"$work/errors" && [ -s "$work/folded" ]
	check 'hot on' $? "no function was sampled: $(cat "$work/errors")"
else
	echo "streams.sh: functions cannot be sampled here"
fi

# A lean stream is a small one, and as true as the whole.
"$malitop" record --demo -d 4s -o "$work/full.mlog" >/dev/null && "$malitop" record --demo --lean -d 4s -o "$work/lean.mlog" >/dev/null
[ $(($(wc -c <"$work/lean.mlog") * 2)) -lt "$(wc -c <"$work/full.mlog")" ]
check '--lean' $? "$(wc -c "$work/lean.mlog" "$work/full.mlog")"
for log in full lean; do
	"$malitop" export "$work/$log.mlog" -f csv --step 10s -m GPUClock,MaliFragQueueUtil |
		awk -F, 'NR == 2 { print $4, $5 }' >"$work/$log"
done
cat "$work/full" "$work/lean" |
	awk 'NR == 1 { a = $1; b = $2 } END { exit !(NR == 2 && b > 1 && $1 / a > 0.98 && $1 / a < 1.02 && $2 / b > 0.98 && $2 / b < 1.02) }'
check '--lean' $? "other values: $(cat "$work/full" "$work/lean")"

# What is no stream is refused.
echo 'permission denied' >"$work/bad"
refused "not a stream of malitop: it begins with 'permission denied" --once -
: >"$work/bad"
refused 'ended without any data' export -
head -c 100 "$work/run.mlog" >"$work/bad"
refused 'ended inside its start block' stat -
sed 's/$/\r/' "$work/run.mlog" >"$work/bad"
refused 'is there a terminal in between' --once -

# A byte that was changed on the way costs its block, which is said.
size=$(wc -c <"$work/run.mlog")
{ head -c $((size / 2)) "$work/run.mlog"; printf '\377\377'; tail -c +$((size / 2 + 3)) "$work/run.mlog"; } |
	"$malitop" export - -f csv >"$work/stream" 2>"$work/errors"
[ $? -eq 1 ] && grep -q 'bytes of the stream were damaged and were skipped' "$work/errors" && [ "$(wc -l <"$work/stream")" -gt 5 ]
check 'a damaged stream' $? "said '$(cat "$work/errors")'"
exit $failed
