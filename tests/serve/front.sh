#!/bin/sh
# The front page: the report of the newest minutes, behind the same authentication as all else, with links to what is for machines.
malitop=${MALITOP:-./malitop}
"$malitop" --version | grep -qw serve || { echo "front.sh: skipped, built without serve"; exit 77; }
"$malitop" list backends | grep -q '^sim ' || { echo "front.sh: skipped, built without sim"; exit 77; }
command -v python3 >/dev/null || { echo "front.sh: skipped, there is no python3"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
printf 'basic user:a-long-secret\n' >"$work/auth"
chmod 600 "$work/auth"
TMPDIR=$work timeout --foreground -s KILL 120 "$malitop" serve --demo=bandwidth-bound --auth "$work/auth" --insecure --listen 127.0.0.1:0 -i 20ms \
	2>"$work/errors" &
pid=$!

python3 -B - "$work" <<'END' || { cat "$work/errors"; exit 1; }
import base64, re, sys, time, urllib.error, urllib.request

work, url = sys.argv[1], None
for i in range(600):
    found = re.search(r"serving (\S+)/metrics", open(work + "/errors").read())
    if found:
        url = found.group(1) + "/"
        break
    time.sleep(0.1)
try:
    urllib.request.urlopen(url)
    sys.exit("the page is open to all")
except urllib.error.HTTPError as refused:
    assert refused.code == 401, refused.code
request = urllib.request.Request(url, headers={"Authorization": "Basic " + base64.b64encode(b"user:a-long-secret").decode()})
for i in range(60):  # of the first seconds there is no report yet; a page is kept for ten
    with urllib.request.urlopen(request) as answer:
        page, headers = answer.read().decode(), answer.headers
    assert 'href="/metrics"' in page and 'href="/healthz"' in page and page.rstrip().endswith("</html>"), page[-300:]
    if "<svg" in page:
        break
    time.sleep(1)
assert headers["Refresh"] == "60" and headers["Cache-Control"] == "no-store", headers
assert "SIMULATED" in page and "External bandwidth" in page and page.count("<svg") > 5, page[:2000]
assert not re.search(r'(src|href)="(https?:)?//', page), "it asks for something elsewhere"
END
kill "$pid"
wait "$pid" 2>/dev/null
left=$(find "$work" -type f ! -name errors ! -name auth)
[ -z "$left" ] || { echo "left: $left"; exit 1; }
