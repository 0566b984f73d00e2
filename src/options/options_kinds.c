#include "options/options_table.h"

#include "backends/registry.h"
#include "base/alloc.h"
#include "base/units.h"
#include "model/embed.h"
#include "model/template.h"
#include "views/canvas.h"
#include "views/view.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define CPU_MAX 4095
#define ROTATE_COUNT_MAX 9999

/* ---- kinds of values ---- */

void option_choices(struct strbuf *out, const char *const *choices)
{
	for (unsigned i = 0; choices[i]; i++)
		strbuf_printf(out, "%s%s", !i ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

static bool parse_choice(const struct option_row *row, const char *text, void *value, struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};

	for (unsigned i = 0; row->choices[i]; i++)
		if (strcmp(text, row->choices[i]) == 0) {
			*(unsigned *)value = i;
			return true;
		}
	option_choices(&names, row->choices);
	return err_set(err, 0, "unknown '%.40s': expected %s", text, names.p);
}

static void print_choice(const struct option_row *row, const void *value, struct strbuf *out)
{
	strbuf_str(out, row->choices[*(const unsigned *)value]);
}

static bool parse_text(const struct option_row *row, const char *text, void *value, struct err *err)
{
	if (!*text)
		return err_set(err, 0, "empty: expected %s", row->arg);
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

static bool parse_flag(const struct option_row *row, const char *text, void *value, struct err *err)
{
	(void)row;
	*(bool *)value = strcmp(text, "yes") == 0;
	return *(bool *)value || strcmp(text, "no") == 0 ||
	       err_set(err, 0, "unknown '%.40s': expected yes or no", text);
}

static void print_flag(const struct option_row *row, const void *value, struct strbuf *out)
{
	(void)row;
	strbuf_str(out, *(const bool *)value ? "yes" : "no");
}

static bool parse_time(const struct option_row *row, const char *text, void *value, struct err *err)
{
	return time_parse(text, (int64_t)row->min, (int64_t)row->max, value, err);
}

static void print_time(const struct option_row *row, const void *value, struct strbuf *out)
{
	int64_t ns = *(const int64_t *)value;
	char text[UNITS_TEXT];

	(void)row;
	if (ns)
		strbuf_str(out, time_exact(text, ns));
}

static bool is_digits(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]))
			return false;
	return s.n != 0;
}

static bool parse_count(const struct option_row *row, const char *text, void *value, struct err *err)
{
	struct span s = span_of(text);
	uint64_t v;

	if (!is_digits(s) || !span_u64(s, &v) || v < (uint64_t)row->min || v > (uint64_t)row->max)
		return err_set(err, 0, "'%.40s' is not a whole number from %.0f to %.0f", text, row->min,
			       row->max);
	*(unsigned *)value = (unsigned)v;
	return true;
}

static void print_count(const struct option_row *row, const void *value, struct strbuf *out)
{
	(void)row;
	strbuf_printf(out, "%u", *(const unsigned *)value);
}

static bool parse_seed(const struct option_row *row, const char *text, void *value, struct err *err)
{
	(void)row;
	if (is_digits(span_of(text)) && span_u64(span_of(text), value))
		return true;
	return err_set(err, 0, "'%.40s' is not a whole number from 0 to %llu", text,
		       (unsigned long long)UINT64_MAX);
}

static void print_seed(const struct option_row *row, const void *value, struct strbuf *out)
{
	(void)row;
	strbuf_printf(out, "%llu", (unsigned long long)*(const uint64_t *)value);
}

