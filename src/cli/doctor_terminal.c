/* The terminal, and how malitop would use it. */
#include "cli/doctor.h"

#include "term/term.h"

void doctor_terminal(struct doctor *d)
{
	struct term_about about;

	term_about(&about);
	doctor_add(d, DOCTOR_TERMINAL, about.name[0] ? DOCTOR_NOTE : DOCTOR_MISSING, "TERM",
		   about.name[0] ? NULL : "export TERM=xterm", "%s", about.name[0] ? about.name : "not set");
	if (about.is_terminal)
		doctor_add(d, DOCTOR_TERMINAL,
			   about.cols < 80 || about.rows < 24 ? DOCTOR_LIMITED : DOCTOR_OK, "size",
			   about.cols < 40 || about.rows < 10 ? "enlarge it to at least 40x10, better 80x24"
							      : NULL,
			   "%dx%d", about.cols, about.rows);
	else
		doctor_add(
			d, DOCTOR_TERMINAL, DOCTOR_NOTE, "standard input and output", NULL,
			"not both are terminals here: the live screen needs that, --once and record do not");
	if (about.error.text[0])
		doctor_add(d, DOCTOR_TERMINAL, DOCTOR_UNSUPPORTED, "terminfo", NULL, "%s", about.error.text);
	if (about.note)
		doctor_add(d, DOCTOR_TERMINAL, DOCTOR_LIMITED, "terminfo",
			   "reinstall ncurses-base, or unset TERMINFO", "%s", about.note);
	doctor_add(d, DOCTOR_TERMINAL, about.utf8 ? DOCTOR_OK : DOCTOR_LIMITED, "characters",
		   about.utf8_locale ? NULL : "export LC_ALL=C.UTF-8", "%s",
		   about.utf8          ? "UTF-8: bars and strips of block and braille characters"
		   : about.utf8_locale ? "ASCII: this kind of terminal shows no other characters"
				       : "ASCII: the locale is not UTF-8");
	if (!about.error.text[0])
		doctor_add(d, DOCTOR_TERMINAL, DOCTOR_NOTE, "colours", NULL, "%s", about.colors);
}
