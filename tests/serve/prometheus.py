"""prometheus.py MALITOP SECONDS DIRECTORY: a real Prometheus scrapes two `malitop serve --demo` for that long. Then its answers are compared
with what `malitop export` says of the same samples: the simulator repeats itself, and malitop_source_samples_total tells at each scrape how
many samples it saw. Every query of the dashboard must return data. Prints one line per failure; the exit status is 1 if there was one."""
import atexit, csv, json, os, re, socket, subprocess, sys, time, urllib.parse, urllib.request

malitop, seconds, work = sys.argv[1], float(sys.argv[2]), sys.argv[3]
top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PATIENCE = 120  # seconds, also on a busy machine
GPUS = {"board1": "G715", "board2": "G52"}
QUEUE = "mali_fragment_queue_active_cycles_total"
BUCKET = "mali_external_read_latency_cycles_bucket"
CLASSES = {"127.0": "MaliExtBusRdLat0", "191.0": "MaliExtBusRdLat128", "255.0": "MaliExtBusRdLat192", "319.0": "MaliExtBusRdLat256",
           "383.0": "MaliExtBusRdLat320", "+Inf": "MaliExtBusRdLat384"}
failures = 0


def check(what, ok, how):
    global failures
    if not ok:
        failures += 1
        print(f"{what}: {how}")


def start(*words, **more):
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, text=True, **more)
    atexit.register(process.wait)
    atexit.register(process.kill)
    return process


def serve(gpu):
    server = start(malitop, "serve", "--demo", "--gpu", gpu, "--listen", "127.0.0.1:0", "--window", "5s", "--processes", "3", stderr=subprocess.PIPE)
    return next(found[1] for line in server.stderr if (found := re.search(r"serving http://(\S+)/metrics", line)))


def ask(address, path, **parameters):
    with urllib.request.urlopen(f"http://{address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=PATIENCE) as answer:
        return json.load(answer)["data"]["result"]


def query(address, text, **more):
    return ask(address, "query", query=text, **more)


def prometheus(targets):
    with socket.socket() as probe:  # it cannot be told to choose a port
        probe.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % probe.getsockname()[1]
    config = os.path.join(work, "prometheus.yml")
    with open(config, "w") as file:
        json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                   "rule_files": [os.path.abspath(os.path.join(top, "contrib/prometheus/malitop.rules.yml"))],
                   "scrape_configs": [{"job_name": "malitop", "static_configs": [
                       {"targets": [target], "labels": {"board": board}} for board, target in targets.items()]}]}, file)
    start("prometheus", f"--config.file={config}", f"--storage.tsdb.path={work}/data", f"--web.listen-address={address}",
          "--log.level=error", stderr=open(os.path.join(work, "prometheus.log"), "w"))
    return address


def await_scrapes(address, board, n):
    end = time.monotonic() + PATIENCE + n
    while time.monotonic() < end:
        try:
            found = query(address, f'count_over_time({QUEUE}{{board="{board}"}}[1h])')
            if found and int(found[0]["value"][1]) >= n:
                return
        except (OSError, KeyError):
            pass  # it has not started yet
        time.sleep(0.2)
    sys.exit(f"{board}: no scrapes: " + open(os.path.join(work, "prometheus.log")).read())


def record(gpu, *limit):
    """The same run from its begin, in a log."""
    return start(malitop, "record", "--demo", "--gpu", gpu, "--force", "-o", os.path.join(work, gpu + ".mlog"), *limit,
                 stderr=subprocess.DEVNULL)


def exported(gpu, recorder, least):
    """Its rows: a dict of columns per sample."""
    recorder.terminate()
    while True:
        recorder.wait()
        text = subprocess.run([malitop, "export", os.path.join(work, gpu + ".mlog"), "-f", "csv",
                               "-m", "MaliFragQueueActiveCy,MaliExtBusRdLat*"], check=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        rows = [{name: float(value) for name, value in row.items() if name.startswith("Mali")}
                for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))]
        if len(rows) >= least:
            return rows
        recorder = record(gpu, "-d", f"{least * 100 + 500}ms")  # it had begun later than the server


