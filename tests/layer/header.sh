#!/bin/sh
# header.sh: malitop.h is C and C++ of every standard it promises, without warnings, in several files of a program at once.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
[ -f malitop.h ] || { echo "FAIL: malitop.h was not made"; exit 1; }
cp malitop.h "$work" || exit 1
cat >"$work/one.c" <<'END'
#include "malitop.h"
#include "malitop.h"
void two(void);
void two(void) { malitop_begin("two"); malitop_end(); malitop_frame(); malitop_mark("mark"); }
END
cat >"$work/main.cc" <<'END'
#include "malitop.h"
#ifdef __cplusplus
extern "C" {
#endif
void two(void);
#ifdef __cplusplus
}
#endif
int main(void) { malitop_begin("one"); two(); malitop_end(); return malitop_thread.depth != 0; }
END
cp "$work/main.cc" "$work/main.c"
warnings='-Wall -Wextra -Wpedantic -Wshadow -Werror'
failures=0
tried=0

# builds COMPILER STANDARD MAIN [FLAG...]
builds()
{
	compiler=$1 standard=$2 main=$3
	shift 3
	command -v "$compiler" >/dev/null 2>&1 || return
	echo 'int main() { return 0; }' >"$work/try.cc"
	[ "$main" = main.c ] || "$compiler" -o "$work/try" "$work/try.cc" 2>/dev/null || return
	tried=$((tried + 1))
	{ cc -c $warnings -std=gnu11 -D_DEFAULT_SOURCE "$@" -o "$work/one.o" "$work/one.c" &&
		"$compiler" $warnings -std="$standard" "$@" -o "$work/program" "$work/$main" "$work/one.o" -lpthread &&
		XDG_RUNTIME_DIR=$work "$work/program"; } >"$work/out" 2>&1 && return
	echo "FAIL: $compiler -std=$standard $*"
	cat "$work/out"
	failures=$((failures + 1))
}

for compiler in gcc clang; do
	builds $compiler gnu99 main.c
	builds $compiler c17 main.c -D_DEFAULT_SOURCE -DMALITOP_COUNTERS
done
for compiler in g++ clang++; do
	builds $compiler c++11 main.cc
	builds $compiler c++20 main.cc -DMALITOP_COUNTERS -fPIC
done
# Whatever the C library keeps the address of would be called also after a plugin was unloaded, by libraries that do not take it out.
echo '#include "malitop.h"
void work(void);
void work(void) { malitop_begin("work"); malitop_end(); malitop_frame(); malitop_mark("mark"); }' >"$work/plugin.c"
cc -std=gnu11 -DMALITOP_COUNTERS -fPIC -shared -I"$work" -o "$work/plugin.so" "$work/plugin.c" || failures=$((failures + 1))
nm -D -u "$work/plugin.so" | grep -E 'pthread_key|atfork|atexit|signal|sigaction|timer_create|pthread_create|cleanup' && {
	echo "FAIL: a plugin with malitop.h gives the C library an address to keep"
	failures=$((failures + 1))
}
[ $failures = 0 ] && echo "header.sh: $tried builds as expected"
exit $failures
