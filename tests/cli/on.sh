#!/bin/sh
# What another machine sends, and how it is reached: greetings, changed bytes, control characters, login shells, and --push without a
# place for it. The connections are programs, and an ssh and an adb that act as the real ones. Exit status 77: there is no simulator.
malitop=$(realpath "${MALITOP:-./malitop}") || exit 2
"$malitop" list backends | grep -q '^sim ' || { echo "on.sh: skipped, built without sim"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 2
failed=0

# check NAME STATUS TEXT: report a failure
check()
{
	if [ "$2" -ne 0 ]; then
		echo "$1: $3"
		failed=1
	fi
}

# The board simulates; with a command it prints the words that it was given instead.
mkdir board bare tmp
cat >board/malitop <<END
#!/bin/sh
[ "\$1" = doctor ] || [ "\$4" != -- ] || { for word; do printf '[%s]' "\$word"; done; exit 7; }
exec "$malitop" "\$@" --demo --gpu g52
END
cat >greets <<END
#!/bin/sh
printf 'Welcome MLog\r\n\033[1m\$ '
PATH=$work/board:\$PATH exec "\$@"
END
# alters COMMAND...: what comes back goes through \$filter
cat >alters <<END
#!/bin/sh
PATH=$work/board:\$PATH "\$@" | sh -c "\$filter"
END
chmod +x board/malitop greets alters

# A greeting is left out of what has a known beginning, and controls no terminal before what has none.
for form in mlog csv jsonl; do
	"$malitop" on "cmd:$work/greets" record -d 500ms -o run.$form 2>errors
	check "a greeting before $form" $? "$(cat errors)"
done
"$malitop" export run.mlog -f csv >out 2>errors && [ "$(wc -l <out)" -gt 3 ] && [ "$(head -c 19 run.csv)" = time,duration,flags ] &&
	[ "$(head -c 10 run.jsonl)" = '{"malitop"' ]
check 'a greeting' $? "stays: $(cat errors; head -c 100 run.csv run.jsonl)"
"$malitop" on "cmd:$work/greets" --once >screen 2>errors && grep -q 'Mali-G52' screen
check 'a greeting before a screen' $? "$(cat errors)"
"$malitop" on "cmd:$work/greets" record -d 500ms -o run.pftrace 2>errors
[ $? -eq 1 ] && grep -q "no perfetto came: it begins with 'Welcome" errors
check 'a greeting before a trace' $? "$(cat errors)"

# altered FILTER TEXT FORM...: what the way does to bytes is said
altered()
{
	filter=$1
	export filter
	for form in $3; do
		"$malitop" on "cmd:$work/alters" record -d 500ms -o altered.$form --force 2>errors
		status=$?
		[ $status -eq 1 ] && grep -q "$2" errors && grep -q 'is there a terminal in between' errors && grep -q 'ssh -T, adb' errors
		check "$1, $form" $? "status $status, said '$(cat errors)'"
	done
	"$malitop" on "cmd:$work/alters" --once >screen 2>errors
	[ $? -eq 1 ] && grep -q ' on \(the\|its\) way: is there a terminal' errors && [ ! -s screen ]
	check "$1, --once" $? "said '$(cat errors)'"
}
altered 'sed -u "s/\$/\r/"' 'LF became CR LF on the way' mlog
altered 'tr -d "\r"' 'CR LF became LF on the way' mlog
altered 'tr "\r" "\n"' 'CR became LF on the way' mlog
altered 'tr "\n" "\r"' 'LF became CR on the way' mlog
altered 'tr "\200-\377" "\000-\177"' 'was altered on its way' mlog
altered 'tr -d "\n"' ' on the way\|was altered on its way' 'mlog csv jsonl'
filter='head -c 9000' "$malitop" on "cmd:$work/alters" record -d 3s -o cut.mlog 2>errors
[ $? -eq 1 ] && grep -q 'the stream was cut: all that came before is intact' errors && "$malitop" export cut.mlog -f csv >out 2>errors
check 'a stream that was cut' $? "$(cat errors)"

# Lines of text are those of the format, which the file says.
filter='sed -u "s/\$/\r/"' "$malitop" on "cmd:$work/alters" stat -d 500ms -i 500ms -m GPUClock -o stat.csv 2>errors
[ $? -eq 0 ] && [ "$(grep -c "$(printf '\r$')" stat.csv)" -ge 2 ] && ! grep -q "$(printf '\r\r')" stat.csv
check 'stat -o .csv' $? "$(cat errors; cat -A stat.csv)"

# No control character of another machine reaches the terminal or standard error.
cat >evil <<'END'
#!/bin/sh
printf '\033]0;x\a\033[31mred\033[0m \302\233 31m\n' >&2
printf '\033]0;y\a out\n'
exit 5
END
chmod +x evil
controls=$(printf '[\001-\010\013-\037\177]')
for words in stat doctor record 'record -f csv' '' --once --push '--push stat'; do
	# shellcheck disable=SC2086
	"$malitop" on "cmd:$work/evil" $words >out 2>errors
	[ $? -ne 0 ] && grep -q red errors && ! LC_ALL=C grep -q "$controls" out errors && ! grep -q "$(printf '\302\233')" errors
	check "hostile, $words" $? "$(cat -v out errors)"
done

# A screen that is printed keeps its stream, too.
"$malitop" on "cmd:$work/greets" --once -o once.mlog >screen 2>errors && "$malitop" export once.mlog -f csv >out 2>>errors && [ -s out ]
check '--once -o' $? "$(cat errors)"
mkdir all
"$malitop" on "cmd:$work/greets" "cmd:$work/greets" --once -o all >screen 2>errors && [ "$(echo all/*.mlog)" = 'all/greets-2.mlog all/greets.mlog' ]
check '--once -o DIR' $? "$(cat errors; ls all)"
"$malitop" on "cmd:$work/greets" "cmd:$work/greets" --once -o all >screen 2>errors
[ $? -eq 1 ] && grep -q 'already exists' errors
check '--once -o DIR' $? "overwrites: $(cat errors)"

# Every login shell gets every word, whichever command: the shell has one text, as sshd and adbd give it.
cat >board/ssh <<END
#!/bin/sh
while [ "\$1" != -- ]; do shift; done
shift 2
PATH=$work/board:\$PATH exec \$LOGIN_SHELL -c "\$*"
END
cat >board/adb <<END
#!/bin/sh
shift 2
PATH=$work/board:\$PATH exec \$LOGIN_SHELL -c "\$*"
END
chmod +x board/ssh board/adb
line='two
lines'
for LOGIN_SHELL in sh bash dash mksh fish tcsh zsh; do
	command -v $LOGIN_SHELL >/dev/null || continue
	export LOGIN_SHELL
	for where in user@board adb; do
		PATH=$work/board:$PATH HOME=$work "$malitop" on $where stat -- 'a\b' 'c\\' '!x !!' "it's" '$HOME `id`' '*' '~' "$line" '' '{a,b}' =ls %d \
			>out 2>errors
		[ $? -eq 7 ] && [ "$(cat out)" = "[stat][--control][-][--][a\\b][c\\\\][!x !!][it's][\$HOME \`id\`][*][~][$line][][{a,b}][=ls][%d]" ]
		check "$LOGIN_SHELL of $where" $? "$(cat out errors)"
		PATH=$work/board:$PATH HOME=$work "$malitop" on $where -C 'x\!' --once >screen 2>errors
		grep -qF "'x\!'" errors
		check "$LOGIN_SHELL of $where" $? "$(cat errors)"
		PATH=$work/board:$PATH HOME=$work "$malitop" on $where doctor >out 2>errors
		grep -q simulated out
		check "$LOGIN_SHELL of $where, doctor" $? "$(cat out errors)"
	done
done

# --push finds the kind of machine behind a greeting, sends this program to one like this, and looks for a place that takes one.
cat >bare/there <<END
#!/bin/sh
echo 'Welcome armv9 malitop-machine \$(x'
PATH=/usr/bin:/bin TMPDIR=$work/\$(cat place) exec "\$@"
END
chmod +x bare/there
for place in tmp no-directory; do
	echo $place >place
	"$malitop" on "cmd:$work/bare/there" --demo --gpu g52 --once --push >screen 2>errors && grep -q 'Mali-G52' screen
	check "--push with TMPDIR=$place" $? "$(cat errors)"
done
cat >bare/none <<END
#!/bin/sh
PATH=/usr/bin:/bin TMPDIR=/nowhere HOME=/nowhere XDG_RUNTIME_DIR= exec sh -c "\$(echo "\$3" | sed 's, /tmp /data/local/tmp /var/tmp /dev/shm,,')"
END
chmod +x bare/none
"$malitop" on "cmd:$work/bare/none" --demo --once --push="$malitop" >screen 2>errors
[ $? -eq 1 ] && grep -q 'malitop: --push: .*not writable, or mounted noexec: set TMPDIR there' errors
check '--push without a place' $? "$(cat errors)"
exit $failed
