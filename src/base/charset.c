#include "base/charset.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static bool is_utf8;

static const char *locale_name(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *name = NULL;

	for (unsigned i = 0; i < 3 && (!name || !name[0]); i++)
		name = getenv(variables[i]);
	return name ? name : "";
}

/* As the C libraries compare it: without case, '-' and '_', up to "@euro". */
static bool names_utf8(const char *charset)
{
	const char *want = "utf8";

	for (; *charset && *charset != '@'; charset++) {
		if (*charset == '-' || *charset == '_')
			continue;
		if (!*want || (*charset | ('a' ^ 'A')) != *want)
			return false;
		want++;
	}
	return !*want;
}

void charset_init(void)
{
	const char *name = locale_name(), *charset = strchr(name, '.'); /* "de_DE.utf8@euro" */

	/* A Mac's ssh sends the charset alone. */
	is_utf8 = names_utf8(charset ? charset + 1 : name);
	/* Not LC_NUMERIC: numbers keep their decimal point. */
	if (!is_utf8 && !charset && setlocale(LC_CTYPE, ""))
		is_utf8 = names_utf8(nl_langinfo(CODESET));
}

bool charset_is_utf8(void)
{
	return is_utf8;
}
