#include "app/options_table.h"

#include "base/alloc.h"
#include "base/units.h"
#include "views/canvas.h"
#include "views/chart.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define CPU_MAX 4095

/* ---- kinds of values ---- */

/* "a, b or c" */
static char *join_choices(char *buf, size_t size, const char *const *choices)
{
	size_t n = 0;

	buf[0] = 0;
	for (unsigned i = 0; choices[i] && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", !i ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
	return buf;
}

static bool parse_choice(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	char names[400];

	(void)options;
	for (unsigned i = 0; row->choices[i]; i++)
		if (strcmp(text, row->choices[i]) == 0) {
			*(unsigned *)value = i;
			return true;
		}
	return err_set(err, 0, "unknown '%.40s': expected %s", text, join_choices(names, sizeof(names), row->choices));
}

static void print_choice(const struct option_row *row, const void *value, struct strbuf *out)
{
	strbuf_str(out, row->choices[*(const unsigned *)value]);
}

static bool parse_text(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	char names[400];
	bool known = !row->choices;

	(void)options;
	if (!*text)
		return err_set(err, 0, "empty: expected %s", row->arg);
	for (unsigned i = 0; !known && row->choices[i]; i++)
		known = strcmp(text, row->choices[i]) == 0;
	if (!known)
		return err_set(err, 0, "unknown '%.40s': expected %s", text, join_choices(names, sizeof(names), row->choices));
	if (row->check && !row->check(text, err))
		return false;
	*(const char **)value = text;
	return true;
}

static void print_text(const struct option_row *row, const void *value, struct strbuf *out)
{
	const char *text = *(const char *const *)value;

	(void)row;
	if (text)
		strbuf_str(out, text);
}

static bool parse_flag(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	(void)row, (void)options;
	*(bool *)value = strcmp(text, "yes") == 0;
	return *(bool *)value || strcmp(text, "no") == 0 || err_set(err, 0, "unknown '%.40s': expected yes or no", text);
}

static void print_flag(const struct option_row *row, const void *value, struct strbuf *out)
{
	(void)row;
	strbuf_str(out, *(const bool *)value ? "yes" : "no");
}

static bool parse_time(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	(void)options;
	return time_parse(text, (int64_t)row->min, (int64_t)row->max, value, err);
}

static void print_time(const struct option_row *row, const void *value, struct strbuf *out)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = {{60000000000, "m"}, {1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	int64_t ns = *(const int64_t *)value;

	(void)row;
	for (size_t i = 0; ns && i < ARRAY_LEN(units); i++)
		if (ns % units[i].ns == 0) {
			strbuf_printf(out, "%lld%s", (long long)(ns / units[i].ns), units[i].name);
			return;
		}
}

static bool is_digits(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]))
			return false;
	return s.n != 0;
}

static bool parse_count(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	struct span s = span_of(text);
	uint64_t v;

	(void)options;
	if (!is_digits(s) || !span_u64(s, &v) || v < (uint64_t)row->min || v > (uint64_t)row->max)
		return err_set(err, 0, "'%.40s' is not a whole number from %.0f to %.0f", text, row->min, row->max);
	*(unsigned *)value = (unsigned)v;
	return true;
}

static void print_count(const struct option_row *row, const void *value, struct strbuf *out)
{
	(void)row;
	strbuf_printf(out, "%u", *(const unsigned *)value);
}

static bool parse_seed(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	(void)row, (void)options;
	if (is_digits(span_of(text)) && span_u64(span_of(text), value))
		return true;
	return err_set(err, 0, "'%.40s' is not a whole number from 0 to %llu", text, (unsigned long long)UINT64_MAX);
}

static void print_seed(const struct option_row *row, const void *value, struct strbuf *out)
{
	(void)row;
	strbuf_printf(out, "%llu", (unsigned long long)*(const uint64_t *)value);
}

static bool parse_real(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	double v;

	(void)options;
	if (!span_double(span_of(text), &v) || !(v >= row->min && v <= row->max))
		return err_set(err, 0, "'%.40s' is not a number from %g to %g", text, row->min, row->max);
	*(double *)value = v;
	return true;
}

