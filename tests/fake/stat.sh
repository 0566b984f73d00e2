#!/bin/sh
# The installed `malitop stat` with the simulator and this machine: lines, formats, signals, and all kinds of commands.
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^sim ' || { echo "stat.sh: skipped, built without the simulator"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0

# check STATUS WHAT: report a failure
check()
{
	if [ "$1" -ne 0 ]; then
		echo "$2"
		failed=1
	fi
}

# status WANTED WHAT ARG...: the exit status of malitop stat; its output is in $work/out and $work/errors
status()
{
	wanted=$1 what=$2
	shift 2
	"$malitop" stat "$@" >"$work/out" 2>"$work/errors"
	got=$?
	[ "$got" -eq "$wanted" ]
	check $? "$what: status $got, not $wanted: $(cat "$work/errors")"
}

# said PATTERN FILE WHAT: the file has a line that matches
said()
{
	grep -q -- "$1" "$work/$2"
	check $? "$3: no '$1' in: $(cat "$work/$2")"
}

# ---- lines ----

status 0 "table" --long -b sim:gpu -i 100ms -d 1050ms
head -n 1 "$work/out" | grep -qE '^ +time  name +value  unit +flags$'
check $? "table: the header is '$(head -n 1 "$work/out")'"
# the same number of lines at each time, a tenth of a second apart
awk 'NR > 1 && /^ *[0-9]/ { n[$1]++; if (NR > 2 && $1 - at > 0.0005 && ($1 - at - 0.1) ^ 2 > 1e-6) bad = 1; at = $1 }
	END { for (t in n) { times++; if (n[t] != n["0.100"]) bad = 1 } exit bad || times < 10 || n["0.100"] < 8 || n["0.100"] > 12 }' "$work/out"
check $? "table: the lines are not one per metric and tenth of a second: $(head -n 40 "$work/out")"
grep -q ' $' "$work/out" && check 1 "table: blanks at the end of a line"
said 'MaliExtBusRdBy .*B/s  ' out "table: bytes are per second"
said ' simulated$' out "table: flags"

# Columns under a header, which is repeated; one line per interval.
status 0 "columns" -b sim:gpu -i 20ms -d 1s
[ "$(grep -c '^ *time ' "$work/out")" -ge 2 ] && [ "$(grep -c '^ *[0-9][0-9.]* ' "$work/out")" -ge 40 ]
check $? "columns: $(head -n 30 "$work/out")"
awk '/ time / { n = NF } /simulated$/ && !/clock/ && n && NF < n { bad = 1 } END { exit bad }' "$work/out"
check $? "columns: not as many values as titles: $(head -n 10 "$work/out")"

for source in sim:gpu proc; do
	"$malitop" list backends | grep -q "^${source%:*} " || continue
	status 0 "-d under the interval" --long -b $source -i 10s -d 300ms
	awk '/^ *[0-9]/ { if ($1 < 0.3 || n && $1 != at) bad = 1; n++; at = $1 } END { exit bad || !n }' "$work/out"
	check $? "-d under the interval: not one row: $(cat "$work/out" "$work/errors")"
done

if "$malitop" list backends | grep -q '^proc '; then
	status 0 "headline" --long -b sim,proc -i 1s -d 1100ms
	n=$(awk '/^ *[0-9]/ { print $2 }' "$work/out" | sort -u | wc -l)
	[ "$n" -ge 9 ] && [ "$n" -le 12 ] # without what the machine does not have
	check $? "headline: not 12 metrics: $(cat "$work/out")"
fi

status 0 "-m" --long -b sim:gpu -i 100ms -d 250ms -m 'MaliExtBus?dBy,GPUClock'
awk '/^ *[0-9]/ { print $2 }' "$work/out" | sort -u | tr '\n' ' ' | grep -qx 'GPUClock MaliExtBusRdBy '
check $? "-m: not the metrics that were asked for: $(cat "$work/out")"
status 2 "-m of nothing" -b sim:gpu -m 'MaliExtBusRdBy,Nali*'
said "'Nali\*' matches no metric" errors "-m of nothing"