def quantile(q, buckets):
    """As Prometheus interpolates within a bucket."""
    rank, below, lower = q * buckets[-1][1], 0, 0
    for le, count in buckets:
        if count >= rank:
            return lower if le == float("inf") else lower + (le - lower) * (rank - below) / (count - below)
        below, lower = count, le


def compare(address, board, recorder, window):
    now = time.time()
    ranges = {name: {float(t): float(v) for t, v in query(address, f'{name}{{board="{board}"{more}}}[{window}s]', time=now)[0]["values"]}
              for name, more in ((QUEUE, ""), ("malitop_source_samples_total", ',source="gpu0"'))}
    times = sorted(ranges[QUEUE])
    seen = [int(ranges["malitop_source_samples_total"][t]) for t in times]
    rows = exported(GPUS[board], recorder, seen[-1] + 1)

    for t, n in zip(times, seen):  # every sum is exact
        total = sum(row["MaliFragQueueActiveCy"] for row in rows[:n])
        check(f"{board}: {QUEUE} after {n} samples", abs(ranges[QUEUE][t] - total) < 1, f"{ranges[QUEUE][t]}, not {total}")
    span = times[-1] - times[0]
    got = float(query(address, f'rate({QUEUE}{{board="{board}"}}[{window}s])', time=now)[0]["value"][1])
    want = sum(row["MaliFragQueueActiveCy"] for row in rows[seen[0]:seen[-1]]) / span
    # it extends the span to the edges of the window by what it knows of the scrapes' distance, so a sample is the least doubt
    sample = max(row["MaliFragQueueActiveCy"] for row in rows) / span
    check(f"{board}: rate({QUEUE})", abs(got - want) <= sample, f"{got}, but export says {want}, a sample is {sample}")
    for q in (0.5, 0.9):
        got = float(query(address, f'histogram_quantile({q}, rate({BUCKET}{{board="{board}"}}[{window}s]))', time=now)[0]["value"][1])
        about = []
        for begin, end in ((b, e) for b in (-1, 0, 1) for e in (-1, 0, 1)):
            part = rows[max(seen[0] + begin, 0):seen[-1] + end]
            sums, count = [], 0
            for le, name in CLASSES.items():
                count += sum(row[name] for row in part)
                sums.append((float(le.replace("+", "")), count))
            about.append(quantile(q, sums))
        check(f"{board}: histogram_quantile({q})", min(about) - 1e-6 <= got <= max(about) + 1e-6,
              f"{got}, but export says {min(about)} to {max(about)}")
    print(f"{board}: {len(times)} scrapes, samples {seen[0]} to {seen[-1]}: all agree" if not failures else f"{board}: see above")


def dashboard_queries():
    with open(os.path.join(top, "contrib/grafana/malitop.json")) as file:
        board = json.load(file)
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


def main():
    recorders = {gpu: record(gpu) for gpu in GPUS.values()}
    targets = {board: serve(gpu) for board, gpu in GPUS.items()}
    address = prometheus(targets)
    for board in targets:
        await_scrapes(address, board, max(int(seconds), 4))
    window = max(int(seconds) - 1, 3)
    for board, gpu in GPUS.items():
        compare(address, board, recorders[gpu], window)
    n = 0
    for panel, text in dashboard_queries():
        text = text.replace("$instance", ".*").replace("$gpu", ".*").replace("$__rate_interval", f"{window}s")
        check(f"dashboard, {panel}", query(address, text), f"no data: {text}")
        n += 1
    print(f"{n} queries of the dashboard have data")
    verdicts = query(address, 'malitop_verdict{board="board1"}')
    check("one verdict", len(verdicts) == 1 and verdicts[0]["metric"].get("id"), verdicts)
    check("findings", query(address, 'malitop_finding_active{board="board1",severity!=""}'), "none holds")
    for name in ("malitop:external_bytes:rate1m", "malitop:active_cycles:rate1m", "malitop:external_read_latency_cycles:p95_5m"):
        check(f"rule {name}", query(address, name), "no data")
    with urllib.request.urlopen(f"http://{targets['board1']}/metrics") as page:
        lint = subprocess.run(["promtool", "check", "metrics"], input=page.read(), capture_output=True)
    check("promtool check metrics", lint.returncode == 0 and not lint.stdout + lint.stderr, lint.stdout + lint.stderr)


main()
sys.exit(failures > 0)
