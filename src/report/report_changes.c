
#include "base/alloc.h"
#include "base/real.h"
#include "report/report_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

enum row_of { ROW_LENGTH, ROW_FRAMES, ROW_P50, ROW_P95, ROW_P99, ROW_LOW, ROW_LATE, ROW_NEED, ROW_METRIC };
enum row_side { LESS_IS_BETTER, MORE_IS_BETTER, NEITHER }; /* of the same work */

static const struct {
	enum row_of of;
	const char *title; /* the name of a metric; otherwise the title */
	const char *unit;  /* NULL for a metric */
	enum row_side side;
} rows[] = {
	{ROW_LENGTH, "Duration", " s", NEITHER},
	{ROW_FRAMES, "Frames", "", NEITHER},
	{ROW_P50, "Frame time p50", " ms", LESS_IS_BETTER},
	{ROW_P95, "Frame time p95", " ms", LESS_IS_BETTER},
	{ROW_P99, "Frame time p99", " ms", LESS_IS_BETTER},
	{ROW_LOW, "1 % low", " fps", MORE_IS_BETTER},
	{ROW_LATE, "Late frames", " %", LESS_IS_BETTER},
	{ROW_NEED, "GPU needs per frame", " ms", LESS_IS_BETTER},
	{ROW_METRIC, "GPUBusy", NULL, LESS_IS_BETTER},
	{ROW_METRIC, "GPUClock", NULL, NEITHER},
	{ROW_METRIC, "ExtBusBy", NULL, LESS_IS_BETTER},
	{ROW_METRIC, "ExtBusByPerFrame", NULL, LESS_IS_BETTER},
	{ROW_METRIC, "MaliFragOverdraw", NULL, LESS_IS_BETTER},
	{ROW_METRIC, "MaliGeomTotalPrim", NULL, NEITHER},
	{ROW_METRIC, "CPUActivityUser", NULL, NEITHER},
	{ROW_METRIC, "TemperatureMax", NULL, LESS_IS_BETTER},
	{ROW_METRIC, "PowerTotal", NULL, LESS_IS_BETTER},
};

unsigned report_rows(void)
{
	return ARRAY_LEN(rows);
}

/* Return the metric of a row; NULL if the row has none, or the log lacks it. */
static const struct metric *row_metric(const struct report_log *log, unsigned row)
{
	enum source_kind kind;

	return rows[row].of == ROW_METRIC ? report_metric(log, rows[row].title, &kind) : NULL;
}

const char *report_row_title(const struct report_log *log, unsigned row)
{
	const struct metric *metric = row_metric(log, row);

	return metric ? metric->def->title : rows[row].title;
}

static double frames_value(const struct frame_stats *frames, enum row_of of)
{
	static const double shares[] = {[ROW_P50] = 0.5, [ROW_P95] = 0.95, [ROW_P99] = 0.99};

	return !frames->times.n   ? (double)NAN
	       : of == ROW_FRAMES ? (double)frames->times.n
	       : of == ROW_LATE   ? (double)frames->late / (double)frames->times.n * 100
	       : of == ROW_LOW    ? times_low(&frames->times, 0.01)
				  : times_at(&frames->times, shares[of]);
}

double report_row_value(const struct report_log *log, unsigned row, unsigned phase)
{
	enum row_of of = rows[row].of;
	struct report_span span = report_phase_span(log, phase);
	const struct report_phase *p = &log->phases[phase];

	return of == ROW_METRIC   ? report_named(log, rows[row].title, &span)
	       : of == ROW_LENGTH ? (double)(p->end_ns - p->begin_ns) * 1e-9
	       : of == ROW_NEED   ? report_need(log, &span).need_ms
				  : frames_value(p->frames, of);
}

char *report_row_format(const struct report_log *log, unsigned row, double value, char text[UNITS_TEXT])
{
	const struct metric *metric = row_metric(log, row);

	if (metric && isfinite(value))
		return report_value_text(text, metric, value);
	if (!rows[row].unit || !isfinite(value))
		snprintf(text, UNITS_TEXT, "–");
	else
		snprintf(text, UNITS_TEXT, "%.*f%s", rows[row].of != ROW_FRAMES, value, rows[row].unit);
	return text;
}

/* ---- sides ---- */

void report_side_name(const struct report_side *side, struct strbuf *out)
{
	strbuf_str(out, side->runs[0].name);
	if (side->n > 1)
		strbuf_printf(out, " and %u more", side->n - 1);
}

bool report_phase_named(const struct report_log *log, const char *name, unsigned *phase)
{
	*phase = name ? 0 : log->n_phases;
	while (name && *phase < log->n_phases && strcmp(log->phases[*phase].name, name) != 0)
		++*phase;
	return !name || *phase < log->n_phases;
}

