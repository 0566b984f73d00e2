#include "export/openmetrics.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* One set of labels of a family. */
struct past_series {
	char *labels;
	int64_t *times; /* since the epoch */
	unsigned n, cap;
	double *values; /* openmetrics_values per time */
	unsigned n_values, cap_values;
};

struct past_family {
	struct openmetrics_name name;
	char *help;
	struct past_series *series;
	unsigned n, cap;
	unsigned at; /* the series that was used last */
};

struct openmetrics_past {
	struct past_family *families;
	unsigned n, cap;
	unsigned at; /* the family that was used last */
	uint64_t n_dropped;
};

struct openmetrics_past *openmetrics_past_new(void)
{
	return xcalloc(1, sizeof(struct openmetrics_past));
}

void openmetrics_past_free(struct openmetrics_past *past)
{
	for (unsigned i = 0; past && i < past->n; i++) {
		struct past_family *family = &past->families[i];

		for (unsigned k = 0; k < family->n; k++) {
			free(family->series[k].labels);
			free(family->series[k].times);
			free(family->series[k].values);
		}
		free(family->series);
		free(family->help);
	}
	if (past)
		free(past->families);
	free(past);
}

/* Find or add a family. Rows have the families in the same order, so try the next one first. */
static struct past_family *find_family(struct openmetrics_past *past, const struct openmetrics_name *name,
				       const char *help)
{
	for (unsigned i = 0; i < past->n; i++) {
		unsigned at = (past->at + i) % past->n;

		if (strcmp(past->families[at].name.text, name->text) == 0) {
			past->at = at;
			return &past->families[at];
		}
	}
	GROW(past->families, past->n, past->cap);
	past->families[past->n] = (struct past_family){.name = *name, .help = xstrdup(help)};
	past->at = past->n;
	return &past->families[past->n++];
}

static struct past_series *find_series(struct past_family *family, const char *labels)
{
	for (unsigned i = 0; i < family->n; i++) {
		unsigned at = (family->at + 1 + i) % family->n;

		if (strcmp(family->series[at].labels, labels) == 0) {
			family->at = at;
			return &family->series[at];
		}
	}
	GROW(family->series, family->n, family->cap);
	family->series[family->n] = (struct past_series){.labels = xstrdup(labels)};
	family->at = family->n;
	return &family->series[family->n++];
}

void openmetrics_past_add(struct openmetrics_past *past, const struct openmetrics_name *name,
			  const char *help, const char *labels, int64_t time_ns, const double *values)
{
	struct past_series *series = find_series(find_family(past, name, help), labels);

	if (series->n && time_ns <= series->times[series->n - 1]) {
		past->n_dropped++;
		return;
	}
	GROW(series->times, series->n, series->cap);
	series->times[series->n++] = time_ns;
	for (unsigned i = 0; i < openmetrics_values(name); i++) {
		GROW(series->values, series->n_values, series->cap_values);
		series->values[series->n_values++] = values[i];
	}
}

uint64_t openmetrics_past_dropped(const struct openmetrics_past *past)
{
	return past->n_dropped;
}

static bool write_family(const struct past_family *family, export_write_fn *write, void *ctx, struct err *err)
{
	AUTO_STRBUF struct strbuf text = {0};

	openmetrics_head(&family->name, OPENMETRICS_1_0, family->help, &text);
	for (unsigned i = 0; i < family->n; i++) {
		const struct past_series *series = &family->series[i];

		for (unsigned k = 0; k < series->n; k++) {
			openmetrics_point(&family->name, OPENMETRICS_1_0, series->labels,
					  &series->values[k * openmetrics_values(&family->name)],
					  series->times[k], &text);
			if (text.n > 65536 && !write(ctx, text.p, text.n, err))
				return false;
			if (text.n > 65536)
				strbuf_clear(&text);
		}
	}
	return write(ctx, text.p, text.n, err);
}

bool openmetrics_past_write(const struct openmetrics_past *past, export_write_fn *write, void *ctx,
			    struct err *err)
{
	static const char end[] = "# EOF\n";

	for (unsigned i = 0; i < past->n; i++)
		if (!write_family(&past->families[i], write, ctx, err))
			return false;
	return write(ctx, end, sizeof(end) - 1, err);
}

/* ---- rows ---- */

static void past_row(const struct export_table *table, const struct export_row *row, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf labels = {0};

	openmetrics_label(&labels, "host", table->options->host);
	openmetrics_table(table,
			  &(struct openmetrics_lines){
				  .labels = labels.p, .time_ns = row->end_ns, .past = table->options->past},
			  row->values, out);
}

const struct export_format export_openmetrics = {.name = "openmetrics",
						 .each = true,
						 .totals = true,
						 .check = openmetrics_check,
						 .arrange = openmetrics_arrange,
						 .row = past_row};