# stat prints what record logs: the same seed gives the same numbers.
status 0 "csv" -b sim:gpu -i 100ms -d 1550ms -f csv -m '*'
"$malitop" record -b sim:gpu -i 100ms -d 1550ms -m '*' -o "$work/log.csv" >/dev/null
for f in out log.csv; do
	head -n 11 "$work/$f" | cut -d, -f2- >"$work/$f.rows"
done
[ "$(wc -l <"$work/out.rows")" -eq 11 ] && cmp -s "$work/out.rows" "$work/log.csv.rows"
check $? "csv: not the rows of record: $(wc -l "$work/out.rows" "$work/log.csv.rows")"
status 0 "jsonl" -b sim:gpu -i 100ms -d 250ms -f jsonl
head -n 1 "$work/out" | grep -q '^{"malitop":' && sed 1d "$work/out" | grep -q '^{"time":.*}$'
check $? "jsonl: $(cut -c1-100 "$work/out")"

# Deadlines are a grid: nothing drifts.
status 0 "grid" -b sim:gpu -i 10ms -d 2s -f csv -m GPUClock
awk -F, 'NR == 2 { first = $1 } NR > 1 && ($1 - first - (NR - 2) * 0.01) ^ 2 > 1e-10 { bad = 1 } END { exit bad || NR < 200 }' "$work/out"
check $? "grid: not every 10 ms: $(sed -n '2p;$p' "$work/out"), $(wc -l <"$work/out") lines"

# ---- files, pipes and signals ----

status 0 "-o" -b sim:gpu -i 100ms -d 250ms -o "$work/stat.csv"
[ ! -s "$work/out" ] && head -n 1 "$work/stat.csv" | grep -q '^time,duration,flags,'
check $? "-o: not csv by its ending: $(head -n 1 "$work/stat.csv")"
status 1 "existing file" -b sim:gpu -d 100ms -o "$work/stat.csv"
said 'already exists' errors "existing file"
if [ -c /dev/full ]; then
	"$malitop" stat -b sim:gpu -i 100ms -d 1s >/dev/full 2>"$work/errors"
	[ $? -eq 1 ] && grep -q 'No space left' "$work/errors"
	check $? "full disk: $(cat "$work/errors")"
fi
"$malitop" stat -b sim:gpu -i 10ms -d 20s 2>"$work/errors" | head -n 3 >"$work/out"
[ "$(wc -l <"$work/out")" -eq 3 ] && [ ! -s "$work/errors" ]
check $? "a reader that leaves: $(cat "$work/errors")"

# A signal at any time leaves complete lines, even long ones in a pipe.
for s in INT TERM; do
	for after in 100 211 323; do
		sh -c 'echo $$ >"$0"; exec "$@"' "$work/pid" "$malitop" stat -b sim:gpu -i 1ms -d 100s -f csv -m '*' |
			awk -v after=$after -v send="kill -s $s \$(cat '$work/pid')" '{ print } NR == after { system(send) }' >"$work/out"
		[ "$(tail -c 1 "$work/out" | od -An -tx1 | tr -d ' ')" = 0a ] &&
			awk -F, -v after=$after 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < after }' "$work/out"
		check $? "SIG$s after $after rows: $(wc -l <"$work/out") rows, the last: $(tail -n 1 "$work/out" | cut -c1-100)"
	done
done

# ---- commands ----

status 0 "a command" -b sim:gpu -- sh -c 'sleep 0.2'
said '^sh -c sleep 0.2$' out "a command"
awk '/ s  elapsed$/ { all = $1 } END { exit !(all >= 0.2) }' "$work/out"
check $? "a command: the time is that of its run: $(cat "$work/out")"
said '^MaliExtBusRdBy .*B  .*B/s  ' out "a command"
said '^  *0    exit status$' out "a command"
[ "$(grep -c '^MaliExtBusRdBy ' "$work/out")" -eq 1 ]
check $? "a command: more than a summary: $(cat "$work/out")"

