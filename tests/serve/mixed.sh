#!/bin/sh
# A metric of the user's own that names counters of a GPU and of frames is served as those of one source are.
malitop=${MALITOP:-./malitop}
"$malitop" --version | grep -qw serve || { echo "mixed.sh: skipped, built without serve"; exit 77; }
command -v python3 >/dev/null || { echo "mixed.sh: skipped, there is no python3"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/malitop"
cat >"$work/malitop/config" <<'END'
metric CyclesPerPresent
  title Cycles per present
  unit cycles/frame
  group Own
  expr MaliGPUActiveCy / FrameCount
metric CyclesAndFrames
  title Cycles and frames
  unit cycles
  group Own
  expr MaliGPUActiveCy + FrameCount
END
XDG_CONFIG_HOME=$work timeout --foreground -s KILL 60 "$malitop" serve --demo --gpu g715 --listen 127.0.0.1:0 --window 2s \
	-m CyclesPerPresent,CyclesAndFrames,GPUFrameCy,MaliGPUActiveCy 2>"$work/errors" &
pid=$!

python3 -B - "$work/errors" <<'END' || { cat "$work/errors"; exit 1; }
import re, sys, time, urllib.request

end = time.monotonic() + 40
page = {}
while time.monotonic() < end:
    time.sleep(0.1)
    found = re.search(r"serving (\S+)", open(sys.argv[1]).read())
    if not found:
        continue
    with urllib.request.urlopen(found[1]) as answer:
        page = dict(re.findall(r"^malitop?_(\w+)\S* (\S+)$", answer.read().decode().replace("mali_", "malitop_"), re.M))
    names = ("cycles_per_present_cycles_per_frame", "gpu_cycles_of_a_shown_frame_cycles_per_frame", "cycles_and_frames_cycles_total",
             "gpu_active_cycles_total")
    own, ours, both, gpu = (float(page.get(name, "nan")) for name in names)
    if abs(own / ours - 1) < 0.1 and both > gpu > 0:
        sys.exit(0)
sys.exit(f"mixed metrics are missing, or not those of their sources: {page}")
END
