#include "export/openmetrics.h"

#include "base/alloc.h"
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Units with other names in Prometheus. */
static const struct {
	const char *unit, *suffix;
	double divisor;
} base_units[] = {
	{"percent", "ratio", 100},
	{"percent sum", "ratio", 100},
	{"milliseconds", "seconds", 1000},
	{"millijoules", "joules", 1000},
	{"bytes total", "bytes", 1},
	{"count", "", 1},
	{"load", "", 1},
	{"instances", "", 1},
	{"bits", "bytes", 8},
};

/* significant digits, which hide the rounding errors of a multiplication */
#define DIGITS 15 /* without the noise of a multiplication */
#define CLASSES 6
static const struct {
	const char *metric, *le;
} classes[CLASSES] = {{"MaliExtBusRdLat0", "127.0"},   {"MaliExtBusRdLat128", "191.0"},
		      {"MaliExtBusRdLat192", "255.0"}, {"MaliExtBusRdLat256", "319.0"},
		      {"MaliExtBusRdLat320", "383.0"}, {"MaliExtBusRdLat384", "+Inf"}};
static const struct openmetrics_name histogram_name = {"mali_external_read_latency_cycles", "histogram",
						       "cycles", 1};

/* Append words of [a-z0-9] with underscores between them; a capital letter starts a word. */
static void add_words(char *out, size_t size, struct span text)
{
	size_t n = strlen(out);
	bool apart = n > 0;

	for (size_t i = 0; i < text.n && n + 2 < size; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (!isalnum(c)) {
			apart = n > 0;
			continue;
		}
		/* "GPUActiveCy" is GPU Active Cy */
		apart = apart || (i && isupper(c) &&
				  (islower((unsigned char)text.p[i - 1]) ||
				   (isupper((unsigned char)text.p[i - 1]) && i + 1 < text.n &&
				    islower((unsigned char)text.p[i + 1]))));
		if (apart)
			out[n++] = '_';
		out[n++] = (char)tolower(c);
		out[n] = 0;
		apart = false;
	}
}

static void set_unit(struct openmetrics_name *name, const struct unit *unit)
{
	name->unit[0] = 0;
	name->divisor = 1;
	for (size_t i = 0; i < ARRAY_LEN(base_units); i++)
		if (strcmp(base_units[i].unit, unit->name) == 0) {
			snprintf(name->unit, sizeof(name->unit), "%s", base_units[i].suffix);
			name->divisor = base_units[i].divisor;
			return;
		}
	for (struct span rest = span_of(unit->name); rest.n;) {
		char words[sizeof(name->unit)];
		struct span one = span_until(&rest, '/');

		snprintf(words, sizeof(words), "%s%.*s", name->unit[0] ? "per " : "", SPAN_ARG(one));
		add_words(name->unit, sizeof(name->unit), span_of(words));
	}
}

static bool ends_with_unit(const struct openmetrics_name *name)
{
	size_t n = strlen(name->text), len = strlen(name->unit);

	return !len ||
	       (n > len && name->text[n - len - 1] == '_' && strcmp(name->text + n - len, name->unit) == 0);
}

/* Add the unit to the name, unless the name ends with it. */
static void add_unit(struct openmetrics_name *name)
{
	size_t n = strlen(name->text);

	if (!ends_with_unit(name))
		snprintf(name->text + n, sizeof(name->text) - n, "_%s", name->unit);
}

/* Remove words from a name that has them behind its first word. Returns false if it has not. */
static bool remove_words(char *text, const char *words)
{
	size_t n = strlen(words);

	for (char *at = text; (at = strstr(at + 1, words));)
		if (at[-1] == '_' && (at[n] == '_' || !at[n])) {
			memmove(at - 1, at + n, strlen(at + n) + 1);
			return true;
		}
	return false;
}

/* Add a title with its unit at the end: "Read beats from memory" is read_from_memory_beats. */
static void add_title(struct openmetrics_name *name, const struct metric_def *def)
{
	char words[METRIC_PROMETHEUS];
	size_t n = 0;

	for (const char *p = def->title; *p && n < sizeof(words) - 1; p++)
		if (*p != '\'')
			words[n++] = (char)tolower((unsigned char)*p);
	add_words(name->text, sizeof(name->text) - sizeof(name->unit), (struct span){words, n});
	set_unit(name, def->unit);
	if (!ends_with_unit(name) && !remove_words(name->text, name->unit) && def->unit->kind == UNIT_PERCENT)
		remove_words(name->text, "percentage");
	add_unit(name);
}