static void print_real(const struct option_row *row, const void *value, struct strbuf *out)
{
	(void)row;
	strbuf_printf(out, "%.10g", *(const double *)value);
}

static bool parse_dimensions(const struct option_row *row, const char *text, void *value, struct options *options,
			     struct err *err)
{
	struct span rest = span_of(text), w = span_until(&rest, 'x');
	uint64_t cols, rows;

	(void)options;
	if (!is_digits(w) || !is_digits(rest) || !span_u64(w, &cols) || !span_u64(rest, &rows) || !cols || !rows ||
	    cols > row->most.w || rows > row->most.h)
		return err_set(err, 0, "'%.40s' is not %s from 1x1 to %ux%u", text, row->arg, row->most.w, row->most.h);
	*(struct dimensions *)value = (struct dimensions){(unsigned)cols, (unsigned)rows};
	return true;
}

static void print_dimensions(const struct option_row *row, const void *value, struct strbuf *out)
{
	const struct dimensions *d = value;

	(void)row;
	if (d->w)
		strbuf_printf(out, "%ux%u", d->w, d->h);
}

static bool parse_gpudb(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	(void)row, (void)value;
	if (!*text)
		return err_set(err, 0, "empty: expected a directory");
	GROW(options->gpudb, options->n_gpudb, options->cap_gpudb);
	options->gpudb[options->n_gpudb++] = (struct gpudb_dir){text, true};
	return true;
}

static bool parse_event(const struct option_row *row, const char *text, void *value, struct options *options, struct err *err)
{
	struct span rest = span_of(text), item;
	unsigned before = options->n_events;

	(void)value;
	while ((item = span_item(&rest)).n) {
		GROW(options->events, options->n_events, options->cap_events);
		options->events[options->n_events++] = options_keep(options, span_dup(item));
	}
	return options->n_events > before || err_set(err, 0, "empty: expected %s", row->arg);
}

static const struct option_kind kind_flag = {parse_flag, print_flag};
static const struct option_kind kind_text = {parse_text, print_text};
static const struct option_kind kind_time = {parse_time, print_time};
static const struct option_kind kind_choice = {parse_choice, print_choice};
static const struct option_kind kind_count = {parse_count, print_count};
static const struct option_kind kind_seed = {parse_seed, print_seed};
static const struct option_kind kind_real = {parse_real, print_real};
static const struct option_kind kind_dimensions = {parse_dimensions, print_dimensions};
static const struct option_kind kind_gpudb = {parse_gpudb, NULL};
static const struct option_kind kind_event = {parse_event, NULL};

/* ---- checks of texts ---- */

static bool check_backends(const char *list, struct err *err)
{
	static const char *const names[] = {"kbase", "panfrost", "panthor", "fdinfo", "perf", "proc", "sim", NULL};
	struct span rest = span_of(list);
	char known[100];

	do {
		struct span interface = span_until(&rest, ','), name = span_until(&interface, ':');
		unsigned i = 0;

		while (names[i] && !span_is(name, names[i]))
			i++;
		if (!names[i])
			return err_set(err, 0, "unknown '%.*s': expected a list of %s", name.n > 40 ? 40 : (int)name.n, name.p,
				       join_choices(known, sizeof(known), names));
		if (interface.n && (i != 0 || (!span_is(interface, "vinstr") && !span_is(interface, "kinstr"))))
			return err_set(err, 0,
				       "unknown interface '%.*s' of %s: only kbase:vinstr and kbase:kinstr can be told apart",
				       interface.n > 40 ? 40 : (int)interface.n, interface.p, names[i]);
	} while (rest.n);
	return true;
}

bool options_views(struct views *views, struct err *err)
{
	*views = (struct views){0};
	for (const struct embedded *e = embedded_charts; e->file; e++)
		if (!chart_read(views, e->file, (struct span){e->begin, (size_t)(e->end - e->begin)}, NULL, err))
			return false;
	return true;
}

