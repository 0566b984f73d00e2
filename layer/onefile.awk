# onefile.awk: put a header's own includes into it, each once, so that it needs no other file of malitop.
function put(file,    line, name) {
	if (file in seen)
		return
	seen[file] = 1
	while ((getline line < (srcdir "/" file)) > 0 || (getline line < (srcdir "/src/" file)) > 0) {
		if (line ~ /^#include "/) {
			split(line, name, "\"")
			put(name[2])
		} else {
			print line
		}
	}
}
BEGIN { put("layer/malitop.h.in") }
