#!/bin/sh
# contrib/setup.sh run [malitop options]   install what is missing, build, start malitop --demo
# contrib/setup.sh check                   install what is missing, run every test there is; with MALITOP_BOARDS="arm64 armhf" it also
#                                          checks their packages: apt gets these architectures for a while
# contrib/setup.sh install [PREFIX]        install what is missing, build, install into PREFIX (/usr/local, or ~/.local if not root)
# contrib/setup.sh install USER@HOST       install what is missing, build one static file for that machine, copy it there with scp
#
# For Debian 12 and its relatives, even a bare system. Installs packages with apt if it can (as root, or with sudo without a password);
# otherwise it reports what is missing and skips the steps that need it. Everything is built below build/ in the source tree.
set -u
LC_ALL=C.UTF-8
DEBIAN_FRONTEND=noninteractive
export LC_ALL DEBIAN_FRONTEND

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
caller=$PWD
cd "$top" || exit 1
jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
test_jobs=$((jobs * 2)) # most tests wait more than they compute
started=$(date +%s)

# elapsed: minutes and seconds since the start
elapsed()
{
	seconds=$(($(date +%s) - started))
	printf '%d:%02d' $((seconds / 60)) $((seconds % 60))
}

say()
{
	printf '== %s  %s\n' "$(elapsed)" "$*"
}

die()
{
	printf 'setup.sh: %s\n' "$*" >&2
	exit 1
}

# log_of STEP: its output; what it ended with is in that file with .end
log_of()
{
	printf '%s/build/log/%s.log' "$top" "$(printf '%s' "$1" | tr -c 'A-Za-z0-9\n' '-')"
}

# do_step NAME COMMAND...
do_step()
{
	log=$(log_of "$1")
	shift
	mkdir -p "$top/build/log"
	rm -f "$log.end"
	began=$(date +%s)
	("$@") >"$log" 2>&1 </dev/null
	status=$?
	echo "$status $(($(date +%s) - began))" >"$log.new" && mv "$log.new" "$log.end"
	return $status
}

# report_step NAME: what it did; if it failed, show the failures and then the end of the log.
report_step()
{
	log=$(log_of "$1")
	read -r status seconds <"$log.end"
	[ "$status" != 0 ] || {
		grep -E '^# (TOTAL|SKIP|FAIL):|^(SKIP|FAIL|YELLOW|slowest):|inputs( in .*)?$|^(package [a-z0-9]+|static program): ' "$log" | grep -v ':  *0$' | sed 's/^/   /'
		printf '   done in %s s\n' "$seconds"
		return
	}
	grep -E '^(FAIL|ERROR|XPASS): |: (fatal )?error: |^configure: error' "$log" | sort -u | head -n 40
	printf '%s\n' "-- the end of $log:"
	tail -n 60 "$log"
	die "step failed after $(elapsed): $1 (complete log: $log)"
}

# show_progress LOG: a line now and then while a step runs, so that one sees that it works. It ends with this script.
show_progress()
{
	trap - EXIT HUP INT TERM
	pause=
	trap 'kill $pause; exit' TERM
	while kill -0 $$ 2>/dev/null; do
		sleep "$progress_s" &
		pause=$!
		wait $pause
		files=$(grep -c '^  *CC  *' "$1" 2>/dev/null)
		[ "${files:-0}" != 0 ] && doing="$files files compiled" || doing=$(tail -n 1 "$1" 2>/dev/null | cut -c1-80)
		printf '   %s  %s\n' "$(elapsed)" "$doing"
	done
}
progress_s=${MALITOP_PROGRESS_S:-10}

run_step()
{
	say "$1"
	show_progress "$(log_of "$1")" &
	progress=$!
	do_step "$@"
	kill $progress 2>/dev/null
	wait $progress 2>/dev/null
	report_step "$1"
}

# beside COMMAND...: a second lane, one at a time; await_step reports each of its steps, in their order.
lane=
beside()
{
	trap 'leave_lane' EXIT
	trap 'exit 1' HUP INT TERM
	(
		trap - EXIT HUP INT TERM
		"$@"
	) &
	lane=$!
}

# give_way: what follows in this lane gets what tests leave of the CPUs, so that none waits for a compiler.
give_way()
{
	read -r self rest </proc/self/stat && renice -n 19 -p "$self" >/dev/null 2>&1
}

