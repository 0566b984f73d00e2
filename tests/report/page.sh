#!/bin/sh
# `malitop report`: pages of simulated logs are sound, load nothing, and have the numbers of an export.
malitop=${MALITOP:-./malitop}
src=${srcdir:-.}
"$malitop" list backends | grep -q '^sim ' || { echo "page.sh: skipped, built without sim"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
	echo "page.sh: $*"
	failed=1
}

# status EXPECTED ARG...: the exit status of `malitop report ARG...`
status()
{
	expected=$1
	shift
	"$malitop" report "$@" >"$work/out" 2>"$work/errors"
	got=$?
	[ $got -eq "$expected" ] || fail "report $*: status $got, not $expected: $(head -c 300 "$work/errors")"
}

# sound PAGE [CSV]
sound()
{
	command -v python3 >/dev/null || return
	python3 -B "$src/tests/report/page.py" "$@" || fail "$1 is not sound"
}
command -v python3 >/dev/null || echo "page.sh: without python3, pages are only written"

# Two logs at once; the first has marks, with markup in a name.
mkfifo "$work/control"
"$malitop" record --demo=bandwidth-bound --control "fifo:$work/control" -i 50ms -d 9s -o "$work/bad.mlog" >/dev/null 2>"$work/bad.errors" &
"$malitop" record --demo=mixed --gpu g52 -i 50ms -d 7s -o "$work/good.mlog" >/dev/null 2>&1 &
{
	echo enable
	sleep 3
	echo 'mark <script>alert(1)</script> & "quotes"'
	sleep 3
	echo 'mark boss'
	sleep 4
} >"$work/control"
wait

for log in bad good; do
	[ -s "$work/$log.mlog" ] || fail "$log: no log: $(cat "$work/bad.errors")"
	status 0 "$work/$log.mlog" -o "$work/$log.html"
	step=$(sed -n 's/.*data-step="\([0-9.e-]*\)".*/\1/p' "$work/$log.html")
	metrics=$(grep -o 'data-m="[^"]*"' "$work/$log.html" | sed 's/data-m="//; s/"//' | sort -u | paste -sd, -)
	"$malitop" export "$work/$log.mlog" --step "${step}s" -m "$metrics" -f csv >"$work/$log.csv" || fail "$log: cannot be exported"
	sound "$work/$log.html" "$work/$log.csv"
done
grep -q 'Memory bound' "$work/bad.html" || fail "the verdict of bad.mlog is not in its page"
grep -q '<script>alert' "$work/bad.html" && fail "a mark became markup"
grep -q 'SIMULATED' "$work/bad.html" || fail "the page does not say that it is simulated"

# Markdown, and two logs
status 0 "$work/bad.mlog" -f md
grep -q '^\*\*Memory bound' "$work/out" || fail "Markdown does not begin with the verdict"
grep -q '<script' "$work/out" && fail "a mark became markup in Markdown"
status 0 "$work/good.mlog" "$work/bad.mlog" -o "$work/both.html"
sound "$work/both.html"
grep -q 'Different GPU' "$work/both.html" || fail "the comparison does not say that the GPU is another one"
status 0 "$work/good.mlog" "$work/bad.mlog" -f md
grep -q '| GPU needs per frame |' "$work/out" || fail "the comparison has no row of the GPU's need"

# More logs are columns, and runs of two builds say what may be chance.
status 0 "$work/good.mlog" "$work/bad.mlog" "$work/good.mlog" -o "$work/columns.html"
sound "$work/columns.html"
grep -q 'Side by side' "$work/columns.html" || fail "three logs are no columns"
status 0 "$work/good.mlog" "$work/bad.mlog" "$work/good.mlog" -f md
grep -q '| good\\.mlog | bad\\.mlog | good\\.mlog |\|| good.mlog | bad.mlog | good.mlog |' "$work/out" ||
	fail "three logs are no columns in Markdown: $(head -n 4 "$work/out")"
status 0 --repeat 2 "$work/good.mlog" "$work/good.mlog" "$work/bad.mlog" "$work/bad.mlog" -o "$work/runs.html"
sound "$work/runs.html"
grep -q '>worse<' "$work/runs.html" || fail "a worse build is not called so"
status 0 --repeat 3 "$work/good.mlog" "$work/bad.mlog" "$work/bad.mlog" "$work/good.mlog" "$work/good.mlog" "$work/bad.mlog" -f md
grep -q 'may be chance' "$work/out" || fail "builds of like runs differ: $(head -n 1 "$work/out")"
grep -q '| worse |\|| better |' "$work/out" && fail "one of the same builds is better"
status 2 --repeat 2 "$work/good.mlog" "$work/good.mlog" "$work/bad.mlog"
grep -q -- '--repeat: 3 logs do not make up two or more builds of 2 runs each' "$work/errors" || fail "the message of --repeat is: $(cat "$work/errors")"

# A budget decides the exit status.
printf 'finding busy\n  title        GPU too busy\n  severity     warning\n  when         GPUBusy above 80 until 70\n  evidence     GPUBusy\n  says         The GPU is busy.\n  do           Draw less.\n  look         overview\n  house        Our own limit.\n' >"$work/tight.findings"
status 3 "$work/bad.mlog" --budget "$work/tight.findings" -o "$work/tight.html"
grep -q '>fail<' "$work/tight.html" || fail "the budget's page has no failed line"
sound "$work/tight.html"
status 0 "$work/good.mlog" --budget "$work/tight.findings" -f md
grep -q '| pass |' "$work/out" || fail "the budget's table has no passed line"

# A log that was cut off, and one that is damaged inside, give what they hold and say what is missing.
size=$(wc -c <"$work/bad.mlog")
head -c $((size * 2 / 3)) "$work/bad.mlog" >"$work/cut.mlog"
status 0 "$work/cut.mlog" -o "$work/cut.html"
sound "$work/cut.html"
grep -q 'The log is not complete' "$work/cut.html" || fail "the page of a cut log does not say so"
cp "$work/bad.mlog" "$work/damaged.mlog"
head -c 2000 /dev/zero | dd of="$work/damaged.mlog" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
status 1 "$work/damaged.mlog" -o "$work/damaged.html"
sound "$work/damaged.html"
grep -q 'The log is not complete. [^<]*damaged and were skipped; [^<?]*samples were lost' "$work/damaged.html" ||
	fail "the page of a damaged log does not say so"

# What cannot be: no log, the log itself as output, a format that is none of its own.
echo nonsense >"$work/text.mlog"
status 1 "$work/text.mlog" -o "$work/none.html"
[ -e "$work/none.html" ] && fail "a failed report left a file"
status 2 "$work/bad.mlog" -o "$work/bad.mlog" -f html --force
status 2 "$work/bad.mlog" -f csv
status 2 "$work/bad.mlog" -o "$work/page.pdf"
status 1 "$work/bad.mlog" -o "$work/bad.html" # it exists

# In a browser: no message on the console, and the script finds its plots.
browser=
for name in chromium chromium-browser google-chrome; do
	command -v $name >/dev/null && browser=$name && break
done
if [ -n "$browser" ]; then
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --enable-logging=stderr \
		--dump-dom "file://$work/bad.html" >"$work/dom" 2>"$work/browser"
	grep -q 'CONSOLE' "$work/browser" && fail "the console has: $(grep CONSOLE "$work/browser" | head -n 2)"
	grep -q 'tabindex="0"' "$work/dom" || fail "the script does not run"
else
	echo "page.sh: without chromium, the page is not opened in a browser"
fi
[ $failed -eq 0 ] && echo "page.sh: pages are sound"
exit $failed
