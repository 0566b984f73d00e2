#!/bin/sh
# includes.sh [TREE]: the rules of the house that a script can check (HACKING.md tells why).
#
# One line per breach on standard output, "FILE:LINE: rule: what is wrong"; exit status 1 if there was one.
LC_ALL=C
export LC_ALL
cd "${1:-${srcdir:-.}}" || exit 2

sources=$(find src backends views tests -name '*.[ch]' 2>/dev/null | sort)
product=$(printf '%s\n' "$sources" | grep -v '^tests/')
[ -n "$product" ] || { echo "includes.sh: no source files under $PWD" >&2; exit 2; }

found=$(mktemp) || exit 2
trap 'rm -f "$found"' EXIT
trap 'exit 2' HUP INT TERM

# Everything below looks at code without comments and strings, but at the same line numbers.
strip='
function strip(line,    out, c, two) {
	out = ""
	for (; line != ""; line = substr(line, 2)) {
		c = substr(line, 1, 1); two = substr(line, 1, 2)
		if (in_comment) { if (two == "*/") { in_comment = 0; line = substr(line, 2); out = out " " } continue }
		if (quote != "") {
			if (c == "\\") line = substr(line, 2)
			else if (c == quote) { quote = ""; out = out c }
			continue
		}
		if (two == "/*") { in_comment = 1; line = substr(line, 2); continue }
		if (two == "//") break
		if (c == "\"" || c == "'\''") quote = c
		out = out c
	}
	quote = ""
	return out
}
FNR == 1 { in_comment = 0; quote = "" }
{ code = /^[ \t]*#[ \t]*include/ ? $0 : strip($0) }
function report(rule, what) { printf "%s:%d: %s: %s\n", FILENAME, FNR, rule, what }
'

# The one arrow: base <- model <- {backends | views} <- app.
awk "$strip"'
BEGIN {
	may["base"] = "base"; may["model"] = "base model"; may["backends"] = "base model backends"
	may["views"] = "base model views"; may["app"] = "base model backends views app"
}
function room_of(path) { sub(/^src\//, "", path); return substr(path, 1, index(path, "/") - 1) }
code ~ /^[ \t]*#[ \t]*include[ \t]*"/ {
	split(code, part, "\"")
	room = room_of(FILENAME); target = substr(part[2], 1, index(part[2], "/") - 1)
	if (part[2] == "config.h")
		next
	if (!(target in may) || part[2] ~ /\.\./)
		report("arrow", "\"" part[2] "\" is not of the form \"room/file.h\"")
	else if (!(room in may))
		report("arrow", "this directory is no room of the house")
	else if (index(" " may[room] " ", " " target " ") == 0)
		report("arrow", room " must not include " target)
}' $product >>"$found"

# only RULE FILES PATTERN WHAT: in the product, only these files may hold a line of code that matches.
only()
{
	awk -v rule="$1" -v files=" $2 " -v pattern="$3" -v what="$4" "$strip"'
	index(files, " " FILENAME " ") == 0 && code ~ pattern { report(rule, what) }' $product >>"$found"
}

include='^[ \t]*#[ \t]*include[ \t]*[<"]'
name='(^|[^A-Za-z0-9_.>])'
call='[ \t]*[(]'
terminal='src/term/term.c src/term/term_caps.c src/term/term_tty.c src/term/term_about.c src/term/term_exit.c src/term/term_priv.h'
only curses 'src/term/term.c src/term/term_caps.c' "$include(n?curses|ncursesw?/n?curses|panelw?|term)[.]h" 'only src/term/term.c and term_caps.c include curses'
only terminal "$terminal" "${include}termios[.]h" 'only src/app/term*.c own the terminal'
only kernel "src/base/sys.c $terminal" "$include(sys/ioctl|sys/mman)[.]h" \
	'only src/base/sys.c makes kernel calls (src/app/term*.c: those of their terminal)'
only kernel 'src/base/sys.c' "$include(sys/timerfd|sys/eventfd|sys/syscall|xf86drm)[.]h" 'only src/base/sys.c makes kernel calls'
only kernel 'src/base/sys.c src/term/term.c' "${name}memfd_create$call" 'only src/term/term.c, for its frames, makes a memory file'
only kernel 'src/base/sys.c' "${name}(mmap|munmap)$call" 'only src/base/sys.c maps memory'
only clock 'src/base/sys.c' "${name}(clock_gettime|gettimeofday|timespec_get|time)$call" 'only src/base/sys.c reads clocks'
only atomics 'src/model/ring.c' "${include}stdatomic[.]h|${name}(__atomic_|__sync_|_Atomic)" 'only src/model/ring.c uses atomics'

# Of ioctls, the terminal needs its size.
awk "$strip"'
FILENAME ~ /^src\/app\/term/ && code ~ /(^|[^A-Za-z0-9_])ioctl[ \t]*\(/ && code !~ /TIOCGWINSZ/ {
	report("kernel", "src/app/term*.c may ask for TIOCGWINSZ, nothing else")
}' $product >>"$found"

# Only the registry names the structs of the backends, which backends.h declares for it; a backend of course defines its own.
backends=$(sed -n 's/^const struct backend backend_\([a-z0-9_]*\).*/\1/p' backends/*.c 2>/dev/null)
for b in $backends; do
	awk -v b="$b" "$strip"'
	FILENAME != "backends/registry.c" && FILENAME != "backends/backends.h" && FILENAME !~ "^backends/" b "(_[a-z0-9_]*)?\\.[ch]$" &&
	code ~ "(^|[^A-Za-z0-9_])backend_" b "([^A-Za-z0-9_]|$)" {
		report("registry", "only backends/registry.c names backend_" b)
	}' $product >>"$found"
done

# Size: files to 500 lines, functions (from brace to brace) to 50.
awk "$strip"'
function done_with(file) { if (lines > 500) printf "%s:%d: size: file of %d lines, at most 500\n", file, lines, lines }
FNR == 1 { if (NR > 1) done_with(previous); start = 0 }
{ previous = FILENAME; lines = FNR }
/^{/ { start = FNR }
/^}/ && start {
	if (FNR - start + 1 > 50) report("size", "function of " FNR - start + 1 " lines, at most 50")
	start = 0
}
END { done_with(previous) }' $(printf '%s\n' "$product" | grep '\.c$') >>"$found"

# Blanks: none at the end of a line; indentation by tabs (neither a blank before the star of a comment
# is one, nor an empty line of a macro).
awk '
/[ \t]$/ { printf "%s:%d: blanks: at the end of the line\n", FILENAME, FNR }
/^ / && !/^ \*/ && !/^ *\\$/ { printf "%s:%d: blanks: indent with tabs\n", FILENAME, FNR }
/\r/ { printf "%s:%d: blanks: carriage return\n", FILENAME, FNR }' $sources >>"$found"

# Leftovers.
grep -nE '(TODO|FIXME|XXX)' $product | sed 's/^\([^:]*:[0-9]*\):.*/\1: leftover: finish it or file it, do not mark it/' >>"$found"

cat "$found"
[ ! -s "$found" ] || exit 1
echo "includes.sh: $(printf '%s\n' "$sources" | wc -l) files keep the rules"
