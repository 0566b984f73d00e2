#!/bin/sh
# The names that Prometheus sees are stable: those of the default set on every GPU are in tests/golden/openmetrics-names.txt.
# MALITOP_GOLDEN_UPDATE=1 rewrites it.
malitop=${MALITOP:-./malitop}
golden=${srcdir:-.}/tests/golden/openmetrics-names.txt
"$malitop" --version | grep -qw serve || { echo "names.sh: skipped, built without serve"; exit 77; }
command -v python3 >/dev/null || { echo "names.sh: skipped, there is no python3"; exit 77; }
names=$(mktemp) || exit 2
trap 'rm -f "$names"' EXIT
HOME=/nonexistent python3 -B "${srcdir:-.}/tests/serve/names.py" "$malitop" >"$names" || exit 1
[ -z "$MALITOP_GOLDEN_UPDATE" ] || cp "$names" "$golden"
diff "$golden" "$names" || { echo "names.sh: names have changed (<: before): dashboards and alerts of users need the old ones"; exit 1; }
