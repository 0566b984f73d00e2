/* charset: whether text is UTF-8, also where the C library does not have the user's locale.
 *
 * A board often lacks the locale that SSH brings along from the user's terminal, and a static
 * binary has none at all. What matters of it is its charset, and its name tells that.
 */
#ifndef MALITOP_CHARSET_H
#define MALITOP_CHARSET_H

#include <stdbool.h>
#include <stdint.h>

/* Read the environment; call this once, at the start. Without it the C library's locale counts. */
void charset_init(void);
bool charset_is_utf8(void);
/* Whether a character, not ASCII, takes up `width` columns as far as the C library knows. */
bool charset_has_width(uint32_t ch, int width);

#endif
