#!/bin/sh
# The installed program with the fake driver of every generation: one frame, logs, and no breach of the driver's rules.
[ -f tests/fake/libfakemali.so ] || { echo "end_to_end.sh: skipped, the fake library was not built"; exit 77; }
malitop=${MALITOP:-./malitop}
"$malitop" list backends | grep -q '^kbase ' || { echo "end_to_end.sh: skipped, built without kbase"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# run DEVICES ARG...: run the program with these devices
run()
{
	FAKEMALI=$1
	export FAKEMALI
	shift
	# a sanitizer checks that its library is the first, but the fake comes before it
	ASAN_OPTIONS=verify_asan_link_order=0 FAKEMALI_BREACHES=$work/breaches LD_PRELOAD=$PWD/tests/fake/libfakemali.so \
		"$malitop" "$@"
}

# check NAME STATUS TEXT: report a failure
check()
{
	if [ "$2" -ne 0 ]; then
		echo "$1: $3"
		failed=1
	fi
}

# Rows and columns of a CSV log: each row as wide as the header, times ascending, the right total time. The number of rows depends
# on how late a busy machine reads a driver that samples only when it is read.
csv_is_sound()
{
	awk -F, -v seconds="$2" 'NR == 1 { n = NF } NF != n || (NR > 2 && $1 <= before) { bad = 1 } { before = $1; sum += $2 }
		END { exit bad || sum < seconds || NR < 3 }' "$1"
}

one()
{
	name=$1 devices=$2 title=$3
	rm -f "$work"/*
	run "$devices" --once=100x30 -i50ms -r100ms >"$work/once" 2>"$work/errors"
	check "$name" $? "--once failed: $(cat "$work/errors")"
	head -n 1 "$work/once" | grep -q "$title"
	check "$name" $? "the header is not '$title': $(head -n 1 "$work/once")"
	grep -q SIMULATED "$work/once" && check "$name" 1 "a real GPU is called simulated"
	run "$devices" record -o "$work/log.csv" -i10ms -d400ms >"$work/out" 2>"$work/errors"
	check "$name" $? "record to csv failed: $(cat "$work/errors")"
	grep -q ' 0 lost' "$work/out"
	check "$name" $? "samples were lost: $(cat "$work/out")"
	csv_is_sound "$work/log.csv" 0.2
	check "$name" $? "the csv log is not sound: $(cut -d, -f 1-3 "$work/log.csv")"
	run "$devices" record --per-core -m '*' -o "$work/log.jsonl" -i10ms -d200ms >/dev/null 2>"$work/errors"
	check "$name" $? "record to jsonl failed: $(cat "$work/errors")"
	head -n 1 "$work/log.jsonl" | grep -q '"kind":"gpu"'
	check "$name" $? "the jsonl log names no GPU"
	[ "$(grep -c '"time":' "$work/log.jsonl")" -ge 1 ]
	check "$name" $? "the jsonl log has too few samples"
	run "$devices" doctor >"$work/doctor" 2>"$work/errors"
	check "$name" $? "doctor found no GPU that works: $(cat "$work/doctor" "$work/errors")"
	grep -q '^ ok  *[/]dev/mali0: ' "$work/doctor" && grep -qE 'counters: (vinstr|kinstr_prfcnt): ' "$work/doctor"
	check "$name" $? "doctor does not say what it measured, and by which interface: $(cat "$work/doctor")"
	run "$devices" doctor -f jsonl | tail -n 1 | grep -q '"gpu_works":true'
	check "$name" $? "doctor -f jsonl does not say that a GPU works"
	! [ -s "$work/breaches" ]
	check "$name" $? "rules were broken: $(cat "$work/breaches" 2>/dev/null)"
	echo "$name: $title"
}

m='cores=0x5b3 slices=2'
one "UK 10.6, V4"     "driver=r16p0 gpu=0x07200000 cores=0x7f slices=2 v4"    'Mali-T720 7 cores  kbase API 10.6'
one "UK 10.6, V5"     "driver=r16p0 gpu=0x08600000 $m"                        'Mali-T860 7 cores  kbase API 10.6'
one "JM 11.21"        "driver=r25p0 gpu=0x74021000 $m"                        'Mali-G52 7 cores  kbase r25p0'
one "JM 11.31"        "driver=r32p1 gpu=0x90820000 $m clocks=2"               'Mali-G78 7 cores  kbase r32p1'
one "CSF 1.5"         "driver=r32p1-csf gpu=0xa8620000 $m clocks=1"           'Mali-G710 7 cores  kbase r32p1'
one "JM 11.35"        "driver=r38p1 gpu=0x90820000 $m"                        'Mali-G78 7 cores  kbase r38p1'
one "CSF 1.12"        "driver=r38p1-csf gpu=0xb8520000 $m values=128"         'Mali-G715 7 cores  kbase r38p1'
one "JM 11.39"        "driver=r44p0 gpu=0x74021000 $m"                        'Mali-G52 7 cores  kbase r44p0'
one "JM 11.40"        "driver=r46p0 gpu=0x90820000 $m"                        'Mali-G78 7 cores  kbase r46p0'
one "CSF 1.38"        "driver=r54p1 gpu=0xb8520000 $m values=128 clocks=2"    'Mali-G715 7 cores  kbase r54p1  850 of 850 MHz'
one "CSF 1.38, 69"    "driver=r54p1 gpu=0xe0090000 cores=0xf values=69"       'Mali 0xe0090000 4 cores, unknown'
one "sampled by hand" "driver=r25p0 gpu=0x74021000 $m manual"                 'Mali-G52 7 cores  kbase r25p0'

# The log has what the driver counted: 800 counts per microsecond (tests/fake/kbase.c, fake_count). The first interval begins some
# microseconds off the driver's.
run "driver=r16p0 gpu=0x06500000 cores=0x3" record -o "$work/law.csv" -m front_end_4 -i50ms -d500ms >/dev/null
awk -F, 'NR > 2 { n++; if ($2 > 0 && ($4 - $2 * 8e8) ^ 2 > 4) bad = 1 } END { exit bad || n < 2 }' "$work/law.csv"
check "law" $? "the log does not show what was counted: $(tail -n 1 "$work/law.csv")"

# Complete rows, although the driver's ticks can begin at any time: no piece of one. A busy machine may make them longer.
for driver in "driver=r54p1 gpu=0xb8520000 $m values=128" "driver=r44p0 gpu=0x74021000 $m"; do
	run "$driver" stat -f csv -m MaliGPUActiveCy -d 2s >"$work/rows.csv" 2>"$work/errors"
	tr -d '\r' <"$work/rows.csv" |
		awk -F, 'NR > 1 { sum += $2; if ($2 < 0.7 || $3 != "") bad = 1 } END { exit bad || NR < 2 || sum < 1.7 }'
	check "rows" $? "stat -d 2s does not print whole rows only: $(cat "$work/rows.csv" "$work/errors")"
done

# A driver that samples more slowly is reported once, and in a summary at the end.
run "driver=r44p0 gpu=0x74021000 $m raise=10" stat -b kbase -m GPUBusy -i1ms -d7s >"$work/out" 2>"$work/errors"
[ "$(grep -c 'not every 1 ms as requested' "$work/errors")" -eq 2 ] && grep -q ' samples, one every 1[0-9.]* ms on average' "$work/errors"
check "slow driver" $? "it is not reported once and at the end: $(cat "$work/errors")"

# What the driver says of its blocks: a GPU without power is idle, and zeros of protected mode are named as such.
verdict()
{
	run "driver=r54p1 gpu=0xb8520000 $m values=128 clocks=1 $1" stat -m GPUBusy --findings -i100ms -d4s -b kbase >"$work/out" 2>&1
	grep -q "$2" "$work/out"
	check "$1" $? "'$2' is not in the findings: $(cat "$work/out")"
}
verdict off '^verdict  Idle'
verdict protected '^verdict  Protected mode'

# If all samples fail, the program counts them separately, reports that, and fails.
# fails WORDS ARG...: the program exits with 1 and prints WORDS.
fails()
{
	words=$1
	shift
	run "driver=r54p1 gpu=0xb8520000 $m late=1000000" "$@" >"$work/out" 2>&1
	[ $? -eq 1 ] && tr -s ' \n' ' ' <"$work/out" | grep -qE "$words"
	check "failed samples" $? "'$words' is not in the output of $1: $(cat "$work/out")"
}
fails ': every sample failed: .*bad.csv: 0 samples, [0-9]+ failed, .* 0 lost' record -o "$work/bad.csv" -i10ms -d300ms
fails ': every sample failed: .*bad.mlog: [0-9]+ samples, [0-9]+ failed, ' record -o "$work/bad.mlog" -i10ms -d300ms
fails ': every sample failed: ' stat -m MaliGPUActiveCy -i100ms -d500ms
fails ': every sample failed: its timestamps are impossible: .*every sample of the GPU failed' --once=150x20
fails ': every sample failed: ' stat -m MaliGPUActiveCy -i100ms -- sleep 0.5
fails 'all [0-9]+ samples failed, the last one because its timestamps are impossible' doctor
run "driver=r54p1 gpu=0xb8520000 $m late=3" record -o "$work/few.csv" -i10ms -d1s >"$work/out" 2>&1
check "failed samples" $? "record fails although only some samples failed: $(cat "$work/out")"
run "driver=r54p1 gpu=0xb8520000 $m late=1000000" stat -m MaliGPUActiveCy -i100ms -- sh -c 'exit 7' >/dev/null 2>&1
[ $? -eq 7 ]
check "failed samples" $? "the status of a command that failed is not passed on"

# An interface by name, and one that the driver lacks.
run "driver=r44p0 gpu=0x90820000 $m" --once -b kbase:kinstr,proc >/dev/null
check "by name" $? "kbase:kinstr failed"
run "driver=r54p1 gpu=0xb8520000 $m values=128" --once -b kbase:vinstr >/dev/null 2>"$work/errors"
[ $? -eq 1 ] && grep -q 'no longer' "$work/errors"
check "by name" $? "kbase:vinstr on a driver without it: $(cat "$work/errors")"

# Several GPUs: each has its own columns, interval (at least 40 ms for the second) and counts. The first has the rows; --device
# measures only one.
two="driver=r46p0 gpu=0x90820000 $m;driver=r25p0 gpu=0x74021000 cores=0x3 raise=40"
run "$two" record -o "$work/two.jsonl" -m 'MaliGPUActiveCy,CPUOnline' -i10ms -d1s >/dev/null 2>"$work/errors"
check "two" $? "record failed: $(cat "$work/errors")"
head -n 1 "$work/two.jsonl" | grep -q '"prefix":"","interval":0.010000000,"product":"Mali-G78".*"prefix":"gpu1:","interval":[0-9.]*,"product":"Mali-G52"'
check "two" $? "the header does not tell two GPUs apart: $(head -n 1 "$work/two.jsonl" | cut -c1-2000)"
run "$two" record -o "$work/two.csv" -m 'MaliGPUActiveCy' -i10ms -d1s >/dev/null 2>"$work/errors"
head -n 1 "$work/two.csv" | grep -q '^time,duration,flags,MaliGPUActiveCy,gpu1:MaliGPUActiveCy'
check "two" $? "the columns are not the two GPUs': $(head -n 1 "$work/two.csv")"
# Four intervals of the first take as long as one of the second, where the machine was not too busy to read each in time.
tr -d '\r' <"$work/two.csv" | awk -F, 'NR > 10 && $5 != "" { m++; good += $4 && $5 == 4 * $4 } END { exit !good || m >= NR - 1 }'
check "two" $? "the rows are not those of 10 ms and 40 ms: $(sed -n '40,44p' "$work/two.csv")"
run "$two" record --device /dev/mali1 -o "$work/one.csv" -m 'MaliGPUActiveCy' -i100ms -d500ms >/dev/null 2>"$work/errors"
[ "$(head -n 1 "$work/one.csv" | tr -d '\r')" = "time,duration,flags,MaliGPUActiveCy" ]
check "two" $? "--device does not limit a log: $(head -n 1 "$work/one.csv")"
run "$two" --once --device /dev/mali1 -i50ms -r200ms | head -n 1 | grep -q 'Mali-G52 2 cores (GPU 2 of 2)'
check "two" $? "--once does not show the GPU of --device"
run "$two" record --device /dev/mali7 -o "$work/no.csv" -d100ms >/dev/null 2>"$work/errors"
[ $? -eq 1 ] && grep -q 'there are /dev/mali0 /dev/mali1' "$work/errors"
check "two" $? "a wrong --device: $(cat "$work/errors")"

# perf LINE WORDS: doctor under FAKEPERF prints a matching line.
perf()
{
	FAKEPERF=$2 run "driver=r54p1 gpu=0xb8520000 cores=0x1" doctor >"$work/doctor" 2>"$work/errors"
	tr -s ' \n' ' ' <"$work/doctor" | grep -qE "$1"
	check "perf" $? "'$1' is not in the output of doctor under '$2': $(cat "$work/doctor" "$work/errors")"
}
perf 'ok perf: all CPUs, kernel and user \(perf\).* armv8_cortex_a76 \(Cortex-A76 x4\): 22 events' 'machine=rk3588'
perf 'limited rights: own processes, user only: .*sysctl kernel.perf_event_paranoid=0' 'machine=a72x4 paranoid=2'
perf 'ok perf: all CPUs, kernel and user \(perf\).* perf_event_paranoid: 2 ' 'machine=hybrid paranoid=2 cap=1 kernel=5.10'
perf 'CPU events cannot be counted: Operation not permitted: .*seccomp profile' 'refuse=seccomp'
perf 'ok perf: all CPUs, kernel and user .*no hardware events: a virtual machine without a virtual PMU' 'machine=vm'
FAKEPERF='machine=rk3588 paranoid=-1 flips=30' run "driver=r54p1 gpu=0xb8520000 $m" --once=160x48 --frames 6 >"$work/once" 2>"$work/errors"
grep -q ' fps by page flips of display 0 ' "$work/once" && grep -q ' per frame ' "$work/once" && ! grep -q wanted "$work/once"
check "perf" $? "page flips are no frames: $(cat "$work/once" "$work/errors")"
! [ -s "$work/breaches" ]
check "perf" $? "rules were broken: $(cat "$work/breaches" 2>/dev/null)"

exit $failed
