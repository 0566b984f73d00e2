#!/bin/sh
# contrib/setup.sh run [malitop options]   install what is missing, build, start malitop --demo
# contrib/setup.sh check                   install what is missing, run every test there is
#
# For Debian 12 and its relatives, from a bare system on. Packages are installed with apt where that is possible (as root, or by
# sudo without a password); elsewhere it says what is missing, and leaves out what cannot be done without it. Everything is built
# below build/ in the checkout.
set -u
LC_ALL=C.UTF-8
DEBIAN_FRONTEND=noninteractive
export LC_ALL DEBIAN_FRONTEND

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$top" || exit 1
jobs=2
test_jobs=4 # most tests wait more than they compute
step=

say()
{
	printf '== %s\n' "$*"
}

die()
{
	printf 'setup.sh: %s\n' "$*" >&2
	exit 1
}

# run_step NAME COMMAND...: its output goes to a log, which is shown if it fails.
run_step()
{
	step=$1
	shift
	log=$top/build/log/$(printf '%s' "$step" | tr -c 'A-Za-z0-9\n' '-').log
	mkdir -p "$top/build/log"
	say "$step"
	began=$(date +%s)
	("$@") >"$log" 2>&1 </dev/null && {
		grep -E '^# (TOTAL|SKIP|FAIL):|^SKIP:|inputs( in .*)?$' "$log" | grep -v ':  *0$' | sed 's/^/   /'
		printf '   done in %s s\n' $(($(date +%s) - began))
		return
	}
	tail -n 100 "$log"
	printf 'setup.sh: step failed: %s (whole log: %s)\n' "$step" "$log" >&2
	exit 1
}

# --- what is there

has_header()
{
	# shellcheck disable=SC2046
	printf '#include <%s>\nint main(void) { return 0; }\n' "$1" | gcc $(pkg-config --cflags ncursesw 2>/dev/null) \
		-x c -fsyntax-only - 2>/dev/null
}

# Can clang link with this sanitizer?
clang_can()
{
	scratch=$(mktemp -d) || return 1
	printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *p, size_t n);\n' >"$scratch/t.c"
	printf 'int LLVMFuzzerTestOneInput(const char *p, size_t n) { return p && n > 1000000; }\n' >>"$scratch/t.c"
	clang "-fsanitize=$1" "$scratch/t.c" -o "$scratch/t" 2>/dev/null
	can=$?
	rm -rf "$scratch"
	return $can
}

have_gcc() { command -v gcc && printf '#include <stdio.h>\nint main(void) { return 0; }\n' | gcc -x c -fsyntax-only -; }
have_make() { command -v make; }
have_autoconf() { command -v autoreconf; }
have_automake() { command -v automake; }
have_pkg_config() { command -v pkg-config; }
have_curses() { pkg-config --exists ncursesw || { have_gcc && has_header curses.h; }; }
have_zstd() { pkg-config --exists libzstd || { have_gcc && has_header zstd.h; }; }
have_cmocka() { pkg-config --exists cmocka; }
have_vterm() { pkg-config --exists vterm; }
have_clang() { command -v clang; }
have_clang_rt() { have_clang && clang_can fuzzer,address,undefined; }
have_pfm() { has_header perfmon/pfmlib_perf_event.h; }
have_python() { python3 -c 'import ctypes, struct'; }
have_protoc() { command -v protoc; }
have_clang_format() { command -v clang-format || command -v clang-format-14; }

# "thing package", one a line. Without the first kind nothing can be built.
required='gcc gcc
gcc libc6-dev
make make
autoconf autoconf
automake automake
pkg_config pkg-config
curses libncurses-dev
zstd libzstd-dev'
for_check='cmocka libcmocka-dev
vterm libvterm-dev
clang clang
clang_rt libclang-rt-14-dev
clang_format clang-format
pfm libpfm4-dev
python python3
protoc protobuf-compiler'

