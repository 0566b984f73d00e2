"""hostile.py MALITOP: clients that are slow, broken or hostile, against `malitop serve` on loopback. None of them may delay or stop a
scrape, or cost memory or descriptors for good. Prints one line per failure; the exit status is 1 if there was one."""
import atexit, base64, os, random, re, shutil, signal, socket, ssl, subprocess, sys, tempfile, time

PATIENCE = 60  # seconds, also on a busy machine under a sanitizer
CLIENTS = 128  # that are connected at once
failures = []


def check(name, ok, what=""):
    if not ok:
        failures.append(name)
        print(f"{name}: {what}")


class Server:
    """`malitop serve --demo` on a free port."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [sys.argv[1], "serve", "--demo", "--listen", "127.0.0.1:0", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        for line in self.process.stderr:
            found = re.search(r"serving https?://127\.0\.0\.1:(\d+)/metrics", line)
            if found:
                break
        self.port = int(found[1])

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


def request(path="/metrics", *headers, end="\r\n\r\n"):
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers]).encode() + end.encode()


def read_all(connection):
    """What comes until the server closes; a reset is an end, too."""
    text = b""
    try:
        while piece := connection.recv(65536):
            text += piece
    except ConnectionError:
        pass
    return text


def scrape(server, path="/metrics", *headers, wrap=None):
    connection = server.connect()
    if wrap:
        connection = wrap.wrap_socket(connection)
    with connection:
        connection.sendall(request(path, "Connection: close", *headers))
        return read_all(connection)


def still_serves(name, server):
    answer = scrape(server)
    check(name, answer.startswith(b"HTTP/1.1 200 ") and b"\nmali_gpu_active_cycles_total{" in answer,
          f"the next scrape got {answer[:200]}")


def try_send(connection, data):
    """Send as far as the server takes it."""
    try:
        connection.sendall(data)
        return True
    except (ConnectionError, socket.timeout):
        return False


def silent_connections(server):
    connections = [server.connect() for _ in range(200)]
    still_serves("200 silent connections", server)
    for connection in connections:
        connection.close()


def slow_loris(server):
    connections = [server.connect() for _ in range(150)]
    for byte in request()[:40]:
        for connection in connections:
            try_send(connection, bytes([byte]))
    still_serves("150 clients that send a byte at a time", server)
    for connection in connections:
        connection.close()


def slow_readers(server):
    connections = [server.connect() for _ in range(50)]
    for connection in connections:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        try_send(connection, request() * 20)
    still_serves("50 clients that never read", server)
    for connection in connections:
        connection.close()


def huge_headers(server):
    for name, line in (("one line", b""), ("many lines", b"\r\nX-Filler: ")):
        before = server.resident()
        with server.connect() as connection:
            connection.sendall(request(end="\r\nX-Filler: "))
            for _ in range(160):
                if not try_send(connection, (b"a" * 1000 + line) * 64):
                    break
            answer = read_all(connection)
        check(f"10 MB of headers, {name}", not answer or answer.startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 413 ")),
              f"answered with {answer[:100]}")
        check(f"10 MB of headers, {name}", server.resident() - before < 8e6, "they are kept in memory")
        still_serves(f"10 MB of headers, {name}", server)


def pipelining(server):
    with server.connect() as connection:
        connection.sendall(request() + request("/healthz") + request("/nothing") + request("/", "Connection: close"))
        answers = re.findall(rb"HTTP/1\.1 (\d+) ", read_all(connection))
    check("pipelined requests", answers == [b"200", b"200", b"404", b"200"], f"answered with {answers}")


def asked_again_and_again(server):
    """Connections that are kept and ask again do not close one that has not been heard yet."""
    kept = [server.connect() for _ in range(90)]

    def ask_all():
        for connection in kept:
            connection.sendall(request("/healthz"))
        for connection in kept:
            connection.recv(65536)

    ask_all()
    quiet = server.connect()
    ask_all()
    more = [server.connect() for _ in range(40)]
    still_serves("90 connections that ask again and again", server)
    try_send(quiet, request("/healthz", "Connection: close"))
    try:
        answer = read_all(quiet)
    except OSError as error:
        answer = str(error).encode()
    check("90 connections that ask again and again", answer.startswith(b"HTTP/1.1 200 "), f"a quiet one got {answer[:100]}")
    for connection in kept + more + [quiet]:
        connection.close()


def gone_before_the_answer(server):
    for _ in range(300):
        with server.connect() as connection:
            try_send(connection, request() * 100)
    still_serves("300 clients that ask for 100 pages each and leave", server)


def look_back(name, server, connections):
    """After a scrape that came later: what did these connections get by then?"""
    still_serves(name, server)
    for text, connection in connections:
        connection.setblocking(False)
        try:
            answer = connection.recv(65536)
        except OSError:
            answer = b""
        check(name, b" 200 OK" not in answer and b"root:" not in answer, f"{text[:60]} got {answer[:100]}")
        connection.close()


def cut_requests(server):
    whole = request("/metrics", "Accept: application/openmetrics-text")
    half_closed = []
    for n in range(len(whole)):
        connection = server.connect()
        connection.sendall(whole[:n])
        if n % 2:
            connection.shutdown(socket.SHUT_WR)
            half_closed.append((whole[:n], connection))
        else:
            connection.close()
    look_back("requests cut at each byte", server, half_closed)


def nonsense(server):
    dice = random.Random(1)
    connections = []
    for text in [b"\0" * 1000, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n", b"\r\n" * 5000,
                 b"GET " + b"/" * 9000 + b" HTTP/1.1\r\n\r\n",
                 b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
                 b"GET /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                 b"GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n"] + [dice.randbytes(300) for _ in range(50)]:
        connection = server.connect()
        try_send(connection, text)
        connections.append((text, connection))
    look_back("nonsense", server, connections)


def hostile_clients():
    server = Server()
    end = time.monotonic() + PATIENCE
    while b"\nmali_gpu_active_cycles_total{" not in scrape(server) and time.monotonic() < end:
        time.sleep(0.05)
    still_serves("a first scrape", server)
    descriptors = server.descriptors()
    for attack in (silent_connections, slow_loris, slow_readers, huge_headers, pipelining, asked_again_and_again, gone_before_the_answer, cut_requests, nonsense):
        attack(server)
    check("after all of them", server.descriptors() <= descriptors + CLIENTS, "connections stay open")
    still_serves("after all of them", server)
    check("after all of them", server.stop() == 0, "it did not end well")


def secrets_and_tls(work):
    cert, key, auth = (os.path.join(work, name) for name in ("cert.pem", "key.pem", "auth"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-keyout", key, "-out", cert], check=True, stderr=subprocess.DEVNULL)
    with open(auth, "w") as file:
        file.write("# who may read\nbearer correct-horse\nbasic lab:battery staple\n")
    os.chmod(auth, 0o600)
    server = Server("--tls-cert", cert, "--tls-key", key, "--auth", auth)
    tls = ssl.create_default_context(cafile=cert)
    tls.check_hostname = False

    def basic(text):
        return "Authorization: Basic " + base64.b64encode(text.encode()).decode()

    for path, header, status in (
            ("/metrics", "X-None: 1", 401), ("/", "X-None: 1", 401), ("/healthz", "X-None: 1", 200),
            ("/metrics", "Authorization: Bearer correct-horse", 200), ("/metrics", "authorization: bearer correct-horse", 200),
            ("/metrics", "Authorization: Bearer correct-hors", 401), ("/metrics", "Authorization: Bearer correct-horsee", 401),
            ("/metrics", "Authorization: Basic correct-horse", 401), ("/metrics", "Authorization: Bearer", 401),
            ("/metrics", "Authorization: Bearer " + "a" * 2000, 401), ("/metrics", basic("lab:battery staple"), 200),
            ("/metrics", basic("lab:battery"), 401), ("/metrics", basic(":"), 401)):
        answer = scrape(server, path, header, wrap=tls)
        check(f"{path} with {header[:60]}", answer.startswith(f"HTTP/1.1 {status} ".encode()), f"answered with {answer[:60]}")
    with server.connect() as connection:
        connection.sendall(request())
        check("no TLS", b"mali" not in read_all(connection), "served without TLS")
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    try:
        old.set_ciphers("ALL:@SECLEVEL=0")
        scrape(server, wrap=old)
        check("TLS 1.1", False, "is served")
    except (ssl.SSLError, ConnectionError):
        pass
    check("with TLS", server.stop() == 0, "it did not end well")


def insecure_addresses(work):
    """Others reach them, so there is a warning. Nothing connects here."""
    auth = os.path.join(work, "auth")
    with open(auth, "w") as file:
        file.write("bearer correct-horse\n")
    os.chmod(auth, 0o600)
    for options, words in (([], "without --auth, anyone there can read all metrics"),
                           (["--auth", auth], "without TLS, anyone on the path can read secrets and metrics")):
        run = subprocess.run([sys.argv[1], "serve", "--demo", "--listen", "0.0.0.0:0", "--insecure", "-d", "1ms", *options],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        check(f"--insecure {options[:1]}", run.returncode == 0 and f"malitop: --insecure: 0.0.0.0:0: reachable from other machines: {words}\n" in run.stderr,
              f"status {run.returncode}: {run.stderr}")


hostile_clients()
with tempfile.TemporaryDirectory() as directory:
    insecure_addresses(directory)
if shutil.which("openssl"):
    with tempfile.TemporaryDirectory() as directory:
        secrets_and_tls(directory)
else:
    print("without openssl: TLS is not tried")
sys.exit(bool(failures))
