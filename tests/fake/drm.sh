#!/bin/sh
# The installed program with the fake open drivers: what each gives in the first frame, why the rest is missing, logs and their replay.
[ -f tests/fake/libfakemali.so ] || { echo "drm.sh: skipped, the fake library was not built"; exit 77; }
malitop=${MALITOP:-./malitop}
for b in panfrost panthor proc; do
	"$malitop" list backends | grep -q "^$b " || { echo "drm.sh: skipped, built without $b"; exit 77; }
done
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# run NODES ARG...: run the program with these nodes
run()
{
	FAKEDRM=$1
	export FAKEDRM
	shift
	ASAN_OPTIONS=verify_asan_link_order=0 FAKEMALI_ROOT=$work/root FAKEMALI_BREACHES=$work/breaches FAKEDRM_COUNTS=$work/counts \
		LD_PRELOAD=$PWD/tests/fake/libfakemali.so "$malitop" "$@"
	set -- $?
	cat "$work/counts" >>"$work/all-counts"
	rm -f "$work/counts"
	return $1
}

# check NAME STATUS TEXT: report a failure
check()
{
	if [ "$2" -ne 0 ]; then
		echo "$1: $3"
		failed=1
	fi
}

# node NUMBER DRIVER PROFILING: the node's files in sysfs
node()
{
	device=$work/root/sys/class/drm/renderD$1/device
	mkdir -p "$device/power" "$device/drm/renderD$1" "$device/devfreq/$1.gpu" "$work/root/sys/class/devfreq/$1.gpu"
	echo "DRIVER=$2" >"$device/uevent"
	echo active >"$device/power/runtime_status"
	echo 1000 >"$device/power/runtime_active_time"
	echo "$3" >"$device/profiling"
	echo 600000000 >"$work/root/sys/class/devfreq/$1.gpu/cur_freq"
	echo 200000000 800000000 >"$work/root/sys/class/devfreq/$1.gpu/available_frequencies"
}

# client DRIVER ENGINES: this shell has the node open
client()
{
	mkdir -p "$work/root/proc/$$/fd" "$work/root/proc/$$/fdinfo"
	echo 226:128 >"$work/root/proc/$$/fd/5"
	{
		printf 'drm-driver:\t%s\ndrm-client-id:\t1\n' "$1"
		printf 'drm-engine-%s:\t5000000 ns\n' $2
		printf 'drm-total-memory:\t12 MiB\n'
	} >"$work/root/proc/$$/fdinfo/5"
}

# gives NAME NODES TITLE WORDS: the first frame has the title and the words; logs are sound and replayed; no rule is broken.
gives()
{
	name=$1 nodes=$2
	rm -f "$work/log.mlog" "$work/log.csv" "$work/breaches"
	run "$nodes" --once=160x48 -i100ms -r600ms >"$work/once" 2>"$work/errors"
	check "$name" $? "--once failed: $(cat "$work/errors")"
	head -n 1 "$work/once" | grep -q "$3"
	check "$name" $? "the header is not '$3': $(head -n 1 "$work/once")"
	tr -s ' \n' ' ' <"$work/once" | cat - "$work/errors" | grep -q "$4"
	check "$name" $? "'$4' is not in the first frame: $(cat "$work/once" "$work/errors")"
	run "$nodes" record -o "$work/log.mlog" -i100ms -d2s >"$work/out" 2>"$work/errors"
	check "$name" $? "record failed: $(cat "$work/errors")"
	"$malitop" export "$work/log.mlog" -f csv -o "$work/log.csv" 2>"$work/errors"
	check "$name" $? "export failed: $(cat "$work/errors")"
	[ "$(wc -l <"$work/log.csv")" -ge 3 ]
	check "$name" $? "the log has too few rows: $(cut -c1-200 "$work/log.csv")"
	"$malitop" replay "$work/log.mlog" --once=160x48 2>"$work/errors" | head -n 1 | grep -q "$3"
	check "$name" $? "the log is not replayed: $(cat "$work/errors")"
	run "$nodes" stat -m 'GPUClock' -d1s >"$work/out" 2>"$work/errors"
	check "$name" $? "stat failed: $(cat "$work/errors")"
	run "$nodes" doctor >"$work/doctor" 2>"$work/errors"
	check "$name" $? "doctor found no GPU that works: $(cat "$work/doctor" "$work/errors")"
	! [ -s "$work/breaches" ]
	check "$name" $? "rules were broken: $(cat "$work/breaches" 2>/dev/null)"
	echo "$name: $3"
}

# tells WORDS: the last report of doctor has them
tells()
{
	tr -s ' \n' ' ' <"$work/doctor" | grep -qE "$1"
	check "$name" $? "'$1' is not in the output of doctor: $(cat "$work/doctor")"
}

