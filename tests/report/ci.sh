#!/bin/sh
# The example of CI in contrib/ci: its script is run as the two files call it, on a simulated board; the files are read as YAML where python
# can.
malitop=${MALITOP:-./malitop}
case $malitop in /*) ;; *) malitop=$PWD/$malitop ;; esac
src=$(cd "${srcdir:-.}" && pwd) || exit 2
"$malitop" list backends | grep -q '^sim ' || { echo "ci.sh: skipped, built without sim"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

fail()
{
	echo "$*"
	failed=1
}

# measured WANTED SCENARIO CMD...: its exit status
measured()
{
	wanted=$1 scenario=$2
	shift 2
	MALITOP=$malitop MALITOP_OPTIONS="--demo=$scenario" sh "$src/contrib/ci/measure.sh" "$@" >said 2>&1
	status=$?
	[ $status -eq "$wanted" ] || fail "$scenario $*: status $status, not $wanted: $(cat said)"
}

measured 3 bandwidth-bound sleep 4
grep -q '<failure type="critical"' malitop/findings.xml || fail "no failure: $(cat malitop/findings.xml)"
grep -q '<!DOCTYPE html>' malitop/report.html || fail "no page"
grep -q '^\*\*Findings' malitop/report.md || fail "no ticket: $(cat malitop/report.md)"
mv malitop before
export MALITOP_BASELINE=before/run.mlog
measured 0 idle sleep 3
! grep -q '<failure' malitop/findings.xml || fail "failures: $(cat malitop/findings.xml)"
grep -q '| was | now |' malitop/report.md || fail "not compared: $(head -n 20 malitop/report.md)"
grep -q before malitop/report.html || fail "the page does not name the other log"
export MALITOP_BASELINE=gone.mlog # of the first run of all
measured 7 idle sh -c 'exit 7'

for file in gitlab-ci.yml github.yml; do
	grep -q 'sh contrib/ci/measure.sh ./game --benchmark$' "$src/contrib/ci/$file" || fail "$file does not call the script"
	python3 -c 'import yaml' 2>/dev/null || continue
	python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$src/contrib/ci/$file" || fail "$file is no YAML"
done
exit $failed
