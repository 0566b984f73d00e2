#!/bin/sh
# Stands for the screen tests in a build without libvterm or cmocka, so that their absence does not look like success.
echo "skipped: the screen tests need libvterm and cmocka (Debian: apt-get install libvterm-dev libcmocka-dev), then configure again"
exit 77