void openmetrics_name(const struct metric *metric, enum source_kind kind, struct openmetrics_name *name)
{
	const struct metric_def *def = metric->def;
	const char *machine = def->name;

	*name = (struct openmetrics_name){.type = metric->grows ? "counter" : "gauge"};
	if (strncmp(machine, "Mali", 4) == 0)
		machine += 4;
	add_words(name->text, sizeof(name->text), span_of(kind == SOURCE_GPU ? "mali" : "malitop"));
	if (def->by_title && !def->prometheus.n)
		add_title(name, def);
	else
		add_words(name->text, sizeof(name->text) - sizeof(name->unit),
			  def->prometheus.n ? def->prometheus : span_of(machine));
	set_unit(name, metric->unit); /* of the guide, if it has another */
	add_unit(name);
}

struct named {
	char text[OPENMETRICS_NAME];
	const char *metric;
};

static int compare_names(const void *a, const void *b)
{
	const struct named *first = a, *second = b;
	int order = strcmp(first->text, second->text);

	return order ? order : strcmp(first->metric, second->metric);
}

bool openmetrics_check(const struct export_table *table, struct err *err)
{
	AUTOFREE struct named *names = xcalloc(table->n_metrics + 1, sizeof(*names));
	struct openmetrics_name name;

	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[i];

		openmetrics_name(c->metric, table->sources[c->source].kind, &name);
		memcpy(names[i].text, name.text, sizeof(name.text));
		names[i].metric = c->metric->def->name;
	}
	qsort(names, table->n_metrics, sizeof(*names), compare_names);
	for (unsigned i = 1; i < table->n_metrics; i++)
		if (strcmp(names[i].text, names[i - 1].text) == 0 &&
		    strcmp(names[i].metric, names[i - 1].metric) != 0)
			return err_set(
				err, 0,
				"metrics %s and %s: both are %s in Prometheus: give one of them a field "
				"'prometheus'",
				names[i - 1].metric, names[i].metric, names[i].text);
	return true;
}

/* ---- arranging ---- */

static int class_of(const struct export_column *column)
{
	for (int i = 0; i < CLASSES; i++)
		if (strcmp(classes[i].metric, column->metric->def->name) == 0)
			return i;
	return -1;
}

/* Find the columns of the other classes. Returns false if one is missing, because -m did not select
 * it. */
static bool find_classes(const struct export_table *table, const struct export_column *column,
			 unsigned at[CLASSES])
{
	unsigned found = 0;

	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[i];
		int class = c->source == column->source && c->instance == column->instance ? class_of(c) : -1;

		if (class < 0)
			continue;
		at[class] = i;
		found |= 1u << class;
	}
	return found == (1u << CLASSES) - 1;
}

static bool is_in_histogram(const struct export_table *table, const struct export_column *column)
{
	unsigned at[CLASSES];

	return class_of(column) >= 0 && find_classes(table, column, at);
}

/* Return a hash of the name of the family that a column belongs to. */
static uint64_t family_of(const struct export_table *table, const struct export_column *c)
{
	struct openmetrics_name name = histogram_name;

	if (!is_in_histogram(table, c))
		openmetrics_name(c->metric, table->sources[c->source].kind, &name);
	return span_hash(span_of(name.text));
}

static bool same_metric(const struct export_column *a, const struct export_column *b)
{
	return a->metric->def == b->metric->def || strcmp(a->metric->def->name, b->metric->def->name) == 0;
}

static bool same_family(const struct export_table *table, const struct export_column *a,
			const struct export_column *b)
{
	return same_metric(a, b) || family_of(table, a) == family_of(table, b);
}