struct report_mean report_mean_of(const double *values, unsigned n)
{
	struct report_mean m = {.mean = NAN, .deviation = NAN};
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += isfinite(values[i]) ? values[i] : 0;
		m.n += isfinite(values[i]);
	}
	if (m.n)
		m.mean = sum / m.n;
	for (unsigned i = 0; i < n; i++)
		squares += isfinite(values[i]) ? (values[i] - m.mean) * (values[i] - m.mean) : 0;
	if (m.n > 1)
		m.deviation = real_root(squares / (m.n - 1));
	return m;
}

static struct report_mean side_mean(const struct report_side *side, unsigned row, const char *phase)
{
	AUTOFREE double *values = xcalloc(side->n, sizeof(*values));

	for (unsigned i = 0; i < side->n; i++) {
		unsigned at;

		values[i] = report_phase_named(&side->runs[i], phase, &at)
				    ? report_row_value(&side->runs[i], row, at)
				    : (double)NAN;
	}
	return report_mean_of(values, side->n);
}

bool report_side_cells(const struct report_side *sides, unsigned n, unsigned row, const char *phase,
		       void (*put)(const struct report_side *side, unsigned row,
				   const struct report_mean *value, struct strbuf *out),
		       struct strbuf *out)
{
	bool known = false;

	for (unsigned i = 0; i < n; i++) {
		const struct report_mean value = side_mean(&sides[i], row, phase);

		known = known || value.n;
		put(&sides[i], row, &value, out);
	}
	return known;
}

char *report_side_deviation(const struct report_side *side, unsigned row, const struct report_mean *value,
			    char text[UNITS_TEXT])
{
	text[0] = 0;
	if (isfinite(value->deviation))
		snprintf(text, UNITS_TEXT, "± %.*s", UNITS_TEXT - 5,
			 report_row_format(&side->runs[0], row, value->deviation, TEXT));
	return text;
}

/* ---- changes ---- */

/* The 95 % quantile of Student's t, two-sided, by degrees of freedom from 1. */
static double student_95(double freedom)
{
	static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23,
				   2.20,  2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09};
	unsigned whole = freedom >= 1 ? (unsigned)real_min(freedom, 1000) : 1;

	return whole <= ARRAY_LEN(t) ? t[whole - 1] : whole < 60 ? 2.08 : 2.0;
}

bool report_differ(const struct report_mean *was, const struct report_mean *now)
{
	double far = fabs(now->mean - was->mean);
	double a = was->deviation * was->deviation / was->n, b = now->deviation * now->deviation / now->n;
	double freedom = (a + b) * (a + b) / (a * a / (was->n - 1) + b * b / (now->n - 1));

	if (was->n < 2 || now->n < 2)
		return false;
	if (!(a + b > 0))
		return far > 0;
	return far > was->deviation && far > now->deviation && far > student_95(freedom) * real_root(a + b);
}

static bool has_runs(const struct report_change *c)
{
	return c->was.n > 1 && c->now.n > 1;
}

static bool fill_change(const struct report_side *was, const struct report_side *now, unsigned row,
			const char *phase, struct report_change *c)
{
	*c = (struct report_change){.row = row,
				    .phase = phase,
				    .was = side_mean(was, row, phase),
				    .now = side_mean(now, row, phase)};
	if (!c->was.n || !c->now.n)
		return false;
	c->share = c->was.mean != 0   ? (c->now.mean - c->was.mean) / fabs(c->was.mean)
		   : c->now.mean != 0 ? (double)INFINITY
				      : 0;
	c->word = fabs(c->share) < REPORT_SAME                           ? REPORT_NO_CHANGE
		  : has_runs(c) && !report_differ(&c->was, &c->now)      ? REPORT_CHANCE
		  : rows[row].side == NEITHER                            ? REPORT_OTHER
		  : (c->share > 0) == (rows[row].side == LESS_IS_BETTER) ? REPORT_WORSE
									 : REPORT_BETTER;
	return true;
}

static int compare_changes(const void *a, const void *b)
{
	const struct report_change *x = a, *y = b;

	if (x->word != y->word)
		return (x->word > y->word) - (x->word < y->word);
	return (fabs(x->share) < fabs(y->share)) - (fabs(x->share) > fabs(y->share));
}

unsigned report_changes(const struct report_side *was, const struct report_side *now,
			struct report_change **changes)
{
	const struct report_log *log = &now->runs[0];
	unsigned n = 0;

	*changes = xcalloc(ARRAY_LEN(rows) * (REPORT_PHASES + 1), sizeof(**changes));
	for (unsigned row = 0; row < ARRAY_LEN(rows); row++) {
		for (unsigned i = 0; i < log->n_phases && log->n_phases > 1; i++)
			n += fill_change(was, now, row, log->phases[i].name, &(*changes)[n]);
		n += fill_change(was, now, row, NULL, &(*changes)[n]);
	}
	if (n)
		qsort(*changes, n, sizeof(**changes), compare_changes);
	return n;
}

