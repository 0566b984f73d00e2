#!/bin/sh
# The lint can fail: every rule of includes.sh and names.sh against a tree that breaks just that one.
lint=$(cd "${srcdir:-.}/tests/lint" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
failures=0
cases=0

# A small house in good order.
build_house()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree/src/base" "$work/tree/src/model" "$work/tree/src/term" "$work/tree/src/session" \
		"$work/tree/src/cli" "$work/tree/src/data" "$work/tree/backends/sim" "$work/tree/backends/proc" "$work/tree/backends/gpu" \
		"$work/tree/views/charts" "$work/tree/tests/backends/sim" "$work/tree/layer"
	cd "$work/tree" || exit 2
	printf '#include <sys/ioctl.h>\n#include <sys/mman.h>\n#include <sys/timerfd.h>\n#include "base/err.h"\n' >src/base/sys.c
	printf 'int now(void)\n{\n\treturn clock_gettime(0, 0);\n}\n' >>src/base/sys.c
	printf '/* err: no curses here, and time (of day) is a word;\n * so is backend_sim.\n */\nint err;\nstruct row { int a; };\n' >src/base/err.h
	printf '#include <stdatomic.h>\n#include "base/err.h"\nstatic _Atomic int head;\n' >src/model/ring.c
	printf '#include "backends/backend.h"\n#include "backends/cpu/cpus.h"\n' >backends/gpu/gpu_fold.c
	printf '#include "model/ring.h"\n#include "backends/backend.h"\nconst struct backend backend_sim = {\n' >backends/sim/sim.c
	printf '\t.name = "sim",\n};\nvoid f(struct sys *sys)\n{\n\tsys->munmap(sys, 0, sys->time(0));\n}\n' >>backends/sim/sim.c
	printf '#include <sys/mman.h>\n#include "layer/map.h"\n#include "passes/passes.h"\nvoid *p = mmap(0);\n' >layer/map.c
	printf '#include "model/ring.h"\n#include "views/view.h"\nint draw_time(int at);\n' >views/bars.c
	printf '#include "backends/backend.h"\nconst void *all[] = {&backend_sim};\n' >backends/registry.c
	printf '#include <sys/ioctl.h>\n#include <termios.h>\n#include "views/view.h"\n' >src/term/term.c
	printf 'int size(void)\n{\n\treturn ioctl(1, TIOCGWINSZ, 0);\n}\n' >>src/term/term.c
	printf '#include <curses.h>\n#include <term.h>\n' >src/term/term_caps.c
	printf '#include "config.h"\n#include "term/term.h"\nconst char *text = "backend_sim, time(), curses.h";\n' >src/cli/main.c
	printf '#include "backends/backend.h"\nextern int backend_sim;\n' >tests/backends/sim/test_sim.c
	printf 'metric A\n' >src/data/a.metrics
	printf 'chart a\n' >views/charts/a.chart
}

check()
{
	cases=$((cases + 1))
	srcdir=$work/tree "$lint/$script" >"$work/out" 2>&1
	status=$?
	if [ "$1" = 0 ]; then
		[ $status = 0 ] && grep -q "$2" "$work/out" && return
	else
		[ $status = 1 ] && [ "$(wc -l <"$work/out")" = 1 ] && grep -q "$2" "$work/out" && return
	fi
	failures=$((failures + 1))
	echo "FAIL: $3: exit status $status, expected $1 ${2:+and one line with '$2'}:"
	sed 's/^/    /' "$work/out"
}

# breaks RULE FILE TEXT: one more line in FILE must be found, with that rule and no other.
breaks()
{
	build_house
	printf '%b\n' "$3" >>"$2"
	check 1 "$2:[0-9]*: $1: " "'$3' in $2"
}