/* A number of the list, at its head. */
static bool cpu_number(struct span *at, unsigned *number)
{
	size_t digits = 0;
	uint64_t v;

	while (digits < at->n && isdigit((unsigned char)at->p[digits]))
		digits++;
	if (!span_u64((struct span){at->p, digits}, &v) || v > CPU_MAX)
		return false;
	*number = (unsigned)v;
	*at = (struct span){at->p + digits, at->n - digits};
	return true;
}

/* "0-3,6": no blanks, ranges that ascend. */
static bool check_cpus(const char *list, struct err *err)
{
	struct span rest = span_of(list);
	bool ok;

	do {
		struct span item = span_until(&rest, ',');
		unsigned first, last;

		ok = cpu_number(&item, &first);
		last = first;
		if (ok && item.n) {
			ok = *item.p == '-';
			item = (struct span){item.p + 1, item.n - 1};
			ok = ok && cpu_number(&item, &last) && !item.n && last >= first;
		}
	} while (ok && rest.n);
	if (ok && list[strlen(list) - 1] != ',')
		return true;
	return err_set(err, 0, "'%.40s' is no list of CPUs from 0 to %d: write it like 0-3,6", list, CPU_MAX);
}

static bool check_view(const char *name, struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};
	struct views views;
	bool ok = options_views(&views, err), known;

	known = ok && views_find(&views, name);
	for (unsigned i = 0; i < views.n_views; i++)
		strbuf_printf(&names, "%s%s", i ? ", " : "", views.views[i].name);
	if (ok && !known)
		err_set(err, 0, "unknown '%.40s': expected %s, or the key of one", name, names.n ? names.p : "none");
	views_fini(&views);
	return known;
}

static bool check_theme(const char *name, struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};

	if (term_theme_known(name))
		return true;
	for (unsigned i = 0; term_theme_name(i); i++)
		strbuf_printf(&names, "%s%s", i ? ", " : "", term_theme_name(i));
	return err_set(err, 0, "unknown '%.40s': expected one of %s", name, names.n ? names.p : "none");
}

/* ---- the tables ---- */

const char *const output_format_names[] = {"table", "csv", "jsonl", NULL};

static const char *const scenarios[] = {
	"idle",       "mixed", "fragment-bound", "vertex-bound", "compute-bound", "bandwidth-bound", "cpu-bound", "serialised",
	"raytracing", NULL};
static const char *const definition_names[] = {"current", "guide", NULL};
static const char *const color_names[] = {"auto", "always", "never", NULL};

#define AT(field) .offset = offsetof(struct options, field)
#define MS 1e6
#define S 1e9
#define PID_MAX 4194304 /* PID_MAX_LIMIT of the kernel */

