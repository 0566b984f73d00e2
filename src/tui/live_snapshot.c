/* The screen as text and as a picture, and all its numbers, saved under new names. */
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

/* Save it under the first name from *number on that no file has. */
static bool save_new(struct live *l, const char *ending, const struct strbuf *text, unsigned *number,
		     char name[64], struct err *err)
{
	for (; *number <= NAMES_MAX; ++*number) {
		live_new_name(l->sys, *number, ending, name);
		if (save_text(l, name, text, err))
			return true;
		if (err->code != EEXIST)
			return false;
	}
	return false;
}

static void put_screen(struct live *l, struct strbuf *out)
{
	canvas_dump(&l->canvas, out);
}

static void put_picture(struct live *l, struct strbuf *out)
{
	const struct options *o = l->settings.begun ? &l->settings.now : l->options;

	term_svg(&l->canvas, &(struct term_options){.color = o->color, .theme = o->theme, .ascii = o->ascii},
		 out);
}

static const struct {
	const char *ending;
	void (*put)(struct live *l, struct strbuf *out);
} formats[] = {{"txt", put_screen}, {"csv", put_numbers}, {"svg", put_picture}};

/* Save the screen in one format, and add its name to *said: only the ending if the rest is that of
 * the one before. */
static bool save_format(struct live *l, struct span ending, unsigned *number, struct strbuf *said,
			struct err *err)
{
	AUTO_STRBUF struct strbuf text = {0};
	unsigned before = *number;
	char name[64];
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(formats) && !span_is(ending, formats[i].ending))
		i++;
	formats[i].put(l, &text);
	*number = before ? before : 1;
	if (!save_new(l, formats[i].ending, &text, number, name, err))
		return false;
	if (*number == before)
		strbuf_printf(said, ", .%s", formats[i].ending);
	else
		strbuf_printf(said, "%s%s", said->n ? ", " : "snapshot: ", name);
	return true;
}

void live_snapshot(struct live *l)
{
	AUTO_STRBUF struct strbuf said = {0};
	struct span rest = span_of((l->settings.begun ? &l->settings.now : l->options)->snapshot), item;
	struct err err = {0};
	unsigned number = 0;
	bool ok = true;

	live_compose(l);
	while (ok && (item = span_item(&rest)).n)
		ok = save_format(l, item, &number, &said, &err);
	(ok ? alerts_news : alerts_add)(&l->alerts, l->sys->monotonic_ns(l->sys), ok ? said.p : err.text);
}
