/* The screen as text, and all its numbers, saved under new names. */
#include "tui/live_priv.h"
#include "base/alloc.h"
#include "export/export.h"
#include "record/log_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define NAMES_MAX 100

/* A number that grows is per second. */
static double value_of(const struct metric *metric, const double *vector)
{
	double value = vector ? metric_value(metric, vector) : (double)NAN;

	return metric->grows && vector ? value / vector[VECTOR_SECONDS] : value;
}

static void put_number(struct strbuf *out, double value)
{
	char text[NUMBER_TEXT];

	strbuf_printf(out, ",%s", isfinite(value) ? number_shortest(text, value) : "");
}

static void put_metrics(const struct feed *feed, struct strbuf *out)
{
	for (unsigned i = 0; i < feed->set->n_metrics; i++) {
		const struct metric *m = &feed->set->metrics[i];
		double now = value_of(m, feed->now);

		csv_field(out, m->def->name);
		strbuf_printf(out, ",%s%s", m->unit->name, m->grows ? " per second" : "");
		put_number(out, now);
		if (feed->mark)
			put_number(out, value_of(m, feed->mark));
		strbuf_str(out, CSV_EOL);
	}
}

/* Every metric of the shown sources, as it is on the screen: of a refresh, or of the range. */
static void put_numbers(struct live *l, struct strbuf *out)
{
	struct view_data data;
	bool compared = false;

	screen_fill_data(&l->screen, &data);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		compared |= data.feeds[kind].mark != NULL;
	strbuf_printf(out, "name,unit,value%s" CSV_EOL, compared ? ",compared_with" : "");
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (data.feeds[kind].set)
			put_metrics(&data.feeds[kind], out);
}

static bool save_text(struct live *l, const char *name, const struct strbuf *text, struct err *err)
{
	struct log_file *file = log_file_open(l->sys, name, &(struct log_file_options){0}, err);
	bool ok = file && log_file_write(file, text->p, text->n, err);

	return log_file_close(file, ok ? err : NULL) && ok;
}

/* Under the first name that no file has. */
static bool save_new(struct live *l, const char *ending, const struct strbuf *text, char name[64],
		     struct err *err)
{
	for (unsigned n = 1; n <= NAMES_MAX; n++) {
		live_new_name(l->sys, n, ending, name);
		if (save_text(l, name, text, err))
			return true;
		if (err->code != EEXIST)
			return false;
	}
	return false;
}

void live_snapshot(struct live *l)
{
	AUTO_STRBUF struct strbuf picture = {0}, numbers = {0};
	char text[256], name[64], csv[64];
	struct err err;

	live_compose(l);
	canvas_dump(&l->canvas, &picture);
	put_numbers(l, &numbers);
	if (save_new(l, "txt", &picture, name, &err) && save_new(l, "csv", &numbers, csv, &err))
		snprintf(text, sizeof(text), "snapshot: %s; every metric: %s", name, csv);
	else
		snprintf(text, sizeof(text), "%.200s", err.text);
	alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), text);
}
