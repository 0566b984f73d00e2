# shellcheck shell=bash
# bash completion for malitop. Options are those of the program's own help; the rest is what they take.

_malitop_options()
{
	"$1" ${2:+"$2"} --help 2>/dev/null | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/--\2/p'
}

_malitop_list()
{
	"$1" list "$2" --format csv 2>/dev/null | tr -d '\r' | tail -n +2 | cut -d, -f1
}

_malitop()
{
	local cur prev command='' word i
	COMPREPLY=()
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[[ $word == -- ]] && return
		case $word in
		record | stat | eval | list | doctor)
			command=$word
			break
			;;
		esac
	done

	case $prev in
	-b | --backend) mapfile -t COMPREPLY < <(compgen -W "$(_malitop_list "$1" backends)" -- "$cur") ;;
	--demo)
		mapfile -t COMPREPLY < <(compgen -W 'idle mixed fragment-bound vertex-bound compute-bound bandwidth-bound cpu-bound
			serialised raytracing' -- "$cur")
		;;
	--gpu)
		local IFS=$'\n'
		mapfile -t COMPREPLY < <(compgen -W "$(_malitop_list "$1" gpus | tr ' ' -)" -- "$cur")
		;;
	-v | --view) mapfile -t COMPREPLY < <(compgen -W "$(_malitop_list "$1" views)" -- "$cur") ;;
	-f | --format) mapfile -t COMPREPLY < <(compgen -W 'table csv jsonl' -- "$cur") ;;
	--definitions) mapfile -t COMPREPLY < <(compgen -W 'current guide' -- "$cur") ;;
	--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$cur") ;;
	-u | --user) mapfile -t COMPREPLY < <(compgen -u -- "$cur") ;;
	--theme) mapfile -t COMPREPLY < <(compgen -W 'dark light' -- "$cur") ;;
	--gpudb)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		;;
	--device | -o | --log | --config)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	-i | --interval | -r | --refresh | -d | --duration)
		mapfile -t COMPREPLY < <(compgen -W '1ms 10ms 100ms 500ms 1s 10s 1m' -- "$cur")
		;;
	-m | --metrics | --once | --frames | --fps | --resolution | --seed | -p | --pid | -t | --tid | -C | --cpu | -e | --event) ;;
	*)
		if [[ $cur == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_malitop_options "$1" "$command")" -- "$cur")
		elif [[ -z $command ]]; then
			mapfile -t COMPREPLY < <(compgen -W 'record stat eval list doctor' -- "$cur")
		elif [[ $command == list ]]; then
			mapfile -t COMPREPLY < <(compgen -W 'gpus counters metrics views backends' -- "$cur")
		elif [[ $command == eval ]]; then
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	esac
}

complete -F _malitop malitop
