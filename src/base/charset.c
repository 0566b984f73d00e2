#include "base/charset.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_utf8;

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
	const char *name = locale_name(), *charset = strchr(name, '.'); /* "de_DE.utf8@euro" */

	is_utf8 =
		charset && (strncasecmp(charset, ".UTF-8", 6) == 0 || strncasecmp(charset, ".UTF8", 5) == 0);
	/* Not LC_NUMERIC: numbers keep their decimal point. */
	if (!charset && setlocale(LC_CTYPE, ""))
		is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool charset_is_utf8(void)
{
	return is_utf8;
}
