#include "base/charset.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static bool is_utf8_by_name; /* the C library has no such locale */

/* "de_DE.utf8@euro" */
static bool names_utf8(const char *locale)
{
	const char *charset = strchr(locale, '.');

	return charset && (strncasecmp(charset, ".UTF-8", 6) == 0 || strncasecmp(charset, ".UTF8", 5) == 0);
}

static const char *locale_name(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *name = NULL;

	for (unsigned i = 0; i < 3 && (!name || !name[0]); i++)
		name = getenv(variables[i]);
	return name ? name : "";
}

void charset_init(void)
{
	is_utf8_by_name = false;
	if (setlocale(LC_CTYPE, "")) /* not LC_NUMERIC: numbers keep their decimal point */
		return;
	is_utf8_by_name = names_utf8(locale_name()) && !setlocale(LC_CTYPE, "C.UTF-8");
}

bool charset_is_utf8(void)
{
	return is_utf8_by_name || strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool charset_has_width(uint32_t ch, int width)
{
	return ch >= 0xa0 && ch < 0x110000 && (is_utf8_by_name || wcwidth((wchar_t)ch) == width);
}
