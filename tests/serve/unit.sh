#!/bin/sh
# The systemd unit is as tight as systemd-analyze can tell: at most 2.0 of 10.
command -v systemd-analyze >/dev/null || { echo "unit.sh: skipped, there is no systemd-analyze"; exit 77; }
unit=${srcdir:-.}/contrib/malitop.service
systemd-analyze --help | grep -q -- --offline || { echo "unit.sh: skipped, systemd is too old"; exit 77; }
systemd-analyze security --offline=true --threshold=20 --no-pager "$unit" >/dev/null ||
	{ systemd-analyze security --offline=true --no-pager "$unit"; exit 1; }
