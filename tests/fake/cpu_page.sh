#!/bin/sh
# Every command of doc/cpu.md, on a fake Raspberry Pi 4: it runs, each of its figures is known and was counted all the time, and the
# tables of the series have their columns.
[ -f tests/fake/libfakemali.so ] || { echo "cpu_page.sh: skipped, the fake library was not built"; exit 77; }
malitop=${MALITOP:-./malitop}
page=${srcdir:-.}/doc/cpu.md
"$malitop" list backends | grep -q '^perf ' || { echo "cpu_page.sh: skipped, built without perf"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0

# on_pi WORD...: the program there
on_pi()
{
	ASAN_OPTIONS=verify_asan_link_order=0 FAKEPERF=machine=a72x4 LD_PRELOAD="$PWD/tests/fake/libfakemali.so" "$malitop" "$@"
}

fail()
{
	echo "$1: $(cat "$work/out" "$work/errors")"
	failed=1
}

# The commands: in backquotes in the tables, or the first words of an indented line.
{
	sed -n '/^|/s/`[^`]*`/\n&\n/gp' "$page" | sed -n 's/^`\(malitop .*\)`$/\1/p'
	sed -n 's/^    \(malitop.*\)/\1/p' "$page" | sed 's/   *.*//'
} >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 20 ] || fail "cpu_page.sh: too few commands in $page"

while read -r command; do
	words=${command#malitop}
	case $command in
	*--hot* | *" -v hot" | *.mlog*) continue ;; # the fake program cannot be sampled: tests/workloads/hot.sh
	malitop) words=--once=80x24 ;;
	*" -- "*) words=$(echo "$words" | sed 's| -- .*| -- sleep 0.1|') ;;
	*" stat "*) words="$words -d 300ms" ;;
	esac
	eval "on_pi $words" >"$work/out" 2>"$work/errors" </dev/null || fail "$command"
	[ -s "$work/out" ] || fail "$command printed nothing"
	case $command in
	*"stat -- CMD") ;; # all events take turns
	*" -- "*) ! sed -n '/^CPU events/,$p' "$work/out" | grep -qE '^[a-zC].* -( |$)|\[[0-9]' || fail "$command: not all is known" ;;
	esac
	echo "$command" >>"$work/ran"
done <"$work/commands"

# columns COMMAND NAME...: the page has the command, and it prints these
columns()
{
	command=$1
	shift
	grep -qxF "$command" "$work/ran" || fail "$command is not in $page"
	words=$(echo "${command#malitop}" | sed 's| -- .*| -- sleep 0.1|')
	eval "on_pi $words" >"$work/out" 2>"$work/errors" </dev/null
	for name; do
		grep -qE "(^| )$name( |\$)" "$work/out" || fail "$command: no $name"
	done
}
columns 'malitop stat -g ipc -- CMD' CPUInstructions CPUCycles CPUIPC CPUInstSpeculated CPURetiredShare elapsed
columns 'malitop stat -m CPUIPC,CPURetiredShare,CPUBranchesPTI,CPUBranchMispredictRatio -- CMD' CPUInstructions CPUInstSpeculated CPUCycles \
	CPUBranches CPUBranchMispredicts CPUIPC CPURetiredShare CPUBranchesPTI CPUBranchMispredictRatio elapsed
columns 'malitop stat -m CPUIPC,CPUL1DMissRatio -- CMD' CPUIPC elapsed CPUL1DAccesses CPUL1DRefills CPUL1DMissRatio
columns 'malitop stat -m CPUIPC,CPUL2MissRatio -- CMD' CPUIPC elapsed CPUL2Accesses CPUL2Refills CPUL2MissRatio
columns 'malitop stat -g tlb -- CMD' CPUDTLBRefills CPUITLBRefills PTI
columns 'malitop stat -- CMD' CPUCycles CPUInstructions CPUCPI CPUL1DAccesses CPUL1DRefills CPUL1DMissRatio CPUDTLBRefills CPUITLBRefills \
	CPUBranches CPUBranchMispredicts CPUBranchMispredictRatio counted estimate time PTI
columns 'malitop stat --repeat 10 --warmup 1 -g ipc -- CMD' mean sd min max CPUIPC elapsed user
exit $failed
