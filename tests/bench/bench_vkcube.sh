#!/bin/sh
# bench_vkcube.sh: the time that vkcube's calls spend inside the Vulkan layer, in the median frame under
# Xvfb: timer_layer.c times the calls above it and below it. The same without the layer tells what the
# timers take for themselves. Prints figures; judges nothing.
command -v vkcube >/dev/null && command -v xvfb-run >/dev/null || {
	echo "Vulkan layer in vkcube: not measured: install vulkan-tools and xvfb"
	exit 0
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# The loader puts layers into the order in which it finds their files.
VK_ADD_LAYER_PATH=$PWD/tests/bench/above:$PWD/layer:$PWD/tests/bench/below
TIMER_LOWER=$PWD/tests/bench/below/libtimer.so
TIMER_OUT=$work/times
export VK_ADD_LAYER_PATH TIMER_LOWER TIMER_OUT
for between in "" VK_LAYER_MALITOP_passes:; do
	VK_INSTANCE_LAYERS=VK_LAYER_BENCH_above:${between}VK_LAYER_BENCH_below \
		xvfb-run -a vkcube --c 300 >"$work/log" 2>&1
done
awk 'NR == 1 { timers = $2 / $3 }
NR == 2 { printf "Vulkan layer in vkcube: %.2f us in the median of %d frames (1 pass each), beside %.2f us of %.1f timers\n",
	($2 - timers * $3) / 1000, $1, timers * $3 / 1000, $3 }
END { if (NR != 2) { print "Vulkan layer in vkcube: not measured: it did not render"; exit 1 } }' "$work/times" ||
	cat "$work/log"
