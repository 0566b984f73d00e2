#!/bin/sh
# shape.sh [TREE]: the shape of the program by room, beside that of the last release (tests/lint/shape.tsv); it may not get worse.
#
# Functions per 1,000 lines; static functions that are called in one place only; functions of headers that one other file uses.
# shape.sh --release writes the figures of now into that file.
LC_ALL=C
export LC_ALL
[ "$1" = --release ] && release=yes && shift
cd "${1:-${srcdir:-.}}" || exit 2

figures=$(find src backends views layer -name '*.[ch]' | sort | xargs awk '
	FNR == 1 {
		file = FILENAME; room = file; sub(/\/[^\/]*$/, "", room); sub(/^src\//, "", room); sub(/^backends\/.*/, "backends", room)
		sub(/^views\/.*/, "views", room)
		comment = 0; head = ""
	}
	{ lines[room]++ }
	/^\{/ && head ~ /\(/ && head !~ /=[ \t]*$/ {
		name = head; sub(/\(.*/, "", name); sub(/.*[^A-Za-z0-9_]/, "", name)
		functions[room]++
		if (head ~ /^static/) { statics[room]++; static_in[file, name] = room } else { home[name] = file; room_of[name] = room }
	}
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "", line)
		while (1) {
			if (comment) {
				at = index(line, "*/"); if (!at) { line = ""; break }
				line = substr(line, at + 2); comment = 0
			}
			at = index(line, "/*"); if (!at) break
			rest = substr(line, at + 2); end = index(rest, "*/")
			if (end) line = substr(line, 1, at - 1) " " substr(rest, end + 2)
			else { comment = 1; line = substr(line, 1, at - 1); break }
		}
		head = /^[a-z_]/ ? line : /^[ \t]/ ? head line : ""
		rest = line
		while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
			name = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
			uses[file, name]++
			if (rest ~ /^\(/) calls[file, name]++
		}
		if (line ~ /^static .*\(/) { name = line; sub(/\(.*/, "", name); sub(/.*[^A-Za-z0-9_]/, "", name); heads[file, name]++ }
	}
	END {
		for (key in static_in)
			if (uses[key] - heads[key] == 1 && calls[key] - heads[key] == 1) once[static_in[key]]++
		for (key in uses) {
			split(key, part, SUBSEP)
			if (part[2] in home && part[1] != home[part[2]] && part[1] ~ /\.c$/) users[part[2]]++
		}
		for (name in home) { public[room_of[name]]++; if (users[name] == 1) single[room_of[name]]++ }
		for (room in lines) {
			printf "%s\t%d\t%.0f\t%.0f\t%.0f\n", room, lines[room], 1000 * functions[room] / lines[room],
				statics[room] ? 100 * once[room] / statics[room] : 0, public[room] ? 100 * single[room] / public[room] : 0
			L += lines[room]; F += functions[room]; S += statics[room]; O += once[room]; P += public[room]; X += single[room]
		}
		printf "~all\t%d\t%.0f\t%.0f\t%.0f\n", L, 1000 * F / L, 100 * O / S, 100 * X / P
	}' | sort | sed 's/^~//')
if [ -n "$release" ]; then
	printf 'room\tlines\tfunctions per 1,000 lines\tstatic functions called once, %%\tfunctions of headers with one user, %%\n%s\n' \
		"$figures" >tests/lint/shape.tsv
	exit
fi
printf '%s\n' "$figures" | awk -F '\t' '
	BEGIN {
		while ((getline line <"tests/lint/shape.tsv") > 0) { split(line, field, FS); for (i = 2; i <= 5; i++) was[field[1], i] = field[i] }
		printf "%-12s %15s %14s %14s %14s   (in brackets: last release)\n", "room", "lines", "per 1,000", "called once %", "one user %"
	}
	{
		printf "%-12s", $1
		for (i = 2; i <= 5; i++) printf " %6s (%6s)", $i, was[$1, i]
		print ""
	}
	$1 == "all" {
		for (i = 3; i <= 5; i++)
			if ($i > was["all", i]) { print "shape.sh: shape: " $i " instead of " was["all", i] " in column " i; bad = 1 }
	}
	END { exit bad }'