const struct option_row option_rows[] = {
	{"backend", 'b', "LIST", NULL,
	 "where the numbers come from: kbase, panfrost, panthor, fdinfo, perf, proc, sim; kbase:vinstr and kbase:kinstr force an "
	 "interface",
	 "all that are found, never sim", IN_MEASURING, true, &kind_text, AT(backends), .check = check_backends},
	{"demo", 0, "SCENARIO", "mixed",
	 "a simulated GPU beside this machine's CPU: idle, mixed, fragment-bound, vertex-bound, compute-bound, bandwidth-bound, "
	 "cpu-bound, serialised, raytracing",
	 "mixed", IN_MEASURING | IN_DOCTOR, false, &kind_text, AT(scenario), .choices = scenarios},
	{"gpu", 0, "NAME", NULL, "the GPU to simulate, to assume where the product is unknown, or to ask about", NULL, IN_ALL,
	 true, &kind_text, AT(gpu)},
	{"device", 0, "PATH", NULL, "of several GPUs the one to show first; for record and stat the only one", NULL, IN_MEASURING,
	 true, &kind_text, AT(device)},
	{"interval", 'i', "TIME", NULL, "sampling interval, 1ms to 10s; with stat -- CMD: lines per interval while CMD runs",
	 "100ms; stat: 1s", IN_MEASURING | IN_DOCTOR, true, &kind_time, AT(interval_ns), .min = 1 * MS, .max = 10 * S},
	{"refresh", 'r', "TIME", NULL, "screen refresh and the time that is averaged over, 50ms to 60s, not below the interval",
	 "500ms", IN_LIVE, true, &kind_time, AT(refresh_ns), .min = 50 * MS, .max = 60 * S},
	{"view", 'v', "NAME", NULL, "first view, by its name or key; see malitop list views", "overview", IN_LIVE, true,
	 &kind_text, AT(view), .check = check_view},
	{"user", 'u', "USER", NULL, "in the Processes view only those of USER, a name or number", "everybody's", IN_LIVE, true,
	 &kind_text, AT(user)},
	{"once", 0, "COLSxROWS", "100x30", "print one frame as plain text and leave; 1x1 to 500x200", "100x30", IN_LIVE, false,
	 &kind_dimensions, AT(once), .most = {CANVAS_COLS_MAX, CANVAS_ROWS_MAX}},
	{"frames", 0, "N", NULL, "with --once: after N refreshes", "2", IN_LIVE, false, &kind_count, AT(frames), .min = 1,
	 .max = 1000000},
	{"log", 'o', "FILE", NULL,
	 "log into FILE, format by its ending: .csv or .jsonl; for stat also another, and - is standard output", "stat: -",
	 IN_MEASURING, false, &kind_text, AT(log)},
	{"metrics", 'm', "LIST", NULL, "metrics by name or glob, comma-separated; * is all",
	 "the template; stat: 12 headline metrics", IN_MEASURING, false, &kind_text, AT(metrics)},
	{"format", 'f', "F", NULL, "table, csv or jsonl", "by the ending of the log, else table",
	 IN_MEASURING | IN_LIST | IN_DOCTOR, false, &kind_choice, AT(format), .choices = output_format_names},
	{"duration", 'd', "TIME", NULL, "stop after that long, 1ms to 9999m", NULL, IN_MEASURING, false, &kind_time,
	 AT(duration_ns), .min = 1 * MS, .max = 9999 * 60 * S},
	{"per-core", 0, NULL, NULL, "keep and log every shader core, L2 slice and CPU by itself", "sums", IN_MEASURING, true,
	 &kind_flag, AT(per_core)},
	{"fps", 0, "N", NULL, "frames per second to budget for, 1 to 1000", "60", IN_MEASURING, true, &kind_real, AT(fps),
	 .min = 1, .max = 1000},
	{"resolution", 0, "WxH", NULL, "pixels of a frame to budget for, 1x1 to 16384x16384", "1920x1080", IN_MEASURING, true,
	 &kind_dimensions, AT(resolution), .most = {16384, 16384}},
	{"definitions", 0, "WHICH", NULL,
	 "current: metrics as Arm publishes them today; guide: as printed in the GPU's own guide (Mali-G52, Mali-G715, "
	 "Mali-G625)",
	 "current", IN_MEASURING | IN_EVAL, true, &kind_choice, AT(definitions), .choices = definition_names},
	{"seed", 0, "N", NULL, "seed of the simulator", "1", IN_MEASURING, false, &kind_seed, AT(seed)},
	{"pid", 'p', "PID", NULL, "CPU counters of that process only", "the whole machine", IN_MEASURING, false, &kind_count,
	 AT(pid), .min = 1, .max = PID_MAX},
	{"tid", 't', "TID", NULL, "CPU counters of that thread only", NULL, IN_MEASURING, false, &kind_count, AT(tid), .min = 1,
	 .max = PID_MAX},
	{"cpu", 'C', "LIST", NULL, "CPU counters of those CPUs only, such as 0-3,6", NULL, IN_MEASURING, false, &kind_text,
	 AT(cpus), .check = check_cpus},
	{"event", 'e', "NAME", NULL,
	 "a CPU event to count as well: cache-misses, br_mis_pred, r10, PMU/event=0x10/; repeatable, or a list",
	 "those that the metrics need", IN_MEASURING, false, &kind_event, .offset = 0},
	{"force", 0, NULL, NULL, "overwrite an existing log", NULL, IN_MEASURING, false, &kind_flag, AT(force)},
	{"ascii", 0, NULL, NULL, "no character beyond ASCII", "by locale", IN_LIVE, true, &kind_flag, AT(ascii)},
	{"color", 0, "WHEN", NULL, "auto, always or never", "auto: by terminal and NO_COLOR", IN_LIVE, true, &kind_choice,
	 AT(color), .choices = color_names},
	{"theme", 0, "NAME", NULL, "colours of the screen", "dark", IN_LIVE, true, &kind_text, AT(theme), .check = check_theme},
	{"config", 0, "FILE", NULL, "configuration file", "malitop/config under the XDG directory", IN_ALL, false, &kind_text,
	 AT(config)},
	{"print-config", 0, NULL, NULL, "print the effective configuration in the format of that file", NULL, IN_ALL, false,
	 &kind_flag, AT(print_config)},
	{"gpudb", 0, "DIR", NULL, "extra GPU, metric and chart files; repeatable", "malitop/gpudb under the XDG directory",
	 IN_ALL, true, &kind_gpudb, AT(gpudb)},
	{"help", 'h', NULL, NULL, "this text; of a command: malitop COMMAND --help", NULL, IN_ALL, false, &kind_flag, AT(help)},
	{"version", 'V', NULL, NULL, "version, build options and licence", NULL, IN_ALL, false, &kind_flag, AT(version)},
	{.name = "rotate", .arg = "SIZE[,COUNT]"},
	{.name = "sync", .arg = "TIME"},
	{.name = "from", .arg = "T"},
	{.name = "to", .arg = "T"},
	{.name = "step", .arg = "T"},
	{.name = "listen", .arg = "ADDR:PORT"},
	{.name = NULL},
};

