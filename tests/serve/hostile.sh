#!/bin/sh
# The server of the program among clients that are slow, broken or hostile.
malitop=${MALITOP:-./malitop}
"$malitop" --version | grep -qw serve || { echo "hostile.sh: skipped, built without serve"; exit 77; }
command -v python3 >/dev/null || { echo "hostile.sh: skipped, there is no python3"; exit 77; }
unset XDG_CONFIG_HOME
HOME=/nonexistent exec python3 -B -W ignore "${srcdir:-.}/tests/serve/hostile.py" "$malitop"
