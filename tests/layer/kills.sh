#!/bin/sh
# kills.sh: an application renders on while malitops are killed, half of them as soon as they listen,
# half when they have read frames. MALITOP_TEST_KILLS says how many; 20 without it.
# Exit status 77: there is no Vulkan driver or no layer here.
scene=$PWD/tests/layer/scene
malitop=$PWD/malitop
[ -x "$scene" ] && [ -f layer/libVkLayer_malitop.so ] || { echo "no layer in this build: install libvulkan-dev"; exit 77; }
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # the driver leaks
export ASAN_OPTIONS
"$scene" recorded 1
status=$?
[ $status = 77 ] && exit 77
[ $status = 0 ] || { echo "FAIL: without the layer, $scene ends with status $status"; exit 1; }
work=$(mktemp -d) || exit 1
scene_pid=
malitop_pid=
clean_up()
{
	[ -z "$malitop_pid" ] || kill -9 $malitop_pid 2>/dev/null
	[ -z "$scene_pid" ] || kill -9 $scene_pid 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR

fail()
{
	echo "FAIL: round $round: $1"
	cat "$work/scene" "$work/said"
	exit 1
}

# Wait until a command succeeds; both programs must live.
await()
{
	until "$@"; do
		kill -0 $scene_pid 2>/dev/null || fail "the application has ended"
		kill -0 $malitop_pid 2>/dev/null || fail "malitop has ended"
		sleep 0.01
	done
}

has_frames()
{
	grep -q ',[1-9][0-9]*\.0.\{0,1\}$' "$work/rows.csv" 2>/dev/null
}

open_files()
{
	ls "/proc/$scene_pid/fd" | wc -l
}

VK_ADD_LAYER_PATH=$PWD/layer VK_INSTANCE_LAYERS=VK_LAYER_MALITOP_passes "$scene" recorded 100000000 >"$work/scene" 2>&1 &
scene_pid=$!
round=0
while [ $round -lt "${MALITOP_TEST_KILLS:-20}" ]; do
	round=$((round + 1))
	rm -f "$work/rows.csv"
	"$malitop" record --force -b passes -i 20ms -o "$work/rows.csv" -m frame.count >"$work/said" 2>&1 &
	malitop_pid=$!
	if [ $((round % 2)) = 1 ]; then
		await test -S "$work/malitop/passes.0"
	else
		await has_frames
		[ $round -gt 2 ] || before=$(open_files)
		after=$(open_files)
	fi
	kill -9 $malitop_pid
	wait $malitop_pid 2>/dev/null
done
kill -0 $scene_pid || fail "the application has ended"
[ "$after" -le "$before" ] || fail "the application has $after open files, $before before"
[ -s "$work/scene" ] && fail "the application wrote:"
echo "kills.sh: $round malitops were killed, and the application renders on"
