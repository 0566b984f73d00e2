#!/bin/sh
# timed.sh TEST: run a test; its log ends with how long it took, which contrib/setup.sh reads.
begin=$(date +%s)
"$@"
status=$?
echo "seconds: $(($(date +%s) - begin))"
exit $status
