#!/bin/sh
# The pages of the manual have the options of the program's table, to the letter, and all of its commands and lists.
malitop=${MALITOP:-./malitop}
src=${srcdir:-.}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
unset XDG_CONFIG_HOME
export HOME="$work"
failed=0

"$malitop" list options -f csv >"$work/options" || exit 1
for option in backend demo metrics listen version; do
	grep -q "^$option," "$work/options" || { echo "list options lacks $option"; failed=1; }
done
for word in $("$malitop" --help | sed -n '/^Usage/,/^$/s/.*malitop \([a-z][a-z]*\) .*/\1/p' | sort -u); do
	sed -n '/^\.SH COMMANDS/,/^\.SH OPTIONS/p' "$src/doc/malitop.1" | grep -qx "\.B malitop $word" ||
		[ "$word" = help ] || { echo "malitop.1: COMMANDS lacks $word"; failed=1; }
done
for word in $("$malitop" complete -- list '' | sed 1d); do
	sed -n '/^\.B malitop list/,/^\.br/p' "$src/doc/malitop.1" | grep -qw "$word" || { echo "malitop.1: list lacks $word"; failed=1; }
done
if command -v man >/dev/null && man --version >/dev/null 2>&1; then
	for page in "$src"/doc/*.[15]; do
		LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" >/dev/null 2>"$work/warnings"
		[ -s "$work/warnings" ] && { echo "$page:"; cat "$work/warnings"; failed=1; }
	done
fi
# the help names the backends of this build
for backend in kbase panfrost panthor proc perf passes sim; do
	"$malitop" list backends | grep -q "^$backend " ||
		{ [ $failed = 0 ] && echo "manual.sh: options not compared, built without $backend" && exit 77; exit 1; }
done
for page in "$src"/doc/*.1; do
	awk -f "$src/doc/options.awk" "$work/options" "$page" >"$work/manual"
	diff "$page" "$work/manual" || { echo "$page differs from the table: make man writes it"; failed=1; }
done
# the options of each command are on some page
sed -n 's/^\.\\" options of: //p' "$src"/doc/*.1 | tr ' ' '\n' | sort >"$work/described"
for command in $(cut -d, -f5- "$work/options" | sed 1d | grep -oE '(^|,)[a-z]+( [a-z]+)+,(yes|no),' | tr -c 'a-z\n' '\n' | sort -u); do
	case $command in yes | no | '') continue ;; esac
	grep -qx "$command" "$work/described" || { echo "no page describes the options of $command"; failed=1; }
done
exit $failed
