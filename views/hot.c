/* hot: the functions that run, the hottest first: self and total, in percent of one CPU, or of the
 * samples if that is unknown; module, thread. hot-around: callers, calls and addresses of the
 * selected function. */
#include "views/hot.h"

#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX 44
#define NUMBER_W 7
#define LINES_MIN 4
#define WORDS_MOST 8 /* lines of the reason for an empty list */
#define PARTS_MOST 6

uint64_t hot_row_item(const struct hot_profile *profile, const struct hot_row *row)
{
	const struct hot_function *f = &profile->functions[row->function];

	return span_hash(span_of(f->name)) ^ 3 * span_hash(span_of(f->module)) ^ 5 * (f->start + 1);
}

/* Convert a share to percent of one CPU, or of the samples. */
static double share_percent(const struct hot_shown *hot, double share)
{
	return share * (isfinite(hot->busy) ? hot->busy : 100);
}

enum hot_column { NAME, BAR, SELF, MARGIN, TOTAL, MODULE, THREAD, PAST, COLUMNS };

static const struct widget_column columns[COLUMNS] = {
	[NAME] = {"function", 18, 0, true},        [BAR] = {NULL, 12, 5, true},
	[SELF] = {"self %", NUMBER_W, 1, false},   [MARGIN] = {NULL, 6, 2, false},
	[TOTAL] = {"total %", NUMBER_W, 4, false}, [MODULE] = {"module", 16, 6, true},
	[THREAD] = {"thread", 14, 3, true},        [PAST] = {"history 16 s", HOT_PAST, 7, true},
};

static void cut_columns(struct rect row, bool calls, struct rect at[COLUMNS])
{
	int w[COLUMNS], spare = widget_fit(columns, COLUMNS, calls ? 0 : 1u << TOTAL, true, row.w, w);

	widget_widen(&w[NAME], NAME_MAX, spare);
	widget_place(w, COLUMNS, &row, at);
}

static void draw_heads(struct canvas *canvas, struct rect row, bool calls)
{
	struct rect at[COLUMNS];

	cut_columns(row, calls, at);
	widget_heads(columns, COLUMNS, at, canvas);
	canvas_text_right(canvas, at[MARGIN], STYLE_DIM, canvas->ascii ? "+-" : "\u00b1");
}

/* Draw the history in shares of a CPU. It is unknown before the first sample. */
static void draw_past(const struct hot_shown *hot, struct canvas *canvas, struct rect r, uint32_t function)
{
	double points[2 * HOT_PAST];
	uint8_t styles[HOT_PAST];

	for (int i = 0; i < HOT_PAST; i++) {
		double samples = function < hot->past->n ? hot->past->seconds[function][i] : 0;

		points[2 * i] = points[2 * i + 1] =
			HOT_PAST - i <= hot->seconds + 1 ? samples / hot->one_cpu : (double)NAN;
		styles[i] = STYLE_SERIES1;
	}
	canvas_history(canvas, r, points, styles, HOT_PAST);
}

static void draw_row(const struct drawing *d, struct rect row, const struct hot_row *r)
{
	const struct hot_shown *hot = d->data->hot;
	const struct hot_function *f = &hot->profile->functions[r->function];
	struct rect c[COLUMNS];
	char text[HOT_NAME_TEXT];
	bool few = r->count < HOT_FEW;

	cut_columns(row, hot->table->has_calls, c);
	hot_function_text(f, text, sizeof(text));
	canvas_text_cut(d->canvas, c[NAME], f->name[0] ? STYLE_TEXT : STYLE_DIM, text);
	if (c[BAR].w)
		canvas_meter(d->canvas, c[BAR], STYLE_SERIES1,
			     hot->table->n && hot->table->rows[0].self > 0
				     ? r->self / hot->table->rows[0].self
				     : NAN,
			     NAN);
	snprintf(text, sizeof(text), few ? "[%.1f]" : "%.1f", share_percent(hot, r->self));
	canvas_text_right(d->canvas, c[SELF], few ? STYLE_DIM : STYLE_VALUE, text);
	snprintf(text, sizeof(text), "%.1f", share_percent(hot, r->plus_minus));
	canvas_text_right(d->canvas, c[MARGIN], STYLE_DIM, text);
	snprintf(text, sizeof(text), "%.1f", share_percent(hot, r->total));
	if (c[TOTAL].w)
		canvas_text_right(d->canvas, c[TOTAL], STYLE_TEXT, text);
	canvas_text_cut(d->canvas, c[MODULE], STYLE_DIM, f->module);
	if (r->n_threads > 1)
		canvas_printf(d->canvas, c[THREAD], STYLE_TEXT, "%u threads", r->n_threads);
	else if (r->n_threads)
		canvas_text_cut(d->canvas, c[THREAD], STYLE_TEXT, hot->profile->threads[r->thread].name);
	if (c[PAST].w)
		draw_past(hot, d->canvas, c[PAST], r->function);
	widget_hit(d, row, row,
		   (struct row_subject){.chart = d->chart, .item = hot_row_item(hot->profile, r)});
}

