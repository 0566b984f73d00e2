#!/bin/sh
# lists.sh [TREE]: every source, test and data file is listed in Makefile.am, and every file listed there exists.
# So does every file and folder that HACKING.md names, where a file needs no folder, and NAME is any name.
#
# automake needs explicit lists; otherwise a forgotten test would never run, and a forgotten data file would never be shipped.
LC_ALL=C
export LC_ALL
cd "${1:-${srcdir:-.}}" || exit 2
[ -f Makefile.am ] || { echo "lists.sh: no Makefile.am in $PWD" >&2; exit 2; }

names=$(mktemp) || exit 2
trap 'rm -f "$names"' EXIT
trap 'exit 2' HUP INT TERM
breaches=0

# The words of Makefile.am that look like paths; a program means its .c file.
sed 's/#.*//' Makefile.am | tr ' \t=' '\n\n\n' | grep / | sort -u >"$names"

for f in $(find src backends views layer -name '*.[ch]' -o -path 'src/data/*' -name '*.gpu' -o -name '*.metrics' -o -name '*.chart') \
	$(find tests -name '*.[ch]' -o -path 'tests/*/*' -name '*.sh' 2>/dev/null); do
	grep -qxF -e "$f" -e "${f%.c}" "$names" && continue
	case $f in
	tests/fixtures/* | tests/golden/* | tests/reference/*) continue ;; # whole directories in EXTRA_DIST
	esac
	echo "$f: lists: not in Makefile.am"
	breaches=1
done
for f in $(grep -E '^(src|backends|views|layer|tests|contrib|doc)/[A-Za-z0-9_./-]*\.(c|h|sh|py|gpu|metrics|chart)$' "$names"); do
	[ -e "$f" ] && continue
	echo "$f: lists: in Makefile.am, but not there"
	breaches=1
done
find src backends views layer tests contrib doc -type f 2>/dev/null | sed 's|^|/|' >"$names"
ls | sed 's|^|/|' >>"$names"
for f in $(cat HACKING.md 2>/dev/null | tr -cs 'A-Za-z0-9_./*-' '\n' | sort -u |
	grep -E '^([a-z0-9_./*-]+\.([chj]s?|sh|awk|py|md|gpu|chart|metrics|findings|scenario|rules|tables|tsv)|(src|backends|views|layer|tests)(/[a-z0-9_]+)*/)$'); do
	name=$(printf '%s\n' "$f" | sed 's|\.|\\.|g; s|\*|[^/]*|g; s|[^/]$|&(\.in)?$|')
	grep -qE "/$name" "$names" && continue
	echo "HACKING.md: lists: $f is not there"
	breaches=1
done
[ $breaches = 0 ] && echo "lists.sh: Makefile.am is complete"
exit $breaches
