#!/bin/sh
# configure fails if a library that pkg-config knows cannot be linked for the host, but continues without one that only tests need.
# The libraries for other programs ($LAYERS) are linked as libraries, whatever the program is; a static build has none.
configure=$(cd "${srcdir:-.}" && pwd)/configure
[ ! -e "${configure%/*}/config.status" ] || { echo "configure.sh: the source directory is configured itself: skipped"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2
failures=0

# expect ASSIGNMENT...: configure exits with $want and prints $text.
expect()
{
	status=0
	"$configure" -q --cache-file="$work/cache" ${CC:+CC="$CC"} "$@" >"$work/out" 2>&1 || status=$?
	case $status in 0 | 1) ;; *) status=1 ;; esac
	[ $status = "$want" ] && grep -q -- "$text" "$work/out" && return
	failures=$((failures + 1))
	echo "FAIL: $*: exit status $status, expected $want and '$text':"
	tail -5 "$work/out" | sed 's/^/    /'
}

missing=-lno-such-library-anywhere
want=1 text='ncurses ([^)]*) cannot be linked for this host' expect CURSES_CFLAGS=-DA CURSES_LIBS=$missing
rm -f "$work/cache"
want=1 text='zstd ([^)]*) cannot be linked for this host' expect ZSTD_CFLAGS=-DA ZSTD_LIBS=$missing
rm -f "$work/cache"
want=0 text='cmocka is missing' expect CMOCKA_CFLAGS=-DA CMOCKA_LIBS=$missing

# links FLAG LIBRARY...: with this in LDFLAGS `make` makes these and no other libraries for other programs.
links()
{
	flag=$1
	shift
	rm -rf "$work"/*
	"$configure" -q ${CC:+CC="$CC"} "LDFLAGS=$flag" >"$work/out" 2>&1 || { echo "configure.sh: skipped, no libraries for $flag"; return; }
	made=$(echo $(sed -n 's,^am__append_[0-9]* = \(layer/[^ ]*\.so\)$,\1,p' Makefile | LC_ALL=C sort -u))
	[ "$made" = "$*" ] && make -s $made >"$work/out" 2>&1 && return
	failures=$((failures + 1))
	echo "FAIL: LDFLAGS=$flag: '$made', expected '$*':"
	tail -5 "$work/out" | sed 's/^/    /'
}

if [ -n "${LAYERS:-}" ]; then
	links -pie $LAYERS
	links -static-pie
fi
[ $failures = 0 ] || exit 1
echo "configure.sh: libraries of another machine are detected, and those for other programs ($LAYERS) are linked"
