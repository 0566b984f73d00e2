#!/bin/sh
# Make configure from a checkout. Needs autoconf, automake and pkg-config.
set -e
cd "$(dirname "$0")"
exec autoreconf -fi
