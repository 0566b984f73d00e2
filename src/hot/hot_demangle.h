/* hot_demangle: the name of a C++ function as its author wrote it, without its parameters. */
#ifndef MALITOP_HOT_DEMANGLE_H
#define MALITOP_HOT_DEMANGLE_H

#include <stddef.h>

/* Copy a symbol, demangled if this build can (libiberty), printable. */
void hot_demangle(const char *symbol, char *text, size_t size);

#endif
