#!/bin/sh
# Every fuzz target over its seeds. The build names the targets in FUZZ_TARGETS.
srcdir=${srcdir:-.}
. "$srcdir/tests/fuzz/seeds.sh"
[ -n "$FUZZ_TARGETS" ] || { echo "replay.sh: skipped, no fuzz targets were built"; exit 77; }
for target in $FUZZ_TARGETS; do
	files=$(seeds "$target")
	[ -n "$files" ] || { echo "$target: no seeds: add some to tests/fuzz/corpus/${target##*/fuzz_}/"; exit 1; }
	# libFuzzer's main runs files given to it once, as driver.c does
	# shellcheck disable=SC2086
	"./$target" $files >replay.out 2>&1 || { cat replay.out; echo "$target: failed"; exit 1; }
	rm -f replay.out
	echo "$target: $(printf '%s\n' $files | wc -l) inputs"
done
