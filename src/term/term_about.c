/* The terminal as doctor reports it. */
#include "term/term_priv.h"
#include "base/charset.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *term_note(void)
{
	return caps_note();
}

void term_about(struct term_about *about)
{
	static const char *const colors[] = {[DEPTH_MONO] = "none: bold and reverse",
					     [DEPTH_8] = "8",
					     [DEPTH_16] = "16",
					     [DEPTH_256] = "256"};
	const char *name = getenv("TERM");
	struct winsize size = {0};

	*about = (struct term_about){.utf8_locale = charset_is_utf8()};
	str_printable(about->name, sizeof(about->name), name ? name : "");
	about->is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	about->utf8 = about->utf8_locale && about->name[0] && term_kind(about->name)->glyphs;
	if (!caps_open(STDOUT_FILENO, &about->error))
		return;
	about->colors = colors[caps_depth(COLOR_AUTO)];
	about->note = caps_note();
	caps_size(&about->cols, &about->rows);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		about->cols = size.ws_col;
		about->rows = size.ws_row;
	}
	caps_close();
}
