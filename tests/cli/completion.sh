#!/bin/sh
# shellcheck shell=bash disable=SC2317
# What bash and fish complete after the words of a command line; completion.py types into bash and zsh in a terminal.
if [ "$1" != bash ]; then
	command -v bash >/dev/null || { echo "completion.sh: skipped, there is no bash"; exit 77; }
	exec bash "$0" bash
fi
malitop=${MALITOP:-./malitop}
malitop=$(realpath "$malitop")
src=$(realpath "${srcdir:-.}")
scripts=$src/contrib/completions
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work/home"
export PATH="${malitop%/*}:$PATH"
failed=0
mkdir "$work/home" "$work/logs"
touch "$work/run.mlog" "$work/run.csv" "$work/notes.txt"
cd "$work" || exit 2
compopt() { :; } # the real one works only in a completion that bash started
# shellcheck source=/dev/null
. "$scripts/malitop"

# bash_offers LINE: bash splits words at = and :, which stand alone in the line
bash_offers()
{
	read -ra COMP_WORDS <<<"malitop $1"
	[[ $1 == *' ' ]] && COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_malitop
	echo "${COMPREPLY[*]}"
}

# fish does not, and its candidates are whole words
fish_offers()
{
	local line=${1// = /=}
	fish --no-config -c "source '$scripts/malitop.fish'; complete -C 'malitop ${line// : /:}'" |
		sed 's/\t.*//; s|/$||; s/^--[a-z]*=//; s/^kbase://' | tr '\n' ' '
}

# offers WORDS EXPECTED: completing the last of these words offers each of EXPECTED, but none that begins with !
offers()
{
	local want shell got
	for shell in $shells; do
		got=$("${shell}_offers" "$1")
		for want in $2; do
			if [[ $want == !* ]]; then
				[[ " $got " != *" ${want#!} "* ]]
			else
				[[ " $got " == *" $want "* ]]
			fi || { echo "$shell: 'malitop $1' offers '${got:0:300}', not '$want'"; failed=1; }
		done
	done
}

shells=bash
if command -v fish >/dev/null; then
	shells='bash fish'
else
	echo "completion.sh: NOT TESTED: fish is not installed"
fi
offers 'r' 'replay record run.mlog !run.csv'
offers 'replay ' 'run.mlog logs !run.csv !notes.txt'
offers 'export run' 'run.mlog !run.csv'
offers 'export run.mlog ru' 'run.mlog !run.csv'
offers 'help s' 'stat serve'
offers '--theme ' 'default light high-contrast colour-blind mono'
offers '--demo = fr' 'fragment-bound !idle'
offers '--demo = ' 'idle raytracing'
offers '--gpu g5' 'g52 g57 !g715'
offers '--gpu G71' 'G71 G710 G715'
offers '--gpu mali-g5' 'mali-g52'
offers '--gpu Mali-G5' 'Mali-G52'
offers '--gpu ' 'Mali-G52 Mali-G1-Pro'
offers '--gpu g1' 'g1-pro'
offers '-v ' 'overview queues cpu'
offers 'stat -m MaliFragQ' 'MaliFragQueueUtil'
offers 'stat --gpu g52 -m MaliGPUActiveCy,MaliFragQ' 'MaliGPUActiveCy,MaliFragQueueUtil'
offers 'stat -m Mali --gpu g52 -m MaliRTU' '!MaliRTURay'
offers 'stat -g ' 'ipc branch'
offers 'list ' 'gpus options'
offers 'explain very' 'very-slow-reads'
offers 'record -f ' 'mlog csv perfetto !table'
offers 'stat -f ' 'table csv jsonl !mlog'
offers 'export run.mlog -f ' 'table perfetto !mlog'
offers '-b si' 'sim'
offers '-b kbase : k' 'kinstr !sim'
offers '-b proc,si' 'proc,sim'
offers 'record --keep' '--keep-going'
offers 'record --interval 5ms --keep' '--keep-going'
offers 'record -i5ms --keep' '--keep-going'
offers 'record -o --keep-going --for' '--force' # an argument that looks like an option
offers 'stat --keep' '!--keep-going'
shells=${shells#bash} # in bash readline adds other files
offers 'serve --tls-cert not' 'notes.txt'
offers '--config = not' 'notes.txt'

if command -v python3 >/dev/null; then
	for shell in bash zsh; do
		if ! command -v $shell >/dev/null; then
			echo "completion.sh: NOT TESTED: $shell is not installed"
		else
			python3 -B "$src/tests/cli/completion.py" "$shell" "$scripts" || failed=1
		fi
	done
else
	echo "completion.sh: NOT TESTED in a terminal: python3 is not installed"
fi
exit $failed
