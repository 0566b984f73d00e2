#!/bin/sh
# passes.sh: stat, record and export of a program that renders, with the layer, on a software driver.
# Exit status 77: there is no Vulkan driver or no layer here.
scene=$PWD/tests/layer/scene
top=$(cd "${srcdir:-.}" && pwd)
malitop=$PWD/malitop
[ -x "$scene" ] && [ -f layer/libVkLayer_malitop.so ] || { echo "no layer in this build: install libvulkan-dev"; exit 77; }
# The drivers leak, and the GLES library is loaded before ASan's.
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0:verify_asan_link_order=0
export ASAN_OPTIONS
"$scene" recorded 1
status=$?
[ $status = 77 ] && exit 77
[ $status = 0 ] || { echo "FAIL: without the layer, $scene ends with status $status"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
XDG_RUNTIME_DIR=$work
MALITOP_LAYER_PATH=$PWD/layer
export XDG_RUNTIME_DIR MALITOP_LAYER_PATH
failures=0

expect()
{
	grep -q -- "$2" "$1" && return
	echo "FAIL: '$2' is not in:"
	cat "$1"
	failures=$((failures + 1))
}

"$malitop" stat --passes -b passes -- "$scene" recorded 30 >"$work/stat" 2>&1
expect "$work/stat" '^scene (pid [0-9]*): 29 frames, from one wait for the GPU to the next$'
expect "$work/stat" '^main  *[0-9.]*  *[0-9.]*  *[0-9.]* %  render     1024x1024  *[0-9.]*  *[0-9.]*$'
expect "$work/stat" '^shadow '
expect "$work/stat" '^512x512 RGBA8 '
expect "$work/stat" '^all passes '
expect "$work/stat" ') renders on the CPU: its stamps do not measure the times of compute passes, and each costs time$'
expect "$work/stat" '^longest frames '
expect "$work/stat" '^frame [0-9]*  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]*  *0.000  .'
expect "$work/stat" '^bottom-of-pipe timestamps'
# The own times add up to the GPU's.
awk '/^all passes/{a = $3} / ms  GPU, union/{g = $1}
END { if (!(a > 0.95 * g && a < 1.05 * g)) { print "FAIL: all " a " GPU " g; exit 1 } }' "$work/stat" ||
	failures=$((failures + 1))

# The same as JSON: the last line but the verdict.
"$malitop" stat --passes -b passes -f jsonl -- "$scene" recorded 30 >"$work/jsonl" 2>/dev/null
expect "$work/jsonl" '^{"frames":{"count":29.0,"cpu_ms":{"mean":[0-9.]*,"p50":[0-9.]*,"p95":[0-9.]*,"p99":[0-9.]*},"gpu_ms":{"mean":[0-9.]*,"p50":[0-9.]*,"p95":[0-9.]*,"p99":[0-9.]*},"missed":[0-9.]*,"longest_ms":[0-9.]*,"busy_ms":[0-9.]*,"present_ms":0.0,"wait_ms":[0-9.]*,"low_1pct_fps":null,"low_01pct_fps":null,"worst":\[{"at_s":[0-9.]*,"frame":[0-9.]*,"ms":[0-9.]*,"cpu_ms":[0-9.]*,"gpu_ms":[0-9.]*,"present_ms":0.0,"wait_ms":[0-9.]*,"pass":"[^"]*","pass_ms":[0-9.]*},[^]]*\]},"passes":\[{"name":'
expect "$work/jsonl" '"name":"main","width":1024.0,"height":1024.0,"count":[0-9.]*,"kind":"render","ms":{"mean":[0-9.]*,"p95":[0-9.]*,"min":[0-9.]*,"p50":[0-9.]*,"longest":[0-9.]*},"share":[0-9.]*,"draws":0.0,"dispatches":0.0,"vertices":0.0}'
expect "$work/jsonl" '"application":"scene","pid":[0-9.]*,"changes":0.0,"omitted":1.0,"lost":[0-9.]*,"disjoint":0.0,"untimed":0.0,"dropped":0.0,"unkept":0.0,"boundary":"wait for the GPU","driver":"[^"]*","software":[a-z]*,"stamps":"bottom-of-pipe timestamps'

# An application that is started by hand has the environment that malitop prints, also from a directory with a quote in its name.
mkdir "$work/it's" && cp layer/libVkLayer_malitop.so layer/VkLayer_malitop.json "$work/it's"
MALITOP_LAYER_PATH="$work/it's" "$malitop" passes --env >"$work/env" 2>&1
expect "$work/env" "^export VK_INSTANCE_LAYERS='.*VK_LAYER_MALITOP_passes.*'$"
# A program in its build directory finds the libraries beside it.
env -u MALITOP_LAYER_PATH "$malitop" passes --env >"$work/beside" 2>&1
expect "$work/beside" "$(dirname "$(realpath "$malitop")")/layer"
"$malitop" stat -b passes -m frame.count -f csv -d 60s -- sh -c 'eval "$(cat "$1")" && exec "$2" recorded 600' sh \
	"$work/env" "$scene" >"$work/by-hand" 2>&1
expect "$work/by-hand" ',total,[1-9]'
# With a command, frames of another program do not count.
(eval "$(cat "$work/env")" && exec "$scene" recorded 100000) &
other=$!
"$malitop" stat -b passes -d 60s -- sleep 3 >"$work/other" 2>&1
"$malitop" record -b passes -o "$work/other.mlog" -- sleep 2 >"$work/other-log" 2>&1
kill $other
wait $other 2>/dev/null
expect "$work/other-log" "^no frames of the command: scene (pid $other) has some, which it did not start$"
expect "$work/other" "^frames came from scene (pid $other), which the command did not start$"

# The layer as Android's loader wants it, built for this machine.
(cd "$work" && CC=${CC:-cc} CFLAGS="-O0 $VULKAN_CFLAGS" sh "$top/contrib/android/build.sh" here && nm -D --defined-only libVkLayer_malitop.so) >"$work/android" 2>&1
for name in vkNegotiateLoaderLayerInterfaceVersion vkEnumerateInstanceLayerProperties vkEnumerateInstanceExtensionProperties \
	VK_LAYER_MALITOP_passesGetInstanceProcAddr VK_LAYER_MALITOP_passesGetDeviceProcAddr; do
	expect "$work/android" " T $name\$"
done

# OpenGL ES, with a library that is preloaded already.
gles=$PWD/tests/layer/gles_linked
if [ -x "$gles" ] && "$gles" finish 1 2>/dev/null; then
	"$malitop" stat --passes -b passes -- "$gles" finish 30 >"$work/gles" 2>&1
	expect "$work/gles" '^gles_linked (pid [0-9]*): 29 frames, from one wait for the GPU to the next$'
	expect "$work/gles" '^shadow  *[0-9.]*  *[0-9.]*  *[0-9.]* %  render     512x512  *-  *-$'
	expect "$work/gles" '^512x512 framebuffer 1 '
	expect "$work/gles" '^durations by the driver'
	LD_PRELOAD=$PWD/layer/libVkLayer_malitop.so "$malitop" stat --passes -b proc -d 1s -- sh -c 'echo "$LD_PRELOAD"' >"$work/preload" 2>&1
	expect "$work/preload" "^$PWD/layer/libVkLayer_malitop.so:$PWD/layer/libmalitop-gles.so\$"
else
	echo "no OpenGL ES here: install libegl1 libgles2 libegl-mesa0 (to build: libegl-dev libgles-dev)"
fi

# Regions of a program's own code.
regions=$PWD/tests/layer/regions
"$malitop" stat --passes -b passes -- "$regions" paced >"$work/regions" 2>&1
expect "$work/regions" '^regions (pid [0-9]*): 59 frames, from one malitop_frame to the next$'
expect "$work/regions" '^physics  *[0-9.]*  *[0-9.]*  *60 '
expect "$work/regions" '^other file '
"$malitop" record --passes -b passes -i 20ms -o "$work/run.pftrace" -- "$regions" paced >"$work/record" 2>&1 || cat "$work/record"
expect "$work/record" '^malitop: mark: half ?.1m time$'
grep -aq 'half ?.1m time' "$work/run.pftrace" || { echo "FAIL: no mark in the trace"; failures=$((failures + 1)); }
grep -aq 'CPU: regions of a thread' "$work/run.pftrace" && grep -aq physics "$work/run.pftrace" || {
	echo "FAIL: no regions in the trace"
	failures=$((failures + 1))
}

"$malitop" stat --passes -b passes -- true >"$work/none" 2>&1
expect "$work/none" '^no frames: '

"$malitop" record --passes -b passes -o "$work/run.mlog" -- "$scene" recorded 30 >"$work/record" 2>&1 || cat "$work/record"
"$malitop" export "$work/run.mlog" -f csv -m frame.count,frame.cpu_ms,frame.gpu_ms,pass1.ms,pass2.ms >"$work/csv" 2>&1
expect "$work/csv" 'frame.cpu_ms'
expect "$work/csv" 'pass1.ms'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "frame.count") c = i } NR > 1 { n += $c } END { if (n != 29) { print "FAIL: " n " frames in the log"; exit 1 } }' \
	"$work/csv" || failures=$((failures + 1))

# Every frame is in the log, but for the last, whose neighbour never came.
"$malitop" export "$work/run.mlog" -o "$work/all.pftrace" >"$work/export" 2>&1 || cat "$work/export"
n=$(grep -ao 'frame [0-9][0-9]*' "$work/all.pftrace" | sort -u | wc -l)
[ "$n" -ge 28 ] || { echo "FAIL: $n frames in the trace of the log"; failures=$((failures + 1)); }

env MALITOP_LAYER_PATH="$work/nothing" "$malitop" stat --passes -- true >"$work/missing" 2>&1 && {
	echo "FAIL: a missing layer is no error"
	failures=$((failures + 1))
}
expect "$work/missing" '^malitop: --passes: .*/nothing/VkLayer_malitop.json: '
[ $failures = 0 ] && echo "passes.sh: all as expected"
exit $failures
