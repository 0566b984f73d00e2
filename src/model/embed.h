/* embed: the shipped data files, byte for byte, inside the binary. */
#ifndef MALITOP_EMBED_H
#define MALITOP_EMBED_H

#include "base/str.h"

struct embedded {
	const char *file;
	const char *begin, *end;
};

/* In reading order; ends with a NULL file. */
extern const struct embedded embedded_data[];

/* EMBED(symbol, "path") puts a file into the read-only data. The assembler finds the path through
 * its -I. */
#define EMBED(symbol, path)                                                                   \
	__asm__(".pushsection embedded, \"a\"\n"                                              \
		".hidden embed_" #symbol "\n.global embed_" #symbol "\n"                      \
		".hidden embed_" #symbol "_end\n.global embed_" #symbol "_end\n"              \
		"embed_" #symbol ":\n.incbin \"" path "\"\nembed_" #symbol "_end:\n.byte 0\n" \
		".popsection\n");                                                             \
	extern const char embed_##symbol[], embed_##symbol##_end[]

#endif
