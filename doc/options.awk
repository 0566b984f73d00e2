# options.awk: write the options of a manual page from the program's own table. make man runs it, and tests/cli/manual.sh compares:
#
#     malitop list options -f csv | awk -f doc/options.awk - doc/malitop.1
#
# The page names the commands that it describes in the line .\" options of. An option's text is generated up to the line .\" more;
# the text after it is written by hand, and stays.
BEGIN {
	while ((getline line < ARGV[2]) > 0)
		if (sub(/^\.\\" options of: /, "", line))
			n_here = split(line, here, " ")
	close(ARGV[2])
}

# The commands of this list that the page describes
function of_page(list,    words, n, i, k, text)
{
	n = split(list, words, " ")
	for (i = 1; i <= n; i++)
		for (k = 1; k <= n_here; k++)
			if (words[i] == here[k])
				text = text (text == "" ? "" : " ") words[i]
	return text
}

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
	few = n_here > 1 && split(f[5], word, " ") <= 3
	text = roff(f[7])
	if (n_here > 1 && (always || few))
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
	f[5] = of_page(f[5])
	if (FNR == 1 || f[5] == "")
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
