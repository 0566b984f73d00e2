#include "cli/doctor.h"

#include "backends/registry.h"
#include "base/json.h"
#include "base/alloc.h"
#include "term/term.h"
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 80
#define INDENT 14 /* column of the words */

static const char *const area_names[DOCTOR_AREAS] = {
	[DOCTOR_GPU] = "gpu", [DOCTOR_PERF] = "perf", [DOCTOR_PROC] = "proc", [DOCTOR_TERMINAL] = "terminal"};
static const char *const area_titles[DOCTOR_AREAS] = {[DOCTOR_GPU] = "GPU",
						      [DOCTOR_PERF] = "CPU counters (perf events)",
						      [DOCTOR_PROC] = "CPU and system files (/proc, /sys)",
						      [DOCTOR_TERMINAL] = "Terminal"};
static const char *const state_names[DOCTOR_STATES] = {
	[DOCTOR_OK] = "ok",           [DOCTOR_NOTE] = "note",       [DOCTOR_LIMITED] = "limited",
	[DOCTOR_REFUSED] = "refused", [DOCTOR_MISSING] = "missing", [DOCTOR_UNSUPPORTED] = "unsupported",
};

static void fill_help(struct doctor_finding *f, const char *help)
{
	AUTO_STRBUF struct strbuf text = {0};

	for (; *help; help++) {
		if (strncmp(help, "{}", 2) == 0) {
			strbuf_str(&text, f->thing);
			help++;
		} else {
			strbuf_add(&text, help, 1);
		}
	}
	str_printable(f->help, sizeof(f->help), text.n ? text.p : "");
}

void doctor_add(struct doctor *d, enum doctor_area area, enum doctor_state state, const char *thing,
		const char *help, const char *fmt, ...)
{
	struct doctor_finding *f;
	char words[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	GROW(d->findings, d->n, d->cap);
	f = &d->findings[d->n++];
	*f = (struct doctor_finding){.area = area, .state = state};
	str_printable(f->thing, sizeof(f->thing), thing);
	fill_help(f, help ? help : "");
	str_printable(f->words, sizeof(f->words), words);
}

enum doctor_state doctor_state_of(int code)
{
	static const struct {
		int code;
		enum doctor_state state;
	} states[] = {
		{EACCES, DOCTOR_REFUSED},     {EPERM, DOCTOR_REFUSED},       {EBUSY, DOCTOR_REFUSED},
		{ENOENT, DOCTOR_MISSING},     {ENODEV, DOCTOR_MISSING},      {ENXIO, DOCTOR_MISSING},
		{ENOSYS, DOCTOR_MISSING},     {ENOTSUP, DOCTOR_UNSUPPORTED}, {EPROTO, DOCTOR_UNSUPPORTED},
		{ENOTTY, DOCTOR_UNSUPPORTED},
	};

	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (states[i].code == code)
			return states[i].state;
	return DOCTOR_LIMITED;
}

/* Read the first line of a small file, made printable. Returns false and sets errno if it cannot be
 * read. */
static bool read_line(const struct doctor *d, const char *path, char *text, size_t size)
{
	AUTOFREE char *raw = xmalloc(size);

	text[0] = 0;
	if (sys_read_file(d->sys, path, raw, size) < 0)
		return false;
	raw[strcspn(raw, "\n")] = 0;
	str_printable(text, size, raw);
	return true;
}

/* ---- printing ---- */

static void print_text(const struct doctor *d, struct strbuf *out)
{
	for (unsigned i = 0; i < d->n; i++) {
		const struct doctor_finding *f = &d->findings[i];
		AUTOFREE char *line = xasprintf("%s: %s", f->thing, f->words);

		if (!i || f->area != d->findings[i - 1].area)
			strbuf_printf(out, "%s%s\n", i ? "\n" : "", area_titles[f->area]);
		strbuf_printf(out, " %-*s", INDENT - 1, f->state == DOCTOR_NOTE ? "" : state_names[f->state]);
		strbuf_wrap(out, INDENT, INDENT, WIDTH, line);
		if (f->help[0]) {
			strbuf_printf(out, "%*s", INDENT, "-> ");
			strbuf_wrap(out, INDENT, INDENT, WIDTH, f->help);
		}
	}
	strbuf_printf(
		out, "\n%s\n",
		d->gpu_works
			? "A GPU can be measured: start malitop."
			: "No GPU of this machine can be measured. `malitop --demo` shows a simulated one.");
}

static void print_jsonl(const struct doctor *d, struct strbuf *out)
{
	for (unsigned i = 0; i < d->n; i++) {
		const struct doctor_finding *f = &d->findings[i];

		json_put(out, "{\"area\":%s,\"state\":%s,\"thing\":%s,\"words\":%s,\"help\":%s}\n",
			 area_names[f->area], state_names[f->state], f->thing, f->words, f->help);
	}
	strbuf_printf(out, "{\"malitop\":\"%s\",\"gpu_works\":%s}\n", PACKAGE_VERSION,
		      d->gpu_works ? "true" : "false");
}

/* ---- drivers ---- */

static const struct {
	const char *module, *words;
} modules[] = {
	{"mali_kbase", "Arm's own driver"},
	{"bifrost_kbase", "Arm's own driver, under the name that some vendors use"},
	{"mali", "Arm's own driver, or the one for the older Mali-400 series, which has no such counters"},
	{"panfrost", "Mesa's driver for Midgard, Bifrost and job-manager Valhall GPUs"},
	{"panthor", "Mesa's driver for Valhall GPUs with a command stream front end, and later ones"},
	{"lima", "a driver for the Mali-400 series, which has no such counters"},
};

/* GPUs in the device tree by their `compatible`, and the module that drives them. */
static const struct {
	const char *compatible, *help;
} compatibles[] = {
	{"arm,mali-valhall-csf", "sudo modprobe panthor (Linux 6.10 or later), or load mali_kbase, Arm's "
				 "driver, if the vendor ships it"},
	{"arm,mali-", "sudo modprobe panfrost, or load mali_kbase, Arm's driver, if the vendor ships it"},
};

static bool is_loaded(const struct doctor *d, const char *module)
{
	char path[64];
	char **names;
	int n;

	snprintf(path, sizeof(path), "sys/module/%s", module);
	n = d->sys->list(d->sys, path, &names);
	sys_names_free(names, n);
	return n >= 0;
}

static void check_modules(struct doctor *d, bool has_node)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(modules); i++)
		if (is_loaded(d, modules[i].module)) {
			doctor_add(d, DOCTOR_GPU, DOCTOR_NOTE, modules[i].module, NULL, "loaded: %s",
				   modules[i].words);
			n++;
		}
	if (!n && !has_node)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "driver", NULL,
			   "no driver for a Mali GPU is loaded");
}

