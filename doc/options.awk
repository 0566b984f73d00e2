# options.awk: write the options of malitop.1 from the program's own table. make man runs it, and tests/cli/manual.sh compares:
#
#     malitop list options -f csv | awk -f doc/options.awk - doc/malitop.1
#
# An option's text is generated up to the line .\" more; what follows that is written by hand, and stays.

function csv(line, fields,    n, field)
{
	for (n = 0; line != ""; fields[++n] = field)
		if (match(line, /^"([^"]|"")*"(,|$)/)) {
			field = substr(line, 2, RLENGTH - 2)
			sub(/"?,?$/, "", field)
			sub(/"$/, "", field)
			gsub(/""/, "\"", field)
			line = substr(line, RLENGTH + 1)
		} else {
			field = line
			sub(/,.*/, "", field)
			line = substr(line, length(field) + 2)
		}
}

function roff(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/--/, "\\-\\-", text)
	return text
}

# Lines of words, none of which begins with a character that roff would read.
function fold(text,    words, n, i, line, out)
{
	n = split(text, words, " ")
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + length(words[i]) >= 130) {
			out = out line "\n"
			line = ""
		}
		if (line == "" && words[i] ~ /^[.']/)
			words[i] = "\\&" words[i]
		line = line (line == "" ? "" : " ") words[i]
	}
	return out line "\n"
}

# "For record and stat: "
function commands(list,    words, n, i, text)
{
	n = split(list, words, " ")
	for (i = 1; i <= n; i++)
		text = text (i == 1 ? "" : i < n ? ", " : " and ") (words[i] == "live" ? "the live screen" : "\\fB" words[i] "\\fR")
	return "For " text ": "
}

function meaning(f, always,    text, few)
{
	few = split(f[5], word, " ") <= 3
	text = roff(f[7])
	if (always || few)
		text = commands(f[5]) text
	else if (text !~ /^[a-z]+[,:]/)
		text = toupper(substr(text, 1, 1)) substr(text, 2)
	return fold(text "." (f[4] == "" ? "" : " Default: " roff(f[4]) "."))
}

function tag(f,    text, arg)
{
	text = "\\-\\-" f[1]
	arg = f[3] == "" ? "" : substr(f[3], 1, 1) == "[" ? "[=\\fI" substr(f[3], 3, length(f[3]) - 3) "\\fB]" : " \\fI" f[3]
	return ".TP\n.B " (f[2] == "" ? "" : "\\-" f[2] "\\fR, \\fB") text arg "\n"
}

FNR == NR {
	sub(/\r$/, "")
	split("", f)
	csv($0, f)
	if (FNR == 1)
		next
	if (f[1] in made) {
		made[f[1]] = made[f[1]] ".br\n" meaning(f, 1)
		several[f[1]] = 1
		next
	}
	order[++n_options] = f[1]
	made[f[1]] = tag(f) meaning(f, 0)
	next
}

/^\.SH / && inside {
	for (i = 1; i <= n_options; i++)
		printf "%s%s%s", made[order[i]], several[order[i]] && more[order[i]] ? ".br\n" : "", more[order[i]]
	inside = 0
}
/^\.SH OPTIONS/ { inside = 1; name = "" }
inside && /^\.TP/ { name = "?"; writing = 0; next }
inside && name == "?" {
	name = $0
	sub(/.*\\-\\-/, "", name)
	sub(/[^a-z-].*/, "", name)
	next
}
inside && name != "" {
	writing = writing || $0 ~ /^\.\\" more/
	if (writing)
		more[name] = more[name] $0 "\n"
	next
}
{ print }