status 7 "exit status" -b sim:gpu -- sh -c 'exit 7'
said '^  *7    exit status$' out "exit status"
status 137 "killed" -b sim:gpu -- sh -c 'kill -9 $$'
said '^  *137    exit status$' out "killed"
status 139 "crashed" -b sim:gpu -- sh -c 'ulimit -c 0; kill -SEGV $$'
status 127 "not there" -b sim:gpu -- no-such-command-anywhere
said 'no-such-command-anywhere: cannot run' errors "not there"
[ ! -s "$work/out" ]
check $? "not there: $(cat "$work/out")"
echo 'exit 3' >"$work/script"
status 126 "not executable" -b sim:gpu -- "$work/script"
chmod +x "$work/script"
status 3 "a script" -b sim:gpu -- "$work/script"
status 5 "forks" -b sim:gpu -- sh -c '(exit 1); sleep 0.1 & wait; exit 5'
status 6 "execs again" -b sim:gpu -- sh -c 'exec sh -c "exec sh -c \"exit 6\""'
status 2 "stopped" -b sim:gpu -- sh -c '(until grep -q "^State:.*T" /proc/$$/status; do sleep 0.02; done; kill -CONT $$) & kill -STOP $$; exit 2'

# CMD's own output is mixed with ours, or separate with -o.
status 0 "its output" -b sim:gpu -- echo hello
head -n 1 "$work/out" | grep -qx hello
check $? "its output: $(cat "$work/out")"
status 0 "its output apart" -b sim:gpu -o "$work/report" -- echo hello
[ "$(cat "$work/out")" = hello ] && grep -q 'exit status$' "$work/report"
check $? "its output apart: $(cat "$work/out" "$work/report")"

# The start of a command is left out.
began=$(cut -d ' ' -f 1 /proc/uptime)
status 0 "--delay" --long -b sim:gpu -i 50ms --delay 300ms -m GPUClock -- sh -c "until grep -q '[0-9]  *GPUClock' '$work/out'; do sleep 0.02; done"
awk -v began="$began" -v now="$(cut -d ' ' -f 1 /proc/uptime)" '/ s  elapsed$/ { all = $1 } END { exit !(all > 0 && all + 0.3 <= now - began + 0.02) }' "$work/out"
check $? "--delay: $(cat "$work/out")"
status 0 "a long --delay" -b sim:gpu --delay 20s -m GPUClock -- true
said '^malitop: --delay: the command ended before the delay did: nothing was counted$' errors "a long --delay"

# Lines and then the total; formats.
status 0 "lines of a command" --long -b sim:gpu -i 50ms -m GPUClock -- sleep 0.3
[ "$(grep -c '^ .*  GPUClock ' "$work/out")" -ge 5 ] && [ "$(grep -c '^GPUClock ' "$work/out")" -eq 1 ]
check $? "lines of a command: $(cat "$work/out")"
status 4 "csv of a command" -b sim:gpu -i 50ms -m MaliGPUActiveCy -f csv -- sh -c 'sleep 0.3; exit 4'
tr -d '\r' <"$work/out" | awk -F, 'NR == 1 { ok = $0 == "time,duration,flags,MaliGPUActiveCy,CommandUser,CommandSystem,CommandStatus" }
	NR > 1 && $3 !~ /total/ { rows++; sum += $4; if ($7 != "") ok = 0 }
	$3 ~ /total/ { total = $4; duration = $2; status = $7 }
	END { exit !(ok && rows >= 5 && sum == total && duration > 0.29 && status == 4) }'
check $? "csv of a command: $(cat "$work/out")"
status 0 "jsonl of a command" -b sim:gpu -m MaliGPUActiveCy -f jsonl -- sleep 0.1
[ "$(wc -l <"$work/out")" -eq 2 ] && tail -n 1 "$work/out" | grep -q '"flags":"[a-z ]*total".*"CommandStatus":0.0}$'
check $? "jsonl of a command: $(cat "$work/out")"

