#!/bin/sh
# The verdict and the findings on the command line: stat, record, export, explain, list.
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^sim ' || { echo "findings.sh: skipped, built without sim"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# expect NAME STATUS PATTERN ARG...: the exit status, and a line of the output that matches.
expect()
{
	name=$1 status=$2 pattern=$3
	shift 3
	"$malitop" "$@" >"$work/out" 2>"$work/errors"
	got=$?
	if [ "$got" -ne "$status" ] || ! cat "$work/out" "$work/errors" | grep -q -e "$pattern"; then
		echo "$name: status $got, not $status, or nothing matches '$pattern':"
		tail -c 600 "$work/out" "$work/errors"
		failed=1
	fi
}

# Every scenario has its verdict, at once: each run takes two seconds.
pids=
for pair in idle:idle mixed:frame-cap fragment-bound:gpu-fragment vertex-bound:gpu-vertex compute-bound:gpu-compute \
	bandwidth-bound:memory cpu-bound:cpu serialised:serialised raytracing:gpu-compute uncapped:gpu-fragment \
	capped-30:frame-cap sleeping-limiter:frame-cap; do
	"$malitop" stat "--demo=${pair%:*}" -i 500ms -d 3s --findings -f jsonl >"$work/${pair%:*}.jsonl" 2>"$work/${pair%:*}.errors" &
	pids="$pids $!"
done
# shellcheck disable=SC2086
wait $pids
for pair in idle:idle mixed:frame-cap fragment-bound:gpu-fragment vertex-bound:gpu-vertex compute-bound:gpu-compute \
	bandwidth-bound:memory cpu-bound:cpu serialised:serialised raytracing:gpu-compute uncapped:gpu-fragment \
	capped-30:frame-cap sleeping-limiter:frame-cap; do
	if ! tail -n 1 "$work/${pair%:*}.jsonl" | grep -q "^{\"verdict\":{\"id\":\"${pair#*:}\","; then
		echo "${pair%:*}: not ${pair#*:}:"
		tail -n 1 "$work/${pair%:*}.jsonl" | cut -c1-200
		cat "$work/${pair%:*}.errors"
		failed=1
	fi
done
if ! grep -v '"findings"' "$work/serialised.jsonl" | tail -n 1 | grep -q '"verdict":"serialised"'; then
	echo "an object of a run has no verdict"
	failed=1
fi

fragment='--demo=fragment-bound -i 500ms -d 2500ms'
# shellcheck disable=SC2086
{
	expect 'findings as text' 0 '^ critical over-budget: ' stat $fragment --findings
	expect 'fail on critical' 3 'over-budget' stat $fragment --fail-on critical
	expect 'junit' 0 '<failure type="critical"' stat $fragment -f junit
	expect 'no rows in junit' 0 '<testsuite name="malitop" ' stat $fragment -f junit
	expect 'rows in csv, findings beside them' 0 '^ critical over-budget: ' stat $fragment --findings -f csv
	grep -q '^# \|^[a-z_]*,' "$work/out" && ! grep -q 'over-budget' "$work/out" && grep -q '^ critical over-budget: ' "$work/errors" ||
		{ echo 'findings in csv: not apart from the rows'; failed=1; }
	expect 'an unknown level' 2 'unknown .all.: expected never, warning or critical' stat --fail-on all
}
# shellcheck disable=SC2086
{
	expect 'a plain run ends with the verdict' 0 '^verdict  GPU bound: fragment (clear' stat $fragment
	tail -n 1 "$work/out" | grep -q '^verdict' || { echo 'the verdict is not the last line'; failed=1; }
	expect 'objects have it' 0 '"verdict":"gpu-fragment"' stat $fragment -f jsonl
	expect 'a run in csv' 0 'MaliGPU' stat $fragment -f csv
	grep -q -i verdict "$work/out" && { echo 'a verdict in csv'; failed=1; }
	expect 'findings of many runs' 2 '--findings: not with --repeat' stat --repeat 2 --findings -- true
	expect 'a level for many runs' 2 '--findings: not with --repeat' stat --repeat 2 --fail-on critical -- true
}
expect 'a lone command' 0 '^verdict  GPU bound: fragment' stat --demo=fragment-bound -- sleep 1
head -n 1 "$work/out" | grep -q xml && { echo 'junit comes with rows'; failed=1; }
expect 'nothing to fail on' 0 'verdict' stat --demo=idle -i 500ms -d 2500ms --fail-on critical
expect 'the status of CMD wins' 7 'verdict' stat --demo=fragment-bound --fail-on warning -- sh -c 'sleep 1; exit 7'
expect 'a command that is too heavy' 3 'verdict' stat --demo=fragment-bound --fail-on warning -- sleep 1