node 128 panfrost 1
client panfrost 'fragment vertex-tiler'
run "panfrost-6.18 gpu=0x74021000 cores=3" record -o "$work/queues.mlog" -i100ms -d4s >"$work/out" 2>"$work/errors"
check "queues" $? "record failed: $(cat "$work/errors")"
"$malitop" replay "$work/queues.mlog" --view processes --from 3s --once=200x48 >"$work/once" 2>"$work/errors"
check "queues" $? "replay failed: $(cat "$work/errors")"
grep -q 'frag %  *vert %' "$work/once"
check "queues" $? "the log does not tell the queues of programs apart: $(cat "$work/once")"
node 128 panfrost 0
gives "Panfrost" "panfrost-6.18 gpu=0x74021000 cores=0x5b slices=2 unstable=1" 'Mali-G52 5 cores  panfrost 1.6' 'Queues'
tells 'ok /dev/dri/renderD128: Mali-G52 5 cores .* counting keeps the GPU powered'
gives "Panfrost, V4" "panfrost-5.10 gpu=0x07200000 cores=0xf l2=0x1 unstable=1" 'Mali-T720 4 cores' 'Shader cores'
gives "Panfrost, 6.7" "panfrost-6.7 gpu=0x74021000 cores=0x5b slices=2 unstable=1" 'Mali-G52 5 cores  panfrost 1.2' 'Queues'
gives "Panfrost, 6.1" "panfrost-6.1 gpu=0x74021000 cores=0x5b slices=2" 'Mali-G52 5 cores  panfrost 1.2, no counters' 'clients [ .]*–'
tells 'limited programs: this kernel does not report who uses the GPU.* -> use Linux 6.7 or later'
tells 'gives: clock and powered share of the GPU limited'
gives "Panfrost, no counters" "panfrost-6.10 gpu=0x74021000 cores=0x5b slices=2" 'Mali-G52 5 cores  panfrost 1.2, no counters' \
	'GPU by program'
grep -q 'What is missing' "$work/once" && grep -q 'panfrost/parameters/unstable_ioctls' "$work/once"
check "$name" $? "the first frame does not say how to get counters: $(cat "$work/once")"
tells 'limited counters: .*echo Y . sudo tee /sys/module/panfrost/parameters/unstable_ioctls'
tells 'limited profiling: off: .*echo 1 . sudo tee /sys/class/drm/renderD128/device/profiling'
run "panfrost-6.10 gpu=0x74021000 cores=0x5b" stat --profiling -m GPUClock -d1s >/dev/null 2>"$work/errors"
check "profiling" $? "stat --profiling failed: $(cat "$work/errors")"

# What the command and its children use, also a child that has ended; other programs do not count.
cat >"$work/user" <<'END'
#!/bin/sh
mkdir -p "$FAKEMALI_ROOT/proc/$$/fd" "$FAKEMALI_ROOT/proc/$$/fdinfo"
printf 'drm-driver:\t%s\ndrm-client-id:\t%s\ndrm-engine-fragment:\t%s ns\ndrm-engine-vertex-tiler:\t1000 ns\ndrm-total-memory:\t%s KiB\n' \
	"$1" "$2" "$3" "$4" >"$FAKEMALI_ROOT/proc/$$/fdinfo/5"
echo 226:128 >"$FAKEMALI_ROOT/proc/$$/fd/5"
[ "$5" ] && "$0" "$1" 71 30000000 2000
sleep 1
rm -r "${FAKEMALI_ROOT:?}/proc/$$"
END
chmod +x "$work/user"
name="GPU time of a command"
run "panfrost-6.18 gpu=0x74021000 cores=3" stat -- "$work/user" panfrost 70 40000000 3000 parent >"$work/out" 2>"$work/errors"
grep -q '  70[.]000 ms on the GPU, [1-9]' "$work/out" && grep -q '  5[.]1 MB GPU memory at most' "$work/out"
check "$name" $? "not 70 ms and 5.1 MB: $(tail -n 8 "$work/out")"
run "panfrost-6.18 gpu=0x74021000 cores=3" stat -f jsonl -- "$work/user" panfrost 72 20000000 1000 >"$work/out" 2>"$work/errors"
grep -q '"command_gpu_ms":20[.]0*,"command_gpu_percent":[0-9.]*,"command_gpu_bytes":1024000' "$work/out"
check "$name" $? "not 20 ms and 1024000 bytes: $(tail -n 1 "$work/out")"
run "panfrost-6.18 gpu=0x74021000 cores=3" stat -- true >"$work/out" 2>"$work/errors"
! grep -q 'on the GPU\|GPU memory at most' "$work/out"
check "$name" $? "a command without the GPU has some: $(tail -n 8 "$work/out")"

