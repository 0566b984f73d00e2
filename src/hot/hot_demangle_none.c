/* A build without libiberty shows the symbols of C++ as they are; c++filt reads them. */
#include "hot/hot_symbols.h"

bool hot_demangle(const char *symbol, char *text, size_t size)
{
	str_printable(text, size, symbol);
	return true;
}
