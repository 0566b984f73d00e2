#include "hot/hot_symbols.h"

#include <libiberty/demangle.h>
#include <stdlib.h>

#define LONGEST 4096 /* of a symbol that is worth it: names of templates grow without bounds */

void hot_demangle(const char *symbol, char *text, size_t size)
{
	bool is_cxx = symbol[0] == '_' && symbol[1] == 'Z' && strlen(symbol) < LONGEST;
	char *found = is_cxx ? cplus_demangle_v3(symbol, DMGL_NO_OPTS) : NULL;

	str_printable(text, size, found ? found : symbol);
	free(found);
}