# What to change first, with its bound; nothing on content that is on time.
expect 'a bound' 0 '^ critical arithmetic-limits: .*, up to [0-9.]* of [0-9.]* ms$' stat $fragment --findings
expect 'what the frame needs' 0 'needs [0-9.]* of 14.2 ms: over by [0-9.]* ms' stat $fragment --findings
expect 'a side and a share' 0 'above 60.0 % (house): held all of [0-9.]* s, worst ' stat $fragment --findings
expect 'gains' 0 '"gain":{"share":0.[0-9]*,"of":"shading","ms":[0-9.]*}' stat $fragment --findings -f jsonl
expect 'nothing to fix' 0 'nothing to fix: [0-9.]* ms spare per frame' stat --demo -i 500ms -d 3s --findings
grep -q '^ warning\|^ critical' "$work/out" && { echo 'a finding on the healthy demo:'; cat "$work/out"; failed=1; }
expect 'healthy enough' 0 'verdict' stat --demo -i 500ms -d 3s --fail-on warning

# Counters of devices that are not here: each table of contrib says what comes out.
for table in "${srcdir:-.}"/contrib/tables/*.tsv; do
	gpu=$(sed -n 's/^# gpu: //p' "$table") verdict=$(sed -n 's/^# verdict: //p' "$table") first=$(sed -n 's/^# first: //p' "$table")
	change="{\"id\":\"$first\""
	[ "$first" = - ] && change=
	expect "$table" 0 "^{\"verdict\":{\"id\":\"$verdict\",.*\"findings\":\\[$change" eval --gpu "$gpu" --findings -f jsonl "$table"
	expect "$table as text" 0 '^verdict  ' eval --gpu "$gpu" --findings "$table"
done
one=$(find "${srcdir:-.}/contrib/tables" -name 'overdraw*.tsv')
cat "$one" "$one" >"$work/two.tsv"
expect 'two samples' 0 '"id":"gpu-fragment"' eval --gpu g715 --findings -f jsonl "$work/two.tsv"
expect 'metrics of two samples' 1 'a second table: metrics are of one sample' eval --gpu g715 "$work/two.tsv"
expect 'a level' 3 'critical' eval --gpu g715 --fail-on critical "$one"
grep -v sample_seconds "$one" >"$work/short.tsv"
expect 'no length' 1 'no constant sample_seconds' eval --gpu g715 --findings "$work/short.tsv"
expect 'metrics as objects' 2 'eval writes metrics as a table only: also give --findings' eval --gpu g715 -f jsonl "$one"
sed 's/frames_shown/frames_seen/' "$one" >"$work/bad.tsv"
expect 'an unknown constant' 1 "unknown constant 'frames_seen'" eval --gpu g715 --findings "$work/bad.tsv"

# A budget of one's own.
expect 'a budget' 3 'frame-traffic' stat --demo=fragment-bound -i 500ms -d 2500ms --fail-on warning \
	--budget "${srcdir:-.}/contrib/budget.findings"
grep -q 'read-stalls' "$work/out" && { echo 'a budget replaces the shipped findings'; failed=1; }
expect 'no budget' 1 "--budget: $work/none" stat --demo=idle --budget "$work/none"
printf 'finding f\n  title T\n  when Nope above 1\n  says S\n' >"$work/bad"
expect 'a bad budget' 1 "--budget: $work/bad:3: f: unknown name 'Nope'" stat --demo=idle --budget "$work/bad"
: >"$work/empty"
expect 'an empty budget' 1 "$work/empty: no findings in it" stat --demo=idle --budget "$work/empty"

# A log: its end names the verdict, and an export finds the same.
expect 'record' 0 '^verdict: GPU bound: queues take turns (clear' record --demo=serialised -d 3s -o "$work/run.mlog"
expect 'export' 3 '"verdict":{"id":"serialised","confidence":"clear"' export "$work/run.mlog" -f jsonl --fail-on warning
expect 'export ends with the verdict' 0 '^verdict  GPU bound: queues take turns' export "$work/run.mlog"
expect 'its objects' 0 '"verdict":"serialised"' export "$work/run.mlog" -f jsonl
expect 'export as text' 0 '^verdict  GPU bound: queues take turns' export "$work/run.mlog" --findings
# A question about the findings is answered without rows, unless a format asks for them.
row='^ *[0-9][0-9.]*  *[A-Z]'
for asked in --findings '--fail-on critical' "--budget ${srcdir:-.}/contrib/budget.findings"; do
	for format in '' '-f table'; do
		# shellcheck disable=SC2086
		"$malitop" export "$work/run.mlog" $asked $format >"$work/out" 2>"$work/errors"
		rows=$(grep -c "$row" "$work/out")
		if ! grep -q '^verdict  GPU bound: queues take turns' "$work/out" || { [ "$format" ] && [ "$rows" -eq 0 ]; } || { [ -z "$format" ] && [ "$rows" -gt 0 ]; }; then
			echo "export $asked $format: $rows rows: $(head -n 3 "$work/out" "$work/errors")"
			failed=1
		fi
	done
	# shellcheck disable=SC2086
	"$malitop" export "$work/run.mlog" $asked --force -o "$work/report.txt" 2>"$work/errors"
	[ "$(head -c 9 "$work/report.txt")" = 'verdict  ' ] || { echo "export $asked -o: $(head -n 3 "$work/report.txt" "$work/errors")"; failed=1; }
	# shellcheck disable=SC2086
	"$malitop" export "$work/run.mlog" $asked -f jsonl >"$work/out" 2>"$work/errors"
	[ "$(wc -l <"$work/out")" -gt 10 ] || { echo "export $asked -f jsonl has no rows"; failed=1; }
done
expect 'record in jsonl' 0 '^verdict: CPU bound' record --demo=cpu-bound -d 3s -o "$work/run.jsonl"
tail -n 1 "$work/run.jsonl" | grep -q '"verdict":"cpu"' || { echo 'a log in jsonl has no verdict'; failed=1; }
expect 'a log with a busy thread' 0 '^verdict: CPU bound (clear' record --demo=cpu-bound -d 4s -o "$work/cpu.mlog"
expect 'its export' 0 '"id":"cpu"' export "$work/cpu.mlog" -f jsonl --findings

# Explanations.
expect 'a metric' 0 'in guide' explain MaliALUUtil --gpu g715
expect 'a finding' 0 '  house ' explain read-stalls
expect 'a verdict' 0 'verdict' explain memory --gpu g52
expect 'a hardware name' 0 '^MaliTilerActiveCy' explain TILER_ACTIVE
expect 'a variable' 0 '^CPUActivityUser' explain '$CPUActivityUser'
expect 'a short title' 0 '^MaliFragOverdraw' explain 'Fragments/pixel'
expect 'the label of a row' 0 '^MaliFragOverdraw' explain 'fragments per pixel' --gpu g715
for spelling in overdraw Overdraw OVERDRAW; do
	expect "a finding that is also a metric: $spelling" 0 '^overdraw  High overdraw' explain $spelling
	expect "a metric that is also a finding: $spelling" 0 '^MaliFragOverdraw' explain $spelling
done
expect 'a metric in lower case' 0 '^MaliFragOverdraw' explain malifragoverdraw
expect 'a hardware name in lower case' 0 '^MaliTilerActiveCy' explain tiler_active
expect 'a verdict in upper case' 0 'verdict' explain MEMORY --gpu g52
expect 'a word of a name' 2 'try .*MaliFragOverdraw' explain overdra
expect 'the name of an operand' 0 'GPUSteadyTime, time with a steady clock' explain GPUClock --gpu g715
expect 'an unknown name' 2 "explain: unknown 'nope'" explain nope
expect 'no name' 2 'explain: expected NAME' explain
expect 'the list' 0 'read-stalls' list findings --gpu g52
expect 'the help of metrics' 0 '"help":"Share of busy time' list metrics --gpu g715 -f jsonl
expect 'their views' 0 '"views":"overview, memory"' list metrics --gpu g715 -f jsonl
expect 'operands' 0 '^  operands  MaliFragQueueActiveCy, Fragment queue active cycles' explain MaliFragQueueUtil --gpu g715
expect 'where it is shown' 0 '^  view      2 Queues: Lanes' explain MaliFragQueueUtil --gpu g715
exit $failed
