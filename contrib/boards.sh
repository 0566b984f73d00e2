#!/bin/sh
# contrib/boards.sh DIRECTORY [BOARD...]   check what users install: for this machine, and for boards (arm64, armhf)
#
# In a configured build directory, it builds each Debian package and lets lintian judge it. The package is installed, run and removed
# in a root with its dependencies and nothing else; the static program runs in an empty root. Needs root. If the mirrors lack what a
# board needs, the line "SKIP: ..." says so. At the end the architectures and packages of boards are gone; cross compilers stay.
set -u
LC_ALL=C.UTF-8
DEBIAN_FRONTEND=noninteractive
export LC_ALL DEBIAN_FRONTEND

contrib=$(cd "$(dirname "$0")" && pwd) && cd "$1" || exit 2
shift
boards=$*
native=$(dpkg --print-architecture) || exit 2
work=$(mktemp -d) || exit 2
added=
failed=0
trap 'remove_board; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# must WHAT COMMAND...
must()
{
	what=$1
	shift
	"$@" && return
	echo "FAIL: $what: $*"
	failed=1
	return 1
}

remove_board()
{
	[ -n "$added" ] || return 0
	board_packages=$(dpkg-query -W -f '${Architecture} ${Package}:${Architecture}\n' | sed -n "s/^$added //p")
	# shellcheck disable=SC2086
	[ -z "$board_packages" ] || dpkg --purge --force-depends --force-remove-protected $board_packages
	dpkg --remove-architecture "$added"
	apt-get update || true
	added=
}

# add_board ARCHITECTURE QEMU: what builds a package for it, and what runs it
add_board()
{
	if ! dpkg --print-foreign-architectures | grep -qx "$1"; then
		added=$1
		dpkg --add-architecture "$1" || return
	fi
	apt-get update || echo "some lists of $1 could not be had; continuing with the rest"
	apt-get install -y --no-remove --no-install-recommends "crossbuild-essential-$1" $([ -x "$2" ] || echo qemu-user-static) &&
		apt-get build-dep -y --no-remove --no-install-recommends "-a$1" "$contrib"
}

# make_root ROOT ARCHITECTURE DEB: unpack what apt would install with DEB on an empty machine, and enter it as installed.
make_root()
{
	db=$1/var/lib/dpkg
	mkdir -p "$db/info" "$db/updates" "$1.debs/partial" && : >"$db/status" && printf '%s\n' "$native" "$2" >"$db/arch" || return
	apt-get install -y --no-install-recommends --download-only -o "Dir::State::status=$db/status" -o "Dir::Cache::archives=$1.debs" \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o "APT::Architecture=$2" -o "APT::Architectures=$2" "$3" || return
	for needed in "$1.debs"/*.deb; do
		name=$(dpkg-deb -f "$needed" Package)
		[ "$(dpkg-deb -f "$needed" Multi-Arch)" != same ] || name=$name:$2
		dpkg-deb -x "$needed" "$1" && dpkg-deb --fsys-tarfile "$needed" | tar -t | sed 's:^\.::; s:/$::; s:^$:/.:' \
			>"$db/info/$name.list" || return
		{ dpkg-deb -f "$needed"; printf 'Status: install ok installed\n\n'; } >>"$db/status"
	done
}

# shows_demo ROOT PROGRAM QEMU
shows_demo()
{
	[ -z "$3" ] || cp "$3" "$1/qemu" || return
	chroot "$1" ${3:+/qemu} "$2" --demo --once >"$work/out" 2>&1 && grep -q SIMULATED "$work/out" && return
	cat "$work/out"
	return 1
}

# build_package ARCHITECTURE: the archive may be there already
build_package()
{
	archive=$(echo malitop-*.tar.gz)
	[ -f "$archive" ] && built="-o dist-gzip" || built=
	# shellcheck disable=SC2086
	must "$1: build the package" make $built deb "DEB_FLAGS=-a$1"
}

# check_package ARCHITECTURE QEMU: the package in deb/
check_package()
{
	find deb -maxdepth 1 -type f -exec cp {} "$work/debs" ';'
	deb=$(echo "$work"/debs/malitop_*_"$1".deb)
	root=$work/root-$1
	make_root "$root" "$1" "$deb" || { echo "SKIP: no root for the package of $1: its dependencies cannot be had here"; return; }
	ls "$root.debs"
	must "$1: install" dpkg "--root=$root" -i "$deb" || return
	must "$1: run" shows_demo "$root" /usr/bin/malitop "$2"
	must "$1: remove" dpkg "--root=$root" --purge malitop
	must "$1: files are left" [ -z "$(find "$root" -name '*malitop*' -print -quit)" ]
	echo "package $1: $(stat -c %s "$deb") bytes, $(dpkg-deb -f "$deb" Installed-Size) KB installed, $(dpkg-deb -f "$deb" Depends)"
}

# check_static QEMU: the program in static/
check_static()
{
	rm -rf "$work/empty"
	mkdir "$work/empty" && cp static/malitop "$work/empty/malitop" || exit 2
	must "static program" shows_demo "$work/empty" /malitop "$1"
	echo "static program: $(stat -c %s static/malitop) bytes, $(file -b static/malitop 2>/dev/null)"
}

# build_documented HOST LINK: the static program by the line of doc/build.md, in a new static/
build_documented()
{
	line=$(sed -n "s:^ *\.\./\(configure --host=aarch64-linux-gnu .*\):$contrib/../\1:p" "$contrib/../doc/build.md" |
		sed "s/aarch64-linux-gnu/$1/g; s/LDFLAGS=[^ ]*/LDFLAGS=$2/")
	[ -n "$line" ] && rm -rf static && mkdir static && (cd static && MAKEFLAGS=-j$(nproc) CFLAGS=-O0 sh -exc "$line")
}

# check_board ARCHITECTURE HOST LINK QEMU
check_board()
{
	add_board "$1" "$4" || { echo "SKIP: $1 boards: the mirrors lack something that a cross build needs (see the log)"; remove_board; return; }
	build_package "$1" && check_package "$1" "$4"
	must "$1: build the static program as doc/build.md says" build_documented "$2" "$3" && check_static "$4"
	remove_board
}

chroot / true || { echo "SKIP: chroot is not permitted here"; exit 0; }
mkdir "$work/debs"
DEB_BUILD_OPTIONS="noopt nocheck noautodbgsym parallel=$(nproc)"
export DEB_BUILD_OPTIONS
ls deb/malitop_*_"$native".deb || build_package "$native"
check_package "$native" ""
must "$native: build the static program" make -j"$(nproc)" static CFLAGS=-O0 && check_static ""
for board in $boards; do
	case $board in
	"$native") ;;
	arm64) check_board arm64 aarch64-linux-gnu -static-pie /usr/bin/qemu-aarch64-static ;;
	armhf) check_board armhf arm-linux-gnueabihf -static /usr/bin/qemu-arm-static ;;
	*) must "$board: a board is arm64 or armhf" false ;;
	esac
done
must "lintian" lintian --fail-on error "$work"/debs/*.changes
exit $failed
