#!/bin/sh
# build.sh [ABI-API]: build the Vulkan layer for Android with the NDK in $ANDROID_NDK_HOME, such as `build.sh aarch64-linux-android30`.
# memfd_create needs API 30. CC and CFLAGS may name another compiler: tests build it for this machine.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
target=${1:-aarch64-linux-android30}
if [ -z "${CC:-}" ]; then
	[ -n "${ANDROID_NDK_HOME:-}" ] || { echo "build.sh: set ANDROID_NDK_HOME to the NDK's directory" >&2; exit 1; }
	CC=$(echo "$ANDROID_NDK_HOME"/toolchains/llvm/prebuilt/*/bin/"$target"-clang)
fi
case $target in
aarch64*) harden=-mbranch-protection=standard ;;
*) harden= ;;
esac
$CC -std=gnu11 -O2 -fPIC -shared -fvisibility=hidden -Wall -fstack-protector-strong -D_FORTIFY_SOURCE=2 $harden -Wl,-z,relro,-z,now,-z,nodelete,-z,defs \
	${CFLAGS:-} -D_GNU_SOURCE -I"$top/src" -I"$top" \
	-o libVkLayer_malitop.so "$top"/layer/channel.c "$top"/layer/frames.c "$top"/layer/labels.c "$top"/layer/map.c "$top"/layer/vk_*.c \
	"$top"/contrib/android/vk_android.c
echo "libVkLayer_malitop.so for $target"
