#!/bin/sh
# contrib/ci/measure.sh CMD [ARG...]   measure CMD once on a board and leave in $MALITOP_OUT (malitop):
#
#   run.mlog        all counters: malitop run.mlog shows them, and the next run can be compared with it
#   findings.xml    a line per check of the budget, as JUnit: GitLab and GitHub show what failed
#   report.html     what held CMD back and what to change, or against $MALITOP_BASELINE what became worse
#   report.md       the same as the text of a ticket
#
# $MALITOP_BUDGET is the budget (contrib/budget.findings), $MALITOP_BASELINE the run.mlog of an earlier run, if there is one,
# $MALITOP_OPTIONS what malitop record also gets (--passes, -d 60s). The exit status is 3 if a check of the budget failed, that of CMD if
# it failed, and 1 if something could not be measured.
set -u
malitop=${MALITOP:-malitop}
out=${MALITOP_OUT:-malitop}
budget=${MALITOP_BUDGET:-$(dirname "$0")/../budget.findings}
mkdir -p "$out" || exit 1

# shellcheck disable=SC2086 # options are words
"$malitop" record --force ${MALITOP_OPTIONS:-} -o "$out/run.mlog" ${1:+-- "$@"} || exit

"$malitop" export --force --budget "$budget" --fail-on warning -f junit -o "$out/findings.xml" "$out/run.mlog"
status=$?
for form in html md; do
	if [ -f "${MALITOP_BASELINE:-}" ]; then
		"$malitop" report --force -o "$out/report.$form" "$MALITOP_BASELINE" "$out/run.mlog" || status=1
	else
		"$malitop" report --force -o "$out/report.$form" "$out/run.mlog" || status=1
	fi
done
exit $status
