#!/bin/sh
# preload.sh: with --passes every program runs as without it, whatever it is linked with, and what cannot be timed is said.
# Exit status 77: the libraries are not in this build.
LC_ALL=C
export LC_ALL
malitop=$PWD/malitop
[ -f layer/libmalitop-gles.so ] && [ -f layer/libVkLayer_malitop.so ] || { echo "preload.sh: skipped, not both libraries in this build"; exit 77; }
nm -D layer/libVkLayer_malitop.so | grep -q 'U __[a-z]*san_' && { echo "preload.sh: skipped, the layer is instrumented"; exit 77; }
top=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work"
mkdir -m 700 "$work/run"
XDG_RUNTIME_DIR=$work/run
MALITOP_LAYER_PATH=$PWD/layer
export XDG_RUNTIME_DIR MALITOP_LAYER_PATH
failures=0
tried=

fail()
{
	echo "FAIL: $*"
	cat "$work/out"
	failures=$((failures + 1))
}

# runs NAME [-n NOTE] COMMAND...: prints "ran", ends with 0, and adds nothing but the note
runs()
{
	name=$1
	note=
	shift
	[ "$1" = -n ] && { note=$2; shift 2; }
	tried="$tried $name"
	"$malitop" stat --passes -b passes -- "$@" >"$work/out" 2>&1 || fail "$name: status $?"
	grep -q '^ran' "$work/out" || fail "$name: did not run"
	[ -z "$note" ] || grep -q "^malitop: --passes: .*$note" "$work/out" || fail "$name: no note '$note'"
	grep -E 'rror|cannot be preloaded|warning|Sanitizer' "$work/out" >"$work/noise" && fail "$name: noise"
	[ -n "$note" ] || ! grep -q '^malitop: --passes' "$work/out" || fail "$name: a note without need"
}

cat >"$work/ran.c" <<'END_C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	char *p = malloc(8);
	p[0] = 'x';
	printf("ran %c\n", p[0]);
	free(p);
	return 0;
}
END_C

# build NAME COMPILER FLAG...: false if there is no such compiler here
build()
{
	program=$work/$1 compiler=$2
	shift 2
	command -v "$compiler" >/dev/null 2>&1 && "$compiler" -g -o "$program" "$work/ran.c" "$@" 2>/dev/null && "$program" >/dev/null 2>&1
}

# No library that only this C library has, and no function that another one lacks.
for library in layer/libmalitop-gles.so layer/libVkLayer_malitop.so; do
	readelf -d "$library" | grep -E 'NEEDED.*\[ld' >"$work/out" && fail "$library needs a dynamic loader"
	musl=$(ls /lib/ld-musl-"$(uname -m)".so.1 2>/dev/null) || continue
	nm -D --defined-only "$musl" | sed 's/.* //' | sort -u >"$work/has"
	nm -D -u "$library" | sed -n 's/^ *U \([^@]*\).*/\1/p' | sort -u | comm -23 - "$work/has" >"$work/out"
	[ -s "$work/out" ] && fail "$library: functions that musl does not have"
done

build plain cc && { runs plain "$work/plain"; runs shell sh -c "$work/plain"; }
build static cc -static && { runs static -n 'linked statically' "$work/static"; runs static-shell sh -c "$work/static"; }
build static-pie cc -static-pie && runs static-pie -n 'linked statically' "$work/static-pie"
build m32 cc -m32 && {
	runs m32 -n 'another architecture' "$work/m32"
	printf '#! %s\n' "$work/m32" >"$work/script" && chmod 755 "$work/script"
	runs script -n 'another architecture' "$work/script"
}
for how in address thread undefined leak; do
	for compiler in gcc clang; do
		build "$compiler-$how" "$compiler" "-fsanitize=$how" && {
			runs "$compiler-$how" "$work/$compiler-$how"
			runs "$compiler-$how-shell" sh -c "$work/$compiler-$how"
		}
	done
