#!/bin/sh
# Several logs in one export: rows name their host, a rotated log is one again, and Prometheus takes them as its own past.
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^sim ' || { echo "export_logs.sh: skipped, built without the simulator"; exit 77; }
src=$(realpath "${srcdir:-.}")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0

fail()
{
	echo "export_logs.sh: $*"
	failed=1
}

# log NAME ARG...: half a second of the simulator
log()
{
	name=$1
	shift
	"$malitop" record -b sim -i 20ms -d 500ms "$@" -o "$work/$name.mlog" >/dev/null 2>&1 || fail "$name.mlog: not recorded"
}

export_logs()
{
	"$malitop" export "$@" 2>"$work/errors"
}

rows()
{
	grep -vc '^host,' "$1"
}

log a --gpu G715
log b --gpu G715 --seed 2
log other --gpu G52
cd "$work" || exit 2

export_logs a.mlog -f csv >a.csv && export_logs b.mlog -f csv >b.csv && export_logs a.mlog b.mlog -f csv >both.csv || fail "csv: $(cat errors)"
host=$(sed -n '2s/,.*//p' both.csv)
[ "$(head -n 1 both.csv)" = "host,$(head -n 1 a.csv)" ] || fail "csv: the header is $(head -n 1 both.csv | cut -c-60)"
{ tail -n +2 a.csv; tail -n +2 b.csv; } | sed "s/^/$host,/" >expected
tail -n +2 both.csv | cmp -s - expected || fail "csv: the rows are not those of both logs"

export_logs a.mlog other.mlog -f csv >/dev/null && fail "csv: logs of different GPUs have one header"
grep -q 'its columns differ from those of the previous log' errors || fail "csv: $(cat errors)"
export_logs a.mlog other.mlog -f jsonl | sed 1d | grep '"time"' | grep -v "\"host\":\"$host\"" && fail "jsonl: rows without their host"
for refused in '-f table' '-f csv --findings' '-f jsonl --compare b.mlog' '-f csv -o b.mlog'; do
	# shellcheck disable=SC2086
	export_logs a.mlog b.mlog $refused >/dev/null
	[ $? -eq 2 ] || fail "$refused: accepted: $(cat errors)"
done
export_logs a.mlog missing.mlog -f jsonl >/dev/null
[ $? -eq 1 ] || fail "a missing log is no failure"

# Opening a pipe waits for its writer, which may never come.
mkfifo pipe
for logs in '--compare pipe a.mlog' '--compare a.mlog pipe' 'a.mlog pipe -f jsonl'; do
	# shellcheck disable=SC2086
	timeout 60 "$malitop" export $logs -o - >/dev/null 2>errors </dev/null
	[ $? -eq 1 ] && grep -q 'pipe: not a regular file' errors || fail "$logs: $(cat errors)"
done
timeout 60 "$malitop" on cmd:env --demo --once=80x12 --push=pipe >/dev/null 2>errors </dev/null
[ $? -eq 1 ] && grep -q -e '--push: pipe: ' errors || fail "--push=pipe: $(cat errors)"

# The files of --rotate hold what one log holds.
"$malitop" record -b sim -i 2ms -d 1000ms --rotate 16kB -o set.mlog >/dev/null 2>&1 || fail "set.mlog: not recorded"
# shellcheck disable=SC2012
[ "$(ls set*.mlog | wc -l)" -gt 1 ] || fail "it was not rotated: $(ls)"
: >rows
for file in set*.mlog; do
	export_logs "$file" -f csv | tail -n +2 >>rows
done
export_logs set*.mlog -f csv >set.csv || fail "set: $(cat errors)"
[ "$(rows set.csv)" = "$(wc -l <rows)" ] || fail "set: $(rows set.csv) rows, not $(wc -l <rows)"
sed 1d set.csv | cut -d, -f2 | sort -c || fail "set: its rows are not in order"

