/* charset: whether text is UTF-8, also where the C library does not have the user's locale.
 *
 * A board often lacks the locale that SSH brings along from the user's terminal, and a static
 * binary has none at all. Only the charset of it matters, and its name contains that, without the
 * 150 KB of a locale. The C library is only asked about names without a charset.
 */
#ifndef MALITOP_CHARSET_H
#define MALITOP_CHARSET_H

#include <stdbool.h>

/* Read the environment; call this once, at the start. Before it nothing is UTF-8. */
void charset_init(void);
bool charset_is_utf8(void);

#endif
