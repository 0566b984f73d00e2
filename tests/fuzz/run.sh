#!/bin/sh
# run.sh TARGET...: each libFuzzer target for FUZZ_SECONDS, two at a time, on a copy of its seeds, so that the checkout stays as it
# is. A finding stays in the current directory as TARGET-crash-*: put it into tests/fuzz/corpus/ together with the repair.
srcdir=${srcdir:-.}
. "$srcdir/tests/fuzz/seeds.sh"
if [ $# -gt 1 ]; then
	printf '%s\n' "$@" | xargs -n 1 -P 2 "$0"
	exit
fi
[ $# = 1 ] || exit 0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
name=${1##*/}
"./$1" -help=1 2>&1 | grep -q libFuzzer || { echo "$1: built without libFuzzer: configure --enable-fuzz CC=clang"; exit 1; }
mkdir "$work/corpus"
for seed in $(seeds "$1"); do
	cp "$seed" "$work/corpus/"
done
"./$1" -max_total_time="${FUZZ_SECONDS:-20}" -timeout=10 -rss_limit_mb=1024 -max_len=8192 -print_final_stats=1 \
	-artifact_prefix="$name-" "$work/corpus" >"$work/log" 2>&1 || { tail -n 60 "$work/log"; echo "$name: failed"; exit 1; }
echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") inputs in ${FUZZ_SECONDS:-20} s"
