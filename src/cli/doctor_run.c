/* The report as a whole, and what takes few lines: CPU counters, files, the terminal. */
#include "cli/doctor.h"

#include "backends/registry.h"
#include "term/term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void check_perf(struct doctor *d)
{
	const struct backend *perf = registry_find(span_of("perf"));
	char paranoid[16];
	unsigned before = d->n;

	if (perf)
		doctor_backend(d, DOCTOR_PERF, perf);
	else
		doctor_add(d, DOCTOR_PERF, DOCTOR_UNSUPPORTED, "perf", NULL,
			   "this build does not count CPU events");
	if (d->n == before)
		doctor_add(d, DOCTOR_PERF, DOCTOR_MISSING, "perf", "use a kernel with CONFIG_PERF_EVENTS",
			   "the kernel was built without perf events");
	if (doctor_read(d, "proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid)))
		doctor_add(d, DOCTOR_PERF, DOCTOR_NOTE, "perf_event_paranoid", NULL, "%s", paranoid);
}

/* ---- the files in /proc and /sys, as the proc backend reads them ---- */

static const struct {
	const char *path, *words, *help;
} files[] = {
	{"proc/stat", "CPU load", "on Android, only adb shell and root may read it"},
	{"proc/meminfo", "memory", NULL},
	{"proc/pressure/cpu", "pressure", "boot with psi=1 on a kernel with CONFIG_PSI"},
};

static void check_files(struct doctor *d)
{
	const struct backend *proc = registry_find(span_of("proc"));
	char text[64];

	if (proc)
		doctor_backend(d, DOCTOR_PROC, proc);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!doctor_read(d, files[i].path, text, sizeof(text)))
			doctor_add(d, DOCTOR_PROC, doctor_state_of(errno), files[i].words, files[i].help,
				   "/%s: %s", files[i].path, strerror(errno));
}

/* ---- the terminal, and how malitop would use it ---- */

static void check_terminal(struct doctor *d)
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

/* ---- the whole ---- */

enum exit_status doctor_run(const struct sys *sys, const struct options *options, struct strbuf *out,
			    struct err *err)
{
	struct doctor d = {.sys = sys, .options = options};
	struct gpudb *db;

	d.db = db = gpudb_load(options->gpudb, options->n_gpudb, err);
	if (!db)
		return EXIT_FAILED;
	if (options->verify) {
		enum exit_status status = doctor_verify(&d, out);

		gpudb_free(db);
		return status;
	}
	doctor_gpu(&d);
	if (!d.gpu_works)
		doctor_driver(&d);
	check_perf(&d);
	check_files(&d);
	check_terminal(&d);
	doctor_print(&d, out);
	free(d.findings);
	gpudb_free(db);
	return d.gpu_works ? EXIT_DONE : EXIT_FAILED;
}
