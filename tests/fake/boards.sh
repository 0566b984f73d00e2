#!/bin/sh
# The installed program on boards with the open drivers, and on one with Arm's: the trees of tests/fixtures, and a browser with 12
# clients among them. What each gives, what is missing and how to get it; logs and their replay.
[ -f tests/fake/libfakemali.so ] || { echo "boards.sh: skipped, the fake library was not built"; exit 77; }
malitop=${MALITOP:-./malitop}
fixtures=${srcdir:-.}/tests/fixtures
for b in panfrost panthor kbase proc; do
	"$malitop" list backends | grep -q "^$b " || { echo "boards.sh: skipped, built without $b"; exit 77; }
done
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# board NAME NODES DEVICES TITLE ONCE DOCTOR: the program with this tree, these fake nodes and Mali devices; its header, words of the
# first frame, and how doctor begins, as patterns: what the driver gives, what is missing, and the one command that gets it.
board()
{
	name=$1 nodes=$2 devices=$3 title=$4 first=$5 told=$6 out=$work/$1
	mkdir -p "$out"
	cp -r "$fixtures/$name" "$out/root"
	chmod -R u+w "$out/root"
	sleepers=
	for process in "$out"/root/proc/[0-9]*; do # the program lists processes that there are
		[ -d "$process" ] || continue
		sleep 600 &
		mv "$process" "$out/root/proc/$!"
		sleepers="$sleepers $!"
	done
	run()
	{
		FAKEDRM=$nodes FAKEMALI=$devices FAKEMALI_ROOT=$out/root FAKEMALI_BREACHES=$out/breaches \
			ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$PWD/tests/fake/libfakemali.so "$malitop" "$@"
	}
	run --once=160x48 -i100ms -r600ms >"$out/once" 2>&1 || echo "$name: --once failed: $(cat "$out/once")"
	head -n 1 "$out/once" | grep -q "$title" || echo "$name: the header is not '$title': $(head -n 1 "$out/once")"
	tr -s ' \n' ' ' <"$out/once" | grep -qE "$first" || echo "$name: '$first' is not in the first frame: $(cat "$out/once")"
	run record -o "$out/log.mlog" -i100ms -d1200ms >"$out/record" 2>&1 || echo "$name: record: $(cat "$out/record")"
	"$malitop" replay "$out/log.mlog" --once=160x48 2>&1 | head -n 1 | grep -q "$title" || echo "$name: the log is not replayed"
	run stat -m GPUClock -d600ms >"$out/stat" 2>&1 || echo "$name: stat: $(cat "$out/stat")"
	run doctor >"$out/doctor" 2>&1
	head -n 14 "$out/doctor" | tr -s ' \n' ' ' | grep -qE "^GPU $told" || echo "$name: '$told' is not how doctor begins: $(cat "$out/doctor")"
	run list metrics --gpu t860 >"$out/list" 2>&1 || echo "$name: list: $(cat "$out/list")"
	[ -s "$out/breaches" ] && echo "$name: rules were broken: $(cat "$out/breaches")"
	[ -z "$sleepers" ] || kill $sleepers
}

with="gives: the counters of every block, and queues and memory of programs"
without="gives: clock, powered share, queues and memory, of the GPU and of programs"
board rk3399-panfrost 'panfrost-6.18 gpu=0x08602000 cores=0xf slices=1 unstable=1; vkms' '' 'Mali-T860 4 cores  panfrost 1.6' \
	'clients [^ ]* *13 ' "ok /dev/dri/renderD128: Mali-T860 4 cores .* $with device" >"$work/1" &
board mt8192-panfrost 'panfrost-6.10 gpu=0x90931000 cores=0x1f slices=1' '' 'Mali-G57 5 cores  panfrost 1.2, no counters' \
	'What is missing .*unstable_ioctls' "ok /dev/dri/renderD128: Mali-G57 5 cores .* $without limited counters: .*all views.*taints \
the kernel -> echo Y . sudo tee /sys/module/panfrost/parameters/unstable_ioctls, or panfrost.unstable_ioctls=1 at boot limited profiling: off.* -> echo 1 \
. sudo tee /sys/class/drm/renderD128/device/profiling" >"$work/2" &
wait
board rk3588-panthor 'vkms; panthor-6.18 gpu=0xa8670000 cores=0x50005 slices=4' '' 'Mali-G610 4 cores  panthor 1.8, no counters' \
	'all queues .*clients [^ ]* *13 ' "ok /dev/dri/renderD129: Mali-G610 4 cores .* $without limited counters: mainline Linux has none \
for Panthor, so no command gets them: a kernel with Arm's driver \\(kbase\\) does" >"$work/3" &
board rk3399-kbase '' 'driver=r16p0 gpu=0x08602000 cores=0xf khz=800000' 'Mali-T860 4 cores  kbase API 10.6  600 of 800 MHz' \
	'Shader cores' "ok /dev/mali0: Mali-T860 4 cores .* gives: the counters of every block missing this machine has no file for: GPU \
memory, GPU memory per process, GPU time per application limited GPU memory: /sys/kernel/debug is not mounted -> sudo mount -t \
debugfs none /sys/kernel/debug" >"$work/4" &
wait
cat "$work/1" "$work/2" "$work/3" "$work/4"
! [ -s "$work/1" ] && ! [ -s "$work/2" ] && ! [ -s "$work/3" ] && ! [ -s "$work/4" ]