# Its CPU time, and that of its children; even a very short command has a sample of /proc.
status 0 "times" -b sim:gpu -- sh -c '(i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done)'
awk '/ s  in programs$/ { user = $1 } / s  elapsed$/ { all = $1 } END { exit !(user >= 0.01 && all >= user / 2) }' "$work/out"
check $? "times: $(cat "$work/out")"
if "$malitop" list backends | grep -q '^proc ' && [ -r /proc/stat ]; then
	status 0 "short" -b proc -m CPUActivityUser -- sh -c 'sleep 0.15'
	grep -qE '^CPUActivityUser +[0-9.]+  % +machine$' "$work/out"
	check $? "short: no sample of /proc: $(cat "$work/out")"
fi

# CPU events are counted for the command from its first instruction to its last, and for what it starts, if the kernel permits it.
if "$malitop" list backends | grep -q '^perf ' && "$malitop" stat -b perf -d 50ms -i 10ms >/dev/null 2>&1; then
	status 0 "events" -b perf -- sh -c '(i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done)'
	said '^CPU events: the command, ' out "events"
	awk '$1 == "CPUTaskTime" { gsub(/,/, "", $2); counted = $2 * 1e-9 } / s  in programs$/ { used += $1 } / s  in the kernel$/ { used += $1 } / s  elapsed$/ { all = $1 }
		END { exit !(counted > 0.01 && counted > 0.9 * used - 0.03 && counted < all + 0.01) }' "$work/out"
	check $? "events: not the CPU time of the command: $(cat "$work/out")"
	status 0 "no report over an interval" -b perf -i 10ms -d 50ms
	grep -q 'CPU events' "$work/out" && check 1 "no report over an interval: $(cat "$work/out")"
	status 0 "scope" -b perf -C 0 -i 10ms -d 50ms
	status 0 "scope" -b perf -p $$ -i 10ms -d 50ms
	status 0 "an event by name" -b perf -e page-faults:u,page-faults -e cpu-clock -- sh -c '(true); (true); (true)'
	[ "$(awk '$1 == "CPUPageFaults" { print $2 }' "$work/out" | tail -n 1)" = "$(awk '$1 == "page-faults" { print $2 }' "$work/out" | tail -n 1)" ]
	check $? "an event by name: not as many faults: $(cat "$work/out")"
	[ "$(awk '$1 ~ /^(page-faults|cpu-clock)/ { printf "%s ", $1 }' "$work/out")" = "page-faults:u page-faults cpu-clock " ] # each once
	check $? "an event by name: not the first: $(cat "$work/out")"
fi

# Events by name, on CPUs that have counters.
# asked WANTED WORDS ARG...: the exit status under FAKEPERF
asked()
{
	wanted=$1 words=$2
	shift 2
	# a sanitizer checks that its library is the first, but the fake comes before it
	FAKEPERF=machine=$words ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$PWD/tests/fake/libfakemali.so \
		"$malitop" "$@" >"$work/out" 2>"$work/errors"
	got=$?
	[ "$got" -eq "$wanted" ]
	check $? "$words $*: status $got, not $wanted: $(cat "$work/errors")"
}

