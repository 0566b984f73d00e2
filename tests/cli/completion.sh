#!/bin/sh
# shellcheck shell=bash
# What bash completes after the words of a command line.
if [ "$1" != bash ]; then
	command -v bash >/dev/null || { echo "completion.sh: skipped, there is no bash"; exit 77; }
	exec bash "$0" bash
fi
malitop=${MALITOP:-./malitop}
malitop=$(realpath "$malitop")
script=$(realpath "${srcdir:-.}/contrib/completions/malitop")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
cd "$work" || exit 2
mkdir logs
touch run.mlog run.csv notes.txt
# shellcheck disable=SC2317
compopt() { :; } # the real one works only in a completion that bash started
# shellcheck source=/dev/null
. "$script"

# offers WORDS EXPECTED: completing the last of these words offers each of EXPECTED, but none that begins with !
offers()
{
	local want
	read -ra COMP_WORDS <<<"$malitop $1"
	[[ $1 == *' ' ]] && COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_malitop
	for want in $2; do
		if [[ $want == !* ]]; then
			[[ " ${COMPREPLY[*]} " != *" ${want#!} "* ]]
		else
			[[ " ${COMPREPLY[*]} " == *" $want "* ]]
		fi || { echo "'malitop $1' offers '${COMPREPLY[*]:0:20}', not '$want'"; failed=1; }
	done
}
offers 'r' 'replay record run.mlog !run.csv'
offers 'replay ' 'run.mlog logs !run.csv !notes.txt'
offers 'export run' 'run.mlog !run.csv'
offers 'help s' 'stat serve'
offers '--theme ' 'default light high-contrast colour-blind mono'
offers '--demo = fr' 'fragment-bound !idle'
offers '--demo = ' 'idle raytracing'
offers '--gpu g5' 'g52 g57 !g715'
offers '--gpu G71' 'G71 G710 G715'
offers '--gpu mali-g5' 'mali-g52'
offers '--gpu Mali-G5' 'Mali-G52'
offers '--gpu ' 'Mali-G52'
offers 'stat -m MaliFragQ' 'MaliFragQueueUtil'
offers 'stat --gpu g52 -m MaliGPUActiveCy,MaliFragQ' 'MaliGPUActiveCy,MaliFragQueueUtil'
offers 'record -f ' 'mlog csv perfetto !table'
offers 'stat -f ' 'table csv jsonl !mlog'
offers 'export run.mlog -f ' 'table perfetto !mlog'
offers '-b si' 'sim'
offers '-b proc,si' 'proc,sim'
offers 'record --keep' '--keep-going'
offers 'stat --keep' '!--keep-going'
exit $failed
