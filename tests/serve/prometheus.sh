#!/bin/sh
# A real Prometheus reads `malitop serve`, and agrees with `malitop export`. PROMETHEUS_SECONDS=60 lets it scrape for longer.
malitop=${MALITOP:-./malitop}
here=${srcdir:-.}
"$malitop" --version | grep -qw serve || { echo "prometheus.sh: skipped, built without serve"; exit 77; }
command -v prometheus >/dev/null && command -v promtool >/dev/null || { echo "prometheus.sh: skipped, there is no prometheus"; exit 77; }
command -v python3 >/dev/null || { echo "prometheus.sh: skipped, there is no python3"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0

promtool check rules "$here/contrib/prometheus/malitop.rules.yml" >"$work/out" 2>&1 || { cat "$work/out"; failed=1; }
promtool test rules "$here/contrib/prometheus/malitop.test.yml" >"$work/out" 2>&1 || { cat "$work/out"; failed=1; }
python3 -B "$here/tests/serve/prometheus.py" "$malitop" "${PROMETHEUS_SECONDS:-3}" "$work" || failed=1
exit $failed
