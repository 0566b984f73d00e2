"""names.py MALITOP: print the names that `malitop serve` has on GPUs of every generation, with type and unit. It fails if a device has
150 series or more, but for those of applications and passes."""
import atexit, os, re, subprocess, sys, time, urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../export"))
import openmetrics

malitop = sys.argv[1]
names = set()
servers = {}
for gpu in ("G31", "G52", "G78", "G715", "G725"):
    servers[gpu] = subprocess.Popen([malitop, "serve", "--demo", "--gpu", gpu, "--listen", "127.0.0.1:0", "-i", "10ms", "--processes", "3"],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    atexit.register(servers[gpu].kill)
for gpu, server in servers.items():
    url = next(found[1] for line in server.stderr if (found := re.search(r"serving (\S+)", line)))
    request = urllib.request.Request(url, headers={"Accept": "application/openmetrics-text"})
    end = time.monotonic() + 60
    page = ""
    while not all(f"\n{name}" in page for name in ("mali_pixels_total", "malitop_cpu_activity_ratio", "malitop_cpu_cycles_total",
                                                   "malitop_pass_runs_total", "malitop_application_gpu_seconds_total")):
        if time.monotonic() > end:
            sys.exit(f"{gpu}: no samples")
        time.sleep(0.02)
        with urllib.request.urlopen(request) as answer:
            page = answer.read().decode()
    openmetrics.check(page)
    series = len(re.findall(r"^(?!#|malitop_application|malitop_pass_)", page, re.M))
    if series >= 150:
        print(f"{gpu}: {series} series", file=sys.stderr)
        sys.exit(1)
    units = dict(re.findall(r"# UNIT (\S+) (\S+)", page))
    names |= {f"{name} {kind} {units.get(name, '')}".rstrip() for name, kind in re.findall(r"# TYPE (\S+) (\S+)", page)}
print("\n".join(sorted(names)))