if "$malitop" list backends | grep -q '^perf ' && [ -f tests/fake/libfakemali.so ]; then
	for machine in a72x4 rk3588 tiny2 x86 hybrid 'rk3588 kernel=5.10'; do
		asked 0 "$machine" stat -b perf -i 50ms -d 1s -f csv -e cache-misses,r11 -e page-faults:u
		tr -d '\r' <"$work/out" | awk -F, 'NR == 1 { bad = $0 !~ /^time,duration,flags,cache-misses,r11,page-faults:u,CPUCycles,/ }
			NR > 1 && !($4 > 0 && $5 > 0 && $6 ~ /^[0-9.]+$/) { bad = 1 } END { exit bad || NR < 3 }'
		check $? "$machine: $(cat "$work/out")"
		asked 0 "$machine" stat -b perf -e cache-misses -- sleep 0.3
		grep -qE '^cache-misses +[0-9,]+( +\[[0-9,]+\])? +[0-9.]+ % +([0-9.]+ [kMG]?/s|-) +([0-9.]+|-)$' "$work/out" || [ "$machine" = hybrid ]
		check $? "$machine: not counted: $(cat "$work/out")"
	done
	asked 0 a72x4 stat -b perf -e '{inst_retired,inst_spec,br_mis_pred},cache-misses' -- sleep 0.3
	said '^inst_spec  .* 100.0 %  .*  0\.1[0-9]* of inst_retired$' out "a group"
	said '^cache-misses  .*[0-9]$' out "beside a group"
	# The row of an interval has what every source counted in it, from the first row on; a group alone fits the counters.
	asked 0 a72x4 stat -b proc,perf -i 500ms -d 1s -f csv -e cycles
	tr -d '\r' <"$work/out" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "CPUContextSwitches") at = i }
		NR > 1 && !($4 > 0 && $at > 0) { bad = 1 } END { exit bad || NR < 2 }'
	check $? "a row without events: $(cat "$work/out")"
	for group in ipc branch cache l1d tlb bus mix sync exceptions memory; do
		asked 0 a72x4 stat -b perf --long -i 100ms -d 200ms -g $group
		! grep -F '[' "$work/out"
		check $? "-g $group takes turns: $(cat "$work/out")"
	done
	# op_retired 294, op_spec 442, stall_slot 1034, of the front end 886, of the back end 738, in 5 x 4600 slots of four CPUs
	asked 0 a710x4 stat -b perf --long -i 200ms -d 600ms -m CPURetiring,CPUBadSpeculation,CPUFrontendBound,CPUBackendBound
	! grep -F '[' "$work/out"
	check $? "top-down takes turns: $(cat "$work/out")"
	for is in 'CPURetiring .* 63.5 *%' 'CPUBadSpeculation .* 32.0 *%' 'CPUFrontendBound .* 3.9 *%' 'CPUBackendBound .* 3.2 *%'; do
		said " $is" out "top-down"
	done
	asked 0 a72x4 stat -b perf --long -i 200ms -d 400ms -g topdown
	said ' CPURetiring  *-' out "a core without slots"
	said ' CPURetiredShare  *100' out "a core without slots"
	said '^malitop: CPURetiring: not measured here' errors "a core without slots"
	asked 0 x86 record -b perf -i 50ms -d 120ms -e cpu/event=0x2e,umask=0x41/ -o "$work/asked.csv"
	head -n 1 "$work/asked.csv" | grep -q ',"cpu/event=0x2e,umask=0x41/","cpu/event=0x2e,umask=0x41/.cluster0"'
	check $? "record: $(head -n 1 "$work/asked.csv")"
	asked 0 rk3588 -b perf -e armv8_cortex_a76/event=0x1b/ -v cpu --once=100x40
	said ' armv8_cortex_a76/event=0x1b/ ' out "the CPU view"
	asked 0 vm stat --long -b perf -e cycles -d 100ms -i 100ms
	said '^malitop: --event: cycles: no PMU of this machine counts it: ' errors "no counters"
	said '^ *[0-9.]* *cycles  *-$' out "no counters"
	for whose in '-p 999999' '-t 999999' '-C 0' '-C 77'; do
		asked 1 'a72x4 paranoid=2 cap=0' stat $whose -d 100ms -i 100ms
		[ "$(wc -l <"$work/errors")" -eq 1 ] && [ ! -s "$work/out" ]
		check $? "$whose: not one message alone: $(cat "$work/errors" "$work/out")"
	done
	rm "$work/out"
	sleep 600 &
	watched=$!
	(until grep -q '^ *[0-9]' "$work/out"; do sleep 0.02; done; kill $watched) 2>/dev/null &
	asked 0 rk3588 stat --long -b perf -p $watched -i 50ms -d 60m
	said '^malitop: process [0-9]* .*: has ended$' errors "a process that ends"
	asked 1 'a72x4 refuse=missing' stat -e r11 -d 100ms
	said '^malitop: perf: CPU events cannot be counted: Function not implemented' errors "no perf"
	asked 0 a72x4 stat -b perf -m CPUIPC,CPUL3MissRatio -e br_pred -- true
	said '^CPUIPC  *0[.]' out "-m of a metric"
	said '^CPUL3MissRatio  *-' out "-m of a metric that this machine does not have"
	said '^malitop: CPUL3MissRatio: not measured here' errors "-m of a metric that this machine does not have"
	said '^br_pred  *[0-9.]* .*/s' out "-m beside -e"
	! grep -q 'CPUIPC[.]cluster0' "$work/out"
	check $? "the only cluster is there twice"
	asked 0 a72x4 stat -b perf -g last-level -d 1s
	said '^malitop: CPULLMissRatio: not measured here' errors "-g of metrics that this machine does not have"
	asked 0 'a72x4 paranoid=2' stat -b perf -- true
	! grep -q CPUTaskFrequency "$work/out"
	check $? "a clock of programs' cycles over all the time"
	asked 0 a72x4 explain 0x08
	said '^INST_RETIRED, an event of the CPUs' out "explain an event by its number"
	asked 0 a72x4 explain inst_retired
	said '^  number    0x08' out "explain an event by its name"
	asked 2 a72x4 stat -e r11,foo -d 100ms
	said '^malitop: --event: foo: no such event here' errors "no such event"
	asked 2 a72x4 stat -b sim -e r11 -d 100ms
	said '^malitop: --event: nothing counts CPU events: add perf to --backend' errors "no backend"
