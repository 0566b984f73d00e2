/* Whether text is UTF-8 follows from the locale's name where the C library does not have it. */
#include "base/charset.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdlib.h>

static void set_environment(const char *all, const char *ctype, const char *lang)
{
	setenv("LOCPATH", "/nonexistent", 1); /* as on a board without any locale */
	setenv("LC_ALL", all, 1);
	setenv("LC_CTYPE", ctype, 1);
	setenv("LANG", lang, 1);
	charset_init();
}

TEST(name_of_a_missing_locale_tells_its_charset)
{
	static const struct {
		const char *all, *ctype, *lang;
		bool utf8;
	} cases[] = {
		{"de_DE.UTF-8", "", "", true},
		{"de_DE.utf8@euro", "", "", true},
		{"C.UTF-8", "C", "C", true},
		{"", "en_GB.UTF-8", "C", true},
		{"", "", "xx_YY.utf8", true},
		{"", "", "", false},
		{"C", "", "de_DE.UTF-8", false}, /* the first that is set counts */
		{"de_DE", "", "de_DE.UTF-8", false},
		{"de_DE.ISO-8859-1", "", "", false},
		{"", "UTF-8", "", true}, /* what ssh from a Mac sends */
		{"", "UTF-8", "C", true},
		{"UTF-8", "", "", true},
		{"", "", "utf8", true},
		{"C", "UTF-8", "", false},
		{"", "C", "UTF-8", false},
		{"", "", "C.utf8", true}, /* glibc and musl */
		{"", "", "C.UTF-8", true},
		{"", "en_US.utf8", "", true},
		{"", "en_US.UTF-8", "", true},
		{"UTF-16", "", "", false},
		{"en_US.UTF-80", "", "", false},
		{"en_US.UTF", "", "", false},
		{"en_US.", "", "", false},
		{"POSIX", "", "", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		set_environment(cases[i].all, cases[i].ctype, cases[i].lang);
		if (charset_is_utf8() != cases[i].utf8)
			fail_msg("LC_ALL=%s LC_CTYPE=%s LANG=%s is taken for %s", cases[i].all,
				 cases[i].ctype, cases[i].lang, cases[i].utf8 ? "ASCII" : "UTF-8");
	}
}
