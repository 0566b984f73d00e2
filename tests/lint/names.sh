#!/bin/sh
# names.sh [TREE]: every file that HACKING.md or a comment names is there. NAME and * are any name.
LC_ALL=C
export LC_ALL
cd "${1:-${srcdir:-.}}" || exit 2

trap 'rm -f "$files"' EXIT
trap 'exit 2' HUP INT TERM
files=$(mktemp) || exit 2
{
	find src backends views layer tests contrib doc -type f | sed 's|^|/|'
	find . -maxdepth 1 -type f | sed 's|^\.||; p; s|^|/.|'
} 2>/dev/null >"$files"

# The lines "FILE WORD" for each word that looks like a file of the tree
words()
{
	[ ! -e HACKING.md ] || awk '{ print FILENAME, $0 }' HACKING.md
	find src backends views layer tests -name '*.[ch]' -exec awk '
		FNR == 1 { inside = 0 }
		{
			line = $0
			if (!inside && (at = index(line, "/*"))) { line = substr(line, at + 2); inside = 1 }
			if (!inside) next
			if (at = index(line, "*/")) { line = substr(line, 1, at - 1); inside = 0 }
			print FILENAME, line
		}' {} +
}
breaches=$(words | awk '
	{
		n = split($0, word, /[^A-Za-z0-9_.\/*-]+/)
		for (i = 2; i <= n; i++)
			if (word[i] ~ /^([a-zA-Z0-9_.\/*-]+\.([ch]|sh|awk|py|md)|(src|backends|views|layer|tests)(\/[a-z0-9_]+)*\/)$/)
				print word[1], word[i]
	}' | sort -u | awk -v files="$files" '
	BEGIN { while ((getline line <files) > 0) all = all line "\n" }
	{
		name = $2
		sub(/\/$/, "/[^\n]*", name)
		gsub(/\./, "\\.", name)
		gsub(/\*|NAME/, "[^/\n]*", name)
		if (!(name in found))
			found[name] = all ~ ("/" name "(\\.in)?\n")
		if (!found[name])
			print $1 ": names: " $2 " is not there"
	}')
[ -z "$breaches" ] || { echo "$breaches"; exit 1; }
echo "names.sh: all files that are named are there"