fi

# Ctrl-C goes to both, and the result is still printed; SIGTERM to stat, which passes it on; so does the end of --duration.
env --default-signal=INT "$malitop" stat -b sim:gpu -- sh -c 'trap "exit 9" INT; kill -INT $PPID $$; sleep 60' >"$work/out" 2>"$work/errors"
got=$?
[ $got -eq 9 ] && grep -q '^  *9    exit status$' "$work/out"
check $? "Ctrl-C: status $got: $(cat "$work/out" "$work/errors")"
"$malitop" stat -b sim:gpu -- sh -c 'trap "kill $!; exit 4" TERM; sleep 60 & kill -TERM $PPID; wait' >"$work/out" 2>"$work/errors"
got=$?
[ $got -eq 4 ] && grep -q '^  *4    exit status$' "$work/out"
check $? "SIGTERM: status $got: $(cat "$work/out" "$work/errors")"
status 143 "--duration" -b sim:gpu -d 300ms -- sleep 20
said '^  *143    exit status$' out "--duration"

# Each run begins with the signals that malitop was started with, so that --duration ends each of them.
status 0 "signals of all runs" -b sim:gpu --warmup 1 --repeat 2 -- grep SigBlk /proc/self/status
[ "$(grep -cx "$(grep SigBlk /proc/self/status)" "$work/out")" -eq 3 ]
check $? "signals of all runs: $(cat "$work/out" "$work/errors")"
status 143 "--duration of all runs" -b sim:gpu -d 300ms --repeat 2 -- sleep 20
said '^sleep 20: 2 runs$' out "--duration of all runs"
said '^elapsed  *[0-4]\.[0-9]* s ' out "--duration of all runs"

# record, too, ends with CMD or after --duration, whichever comes first, and its help says so.
"$malitop" record --help | tr -s ' \n' ' ' | grep -q 'or at the end of CMD, whichever comes first'
check $? "record --help"
for end in '0 60s true' '143 300ms sleep 60'; do
	# shellcheck disable=SC2086
	set -- $end
	wanted=$1 length=$2
	shift 2
	timeout 50 "$malitop" record -b sim:gpu -o "$work/$wanted.mlog" -d "$length" -- "$@" >"$work/out" 2>"$work/errors"
	got=$?
	[ $got -eq "$wanted" ]
	check $? "record -d $length -- $*: status $got: $(cat "$work/out" "$work/errors")"
done

exit $failed
