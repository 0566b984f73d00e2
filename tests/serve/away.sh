#!/bin/sh
# A device goes and comes back while the program serves: its counters stay and go on, its gauges are left out meanwhile, and the other
# device is served all the time.
[ -f tests/fake/libfakemali.so ] || { echo "away.sh: skipped, the fake library was not built"; exit 77; }
malitop=${MALITOP:-./malitop}
"$malitop" --version | grep -qw serve || { echo "away.sh: skipped, built without serve"; exit 77; }
"$malitop" list backends | grep -q '^kbase ' || { echo "away.sh: skipped, built without kbase"; exit 77; }
command -v python3 >/dev/null || { echo "away.sh: skipped, there is no python3"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"

begin='driver=r46p0 gpu=0x90820000 cores=0x5b3 slices=2; driver=r25p0 gpu=0x74021000 cores=0x3'
# a sanitizer checks that its library is the first, but the fake comes before it
ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$PWD/tests/fake/libfakemali.so" FAKEMALI="$begin gone=/$work/gone" \
	timeout --foreground -s KILL 120 "$malitop" serve -b kbase --listen 127.0.0.1:0 -i 20ms --window 1s 2>"$work/errors" &
pid=$!

python3 -B - "$work" <<'END' || { cat "$work/errors"; exit 1; }
import os, re, sys, time, urllib.request

work = sys.argv[1]
COUNTER, GAUGE = "mali_gpu_active_cycles_total", "mali_fragment_queue_utilization_ratio"


def scrape():
    with urllib.request.urlopen(url) as page:
        return dict(re.findall(r"^([^#]\S*) (\S+)$", page.read().decode(), re.M))


def value(page, name, gpu):
    return next((float(v) for k, v in page.items() if re.match(rf'{name}{{.*(gpu="|source="gpu){gpu}"', k)), None)


def until(what, holds):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        page = scrape()
        if holds(page):
            return page
        time.sleep(0.02)
    sys.exit(f"{what}: not within a minute: {[(k, v) for k, v in page.items() if k.startswith('malitop_source_up') or COUNTER in k]}")


end = time.monotonic() + 60
while not (found := re.search(r"serving (\S+)", open(work + "/errors").read())):
    if time.monotonic() > end:
        sys.exit("it does not serve")
    time.sleep(0.02)
url = found[1]
before = until("both deliver", lambda page: value(page, COUNTER, 0) and value(page, COUNTER, 1) and value(page, GAUGE, 1))
open(work + "/gone", "w").close()
away = until("gone", lambda page: value(page, "malitop_source_up", 1) == 0)
assert value(away, COUNTER, 1) >= value(before, COUNTER, 1), "a counter fell"
assert value(away, GAUGE, 1) is None, "a gauge of a device that is away"
until("the other device", lambda page: value(page, COUNTER, 0) > value(away, COUNTER, 0))
os.unlink(work + "/gone")
until("back again", lambda page: value(page, "malitop_source_up", 1) == 1 and value(page, COUNTER, 1) > value(away, COUNTER, 1)
      and value(page, GAUGE, 1))
END
status=$?
kill "$pid"
wait "$pid" || exit 1
exit $status