# missing LIST: the packages of the things that are not there
missing()
{
	printf '%s\n' "$1" | while read -r thing package; do
		"have_$thing" >/dev/null 2>&1 || printf '%s ' "$package"
	done
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

may_install()
{
	command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

apt_install()
{
	as_root apt-get update && as_root apt-get install -y --no-install-recommends "$@"
}

# get LIST: install what is missing of it, as far as that is possible.
get()
{
	packages=$(missing "$1")
	[ -n "$packages" ] || return 0
	if may_install; then
		say "installing: $packages"
		mkdir -p build/log
		# shellcheck disable=SC2086
		apt_install $packages >build/log/apt.log 2>&1 </dev/null || {
			tail -n 20 build/log/apt.log
			say "apt-get could not install everything; going on with what is there"
		}
	else
		say "missing: $packages"
		echo "   cannot install packages here (not root, no sudo without a password, or no apt-get); as root:"
		echo "   apt-get update && apt-get install $packages"
	fi
}

get_required()
{
	get "$required"
	packages=$(missing "$required")
	[ -z "$packages" ] || die "cannot build without: $packages"
}

# --- building

autotools()
{
	[ -x configure ] && [ -z "$(find configure.ac Makefile.am -newer configure)" ] && return
	run_step "autoreconf" ./autogen.sh
}

# The steps below take NAME CONFIGURE-ARGUMENTS...: the directory build/NAME, configured unless it was with the same arguments.
configure_in()
{
	dir=$top/build/$1
	shift
	mkdir -p "$dir" && cd "$dir" || return 1
	[ -f Makefile ] && [ "$(cat .configured 2>/dev/null)" = "$*" ] && return 0
	"$top/configure" "$@" && printf '%s' "$*" >.configured
}

build()
{
	configure_in "$@" && make -j$jobs all
}

build_tests()
{
	configure_in "$@" && make -j$jobs all && make -j$jobs check TESTS=
}

# Sanitizers want a quiet address space; newer kernels randomize more than gcc 12's runtime can bear.
quiet_memory()
{
	if setarch "$(uname -m)" -R true 2>/dev/null; then
		setarch "$(uname -m)" -R "$@"
	else
		"$@"
	fi
}

check_in()
{
	name=$1
	shift
	cd "$top/build/$name" && quiet_memory make -j$test_jobs VERBOSE=1 "$@"
}

check()
{
	build_tests "$@" && check_in "$1" check
}

check_threads()
{
	configure_in "$@" && check_in "$1" check-threads
}

gcc_can()
{
	scratch=$(mktemp -d) || return 1
	printf 'int main(void) { return 0; }\n' >"$scratch/t.c"
	gcc "-fsanitize=$1" "$scratch/t.c" -o "$scratch/t" 2>/dev/null && quiet_memory "$scratch/t" 2>/dev/null
	can=$?
	rm -rf "$scratch"
	return $can
}

fuzz()
{
	configure_in "$@" && check_in "$1" FUZZ_SECONDS=6 fuzz
}

# All tests have run before: here those that read files of the source tree, which the release may lack.
distcheck()
{
	from_tree=$(cd "$top" && echo tests/lint/includes.sh tests/lint/lists.sh tests/fuzz/replay.sh &&
		grep -lE 'srcdir|fixture_init|fake_perf_tree|reference\.h' tests/unit/test_*.c | sed 's/\.c$//')
	cd "$top/build/$1" && make -j$test_jobs distcheck DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 TESTS="$(echo $from_tree)"
}

# --- the two commands

cmd_run()
{
	get_required
	autotools
	run_step "build" build run
	exec build/run/malitop --demo "$@"
}

cmd_check()
{
	get_required
	get "$for_check"
	packages=$(missing "$for_check")
	[ -z "$packages" ] || say "without $packages: what needs them is left out"
	autotools

	light='CFLAGS=-g -O1'
	have_pfm && pfm=--with-libpfm || pfm=--without-libpfm
	run_step "gcc: build without warnings, all tests" check check/gcc --enable-werror CC=gcc
	if gcc_can address; then
		run_step "gcc: AddressSanitizer and UndefinedBehaviorSanitizer, all tests" \
			check check/asan --enable-werror --enable-asan --enable-ubsan "$pfm" CC=gcc "$light"
	else
		say "gcc: left out, AddressSanitizer does not work here"
	fi
	if gcc_can thread; then
		run_step "gcc: ThreadSanitizer, tests with threads" check_threads check/tsan --enable-tsan CC=gcc "$light"
	else
		say "gcc: left out, ThreadSanitizer does not work here"
	fi
	if have_clang >/dev/null; then
		run_step "clang: build without warnings" build_tests check/clang --enable-werror CC=clang "$light"
	else
		say "clang: left out, not installed"
	fi
	if have_clang_rt >/dev/null; then
		run_step "clang: fuzz targets, 6 s each" \
			fuzz check/fuzz --enable-fuzz --enable-asan --enable-ubsan CC=clang "$light"
	else
		say "clang: fuzzing left out, clang or its runtime libraries (libclang-rt-14-dev) are not installed"
	fi
	run_step "make distcheck" distcheck check/gcc
	say "all checks passed"
}

usage='usage: contrib/setup.sh run [malitop options] | check'
case ${1:-} in
run)
	shift
	cmd_run "$@"
	;;
check)
	[ $# = 1 ] || { echo "$usage" >&2; exit 2; }
	cmd_check
	;;
*)
	echo "$usage" >&2
	exit 2
	;;
esac