done
if build musl musl-gcc; then
	runs musl "$work/musl"
	runs musl-shell sh -c "$work/musl"
	cat >"$work/open.c" <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW);
	puts(library && dlsym(library, "vkNegotiateLoaderLayerInterfaceVersion") ? "ran" : dlerror());
	return 0;
}
END_C
	musl-gcc -o "$work/open" "$work/open.c" -ldl && runs musl-vulkan "$work/open" "$PWD/layer/libVkLayer_malitop.so"
	# The same library times a program of musl.
	mkdir "$work/headers" "$work/driver"
	for directory in EGL GLES2 GLES3 KHR; do
		ln -s "/usr/include/$directory" "$work/headers"
	done
	musl-gcc -w -std=gnu11 -D_GNU_SOURCE -shared -fPIC -I"$work/headers" -o "$work/driver/libGLESv2.so.2" "$top/tests/layer/fakegles.c" &&
		ln -s libGLESv2.so.2 "$work/driver/libEGL.so.1" &&
		musl-gcc -w -std=gnu11 -D_GNU_SOURCE -I"$work/headers" -I"$top" -o "$work/scene" "$top/tests/layer/gles_scene.c" -ldl &&
		FAKEGLES='' LD_LIBRARY_PATH=$work/driver "$malitop" stat --passes -b passes -- "$work/scene" swap 30 >"$work/out" 2>&1
	grep -q '^scene (pid [0-9]*): 29 frames' "$work/out" || fail "musl-frames"
	tried="$tried musl-frames"
fi

# A user's program that is another's, and libraries where nothing may be executed, need root to be made.
if [ "$(id -u)" = 0 ] && build setuid cc; then
	chown 65534 "$work/setuid" && chmod 4755 "$work/setuid"
	runs setuid -n 'set-user-ID' "$work/setuid"
	runs setuid-shell sh -c "$work/setuid"
fi
mkdir "$work/noexec"
if [ "$(id -u)" = 0 ] && build plain cc && unshare -m mount -t tmpfs -o noexec tmpfs "$work/noexec" 2>/dev/null; then
	cat >"$work/mounted" <<END_SH
mount -t tmpfs -o noexec tmpfs '$work/noexec' && cp layer/libmalitop-gles.so layer/libVkLayer_malitop.so layer/VkLayer_malitop.json '$work/noexec' || exit 1
MALITOP_LAYER_PATH='$work/noexec' exec '$malitop' "\$@"
END_SH
	real=$malitop
	printf '#!/bin/sh\nexec unshare -m sh "%s" "$@"\n' "$work/mounted" >"$work/malitop" && chmod 755 "$work/malitop"
	malitop=$work/malitop
	runs noexec -n 'noexec' "$work/plain"
	malitop=$real
fi

# Vulkan loaders before 1.3.207 do not know VK_ADD_LAYER_PATH. Layers that the system or the user has are still found.
scene=$PWD/tests/layer/scene
if [ -x "$scene" ] && "$scene" recorded 1 >/dev/null 2>&1; then
	cat >"$work/hide.c" <<'END_C'
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
extern char **environ;
char *getenv(const char *name)
{
	size_t n = strlen(name);
	for (char **e = environ; strcmp(name, "VK_ADD_LAYER_PATH") && e && *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}
char *secure_getenv(const char *name) { return getenv(name); }
END_C
	cc -w -shared -fPIC -o "$work/hide.so" "$work/hide.c" && tried="$tried old-loader"
	"$malitop" stat --passes -b passes -- env LD_PRELOAD="$work/hide.so" "$scene" recorded 30 >"$work/out" 2>&1
	grep -q '^scene (pid [0-9]*): 29 frames' "$work/out" || fail "old loader: no frames"
	mkdir -p "$work/data/vulkan/explicit_layer.d" "$work/added"
	for name in data/vulkan/explicit_layer.d/one added/two; do
		sed "s,MALITOP_passes,$(basename "$name"),; s,\./lib,$PWD/layer/lib," layer/VkLayer_malitop.json >"$work/$name.json"
	done
	XDG_DATA_HOME=$work/data VK_ADD_LAYER_PATH=$work/added VK_INSTANCE_LAYERS=VK_LAYER_one:VK_LAYER_two VK_LOADER_DEBUG=layer \
		"$malitop" stat --passes -b passes -- "$scene" recorded 3 >"$work/out" 2>&1
	for name in one two MALITOP_passes; do
		grep -q "VK_LAYER_$name" "$work/out" || fail "the loader does not find VK_LAYER_$name"
	done
fi
"$malitop" passes --env >"$work/out" 2>&1
(eval "$(cat "$work/out")" && "$malitop" passes --env) >"$work/again" 2>&1
cmp -s "$work/out" "$work/again" || { cat "$work/again"; fail "the environment grows"; }
[ $failures = 0 ] && echo "preload.sh:$tried: all as expected"
exit $failures