await_step()
{
	say "$1"
	while [ ! -e "$(log_of "$1").end" ]; do
		kill -0 "$lane" 2>/dev/null || [ -e "$(log_of "$1").end" ] || die "step was not run: $1"
		sleep 1
	done
	report_step "$1"
}

end_tree()
{
	kids=$(cat "/proc/$1/task/"*/children 2>/dev/null)
	kill "$1" 2>/dev/null
	for kid in $kids; do
		end_tree "$kid"
	done
}

leave_lane()
{
	! kill -0 "$lane" 2>/dev/null || end_tree "$lane"
	wait
}

# --- what is installed

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
have_drm() { pkg-config --exists libdrm; }
have_microhttpd() { pkg-config --exists libmicrohttpd; }
have_openssl() { command -v openssl; }
have_prometheus() { command -v prometheus && command -v promtool; }
have_cmocka() { pkg-config --exists cmocka; }
have_vterm() { pkg-config --exists vterm; }
have_vulkan() { pkg-config --exists vulkan; }
have_vulkan_driver() { ls /usr/share/vulkan/icd.d/lvp_icd.*.json >/dev/null 2>&1; }
have_vulkan_validation() { ls /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json >/dev/null 2>&1; }
have_gles() { pkg-config --exists egl glesv2; }
have_gles_driver() { ls /usr/share/glvnd/egl_vendor.d/*mesa.json >/dev/null 2>&1; }
have_es2gears() { command -v es2gears_x11; }
have_vkcube() { command -v vkcube; }
have_ssh() { command -v ssh; }
have_sshd() { PATH=$PATH:/usr/sbin:/sbin command -v sshd; }
have_xvfb_run() { command -v xvfb-run; }
have_xauth() { command -v xauth; }
have_clang() { command -v clang; }
have_clang_rt() { have_clang && clang_can fuzzer,address,undefined; }
have_zlib() { has_header zlib.h; }
have_iberty() { has_header libiberty/demangle.h; }
have_pfm() { has_header perfmon/pfmlib_perf_event.h; }
have_python() { python3 -c 'import ctypes, struct'; }
have_protoc() { command -v protoc; }
have_build_essential() { [ "$(dpkg-query -W -f '${db:Status-Status}' build-essential)" = installed ]; }
have_dh() { command -v dh; }
have_lintian() { command -v lintian; }
have_fish() { command -v fish; }
have_zsh() { command -v zsh; }
have_clang_format() { command -v clang-format || command -v clang-format-14; }

# "thing package", one per line. Nothing can be built without the required ones.
required='gcc gcc
gcc libc6-dev
make make
autoconf autoconf
automake automake
pkg_config pkg-config
curses libncurses-dev
zstd libzstd-dev
drm libdrm-dev'
# what the README promises beyond that: malitop serve, the layers for Vulkan and GLES, names of C++ functions
for_product='microhttpd libmicrohttpd-dev
zlib zlib1g-dev
vulkan libvulkan-dev
gles libegl-dev libgles-dev
iberty libiberty-dev'
# what builds for check find besides
for_builds='cmocka libcmocka-dev
vterm libvterm-dev
pfm libpfm4-dev
build_essential build-essential'
# what tests run
for_tests='python python3
vulkan_driver mesa-vulkan-drivers
vulkan_validation vulkan-validationlayers
vkcube vulkan-tools
gles_driver libegl-mesa0
es2gears mesa-utils
xvfb_run xvfb
xauth xauth
clang clang
clang_rt libclang-rt-dev
clang_format clang-format
dh debhelper
lintian lintian
fish fish
zsh zsh
openssl openssl
prometheus prometheus
protoc protobuf-compiler
ssh openssh-client
sshd openssh-server'

# missing LIST: the packages of the things that are not installed
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

# Skip unknown packages: one of them would make apt-get install none.
lists_are_new=
apt_install()
{
	[ -n "$lists_are_new" ] || { as_root apt-get update && lists_are_new=yes; }
	known=$(apt-cache show "$@" 2>/dev/null | sed -n 's/^Package: //p' | sort -u)
	for package in "$@"; do
		printf '%s\n' "$known" | grep -qxF "$package" || echo "no package $package"
	done
	# shellcheck disable=SC2086
	as_root apt-get install -y --no-install-recommends $known
}

# get LIST: install what is missing, as far as possible.
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
			say "apt-get could not install everything; continuing without the rest"
		}
	else
		say "missing: $packages"
		echo "   cannot install packages here (not root, no sudo without a password, or no apt-get); as root:"
		echo "   apt-get update && apt-get install $packages"
	fi
}

# get_required [MORE]: install all packages at once; continue without those of MORE.
get_required()
{
	get "$required${1:+
$1}"
	packages=$(missing "$required")
	[ -z "$packages" ] || die "cannot build without: $packages"
}

# --- building

autotools()
{
	[ -x configure ] && [ -z "$(find configure.ac Makefile.am -newer configure)" ] && return
	run_step "autoreconf" ./autogen.sh
}

# libraries: what configure finds, with versions; another answer than last time means that it has to look again.
libraries()
{
	for module in tinfo ncursesw libzstd libdrm libmicrohttpd zlib vulkan egl glesv2 cmocka vterm; do
		echo "$module $(pkg-config --modversion $module 2>/dev/null)"
	done
	for thing in curses zstd zlib iberty pfm; do
		"have_$thing" >/dev/null 2>&1 && echo "$thing"
	done
}

# The steps below take NAME CONFIGURE-ARGUMENTS... and use build/NAME, configured unless it was configured with the same arguments and
# libraries.
sources=$top
configure_in()
{
	dir=$top/build/$1
	shift
	mkdir -p "$dir" && cd "$dir" || return 1
	stamp="$*
$(libraries)"
	[ -f Makefile ] && [ "$(cat .configured 2>/dev/null)" = "$stamp" ] && return 0
	"$sources/configure" "$@" && printf '%s\n' "$stamp" >.configured
}

make_in()
{
	dir=$top/build/$1
	shift
	make -C "$dir" -j$jobs "$@"
}

build_tests()
{
	configure_in "$@" && make -j$jobs all && make -j$jobs check TESTS=
}

# Switch off address space randomization for sanitizers: newer kernels randomize more than gcc 12's runtime can handle.
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

# The ten tests of a build that took longest, by what timed.sh wrote into their logs
slowest()
{
	(cd "$top/build/$1" && find tests -name '*.log' -exec grep -H '^seconds: ' {} + 2>/dev/null) | sed 's/\.log:seconds://' |
		sort -k2,2nr | awk 'NR <= 10 { printf "%s %s (%s s)", NR == 1 ? "slowest:" : ",", $1, $2 } END { if (NR) print "" }'
}

# What tests/unsteady said of a test when this run began, without the name of the test
unsteady_before=$(cat "$top/tests/unsteady" 2>/dev/null)
history_of()
{
	printf '%s\n' "$unsteady_before" | sed -n "s,^$1 ,,p"
}

# check_all NAME [VARIABLE=VALUE]: make $goal, or check. A few tests that fail beside the others run again alone. One that passes then
# is yellow, and is written to tests/unsteady, which is empty at a release. One that is in that list already is red.
check_all()
{
	check_in "$@" "${goal:-check}"
	status=$?
	slowest "$1"
	[ $status != 0 ] || return 0
	failed=$(cd "$top/build/$1" && find tests -name '*.trs' -exec grep -l '^:test-result: FAIL' {} + | sed 's/\.trs$//' | sort)
	[ -n "$failed" ] && [ "$(echo "$failed" | wc -l)" -le 10 ] && check_in "$@" -j1 recheck || return
	red=0
	for test in $failed; do
		if [ -n "$(history_of "$test")" ]; then
			echo "FAIL: $test (beside others, not for the first time: $(history_of "$test"))"
			red=1
		else
			echo "YELLOW: $test failed beside others and passed alone: find out why (added to tests/unsteady)"
			echo "$test in $1 at $(git -C "$top" rev-parse --short HEAD 2>/dev/null || echo 'a release')" >>"$top/tests/unsteady"
		fi
	done
	return $red
}

# The program as users have it. Its scripts and screens are tested here, and the unit tests in the build with sanitizers if there is one.
check_gcc()
{
	if [ -n "$sanitize" ]; then
		check_all "$1" 'TESTS=$(long_scripts) $(scripts) $(screen_tests) $(lint_scripts) $(workload_tests)' "$programs"
	else
		check_all "$1"
	fi
}
programs='check_PROGRAMS=$(layer_programs) $(screen_tests) $(fuzz_targets) $(workloads) $(workload_tests) tests/mlog/dump'

build_gcc()
{
	configure_in "$@" && make -j$jobs all && make -j$jobs check TESTS= ${sanitize:+"$programs"}
}

# A build of the release, so that it has what tests need. Its files have the time of the commit, which tells no change.
build_release()
{
	(cd "$top/build/check/gcc" && make dist-gzip) || return
	cd "$top/build/check" && sources=$PWD/release || return
	cmp -s gcc/malitop-*.tar.gz release.tar.gz || {
		[ ! -e release ] || chmod -R u+w release
		rm -rf release release.tar.gz "$top/build/$1" && mkdir release && tar -C release --strip-components=1 -xf gcc/malitop-*.tar.gz &&
			chmod -R a-w release && mv gcc/malitop-*.tar.gz release.tar.gz || return
	}
	build_tests "$@"
}

# All tests but the long scripts and those that look at the source tree alone, except where a release may differ from it. Random keys
# need a sanitizer, and time.
check_release()
{
	MALITOP_STORM_S=120 check_all "$1" "lint_scripts=tests/lint/includes.sh tests/lint/names.sh" ${sanitize:+long_scripts=}
}

build_threads()
{
	configure_in "$@" && make -j$jobs build-threads
}

build_fuzz()
{
	configure_in "$@" && make -j$jobs all && make -j$jobs build-fuzz && make warnings
}

check_threads()
{
	MALITOP_STORM_S=60 goal=check-threads check_all "$1" check_PROGRAMS= check_DATA= 'TESTS=$(threaded:%=tests/%)'
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

# The tests have run from a release: what is left is that it can be built, installed and cleaned.
distcheck()
{
	cd "$top/build/$1" && make -j$jobs distcheck DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 TESTS= check_PROGRAMS= check_DATA=
}

# The archive of a release is the same each time, and its Debian package is in order and runs.
package()
{
	cd "$top/build/$1" && DEB_BUILD_OPTIONS="noopt parallel=$jobs" make deb && cmp ../release.tar.gz malitop-*.tar.gz &&
		lintian --fail-on error deb/*.changes && dpkg-deb -x deb/malitop_*.deb deb/root && deb/root/usr/bin/malitop --demo --once
}

# --- the commands

cmd_run()
{
	get_required "$for_product"
	autotools
	run_step "configure" configure_in run
	run_step "compile" make_in run all
	say "the program: $top/build/run/malitop (setup.sh install adds it to your PATH)"
	exec build/run/malitop --demo "$@"
}

cmd_install()
{
	prefix=$1
	case $prefix in
	/*) ;;
	*) prefix=$caller/$prefix ;;
	esac
	mkdir -p "$prefix" && [ -w "$prefix" ] || die "$prefix: not writable: choose another prefix, or run as root"
	get_required "$for_product"
	autotools
	run_step "configure" configure_in install "--prefix=$prefix"
	run_step "compile" make_in install all
	run_step "install into $prefix" make_in install install
	say "the program: $prefix/bin/malitop (to remove it: make -C $top/build/install uninstall)"
	case :$PATH: in
	*:"$prefix/bin":*) ;;
	*) say "$prefix/bin is not in PATH: start it by that name, or add the directory" ;;
	esac
}

# Its home directory gets one file, and nothing else of that machine is touched.
install_board()
{
	machine=$(ssh "$1" uname -m) || die "$1: ssh failed: check the name, and that 'ssh $1' works without a question"
	flags=-static-pie
	case $machine in
	"$(uname -m)") host= ;;
	aarch64) host=aarch64-linux-gnu ;;
	armv[67]*) host=arm-linux-gnueabihf flags=-static ;;
	*) die "$1: no static build for $machine: build there with contrib/setup.sh install" ;;
	esac
	[ -z "$host" ] || command -v "$host-gcc" >/dev/null || die "$1 is $machine, and there is no $host-gcc: see doc/build.md"
	[ -z "$host" ] && get_required "$for_product" || get_required
	autotools
	run_step "configure" configure_in "board-$machine"
	run_step "build one static file for $machine" make_in "board-$machine" static BOARD=$host BOARD_LINK=$flags
	scp -q "$top/build/board-$machine/static/malitop" "$1:malitop" || die "$1: scp failed: is there room in the home directory?"
	say "the program: malitop in the home directory; start it with: ssh -t $1 ./malitop"
}

look_at_gcc()
{
	sanitize='' sanitized=''
	if gcc_can address; then
		sanitize="--enable-asan --enable-ubsan"
		sanitized=" with AddressSanitizer and UndefinedBehaviorSanitizer"
	else
		say "gcc: AddressSanitizer does not work here"
	fi
}

# What else can be checked here.
look_around()
{
	packages=$(missing "$required
$for_product
$for_builds
$for_tests")
	[ -z "$packages" ] || say "missing $packages: the steps that need them are skipped"
	tsan='' clang='' deb='' roots=''
	gcc_can thread && tsan=yes || say "gcc: skipped, ThreadSanitizer does not work here"
	have_clang_rt >/dev/null && clang=yes || say "clang: skipped, clang or its runtime libraries (libclang-rt-dev) are not installed"
	if ! have_build_essential >/dev/null || ! have_dh >/dev/null || ! have_lintian >/dev/null; then
		say "make deb: skipped, build-essential, debhelper or lintian is not installed"
	else
		deb=yes
		[ "$(id -u)" = 0 ] && roots=yes || say "packages in clean roots: skipped, not root"
	fi
}

# What builds, each in time for the step that tests it. What waits for apt and emulators comes while others compute.
check_builds()
{
	light='CFLAGS=-g1 -O1'
	have_pfm && pfm=--with-libpfm || pfm=--without-libpfm
	give_way
	do_step "release: build$sanitized" build_release check/asan --enable-werror --enable-panthor-perf $sanitize "$pfm" CC=gcc "$light" || return
	[ -z "$tsan" ] || do_step "ThreadSanitizer: build" build_threads check/tsan --enable-tsan CC=gcc "$light" || return
	[ -z "$deb" ] || do_step "make deb: the same archive twice, a package without errors" package check/gcc || return
	# shellcheck disable=SC2086
	[ -z "$roots" ] || do_step "packages and static programs, in clean roots" contrib/boards.sh build/check/gcc ${MALITOP_BOARDS:-} || return
	[ -z "$clang" ] || do_step "clang: build without warnings" \
		build_fuzz check/clang --enable-werror --enable-fuzz --enable-asan --enable-ubsan CC=clang "$light" || return
	do_step "make distcheck" distcheck check/gcc
}

cmd_check()
{
	get_required "$for_product
$for_builds"
	autotools
	rm -f build/log/*.end
	beside do_step "install what tests need" get "$for_tests"
	look_at_gcc
	run_step "gcc: build without warnings" build_gcc check/gcc --enable-werror CC=gcc CFLAGS=-O2
	await_step "install what tests need"
	look_around
	beside check_builds
	run_step "gcc: scripts and screens" check_gcc check/gcc
	await_step "release: build$sanitized"
	run_step "release: all tests" check_release check/asan
	if [ -n "$tsan" ]; then
		await_step "ThreadSanitizer: build"
		run_step "ThreadSanitizer: tests with threads" check_threads check/tsan
	fi
	[ -z "$deb" ] || await_step "make deb: the same archive twice, a package without errors"
	[ -z "$roots" ] || await_step "packages and static programs, in clean roots"
	if [ -n "$clang" ]; then
		await_step "clang: build without warnings"
		run_step "clang: fuzz targets, 4 s each" check_in check/clang FUZZ_SECONDS=4 fuzz
	fi
	await_step "make distcheck"
	say "all checks passed; the program: $top/build/check/gcc/malitop"
}

usage='usage: contrib/setup.sh run [malitop options] | check | install [PREFIX | USER@HOST]'
case ${1:-} in
run)
	shift
	cmd_run "$@"
	;;
check)
	[ $# = 1 ] || { echo "$usage" >&2; exit 2; }
	cmd_check
	;;
install)
	[ $# -le 2 ] || { echo "$usage" >&2; exit 2; }
	[ "$(id -u)" = 0 ] && default=/usr/local || default=$HOME/.local
	case ${2:-} in
	*@*) install_board "$2" ;;
	*) cmd_install "${2:-$default}" ;;
	esac
	;;
*)
	echo "$usage" >&2
	exit 2
	;;
esac