/* A GPU in the device tree may only need a modprobe. */
static bool check_platform(struct doctor *d)
{
	char **names;
	int n = d->sys->list(d->sys, "sys/bus/platform/devices", &names);
	bool found = false;

	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = xasprintf("sys/bus/platform/devices/%s/of_node/compatible", names[i]);
		char text[128];

		if (!read_line(d, path, text, sizeof(text)))
			continue;
		for (size_t c = 0; c < ARRAY_LEN(compatibles); c++) {
			if (!strstr(text, compatibles[c].compatible))
				continue;
			doctor_add(d, DOCTOR_GPU, DOCTOR_NOTE, names[i], compatibles[c].help,
				   "a GPU in the device tree: %s", text);
			found = true;
			break;
		}
	}
	sys_names_free(names, n);
	return found;
}

/* Device nodes of Mesa's drivers, which this build has no backend for. */
static bool check_nodes(struct doctor *d, const struct registry_driver *of)
{
	char **names;
	int n = d->sys->list(d->sys, of->dir, &names);
	bool found = false;

	for (int i = 0; i < n; i++) {
		AUTOFREE char *node = xasprintf("/%s/%s", of->dir, names[i]);
		char driver[32];

		if (!registry_is_node(d->sys, of, names[i], driver, sizeof(driver)) || !driver[0] ||
		    registry_driver_backend(of, driver))
			continue;
		doctor_add(d, DOCTOR_GPU, DOCTOR_UNSUPPORTED, node, NULL,
			   "driver %s: this build has no backend for it", driver);
		found = true;
	}
	sys_names_free(names, n);
	return found;
}

/* If no GPU could be measured: which drivers and GPUs the kernel knows. */
static void check_driver(struct doctor *d)
{
	bool any = d->n > 0; /* there is a node, and a finding why it cannot be used */

	for (const struct registry_driver *of = registry_drivers; of->driver; of++)
		any |= of->modules && check_nodes(d, of);
	if (!any)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "/dev/mali0", NULL,
			   "no device node of Arm's driver");
	check_modules(d, any);
	if (!check_platform(d) && !any)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "GPU", "malitop --demo shows a simulated one",
			   "no Mali GPU in the device tree");
}

/* ---- CPU counters, files, the terminal ---- */

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
	if (read_line(d, "proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid)))
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
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (!read_line(d, files[i].path, text, sizeof(text)))
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
		doctor_add(d, DOCTOR_TERMINAL, DOCTOR_NOTE, "standard input and output", NULL,
			   "one or both are not terminals: the live screen needs both, --once and record do "
			   "not");
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
	doctor_gpu(&d);
	if (!d.gpu_works)
		check_driver(&d);
	check_perf(&d);
	check_files(&d);
	check_terminal(&d);
	(options->format == FORMAT_JSONL ? print_jsonl : print_text)(&d, out);
	free(d.findings);
	gpudb_free(db);
	return d.gpu_works ? EXIT_DONE : EXIT_FAILED;
}