const struct option_row *option_row_find(struct span name)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (span_is(name, row->name))
			return row;
	return NULL;
}

const struct command_row command_rows[COMMAND_COUNT] = {
	[COMMAND_LIVE] = {NULL, "malitop [options]", "Show live what a Mali GPU and the CPU beside it are doing."},
	[COMMAND_RECORD] =
		{"record", "malitop record -o FILE [options] [-- CMD ARG...]",
		 "Log without a screen, until --duration, the end of CMD, SIGINT or SIGTERM. The exit status is that of CMD."},
	[COMMAND_STAT] = {"stat", "malitop stat [options] [-- CMD ARG...]",
			  "Print metrics: a line for each and every interval, until --duration, SIGINT or SIGTERM; or what they "
			  "came to over "
			  "CMD, with its times. Table: counts per second; of CMD also in all; an estimate stands in [brackets]; "
			  "time is in "
			  "seconds since the start. csv and jsonl: per interval. CMD writes to standard output, too: tell them "
			  "apart by -o. "
			  "The exit status is that of CMD."},
	[COMMAND_EVAL] = {"eval", "malitop eval --gpu NAME FILE",
			  "Print every metric of the template for one raw counter table; FILE - is standard input."},
	[COMMAND_LIST] = {"list", "malitop list gpus|counters|metrics|views|backends [--gpu NAME] [-f csv|jsonl]",
			  "List what malitop knows."},
	[COMMAND_DOCTOR] =
		{"doctor", "malitop doctor [-f jsonl]",
		 "Tell what was found on this machine, what is missing, and what would help. Exit status 0 when a GPU can be "
		 "measured, else 1."},
};

const char *const later_commands[] = {"replay", "export", "serve", NULL};

const char *const list_names[LIST_COUNT + 1] = {
	[LIST_GPUS] = "gpus",   [LIST_COUNTERS] = "counters", [LIST_METRICS] = "metrics",
	[LIST_VIEWS] = "views", [LIST_BACKENDS] = "backends",
};