char *report_change_text(const struct report_change *c, char text[32])
{
	if (c->word == REPORT_NO_CHANGE)
		snprintf(text, 32, "no change");
	else if (isfinite(c->share))
		snprintf(text, 32, "%s%.1f %%", c->share < 0 ? "−" : "+", fabs(c->share) * 100);
	else
		snprintf(text, 32, "new");
	return text;
}

const char *report_change_word(const struct report_change *c)
{
	return !has_runs(c)               ? ""
	       : c->word == REPORT_WORSE  ? "worse"
	       : c->word == REPORT_BETTER ? "better"
	       : c->word == REPORT_CHANCE ? "may be chance"
					  : "";
}

/* The rows that a sentence may report; it reports the first that is known. */
static const enum row_of main_rows[] = {ROW_NEED, ROW_P50, ROW_LENGTH};

/* Append "Better in level 1: ", "In level 1: ", "Better: " or "". */
static void put_opening(const struct report_change *c, struct strbuf *out)
{
	const char *word = !has_runs(c)               ? ""
			   : c->word == REPORT_WORSE  ? "Worse"
			   : c->word == REPORT_BETTER ? "Better"
			   : c->word == REPORT_OTHER  ? ""
						      : "No change beyond chance";

	strbuf_str(out, word);
	if (c->phase)
		strbuf_printf(out, "%s %s", word[0] ? " in" : "In", c->phase);
	strbuf_str(out, word[0] || c->phase ? ": " : "");
}

/* The change over the whole logs if there is one, else that of the phase that changed most. */
static const struct report_change *find_main(const struct report_change *changes, unsigned n, enum row_of of)
{
	const struct report_change *most = NULL;

	for (unsigned i = 0; i < n; i++) {
		const struct report_change *c = &changes[i];

		if (rows[c->row].of != of)
			continue;
		if (!c->phase && c->word < REPORT_CHANCE)
			return c;
		if (!most || fabs(c->share) > fabs(most->share))
			most = c;
	}
	return most;
}

static void put_change(const struct report_log *log, const struct report_change *c, struct strbuf *out)
{
	char change[32];

	strbuf_printf(out, "%s %s, was %s (%s)", report_row_title(log, c->row),
		      report_row_format(log, c->row, c->now.mean, TEXT),
		      report_row_format(log, c->row, c->was.mean, TEXT), report_change_text(c, change));
}

static void put_main_change(const struct report_side *now, const struct report_change *changes, unsigned n,
			    struct strbuf *out)
{
	const struct report_change *c = NULL;

	for (size_t k = 0; k < ARRAY_LEN(main_rows) && !c; k++)
		c = find_main(changes, n, main_rows[k]);
	if (!c)
		return;
	put_opening(c, out);
	put_change(&now->runs[0], c, out);
	if (c->word == REPORT_WORSE || changes[0].word != REPORT_WORSE)
		return;
	strbuf_str(out, "; but ");
	if (changes[0].phase)
		strbuf_printf(out, "in %s: ", changes[0].phase);
	put_change(&now->runs[0], &changes[0], out);
}

/* Append "GPU needs per frame: 6.3 ms in a.mlog to 23.1 ms in c.mlog". */
static bool put_range(const struct report_side *sides, unsigned n, unsigned row, struct strbuf *out)
{
	double low = INFINITY, high = -INFINITY;
	unsigned lowest = 0, highest = 0;

	for (unsigned i = 0; i < n; i++) {
		double value = side_mean(&sides[i], row, NULL).mean;

		if (value < low)
			low = value, lowest = i;
		if (value > high)
			high = value, highest = i;
	}
	if (!isfinite(low))
		return false;
	strbuf_printf(out, "%s: %s in ", rows[row].title,
		      report_row_format(&sides[lowest].runs[0], row, low, TEXT));
	report_side_name(&sides[lowest], out);
	strbuf_printf(out, " to %s in ", report_row_format(&sides[highest].runs[0], row, high, TEXT));
	report_side_name(&sides[highest], out);
	return true;
}

void report_side_sentence(const struct report_side *sides, unsigned n_sides,
			  const struct report_change *changes, unsigned n, struct strbuf *out)
{
	if (n_sides == 2) {
		put_main_change(&sides[1], changes, n, out);
		return;
	}
	for (size_t k = 0; k < ARRAY_LEN(main_rows); k++)
		for (unsigned row = 0; row < ARRAY_LEN(rows); row++)
			if (rows[row].of == main_rows[k] && put_range(sides, n_sides, row, out))
				return;
	strbuf_printf(out, "%u logs side by side", n_sides);
}