static bool parse_real(const struct option_row *row, const char *text, void *value, struct err *err)
{
	double v;

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

static bool parse_dimensions(const struct option_row *row, const char *text, void *value, struct err *err)
{
	struct span rest = span_of(text), w = span_until(&rest, 'x');
	uint64_t cols, rows;

	if (!is_digits(w) || !is_digits(rest) || !span_u64(w, &cols) || !span_u64(rest, &rows) || !cols ||
	    !rows || cols > row->most.w || rows > row->most.h)
		return err_set(err, 0, "'%.40s' is not %s from 1x1 to %ux%u", text, row->arg, row->most.w,
			       row->most.h);
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

static bool parse_gpudb(const struct option_row *row, const char *text, void *value, struct err *err)
{
	struct options *options = value;

	(void)row;
	if (!*text)
		return err_set(err, 0, "empty: expected a directory");
	GROW(options->gpudb, options->n_gpudb, options->cap_gpudb);
	options->gpudb[options->n_gpudb++] = (struct gpudb_dir){text, true};
	return true;
}

static void add_event(struct options *options, struct span name, struct span modifier, unsigned group)
{
	unsigned n = options->n_events;

	GROW(options->events, n, options->cap_events);
	GROW(options->event_groups, n, options->cap_event_groups);
	options->event_groups[n] = group;
	options->events[n] = options_keep(options, xasprintf("%.*s%.*s", SPAN_ARG(name), SPAN_ARG(modifier)));
	options->n_events++;
}

/* Take "{a,b,c}" or "{a,b,c}:u" from *rest: events that are counted together. */
static bool take_event_group(struct options *options, struct span *rest, struct err *err)
{
	const char *end = memchr(rest->p, '}', rest->n);
	struct span members, modifier, item;
	unsigned n = options->n_events;
	char buf[OPTION_SHOWN];

	if (!end)
		return err_set(err, 0, "'%s': expected } after the last event of the group",
			       option_shown(buf, rest->p));
	members = (struct span){rest->p + 1, (size_t)(end - rest->p) - 1};
	*rest = (struct span){end + 1, rest->n - members.n - 2};
	modifier = span_until(rest, ',');
	options->n_event_groups++;
	while ((item = span_item(&members)).n)
		add_event(options, item, modifier, options->n_event_groups);
	return options->n_events > n || err_set(err, 0, "{}: a group without events: expected {a,b}");
}

static bool parse_event(const struct option_row *row, const char *text, void *value, struct err *err)
{
	struct options *options = value;
	struct span rest = span_of(text);
	unsigned before = options->n_events;

	while (rest.n) {
		if (*rest.p == ',' || *rest.p == ' ')
			rest = (struct span){rest.p + 1, rest.n - 1};
		else if (*rest.p != '{')
			add_event(options, span_item(&rest), (struct span){0}, 0);
		else if (!take_event_group(options, &rest, err))
			return false;
	}
	return options->n_events > before || err_set(err, 0, "empty: expected %s", row->arg);
}

static void print_event(const struct option_row *row, const void *value, struct strbuf *out)
{
	const struct options *o = value;

	(void)row;
	for (unsigned i = 0; i < o->n_events; i++) {
		unsigned group = o->event_groups[i];
		bool begins = group && (!i || o->event_groups[i - 1] != group);
		bool ends = group && (i + 1 == o->n_events || o->event_groups[i + 1] != group);

		strbuf_printf(out, "%s%s%s%s", i ? "," : "", begins ? "{" : "", o->events[i],
			      ends ? "}" : "");
	}
}

static void print_rotate(const struct option_row *row, const void *value, struct strbuf *out)
{
	const struct options *o = value;

	(void)row;
	if (o->rotate_bytes)
		strbuf_printf(out, "%lluB", (unsigned long long)o->rotate_bytes);
	if (o->rotate_bytes && o->rotate_count)
		strbuf_printf(out, ",%u", o->rotate_count);
}

/* "100MB,5": the largest size of a file, and how many files to keep. */
static bool parse_rotate(const struct option_row *row, const char *text, void *value, struct err *err)
{
	static const struct {
		const char *name;
		double bytes;
	} units[] = {{"B", 1},   {"kB", 1e3},     {"k", 1e3},  {"K", 1e3}, {"KiB", 0x1p10}, {"MB", 1e6},
		     {"M", 1e6}, {"MiB", 0x1p20}, {"GB", 1e9}, {"G", 1e9}, {"GiB", 0x1p30}};
	struct options *options = value;
	struct span rest = span_of(text), size = span_until(&rest, ','), number = size;
	bool counts = strchr(text, ',') != NULL;
	uint64_t count = 0;
	double bytes = 0;

	while (number.n && isalpha((unsigned char)number.p[number.n - 1]))
		number.n--;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (span_is((struct span){number.p + number.n, size.n - number.n}, units[i].name) &&
		    span_double(number, &bytes))
			bytes *= units[i].bytes;
	if (!(bytes >= row->min && bytes <= row->max) ||
	    (counts &&
	     !(is_digits(rest) && span_u64(rest, &count) && count >= 1 && count <= ROTATE_COUNT_MAX)))
		return err_set(err, 0,
			       "'%.40s' is not SIZE or SIZE,COUNT: from 16kB to 1000GB, and 1 to %d files",
			       text, ROTATE_COUNT_MAX);
	options->rotate_bytes = (uint64_t)bytes;
	options->rotate_count = (unsigned)count;
	return true;
}

const struct option_kind kind_flag = {parse_flag, print_flag};
const struct option_kind kind_text = {parse_text, print_text};
const struct option_kind kind_time = {parse_time, print_time};
const struct option_kind kind_choice = {parse_choice, print_choice};
const struct option_kind kind_count = {parse_count, print_count};
const struct option_kind kind_seed = {parse_seed, print_seed};
const struct option_kind kind_real = {parse_real, print_real};
const struct option_kind kind_dimensions = {parse_dimensions, print_dimensions};
const struct option_kind kind_gpudb = {parse_gpudb, NULL};
const struct option_kind kind_event = {parse_event, print_event};
const struct option_kind kind_rotate = {parse_rotate, print_rotate};

/* ---- checks of texts ---- */

/* Take the CPU number at the start of *at. */
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

/* "0-3,6": no blanks, ascending ranges. */
bool check_cpus(const char *list, struct err *err)
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
	return err_set(err, 0, "'%.40s' is not a list of CPUs from 0 to %d: write it like 0-3,6", list,
		       CPU_MAX);
}

bool options_check_view(const struct options *options, bool view_given, struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};
	struct gpudb *db = NULL;
	struct views views = {0};
	bool ok, known;

	if (strcmp(options->view, "overview") == 0)
		return true;
	ok = views_read(&views, NULL, err);
	if (ok && !views_find(&views, options->view)) {
		views_fini(&views);
		db = gpudb_load(options->gpudb, options->n_gpudb, err);
		ok = db && views_read(&views, db, err);
	}
	known = ok && views_find(&views, options->view);
	for (unsigned i = 0; i < views.n_views; i++)
		strbuf_printf(&names, "%s%s", i ? ", " : "", views.views[i].name);
	if (ok && !known && strcmp(options->view, "user") == 0)
		err_set(err, 0,
			"user: there is no view of your own yet: press i on a row, then e, or see OWN VIEWS "
			"in malitop-views(5)");
	else if (ok && !known)
		err_set(err, 0, "unknown '%.40s': expected %s, or the key of one", options->view, names.p);
	if (ok && !known && view_given)
		err_prefix(err, "--view: ");
	else if (ok && !known)
		err_prefix(err, "%s: view: ", options->config_path);
	views_fini(&views);
	gpudb_free(db);
	return known;
}