# fails WORDS ARG...: the program ends with 1, and its output has the words
fails()
{
	words=$1
	shift
	run "$nodes" "$@" >"$work/out" 2>&1
	[ $? -eq 1 ] && tr -s ' \n' ' ' <"$work/out" | grep -qE "$words"
	check "$name" $? "'$*' does not end with 1 and '$words': $(cat "$work/out")"
}

# A GPU that goes, and one that never counts: what was kept is reported, and the status is 1.
name="lost" nodes="panfrost-6.18 gpu=0x74021000 cores=3 unstable=1 gone=$work/gone"
(sleep 1; touch "$work/gone") &
fails 'lost, and not recovered by the end: its earlier samples are kept.*lost.mlog: [0-9]* samples' record -i100ms -d4s -o "$work/lost.mlog"
"$malitop" export "$work/lost.mlog" -m GPUClock -f csv | grep -q ',,[1-9]'
check "$name" $? "nothing was kept"
rm -f "$work/gone"
name="never" nodes="panfrost-6.18 gpu=0x74021000 cores=3 unstable=1 hangs=1"
fails 'lost, and not recovered by the end: it has no samples' record -i100ms -d4s -o "$work/never.mlog"
name="deaf" nodes="panfrost-6.18 gpu=0x74021000 cores=3 unstable=1 deaf=1"
fails 'every sample failed: .*malitop doctor' record -i100ms -d4s -o "$work/deaf.mlog"

# A job that hangs, and with it the counters, for a moment: record, export, report and stat say why, how often and when.
reset='a sample failed: the GPU was reset, which stops its counters' name="reset"
again='[1-9] samples* failed: the GPU was reset, which stops its counters: they are started again ([1-9])'
nodes="panfrost-6.18 gpu=0x74021000 cores=3 unstable=1 reset=1500"
told()
{
	grep -q "$2" "$1"
	check "$name" $? "'$2' is not in $3: $(head -c 2000 "$1")"
}
run "$nodes" record -i100ms -d4s -o "$work/reset.mlog" >"$work/out" 2>&1
told "$work/out" "$reset" "the messages of record"
told "$work/out" "$again" "the end of record"
run "$nodes" stat -m GPUClock -i100ms -d4s >"$work/out" 2>&1
told "$work/out" "$again" "the end of stat"
"$malitop" export "$work/reset.mlog" -f csv -m GPUClock -o "$work/reset.csv" >"$work/out" 2>&1
told "$work/out" "$again" "the end of export"
told "$work/reset.csv" 'error' "the exported rows"
told "$work/reset.csv" 'mark' "the exported rows"
"$malitop" report "$work/reset.mlog" -o "$work/reset.html" >/dev/null 2>&1
told "$work/reset.html" "$reset" "the marks of the report"
told "$work/reset.html" '0 samples were lost, [1-9] failed: the GPU was reset' "the report"

node 128 panthor 3
client panthor panthor
gives "Panthor" "panthor-6.18 gpu=0xa8670000 cores=0x50005 slices=4" 'Mali-G610 4 cores  panthor 1.8, no counters' 'GPU by program'
tells 'limited counters: mainline Linux has none for Panthor'
gives "Panthor, old" "panthor-6.10 gpu=0xa8670000 cores=0x50005 slices=4" 'Mali-G610 4 cores  panthor 1.0, no counters' 'What is missing'
if "$malitop" --version | grep -q panthor-perf; then
	gives "Panthor, v6" "panthor-v6 gpu=0xa8670000 cores=0x50005 slices=4" 'Mali-G610 4 cores  panthor 1.8' 'Queues'
	tells 'proposed for Linux in December 2025, which mainline Linux does not have'
fi
gives "Panthor, Arm" "panthor-arm gpu=0xa8670000 cores=0x50005 slices=4" 'Mali-G610 4 cores  panthor 1.5' 'Queues'

# A display, another vendor's GPU and two Malis: each Mali once, the others left alone.
node 128 vkms 0
node 129 panfrost 1
node 130 v3d 0
node 131 panthor 3
run "vkms; panfrost-6.18 gpu=0x74021000 cores=3 unstable=1; v3d; panthor-6.18 gpu=0xa8670000 cores=0xf slices=4" \
	doctor >"$work/doctor" 2>"$work/errors"
check "several" $? "doctor: $(cat "$work/doctor" "$work/errors")"
[ "$(grep -c '^ ok .*/dev/dri/renderD' "$work/doctor")" -eq 2 ]
check "several" $? "not two GPUs: $(cat "$work/doctor")"
! [ -s "$work/breaches" ]
check "several" $? "rules were broken: $(cat "$work/breaches" 2>/dev/null)"

# Counting powers the GPU, which is what it is for; no other call ever woke one.
[ -s "$work/all-counts" ] && ! grep -qv ' wakes 0$' "$work/all-counts"
check "waking" $? "calls woke a GPU, or nothing was counted: $(sort "$work/all-counts" | uniq -c)"
exit $failed