/* Whether the family includes this column: it is the sum, or one of the finest parts. */
static bool is_wanted(const struct export_table *table, const struct export_column *c)
{
	const struct metric_set *set = table->sources[c->source].set;
	unsigned kinds = c->metric->instances & ~(1u << INSTANCE_ALL);

	if (!table->options->per_core)
		return c->instance < 0;
	if (c->instance < 0)
		return !kinds;
	return set->instances[c->instance].kind != INSTANCE_CLUSTER || !(kinds & 1u << INSTANCE_CPU);
}

void openmetrics_arrange(struct export_table *table)
{
	struct export_column *sorted = xcalloc(table->n_columns + 1, sizeof(*sorted));
	bool *done = xcalloc(table->n_columns + 1, sizeof(*done));
	uint64_t *families = xcalloc(table->n_columns + 1, sizeof(*families));
	unsigned n = 0;

	for (unsigned i = 0; i < table->n_columns; i++) {
		done[i] = !is_wanted(table, &table->columns[i]);
		families[i] = family_of(table, &table->columns[i]);
		if (done[i])
			free(table->columns[i].name);
	}
	for (unsigned i = 0; i < table->n_columns; i++) {
		for (unsigned k = i; !done[i] && k < table->n_columns; k++) {
			const struct export_column *c = &table->columns[k];

			if (done[k] || (families[k] != families[i] && !same_metric(&table->columns[i], c)))
				continue;
			done[k] = k > i;
			sorted[n++] = *c;
		}
	}
	free(table->columns);
	free(done);
	free(families);
	table->columns = sorted;
	table->n_columns = table->n_metrics = table->cap_columns = n;
}

/* ---- text ---- */

/* Escape a label value or help. The classic form accepts escaped quotes in help, too. */
static void add_escaped(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\\' || *text == '"')
			strbuf_printf(out, "\\%c", *text);
		else if (*text == '\n')
			strbuf_str(out, "\\n");
		else
			strbuf_add(out, text, 1);
}

void openmetrics_label(struct strbuf *labels, const char *key, const char *value)
{
	strbuf_printf(labels, "%s%s=\"", labels->n ? "," : "", key);
	add_escaped(labels, value);
	strbuf_str(labels, "\"");
}

void openmetrics_line(const char *name, const char *ending, const char *labels, double value, int64_t time_ns,
		      struct strbuf *out)
{
	char number[NUMBER_TEXT];

	strbuf_printf(out, "%s%s%s%s%s %s", name, ending, labels[0] ? "{" : "", labels, labels[0] ? "}" : "",
		      number_digits(number, value, DIGITS));
	if (time_ns) {
		strbuf_str(out, " ");
		export_seconds(out, time_ns);
	}
	strbuf_str(out, "\n");
}

void openmetrics_head(const struct openmetrics_name *name, enum openmetrics_form form, const char *help,
		      struct strbuf *out)
{
	bool classic = form == OPENMETRICS_CLASSIC, counter = strcmp(name->type, "counter") == 0;
	const char *ending = classic && counter ? "_total" : "";

	strbuf_printf(out, "# TYPE %s%s %s\n", name->text, ending, name->type);
	if (!classic && name->unit[0])
		strbuf_printf(out, "# UNIT %s %s\n", name->text, name->unit);
	strbuf_printf(out, "# HELP %s%s ", name->text, ending);
	add_escaped(out, help);
	strbuf_str(out, "\n");
}

void openmetrics_value(const struct openmetrics_family *family, enum openmetrics_form form,
		       const char *labels, double value, bool *has_head, struct strbuf *out)
{
	bool counter = strcmp(family->name.type, "counter") == 0;

	if (!isfinite(value))
		return;
	if (!*has_head)
		openmetrics_head(&family->name, form, family->help, out);
	*has_head = true;
	openmetrics_line(family->name.text, counter ? "_total" : "", labels, value, 0, out);
}

/* Write the name and the help of the family of a column. */
static void describe_family(const struct export_table *table, const struct export_column *c,
			    struct openmetrics_name *name, struct strbuf *help)
{
	bool histogram = is_in_histogram(table, c);

	strbuf_clear(help);
	if (histogram) {
		*name = histogram_name;
		strbuf_str(help, "Output external read latency, of read beats (MaliExtBusRdLat*)");
		return;
	}
	openmetrics_name(c->metric, table->sources[c->source].kind, name);
	strbuf_printf(help, "%s (%s)", c->metric->def->title, c->metric->def->name);
}

