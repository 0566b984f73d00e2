#!/bin/sh
# Every command in README, doc/*.md, the pages of the manual and --help runs, as written, on the simulated phone: the configuration says
# --demo, ./game is a program, and ssh leads to this machine. What cannot run here is in the list `cannot` below, with the reason; a command
# that is neither run nor in the list is a failure, and so is a line of the list that no text has.
malitop=$(cd "$(dirname "${MALITOP:-./malitop}")" && pwd)/$(basename "${MALITOP:-./malitop}")
src=$(cd "${srcdir:-.}" && pwd)
"$malitop" list backends | grep -q '^sim ' || { echo "commands.sh: skipped, built without sim"; exit 77; }
fake=$PWD/tests/fake/libfakemali.so
[ -e "$fake" ] || { echo "commands.sh: skipped, no $fake"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# PATTERN of the shell, a tab, the reason
cannot="contrib/setup.sh *	installs packages; tests/fake/setup.sh runs it
make *	builds; setup.sh check does
./autogen.sh*	changes the source tree
../configure*	builds; setup.sh check does
mkdir build*	belongs to configure
apt-get *	needs root and the network
dpkg *	needs root
ln -s *	belongs to the build with musl
P=*	belongs to the build with musl
(cd *	belongs to the build with musl
scp *	needs a board
ssh *	needs a board
adb *	needs a board
perf *	another program, of which malitop's command is the counterpart
echo *	one side of a control FIFO: tests/fake/control.sh
mkfifo *	one side of a control FIFO: tests/fake/control.sh
printf *	one side of a control FIFO: tests/fake/control.sh
malitop * --control fifo:*	waits for the other side of a FIFO: tests/fake/control.sh
malitop * --control -*	waits for a reader: tests/cli/remote.sh
malitop stat|malitop record|malitop export|malitop eval|malitop eval --findings|malitop report	the name of a command in a sentence
malitop explain|malitop on|malitop record --passes --detail late	the name of a command in a sentence
malitop export run.mlog -f folded	needs a log of running code: tests/export
malitop -v hot	needs samples of running code: tests/tui
malitop stat --hot=*	needs the hardware events of a CPU: tests/workloads/hot.sh
malitop on WHERE*	a pattern, not a command
malitop on A B C	three boards: tests/cli/boards.sh
malitop stat * -p PID*	processes are this machine's, and the phone is simulated
malitop *-b passes*	frames of this machine: tests/layer/passes.sh
malitop passes *	prints where the layers of an installed malitop are: tests/layer/passes.sh"

# ---- the texts ----

# Of Markdown: lines of blocks, without the explanation beside them, and words in backquotes.
markdown()
{
	awk '
	/^```/ { block = !block; next }
	block || /^    [^ ]/ {
		line = $0
		sub(/^ +/, "", line); sub(/^\$ /, "", line)
		while (line ~ /\\$/ && (getline more) > 0) { sub(/ *\\$/, "", line); sub(/^ +/, " ", more); line = line more }
		sub(/   *[^ -].*/, "", line); sub(/ +#.*/, "", line)
		print line
		next
	}
	{
		gsub(/\\\|/, "|")
		for (rest = $0; match(rest, /`[^`]+`/); rest = substr(rest, RSTART + RLENGTH))
			print substr(rest, RSTART + 1, RLENGTH - 2)
	}' "$@"
}

# Of pages: the examples.
pages()
{
	awk '/^\.SH/ { examples = /EXAMPLES/ } examples && /^\.(B|BI|RB) / { sub(/^\.[A-Z]+ /, ""); gsub(/\\-/, "-"); gsub(/\\e/, "\\"); gsub(/"/, ""); print }' "$@"
}

# Of --help: words after "malitop", outside of the usage, that are a command of it.
helps()
{
	for command in '' $commands; do
		# shellcheck disable=SC2086
		"$malitop" $command --help | sed '1,/^$/d' | tr -s ' \n' '  ' | grep -oE 'malitop (list|explain|doctor|passes) [a-z-]+'
	done
}
commands=$("$malitop" complete -- '' | grep -E '^[a-z]+$' | grep -v -e complete -e help)

is_command()
{
	case $1 in
	malitop | 'malitop '[a-z-]* | 'contrib/setup.sh '* | ./autogen.sh* | ../configure* | 'make '* | 'sudo '* | 'apt-get '* | 'dpkg '*) ;;
	'ssh '* | 'scp '* | 'adb '* | 'perf '* | 'echo '* | 'mkfifo '* | 'printf '* | 'mkdir '* | 'ln '* | P=* | '(cd '* | 'meson '*) ;;
	*) return 1 ;;
	esac
}