static struct need hot_size(const struct drawing *d, int cols)
{
	int most = d->data->hot && d->data->hot->table->n ? 2 + (int)d->data->hot->table->n : WORDS_MOST;

	(void)cols;
	return d->data->hot ? (struct need){LINES_MIN, most < LINES_MIN ? LINES_MIN : most}
			    : (struct need){0, 0};
}

/* Return the selected row; -1: none. */
static int selected_row(const struct view_data *data)
{
	const struct hot_shown *hot = data->hot;

	for (unsigned i = 0; data->selected.item && i < hot->table->n; i++)
		if (hot_row_item(hot->profile, &hot->table->rows[i]) == data->selected.item)
			return (int)i;
	return -1;
}

/* Whether the name of the function, its module or its thread fits the filter. */
static bool fits_filter(const struct view_data *data, const struct hot_row *row)
{
	const struct hot_profile *p = data->hot->profile;
	const struct hot_function *f = &p->functions[row->function];

	return !data->filter || !data->filter[0] || strcasestr(f->name, data->filter) ||
	       strcasestr(f->module, data->filter) ||
	       (row->n_threads == 1 && strcasestr(p->threads[row->thread].name, data->filter));
}

/* Draw the sum of the rows that do not fit. */
static void draw_rest(const struct hot_shown *hot, struct canvas *canvas, struct rect row, int from)
{
	struct rect c[COLUMNS];
	double rest = 0;
	char text[32];

	cut_columns(row, hot->table->has_calls, c);
	for (unsigned i = (unsigned)from; i < hot->table->n; i++)
		rest += hot->table->rows[i].self;
	snprintf(text, sizeof(text), "%.1f", share_percent(hot, rest));
	canvas_printf(canvas, c[NAME], STYLE_DIM, "%u more", hot->table->n - (unsigned)from);
	canvas_text_right(canvas, c[SELF], STYLE_DIM, text);
}

static void hot_draw(const struct drawing *d, struct rect r)
{
	const struct hot_shown *hot = d->data->hot;
	int n = hot ? (int)hot->table->n : 0, from, i;
	char count[UNITS_TEXT], given_up[48] = "";
	bool filtered;

	if (!hot)
		return;
	if (!n) {
		canvas_text(d->canvas, rect_top(&r, 1), STYLE_TEXT, hot->event);
		widget_words(d->canvas, &r, STYLE_DIM,
			     hot->may_not
				     ? "Sampling all processes needs kernel.perf_event_paranoid at 0 (sudo "
				       "sysctl kernel.perf_event_paranoid=0) or CAP_PERFMON (sudo setcap "
				       "cap_perfmon+ep on malitop). A program of your own needs neither: "
				       "malitop stat --hot -- CMD"
			     : hot->refused ? "malitop stat --hot shows why, and what to try"
					    : "the first samples come within a second");
		return;
	}
	if (hot->given_up > 0)
		snprintf(given_up, sizeof(given_up), "   %.0f too large to name", hot->given_up);
	canvas_printf(d->canvas, rect_top(&r, 1), STYLE_DIM,
		      "%s   %s sample%s in %.0f s   scope %s   %.0f lost   cost %.1f %%%s", hot->event,
		      count_format(count, hot->table->count), plural_ending(hot->table->count), hot->seconds,
		      hot->whose, hot->lost, hot->cost, given_up);
	draw_heads(d->canvas, widget_head(&r), hot->table->has_calls);
	/* a filter leaves few rows */
	filtered = d->data->filter && d->data->filter[0];
	from = filtered ? 0 : widget_scroll(d->data, n, r.h - 1, selected_row(d->data));
	for (i = from; i < n && r.h > (!filtered && i + 1 < n); i++)
		if (fits_filter(d->data, &hot->table->rows[i]))
			draw_row(d, rect_top(&r, 1), &hot->table->rows[i]);
	if (i < n && !filtered)
		draw_rest(hot, d->canvas, r, i);
}

