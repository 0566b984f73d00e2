#!/bin/sh
# includes.sh [TREE]: the rules of HACKING.md that a script can check.
#
# Prints one line per breach, "FILE:LINE: rule: what is wrong"; the exit status is 1 if there is one. Large files and functions are
# no breach: they are listed, as questions for a review.
LC_ALL=C
export LC_ALL
cd "${1:-${srcdir:-.}}" || exit 2

sources=$(find src backends views layer tests -name '*.[ch]' 2>/dev/null | sort)
product=$(printf '%s\n' "$sources" | grep -v '^tests/')
program=$(printf '%s\n' "$product" | grep -v '^layer/')
[ -n "$product" ] || { echo "includes.sh: no source files under $PWD" >&2; exit 2; }

found=$(mktemp) || exit 2
trap 'rm -f "$found"' EXIT
trap 'exit 2' HUP INT TERM

# Strip comments and strings, keeping line numbers.
strip='
function strip(line,    out, token) {
	for (out = ""; line != "";) {
		if (in_comment) {
			if (!index(line, "*/"))
				break
			in_comment = 0; out = out " "; line = substr(line, index(line, "*/") + 2)
			continue
		}
		if (!match(line, /["'\'']|\/[*\/]/)) { out = out line; break }
		token = substr(line, RSTART, RLENGTH)
		out = out substr(line, 1, RSTART - 1); line = substr(line, RSTART + RLENGTH)
		if (token == "//") break
		if (token == "/*") { in_comment = 1; continue }
		out = out token
		if (!(token == "\"" ? match(line, /^([^"\\]|\\.)*"/) : match(line, /^([^'\''\\]|\\.)*'\''/)))
			break
		out = out token; line = substr(line, RLENGTH + 1)
	}
	return out
}
FNR == 1 { in_comment = 0 }
{ code = /^[ \t]*#[ \t]*include/ ? $0 : strip($0) }
function report(rule, what) { printf "%s:%d: %s: %s\n", FILENAME, FNR, rule, what }
'

# Rooms: each may include itself and those before it in `order`; views never include backends.
# A folder of backends/ may include its own files, backends/*.h, and the shared folders before it in `shared`; a backend all of these.
awk "$strip"'
BEGIN {
	n = split("base model passes hot mlog backends views term options session export record report serve tui cli layer", order, " ")
	for (i = 1; i <= n; i++)
		rank[order[i]] = i
	n = split("cpu gpu drm process", shared, " ")
	for (i = 1; i <= n; i++)
		rank_shared[shared[i]] = i
}
function room_of(path) { sub(/^src\//, "", path); return substr(path, 1, index(path, "/") - 1) }
# "kbase" for backends/kbase/kbase.h, "" outside such folders
function folder_of(path) { return path ~ /^backends\/[a-z0-9]+\// ? substr(path, 10, index(substr(path, 10), "/") - 1) : "" }
code ~ /^[ \t]*#[ \t]*include[ \t]*"/ {
	split(code, part, "\"")
	room = room_of(FILENAME); target = substr(part[2], 1, index(part[2], "/") - 1)
	from = folder_of(FILENAME); to = folder_of(part[2])
	if (part[2] == "config.h")
		next
	if (!(target in rank) || part[2] ~ /\.\./)
		report("arrow", "\"" part[2] "\" is not of the form \"room/file.h\"")
	else if (!(room in rank))
		report("arrow", "this directory is no room of the house")
	else if (room == "layer" && target != "layer" && part[2] != "passes/passes.h")
		report("arrow", "layer is a part of other programs: it may include layer/ and passes/passes.h")
	else if (rank[target] > rank[room] || room == "views" && target == "backends" || room == "tui" && target == "serve")
		report("arrow", room " must not include " target)
	else if (from != to && to != "" && room == "backends" &&
		 (!(to in rank_shared) || from in rank_shared && rank_shared[to] > rank_shared[from]))
		report("arrow", "backends/" from " must not include backends/" to)
}' $product >>"$found"

# only RULE FILES PATTERN WHAT: in the program, only these files may have a line of code that matches.
only()
{
	awk -v rule="$1" -v files=" $2 " -v pattern="$3" -v what="$4" "$strip"'
	index(files, " " FILENAME " ") == 0 && code ~ pattern { report(rule, what) }' $program >>"$found"
}

include='^[ \t]*#[ \t]*include[ \t]*[<"]'
name='(^|[^A-Za-z0-9_.>])'
call='[ \t]*[(]'
terminal='src/term/term.c src/term/term_caps.c src/term/term_tty.c src/term/term_exit.c src/term/term_priv.h'
only curses 'src/term/term_caps.c src/term/term_entry.c' "$include(n?curses|ncursesw?/n?curses|panelw?|term)[.]h" 'only src/term/term_caps.c and term_entry.c include curses'
only terminal "$terminal" "${include}termios[.]h" 'only src/term owns the terminal'
only kernel "src/base/sys.c src/base/sys_socket.c $terminal" "$include(sys/ioctl|sys/mman)[.]h" \
	'only src/base/sys.c makes kernel calls (src/term/: those of their terminal)'
only kernel 'src/base/sys.c src/base/sys_privilege.c' "$include(sys/timerfd|sys/eventfd|sys/syscall)[.]h" \
	'only src/base/sys.c makes kernel calls (sys_privilege.c: what gives up privileges)'
only kernel 'src/base/sys_privilege.c' "${include}sys/prctl[.]h" 'only src/base/sys_privilege.c changes privileges'
only kernel 'src/base/sys_drm.c' "${include}xf86drm[.]h" 'only src/base/sys_drm.c calls libdrm'
only kernel 'src/serve/serve_http.c' "${include}microhttpd[.]h" 'only src/serve/serve_http.c includes microhttpd'
only kernel 'src/base/sys.c' "${name}memfd_create$call" 'only src/base/sys.c makes a memory file'
only kernel 'src/base/sys_socket.c src/record/command.c' "${include}sys/(socket|un)[.]h" 'only src/base/sys_socket.c uses sockets (src/record/command.c: those of its command)'
only kernel 'src/base/sys.c src/base/sys_socket.c' "${name}(mmap|munmap)$call" 'only src/base/sys.c maps memory'
only clock 'src/base/sys.c' "${name}(clock_gettime|gettimeofday|timespec_get|time)$call" 'only src/base/sys.c reads clocks'
only mathematics 'src/base/real.h' "$name(fmin|fmax|l?l?round|pow|exp|log|log2|log10|sqrt|fmod)f?$call" 'src/base/real.h has what does without libm'
only messages 'src/base/message.c src/base/alloc.c' '(^|[^A-Za-z0-9_])(stderr|perror)([^A-Za-z0-9_]|$)' \
	'messages go through message()'
only threads 'src/base/thread.c' "${name}(pthread_create|thrd_create)$call" 'only src/base/thread.c starts threads, with the right signals blocked'
only atomics 'backends/cpu/tracepoint.c backends/perf/sampling_ring.c src/model/ring.c src/passes/passes.h' "${include}stdatomic[.]h|${name}(__atomic_|__sync_|_Atomic)" 'only the rings of perf_event, src/model/ring.c and passes.h use atomics'

# The only ioctl that the terminal needs is its size.
awk "$strip"'
FILENAME ~ /^src\/term\// && code ~ /(^|[^A-Za-z0-9_])ioctl[ \t]*\(/ && code !~ /TIOCGWINSZ/ {
	report("kernel", "src/term/ may ask for TIOCGWINSZ, nothing else")
}' $product >>"$found"

# Only the registry names the structs of the backends, which backends.h declares; a backend defines its own struct and its parts.
backends=$(sed -n 's/^const struct backend backend_\([a-z0-9_]*\).*/\1/p' backends/*.c backends/*/*.c 2>/dev/null)
for b in $backends; do
	awk -v b="$b" -v room="${b%%_*}" "$strip"'
	FILENAME != "backends/registry.c" && FILENAME != "backends/backends.h" && FILENAME !~ "^backends/(" room "/)?" room "(_[a-z0-9_]*)?\\.[ch]$" &&
	code ~ "(^|[^A-Za-z0-9_])backend_" b "([^A-Za-z0-9_]|$)" {
		report("registry", "only backends/registry.c names backend_" b)
	}' $product >>"$found"
done

# A header includes what its types need: not every C library defines them in <stdio.h> or <signal.h>.
awk "$strip"'
function done_with(file) { if (line && !has) printf "%s:%d: types: uses %s without <sys/types.h>\n", file, line, type }
FNR == 1 { if (NR > 1) done_with(previous); line = has = 0 }
{ previous = FILENAME }
/^#include <sys\/types\.h>/ { has = 1 }
!line && match(code, /(^|[^A-Za-z0-9_])(pid_t|ssize_t|off_t|uid_t|gid_t|mode_t)([^A-Za-z0-9_]|$)/) {
	line = FNR; type = substr(code, RSTART, RLENGTH); gsub(/[^a-z_]/, "", type)
}
END { done_with(previous) }' $(printf '%s\n' "$sources" | grep '\.h$') >>"$found"

# One meaning per tag: a struct, union or enum is defined in one file of the product and the tests.
awk "$strip"'
match(code, /(^|[ \t(])(struct|union|enum)[ \t]+[a-z_0-9]+[ \t]*[{]/) {
	tag = substr(code, RSTART, RLENGTH)
	sub(/^[ \t(]*(struct|union|enum)[ \t]+/, "", tag); sub(/[ \t]*[{]$/, "", tag)
	if (tag in defined && defined[tag] != FILENAME)
		report("tag", "\"" tag "\" is also defined in " defined[tag])
	defined[tag] = FILENAME
}' $sources >>"$found"

# A static function carries a noun: `take_sample`. In the product its name has two words at least; the tests may name a value by
# one word, but not a deed.
deeds=$(echo add answer ask begin build call check clean collect command compare compile convert count cut decode drain \
	draw drop dump end enter eval evaluate expect feed fill find finish flush fold follow give go grow hang hold \
	jump keep leave list load lock look loop lose make measure must next parse pass pick prepare press print \
	produce pump push put record release report reset resize resolve restore run sample say send settle show \
	simulate start step stop sum take tell touch turn type unload unlock unpack use walk)
awk -v verbs=" $deeds " "$strip"'
/^static / && match(code, /[ *][a-z0-9]+[(]/) && code !~ /=|;$/ {
	name = substr(code, RSTART + 1, RLENGTH - 2)
	if (FILENAME !~ /^tests\// || index(verbs, " " name " "))
		report("noun", "the static function \"" name "\" needs a noun in its name")
}' $sources >>"$found"

# Size: is a file over 500 lines, or a function (from brace to brace) over 50, one thing?
awk "$strip"'
function done_with(file) { if (lines > 500) printf "%s:%d: size: file of %d lines: is it one thing?\n", file, lines, lines }
FNR == 1 { if (NR > 1) done_with(previous); start = 0 }
{ previous = FILENAME; lines = FNR }
/^{/ { start = FNR }
/^}/ && start {
	if (FNR - start + 1 > 50) report("size", "function of " FNR - start + 1 " lines: is it one thought?")
	start = 0
}
END { done_with(previous) }' $(printf '%s\n' "$product" | grep '\.c$')

# Width: lines to 110 columns, comments of their own to 100, in characters, with tabs of 8. (LC_ALL=C counts bytes, so a byte that
# continues a UTF-8 character is not counted.)
awk "$strip"'
{
	line = $0; gsub(/[\200-\277]/, "", line)
	for (wide = ""; (i = index(line, "\t")); line = substr(line, i + 1)) {
		wide = wide substr(line, 1, i - 1)
		wide = wide substr("        ", length(wide) % 8 + 1)
	}
	n = length(wide line); most = code ~ /^[ \t]*$/ ? 100 : 110
	if (n > most) report("width", n " columns, at most " most)
}' $sources >>"$found"

# Blanks: none at the end of a line; indentation by tabs (except before the star of a comment, and in an empty line of a macro).
awk '
/[ \t]$/ { printf "%s:%d: blanks: at the end of the line\n", FILENAME, FNR }
/^ / && !/^ \*/ && !/^ *\\$/ { printf "%s:%d: blanks: indent with tabs\n", FILENAME, FNR }
/\r/ { printf "%s:%d: blanks: carriage return\n", FILENAME, FNR }' $sources >>"$found"

# Leftovers.
grep -nE '(TODO|FIXME|XXX)' $product | sed 's/^\([^:]*:[0-9]*\):.*/\1: leftover: finish it or file it, do not mark it/' >>"$found"

cat "$found"
[ ! -s "$found" ] || exit 1
echo "includes.sh: $(printf '%s\n' "$sources" | wc -l) files keep the rules"