{
	markdown "$src/README.md" "$src"/doc/*.md
	pages "$src"/doc/*.1
	helps
} | grep -v '\.\.\.$' | sort -u >"$work/texts"

# ---- a phone, a game, a board ----

mkdir -p "$work/bin" "$work/home/.config/malitop" "$work/run"
cd "$work/run" || exit 2
ln -s "$malitop" "$work/bin/malitop"
printf '#!/bin/sh\nsleep 0.3\n' >game
# user@board: the command runs here, in a shell as sshd would start it
printf '#!/bin/sh\nfor word; do :; done\nexec sh -c "$word"\n' >"$work/bin/ssh"
chmod +x game "$work/bin/ssh"
for name in textbook interchanged CMD; do cp game $name; done
mkdir -p tests/workloads && cp game tests/workloads/hot
printf 'finding never\n  title Never\n  when GPUBusy above 1000\n  says x\n  do x\n' >budget.findings
printf 'options\n  demo       mixed\n  duration   700ms\n' >"$work/home/.config/malitop/config"
export HOME="$work/home" XDG_CONFIG_HOME="$work/home/.config" PATH="$work/bin:$work/run:$PATH" TERM=xterm-256color LC_ALL=C.UTF-8
MALITOP_LAYER_PATH=$(dirname "$malitop")/layer
export MALITOP_LAYER_PATH
unset COLUMNS LINES
printf 'all:\n\tsleep 0.2\n' >Makefile
cp "$src/contrib/budget.findings" . 2>/dev/null
for log in before after old new a b; do
	malitop record -i 50ms -d 400ms -o $log.mlog >/dev/null 2>"$work/out" || { cat "$work/out"; exit 1; }
done
mkdir lab && cp a.mlog b.mlog lab/ && cp a.mlog board1.mlog && cp b.mlog board2.mlog
malitop record --per-core -i 200ms -d 11s -o run.mlog >/dev/null 2>"$work/out" || { cat "$work/out"; exit 1; }
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=board >/dev/null 2>&1
echo 'bearer aaaaaaaaaaaaaaaaaaaa' >tokens && chmod 600 key.pem tokens 2>/dev/null

# as_said COMMAND: run it with the words of the texts for what a reader puts there
as_said()
{
	# shellcheck disable=SC2001
	line=$(echo "$1" | sed 's/\bNAME\b/GPUBusy/g; s/\bDIR\b/tables/g; s/-- CMD\b/-- .\/game/g')
	rm -rf tables run.csv run.html change.html run.om past.om lab.csv report.txt malitop-*
	mkdir tables
	case $line in
	'malitop' | 'malitop '*.mlog | 'malitop -'* | 'malitop on '*)
		case $line in
		*--once*) ;;
		*) command -v script >/dev/null || return 77; set -- script -qec "$line" /dev/null ;;
		esac
		;;
	esac
	[ $# = 4 ] || set -- sh -c "$line"
	case $line in
	*record*-o\ run.mlog*) mv run.mlog kept.mlog ;;
	*'-g '* | *'-m CPU'* | *'-e '* | 'malitop explain 0x'*) # the CPU events of a fake machine, because those of a process are not simulated
		set -- env XDG_CONFIG_HOME=/nonexistent LD_PRELOAD="$fake" ASAN_OPTIONS=verify_asan_link_order=0 \
			FAKEPERF='machine=rk3588 paranoid=1' "$@" ;;
	esac
	timeout -k 5 -s INT --preserve-status "$seconds" "$@" >"$work/out" 2>&1 </dev/null
	status=$?
	[ ! -e kept.mlog ] || mv kept.mlog run.mlog
	case $status:$line in
	130:*' -- '*) ;;
	130:* | 1:'malitop doctor' | 3:*--fail-on*) status=0 ;; # ended here; no GPU is here; a finding held
	esac
	return $status
}

run=0
while read -r command; do
	is_command "$command" || continue
	reason=$(echo "$cannot" | while IFS='	' read -r pattern why; do
		# shellcheck disable=SC2254
		IFS='|'
		for one in $pattern; do
			case $command in $one) echo "$pattern"; break 2 ;; esac
		done
	done)
	if [ -n "$reason" ]; then
		echo "$reason" >>"$work/used"
		continue
	fi
	seconds=20
	case $command in
	'malitop serve'*) "$malitop" --version | grep -q ' serve' && [ -s cert.pem ] || continue; seconds=2 ;;
	*--passes*) [ -e "$MALITOP_LAYER_PATH/VkLayer_malitop.json" ] || continue ;;
	*' -- '*) ;;
	*10s* | 'malitop stat '*) seconds=3 ;; # until it is ended
	esac
	as_said "$command"
	status=$?
	case $status in
	77) continue ;;
	0) run=$((run + 1)) ;;
	*) echo "$command: status $status: $(tail -n 3 "$work/out")"; failed=1 ;;
	esac
done <"$work/texts"
echo "commands.sh: $run commands ran as written"
[ $run -ge 30 ] || failed=1
echo "$cannot" | cut -f 1 >"$work/patterns"
while read -r pattern; do
	grep -qxF -- "$pattern" "$work/used" || { echo "$pattern: no text has such a command any more: take it off the list"; failed=1; }
done <"$work/patterns"
exit $failed