static void hot_corner(const struct drawing *d, char *text, size_t size)
{
	if (d->data->hot && isfinite(d->data->hot->busy))
		snprintf(text, size, "%.1f %% = CPU time in scope", d->data->hot->busy);
}

const struct widget widget_hot = {
	.name = "hot", .heads = 1, .size = hot_size, .spare = true, .draw = hot_draw, .corner = hot_corner};

/* ---- around the selected function ---- */

static const struct hot_row *shown_row(const struct view_data *data)
{
	int at = data->hot ? selected_row(data) : -1;

	return data->hot && data->hot->table->n ? &data->hot->table->rows[at < 0 ? 0 : at] : NULL;
}

static struct need around_size(const struct drawing *d, int cols)
{
	(void)cols;
	return d->data->hot ? (struct need){LINES_MIN, 4 + 3 * PARTS_MOST} : (struct need){0, 0};
}

static void draw_part(const struct hot_profile *p, const struct hot_part *part, double of, bool address,
		      struct canvas *canvas, struct rect row)
{
	struct rect number = rect_right(&row, NUMBER_W), bar = rect_right(&row, row.w / 3);
	double share = of > 0 ? (double)part->weight / of : 0;
	char text[HOT_NAME_TEXT] = "itself";

	if (address)
		snprintf(text, sizeof(text), "+0x%llx", (unsigned long long)part->offset);
	else if (part->function != UINT32_MAX)
		hot_function_text(&p->functions[part->function], text, sizeof(text));
	canvas_text_cut(canvas, row, STYLE_TEXT, text);
	canvas_meter(canvas, bar, STYLE_SERIES1, share, NAN);
	snprintf(text, sizeof(text), "%.1f %%", share * 100);
	canvas_text_right(canvas, number, STYLE_VALUE, text);
}

static void draw_parts(const char *head, const struct hot_profile *p, const struct hot_part *parts,
		       unsigned n, double of, bool address, struct canvas *canvas, struct rect *r)
{
	if (!n || r->h < 2)
		return;
	canvas_text(canvas, rect_top(r, 1), STYLE_DIM, head);
	for (unsigned i = 0; i < n && i < PARTS_MOST && r->h > 0; i++)
		draw_part(p, &parts[i], of, address, canvas, rect_top(r, 1));
}

static void around_draw(const struct drawing *d, struct rect r)
{
	const struct hot_row *row = shown_row(d->data);
	const struct hot_profile *p = row ? d->data->hot->profile : NULL;
	const struct hot_function *f = row ? &p->functions[row->function] : NULL;
	struct hot_around a;
	char text[HOT_NAME_TEXT];

	if (!row)
		return;
	hot_around_make(&a, p, &d->data->hot->scope, row->function);
	hot_function_text(f, text, sizeof(text));
	canvas_text_cut(d->canvas, rect_top(&r, 1), STYLE_TITLE, text);
	canvas_printf(d->canvas, rect_top(&r, 1), STYLE_TEXT, "%s+0x%llx, %llu byte%s, %llu sample%s",
		      f->module, (unsigned long long)f->start, (unsigned long long)f->size,
		      plural_ending(f->size), (unsigned long long)row->count, plural_ending(row->count));
	draw_parts("called by, % of total", p, a.callers, a.n_callers, (double)a.total_weight, false,
		   d->canvas, &r);
	if (d->data->hot->table->has_calls)
		draw_parts("calls, % of total", p, a.calls, a.n_calls, (double)a.total_weight, false,
			   d->canvas, &r);
	draw_parts("addresses, % of self, may be one late", p, a.addresses, a.n_addresses, (double)a.weight,
		   true, d->canvas, &r);
	hot_around_fini(&a);
}

const struct widget widget_hot_around = {
	.name = "hot-around", .companion = true, .size = around_size, .draw = around_draw};
