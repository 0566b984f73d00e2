#!/bin/sh
# The manual has the options of the program's table, to the letter, and all of its commands and lists.
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
	LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$src/doc/malitop.1" >/dev/null 2>"$work/warnings"
	[ -s "$work/warnings" ] && { cat "$work/warnings"; failed=1; }
fi
# the help names the backends of this build
for backend in kbase panfrost panthor proc perf passes sim; do
	"$malitop" list backends | grep -q "^$backend " ||
		{ [ $failed = 0 ] && echo "manual.sh: options not compared, built without $backend" && exit 77; exit 1; }
done
awk -f "$src/doc/options.awk" "$work/options" "$src/doc/malitop.1" >"$work/manual"
diff "$src/doc/malitop.1" "$work/manual" || { echo "malitop.1 differs from the table: make man writes it"; failed=1; }
exit $failed
