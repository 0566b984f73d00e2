#!/bin/sh
# A GPU that was not there at the start is served once it is there; also if it is the only device that was asked for.
[ -f tests/fake/libfakemali.so ] || { echo "found.sh: skipped, the fake library was not built"; exit 77; }
malitop=${MALITOP:-./malitop}
"$malitop" --version | grep -qw serve || { echo "found.sh: skipped, built without serve"; exit 77; }
"$malitop" list backends | grep -q '^kbase ' || { echo "found.sh: skipped, built without kbase"; exit 77; }
command -v python3 >/dev/null || { echo "found.sh: skipped, there is no python3"; exit 77; }
src=$(realpath "${srcdir:-.}")
work=$(mktemp -d) || exit 2
trap 'kill $pids 2>/dev/null; rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
touch "$work/absent" "$work/late"

# serve ERRORS GPUS: start a server, and add it to pids
serve()
{
	# a sanitizer checks that its library is the first, but the fake comes before it
	ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$PWD/tests/fake/libfakemali.so" FAKEMALI="$2" FAKEMALI_ABSENT="$work/absent" \
		timeout --foreground -s KILL 180 "$malitop" serve -b kbase --listen 127.0.0.1:0 -i 20ms --window 1s 2>"$work/$1" &
	pids="$pids $!"
}
pids=
serve errors 'driver=r46p0 gpu=0x90820000 cores=0x5b3 slices=2; driver=r25p0 gpu=0x74021000 cores=0x3'
serve errors-late "driver=r46p0 gpu=0x90820000 cores=0x5b3 slices=2 gone=$work/late"

PYTHONPATH=$src/tests/export python3 -B - "$work" <<'END' || { cat "$work"/errors*; exit 1; }
import os, re, sys, time, urllib.request
import openmetrics

work = sys.argv[1]


def errors(name="errors"):
    return open(work + "/" + name).read()


def until(what, holds):
    end = time.monotonic() + 60
    while not (result := holds()):
        if time.monotonic() > end:
            sys.exit(f"{what}: not within a minute")
        time.sleep(0.02)
    return result


def get_page(url):
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "application/openmetrics-text"})) as answer:
        page = answer.read().decode()
    openmetrics.check(page)  # with several devices or none, too
    return page


def has_cycles(url, *gpus):
    page = get_page(url)
    found = set(re.findall(r'^mali_gpu_active_cycles_total{gpu="(\d)".*\} [1-9]', page, re.M))
    return found == set(gpus)


url = until("serving", lambda: re.search(r"serving (\S+)", errors()))[1]
until("the GPU that is there", lambda: has_cycles(url, "0"))
assert "new device" not in errors(), "it found something that is not there"
os.unlink(work + "/absent")
until("both GPUs", lambda: has_cycles(url, "0", "1"))
assert errors().count("/dev/mali1: new device") == 1, "it does not say that it was found"

url = until("serving", lambda: re.search(r"serving (\S+)", errors("errors-late")))[1]
assert 'malitop_source_up{source="all"} 0' in get_page(url), "something is measured without the device"
os.unlink(work + "/late")
until("the late GPU", lambda: has_cycles(url, "0"))
assert errors("errors-late").count("nothing is measured until then") == 1, "it does not say so once"
END
status=$?
for pid in $pids; do
	kill "$pid"
	wait "$pid" || exit 1
done
exit $status