/* The shipped scenarios are found in their text, because every start would wait for all data. */
static bool is_shipped(const char *scenario)
{
	AUTOFREE char *line = xasprintf("\nscenario %s\n", scenario);
	const struct embedded *e = embedded_data;

	while (strcmp(e->file, "demo.scenario") != 0)
		e++;
	return memmem(e->begin, (size_t)(e->end - e->begin), line, strlen(line)) != NULL;
}

bool options_check_scenario(const struct options *options, struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};
	struct gpudb *db;
	bool known = false;

	if (!options->scenario || is_shipped(options->scenario))
		return true;
	db = gpudb_load(options->gpudb, options->n_gpudb, err);
	if (!db)
		return false;
	for (unsigned i = 0; i < db->n_parts; i++)
		known |= span_is(db->parts[i].keyword, "scenario") &&
			 span_is(db->parts[i].name, options->scenario);
	gpudb_scenarios(db, &names);
	gpudb_free(db);
	return known ||
	       err_set(err, 0, "--demo: unknown '%.40s': expected one of %s", options->scenario, names.p);
}

/* ---- names from other tables: by index, NULL after the last ---- */

static void join_names(struct strbuf *out, const char *(*name_at)(unsigned i))
{
	for (unsigned i = 0; name_at(i); i++)
		strbuf_printf(out, "%s%s", i ? ", " : "", name_at(i));
}

static bool check_name(const char *name, const char *(*name_at)(unsigned i), struct err *err)
{
	AUTO_STRBUF struct strbuf names = {0};

	for (unsigned i = 0; name_at(i); i++)
		if (strcmp(name, name_at(i)) == 0)
			return true;
	join_names(&names, name_at);
	return err_set(err, 0, "unknown '%.40s': expected one of %s", name, names.n ? names.p : "none");
}

bool check_theme(const char *name, struct err *err)
{
	return term_theme_known(name) || check_name(name, term_theme_name, err);
}

void theme_names(struct strbuf *out)
{
	join_names(out, term_theme_name);
}

/* What the key S can save. */
static const char *snapshot_name(unsigned i)
{
	static const char *const names[] = {"txt", "csv", "html"};

	return i < ARRAY_LEN(names) ? names[i] : NULL;
}

bool check_snapshot(const char *list, struct err *err)
{
	struct span rest = span_of(list), item;
	unsigned n = 0;

	for (; (item = span_item(&rest)).n; n++) {
		AUTOFREE char *name = span_dup(item);

		if (!check_name(name, snapshot_name, err))
			return false;
	}
	return n || err_set(err, 0, "empty: expected a list of txt, csv and html");
}

void snapshot_names(struct strbuf *out)
{
	join_names(out, snapshot_name);
}

void options_guides(const struct gpudb *db, struct strbuf *names)
{
	for (unsigned i = 0; i < db->n_templates; i++)
		if (gpudb_by_name(db, db->templates[i].name)) /* others are of a family without a guide */
			strbuf_printf(names, "%s%s", i ? ", " : "", db->templates[i].name);
}

/* The shipped data only: --help does not read the user's. */
static void shipped_names(struct strbuf *out, void (*names)(const struct gpudb *db, struct strbuf *names))
{
	struct err err;
	struct gpudb *db = gpudb_load(NULL, 0, &err);

	if (db)
		names(db, out);
	gpudb_free(db);
}

void guide_names(struct strbuf *out)
{
	shipped_names(out, options_guides);
}

void scenario_names(struct strbuf *out)
{
	if (registry_find(span_of("sim"))) /* else this build has no simulator */
		shipped_names(out, gpudb_scenarios);
}