static void describe_column(const struct export_table *table, const struct export_column *c,
			    const char *first, struct strbuf *labels)
{
	const struct export_source *source = &table->sources[c->source];
	char number[16];

	strbuf_clear(labels);
	strbuf_str(labels, first);
	if (source->kind == SOURCE_GPU) {
		snprintf(number, sizeof(number), "%u", source->number);
		openmetrics_label(labels, "gpu", number);
		openmetrics_label(labels, "product",
				  source->set->product ? source->set->product->name : source->title);
	}
	if (c->instance >= 0) {
		const struct metric_instance *instance = &source->set->instances[c->instance];

		snprintf(number, sizeof(number), "%u", instance->number);
		openmetrics_label(labels, instance_names[instance->kind], number);
	}
	if (source->simulated)
		openmetrics_label(labels, "simulated", "true");
}

unsigned openmetrics_values(const struct openmetrics_name *name)
{
	return strcmp(name->type, "histogram") == 0 ? CLASSES : 1;
}

/* Get the values of a column, openmetrics_values of them. Returns false if one is unknown, or if
 * the column is a class that another column's histogram includes. */
static bool read_point(const struct export_table *table, const struct export_column *c,
		       const struct openmetrics_name *name, const double *values, double point[CLASSES])
{
	unsigned at[CLASSES];
	bool known = true;

	if (openmetrics_values(name) == 1) {
		point[0] = values[c - table->columns] / name->divisor;
		return isfinite(point[0]);
	}
	if (class_of(c) != 0 || !find_classes(table, c, at))
		return false;
	for (unsigned i = 0; i < CLASSES; i++) {
		point[i] = values[at[i]];
		known = known && !isnan(point[i]);
	}
	return known;
}

void openmetrics_point(const struct openmetrics_name *name, enum openmetrics_form form, const char *labels,
		       const double *values, int64_t time_ns, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf bucket = {0};
	double sum = 0;

	if (openmetrics_values(name) == 1) {
		openmetrics_line(name->text, strcmp(name->type, "counter") == 0 ? "_total" : "", labels,
				 values[0], time_ns, out);
		return;
	}
	for (unsigned i = 0; i < CLASSES; i++) {
		sum += values[i] > 0 ? values[i] : 0;
		strbuf_clear(&bucket);
		strbuf_str(&bucket, labels);
		openmetrics_label(&bucket, "le", classes[i].le);
		openmetrics_line(name->text, "_bucket", bucket.p, sum, time_ns, out);
	}
	if (form == OPENMETRICS_CLASSIC) /* OpenMetrics has a count only beside a sum, which is unknown */
		openmetrics_line(name->text, "_count", labels, sum, time_ns, out);
}

/* Write a column, or keep its point for later. */
static void add_column(const struct export_table *table, const struct export_column *c,
		       const struct openmetrics_name *name, const char *help,
		       const struct openmetrics_lines *lines, const double *values, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf labels = {0};
	double point[CLASSES];

	if (!read_point(table, c, name, values, point))
		return;
	describe_column(table, c, lines->labels, &labels);
	if (lines->past)
		openmetrics_past_add(lines->past, name, help, labels.p ? labels.p : "", lines->time_ns,
				     point);
	else
		openmetrics_point(name, lines->form, labels.p ? labels.p : "", point, lines->time_ns, out);
}

void openmetrics_table(const struct export_table *table, const struct openmetrics_lines *lines,
		       const double *values, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf help = {0};
	struct openmetrics_name name;
	unsigned end;

	for (unsigned i = 0; i < table->n_metrics; i = end) {
		bool any = isfinite(values[i]);

		for (end = i + 1;
		     end < table->n_metrics && same_family(table, &table->columns[i], &table->columns[end]);
		     end++)
			any = any || isfinite(values[end]);
		if (!any)
			continue;
		describe_family(table, &table->columns[i], &name, &help);
		if (lines->head)
			openmetrics_head(&name, lines->form, help.p, out);
		for (unsigned k = i; k < end; k++)
			add_column(table, &table->columns[k], &name, help.p, lines, values, out);
	}
}