# OpenMetrics: a counter ends at the sum of the rows, each family is described once.
export_logs a.mlog other.mlog -f openmetrics >both.om || fail "openmetrics: $(cat errors)"
[ "$(tail -n 1 both.om)" = '# EOF' ] && [ "$(grep -c EOF both.om)" = 1 ] || fail "openmetrics: it does not end with one # EOF"
[ -z "$(grep '^# TYPE' both.om | sort | uniq -d)" ] || fail "openmetrics: families are described twice"
"$malitop" record -b sim -i 20ms -d 500ms --per-core --gpu G610 -o cores.mlog >/dev/null 2>&1 || fail "cores.mlog: not recorded"
export_logs a.mlog other.mlog cores.mlog -f openmetrics --per-core >cores.om || fail "openmetrics: $(cat errors)"
grep -q ',core="0"' cores.om || fail "openmetrics: no cores"
if command -v python3 >/dev/null; then
	python3 -B "$src/tests/export/openmetrics.py" both.om cores.om || failed=1
	# the check itself can fail: families in two pieces, a series in two pieces, no end
	for edit in '$!{p;p}' '/gpu_active_cycles_total/!p; $!d; s/.*/# EOF\nx 1/p' '$!p' 's/_bucket{/_count{/p; t; p'; do
		sed -n "$edit" both.om >broken.om
		python3 -B "$src/tests/export/openmetrics.py" broken.om >/dev/null 2>&1 && fail "openmetrics.py accepts $edit"
	done
else
	echo "export_logs.sh: without python3, OpenMetrics is not checked"
fi
# a metric of the user is named by its machine name, whatever its title; one that takes another one's name is an error
own_metric()
{
	printf 'metric OwnUtil\n  title  Fragment queue utilization\n  unit   percent\n  group  Own\n  expr   MaliFragQueueUtil\n%s\n' "$1" >own.metrics
	export_logs a.mlog -m 'MaliFragQueueUtil,OwnUtil' --gpudb own.metrics -f openmetrics >own.om
}
own_metric '' && grep -q '^mali_fragment_queue_utilization_ratio{' own.om && grep -q '^mali_own_util_ratio{' own.om ||
	fail "openmetrics: not named by the machine name: $(cat errors)"
own_metric '  prometheus  fragment_queue_utilization_ratio' && fail "openmetrics: a name twice is accepted"
grep -q 'both are mali_fragment_queue_utilization_ratio in Prometheus' errors || fail "openmetrics: a name twice: $(cat errors)"
# the same log twice: Prometheus takes no value twice
export_logs a.mlog a.mlog -f openmetrics >twice.om || fail "openmetrics: $(cat errors)"
grep -q 'values were omitted: logs of one host overlap' errors || fail "openmetrics: nothing is said of a log that is there twice"
export_logs a.mlog -f openmetrics | cmp -s - twice.om || fail "openmetrics: a log that is there twice is not that log"
export_logs a.mlog -f csv -m MaliExtBusRdBy | sed 1d | awk -F, '{ sum += $4 } END { printf "%.0f\n", sum }' >expected
grep '^mali_output_external_read_bytes_total{.*G715' both.om | tail -n 1 | awk '{ printf "%.0f\n", $2 }' | cmp -s - expected ||
	fail "openmetrics: the counter ends at $(grep '^mali_output_external_read_bytes_total{.*G715' both.om | tail -n 1), not $(cat expected)"

if command -v promtool >/dev/null; then
	promtool tsdb create-blocks-from openmetrics both.om data >out 2>&1 || fail "promtool: $(cat out)"
	mkdir data/wal # it expects one
	promtool tsdb dump data >dump 2>&1
	grep 'mali_output_external_read_bytes_total' dump | grep G715 | awk '{ if ($(NF - 1) > most) most = $(NF - 1) } END { printf "%.0f\n", most }' | cmp -s - expected ||
		fail "promtool: its block does not hold the counter: $(grep -c . dump) lines"
else
	echo "export_logs.sh: without promtool, no block is made"
fi
exit $failed
