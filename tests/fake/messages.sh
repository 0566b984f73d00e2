#!/bin/sh
# Control characters in arguments and file names never reach the terminal.
malitop=${MALITOP:-$PWD/malitop}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
cd "$work" || exit 2
failed=0

# Escape sequences that set the title and the colour, C1 as UTF-8 and as a byte, bell, backspace, DEL, and a forged message.
hostile=$(printf 'a\033]0;b\007\033[31m\302\23331mc\233d\010\177\rmalitop: all is well\nmalitop: all is well')

# clean WHAT ARG...: neither results nor messages have a control character, or a line forged by an argument
clean()
{
	what=$1
	shift
	timeout 20 "$malitop" "$@" >"$work/out" 2>&1 </dev/null
	[ $? -ne 124 ] || { echo "$what: does not exit"; failed=1; }
	if tr -d '\n' <"$work/out" | LC_ALL=C grep -q '[[:cntrl:]]' || LC_ALL=C grep -q "$(printf '\302\233\|^malitop: all')" "$work/out"; then
		echo "$what: control characters in: $(cat -v "$work/out")"
		failed=1
	fi
}

# Each option with a value, in several commands. Some commands refuse the option, which tests a message as well.
options=$("$malitop" --help | grep -oE -- '--[a-z-]+[ =[]+[A-Z]' | grep -oE '[a-z][a-z-]+' | sort -u)
[ "$(printf '%s\n' "$options" | wc -l)" -ge 20 ] || { echo "--help names too few options: $options"; failed=1; }
for option in $options; do
	clean "--$option" "--$option=$hostile" --once=40x10 -b proc --frames 1
	clean "stat --$option" stat "--$option=$hostile" -d 1ms
	clean "record --$option" record "--$option=$hostile" -d 1ms
	clean "list --$option" list metrics "--$option=$hostile"
done
clean "an unknown option" "--$hostile"
for command in "$hostile" "replay $hostile" "list $hostile"; do
	clean "an operand" ${command%% *} "${command#* }"
done
clean "a guide" eval --gpu g52 "$hostile"
clean "a command" record -o "$work/x.csv" -b proc -- "$work/$hostile"
clean "a directory" record -o "$work/$hostile/x.csv" -b proc -d 1ms

# Names of files in a directory.
mkdir "$work/db" "$work/logs"
for ending in gpu metrics chart; do
	echo 'no stanza of ours' >"$work/db/$hostile.$ending"
	clean "a file of --gpudb" list gpus --gpudb "$work/db"
	clean "a file of --gpudb" --once=40x10 -b proc --gpudb "$work/db"
	rm "$work/db/$hostile.$ending"
done
printf 'options\n\tinterval often\n' >"$work/logs/$hostile.conf"
clean "a configuration" list gpus --config "$work/logs/$hostile.conf"

# A truncated log.
if "$malitop" list backends | grep -q '^sim '; then
	log="$work/logs/$hostile.mlog"
	clean "record" record --demo -o "$log" -d 300ms -i 10ms
	[ -s "$log" ] || { echo "record wrote no log: $(cat -v "$work/out")"; failed=1; }
	clean "record again" record --demo -o "$log" -d 10ms
	size=$(wc -c <"$log")
	for n in 0 10 100 $((size / 2)) $((size - 1)) "$size"; do
		head -c "$n" "$log" >"$work/logs/cut$hostile.mlog"
		clean "replay of $n bytes" replay "$work/logs/cut$hostile.mlog" --once=40x10
		clean "export of $n bytes" export "$work/logs/cut$hostile.mlog" -f jsonl
	done
fi
exit $failed