script=includes.sh
build_house
check 0 '' 'the house in good order'
breaks threads src/cli/main.c 'int i(void) { return pthread_create(0, 0, 0, 0); }'
breaks types src/base/err.h 'int size(pid_t pid);'
breaks arrow src/base/err.h '#include "model/ring.h"'
breaks arrow src/model/ring.c '#include "backends/backend.h"'
breaks arrow src/model/ring.c '#include "views/view.h"'
breaks arrow src/model/ring.c '#include "tui/ui.h"'
breaks arrow layer/map.c '#include "base/err.h"'
breaks arrow layer/map.c '#include "model/ring.h"'
breaks arrow src/cli/main.c '#include "layer/map.h"'
breaks arrow backends/sim/sim.c '#include "views/view.h"'
breaks arrow backends/sim/sim.c '#include "backends/proc/proc.h"'
breaks arrow backends/sim/sim.c '#  include "tui/ui.h"'
breaks arrow backends/gpu/gpu_fold.c '#include "backends/drm/drm_node.h"'
breaks arrow backends/gpu/gpu_fold.c '#include "backends/sim/sim.h"'
breaks arrow views/bars.c '#include "backends/backend.h"'
breaks arrow views/bars.c '#include "tui/ui.h"'
breaks arrow views/bars.c '#include "view.h"'
breaks arrow views/bars.c '#include "base/../tui/ui.h"'
breaks curses views/bars.c '#include <curses.h>'
breaks curses src/cli/main.c '#include <ncursesw/ncurses.h>'
breaks curses src/cli/main.c '#include <ncurses.h>'
breaks curses src/term/term.c '#include <curses.h>'
breaks terminal src/cli/main.c '#include <termios.h>'
breaks kernel backends/sim/sim.c '#include <sys/ioctl.h>'
breaks kernel backends/sim/sim.c '#include <sys/mman.h>'
breaks kernel src/cli/main.c '#include <sys/timerfd.h>'
breaks kernel src/term/term.c '#include <sys/eventfd.h>'
breaks kernel src/cli/main.c '#include <sys/prctl.h>'
breaks kernel backends/sim/sim.c '#include <xf86drm.h>'
breaks kernel backends/sim/sim.c 'int r = munmap (p, 1);'
breaks kernel src/cli/main.c 'int f = memfd_create("x", 0);'
breaks kernel src/term/term.c 'int f = memfd_create("x", 0);'
breaks kernel src/term/term.c 'int f = ioctl(1, TIOCSTI, 0);'
breaks kernel src/term/term.c 'void *p = mmap(0, 1, 0, 0, 0, 0);'
breaks mathematics views/bars.c 'double a = fmax(b, c);'
breaks clock backends/sim/sim.c 'int t = clock_gettime(0, 0);'
breaks clock src/cli/main.c 'long t = time(NULL);'
breaks clock src/term/term.c 'int t = gettimeofday(0, 0);'
breaks messages src/cli/main.c 'void f(void) { fputs("x", stderr); }'
breaks atomics src/cli/main.c '#include <stdatomic.h>'
breaks atomics src/base/sys.c 'int v = __atomic_load_n(&x, 0);'
breaks atomics src/model/ring.h '_Atomic int tail;'
breaks registry src/cli/main.c 'extern const struct backend backend_sim;'
breaks registry views/bars.c 'const void *p = &backend_sim;'
breaks registry backends/proc/proc.c 'const void *p = &backend_sim;'
breaks tag tests/backends/sim/test_sim.c 'static const struct row {\n\tint a;\n} rows[1];\nenum row2 { A };'
breaks noun src/cli/main.c 'static struct row *cut(int a)\n{\n}'
breaks noun tests/backends/sim/test_sim.c 'static void take(void)\n{\n}'
hundred=$(awk 'BEGIN { for (i = 0; i < 100; i++) printf "x" }')
breaks width src/cli/main.c "int $hundred, seven;"
breaks width tests/backends/sim/test_sim.c "/* $hundred */"
breaks width src/cli/main.c "\\t/* $(printf %.91s "$hundred")*/"
breaks blanks src/cli/main.c 'int blank; '
breaks blanks tests/backends/sim/test_sim.c 'int tab;\t'
breaks blanks src/cli/main.c '        int eight_blanks;'
breaks blanks src/cli/main.c '  int two_blanks;'
breaks blanks src/cli/main.c 'int dos;\r'
breaks leftover src/cli/main.c '/* TODO: later */'
lines=$(awk 'BEGIN { for (i = 0; i < 499; i++) printf "\\tx++;\\n" }')
build_house
printf '%b\n' "void f(void)\n{\n$lines}" >>src/cli/main.c
check 0 'src/cli/main.c:[0-9]*: size: function of 501 lines' 'a large function is listed'
check 0 'src/cli/main.c:[0-9]*: size: file of [0-9]* lines' 'a large file is listed'
build_house
printf '/* %s */ int a;\n/* %s */\n' "$(printf %.97s "$hundred")" "$(printf %.94s "$hundred")" >>src/cli/main.c
printf '/* %s\342\224\200 */\n' "$(printf %.93s "$hundred")" >>src/cli/main.c
check 0 '' 'a line of 110 columns, a comment of 100, and one of 100 in characters'

script=names.sh
build_house
echo 'See `sys.c`, `base/err.h`, `si*.c`, `views/charts/`, main.c, and write `views/NAME.c`.' >HACKING.md
check 0 '' 'a HACKING.md that names what there is'
for f in src/base/gone.c err.hpp.h src/bas/ base/sys.h 'gone*.c'; do
	build_house
	echo "See \`$f\`." >HACKING.md
	check 1 "HACKING.md: names: .* is not there" "$f in HACKING.md, which is not there"
done

build_house
printf '/* As in sys.c,\n * not in gone.h: "a.gpu" is text. */\nstatic const char *at = "none.c";\n' >>src/cli/main.c
check 1 'src/cli/main.c: names: gone.h is not there' 'a comment that names a file which is not there'

echo "selftest.sh: $cases cases, $failures failed"
[ $failures = 0 ]
