#include "tui/explain_card.h"

#include "base/alloc.h"
#include "tui/keys.h"
#include "tui/page.h"
#include "views/explanation.h"
#include "views/widget.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAPH_FROM 18   /* least rows of the card with a graph */
#define GRAPH_MOST 12   /* rows of the graph */
#define STATS_COLS 34   /* columns of the numbers beside the graph */
#define STATS_FROM 100  /* least columns to have the numbers beside the graph */
#define HISTORY_COLS 20 /* columns of the history of an operand */

/* The subject of the card, and the source of its values. */
struct explained {
	/* Its metric and source. The metric is NULL for a finding whose number is not a metric of
	 * these sources. */
	struct series series;
	const struct metric_instance *instance;
	struct view_data data;
	struct explanation text;
	double *own; /* the vector of the instance, owned */
	bool simulated;
};

/* Return the metric of a finding: its number, or the first evidence that is a metric. */
static const struct metric *finding_metric(const struct judged *f)
{
	const struct metric *m = f ? f->number.metric : NULL;

	for (unsigned i = 0; f && !m && i < f->n_evidence; i++)
		m = f->evidence[i].metric;
	return m;
}

/* Whether the card explains the selected row, and so follows Up and Down. */
static bool follows_row(const struct explain_card *card)
{
	return !card->finding && !card->metric[0];
}

const struct metric *explain_card_metric(const struct explain_card *card, const struct screen *screen)
{
	const struct row_subject *row = screen_selected(screen);
	const struct metric *m = NULL;

	if (card->finding)
		return finding_metric(explanation_judged(screen->judge.judge, card->finding));
	if (follows_row(card))
		return row ? row->metric : NULL;
	for (enum source_kind kind = 0; !m && kind < SOURCE_KINDS; kind++) {
		const struct session_source *s = session_shown(screen->session, kind);

		m = s && s->set ? metric_find(s->set, span_of(card->metric)) : NULL;
	}
	return m;
}

/* Find the feed of the metric, and copy its current vector: of the instance, or of all. */
static void find_values(struct explained *s, const struct screen *screen)
{
	const struct metric *m = s->series.metric;
	const struct feed *feed;

	for (; s->series.source < SOURCE_KINDS; s->series.source++) {
		const struct metric_set *set = s->data.feeds[s->series.source].set;

		if (set && m >= set->metrics && m < set->metrics + set->n_metrics)
			break;
	}
	feed = &s->data.feeds[s->series.source % SOURCE_KINDS];
	s->text.set = feed->set;
	s->simulated = session_shown(screen->session, s->series.source)->simulated;
	if (!feed->now)
		return;
	s->own = xmalloc(feed->set->n_vector * sizeof(*s->own));
	for (unsigned i = 0; i < feed->set->n_vector; i++)
		s->own[i] = NAN; /* the feed does not keep these slots */
	if (s->instance)
		metric_vector_instance(feed->set, s->instance, feed->now, feed->n_vector, s->own);
	else
		memcpy(s->own, feed->now, feed->n_vector * sizeof(*s->own));
	s->text.vector = s->own;
}

/* false: there is nothing to explain. */
static bool find_subject(const struct explain_card *card, struct screen *screen, struct explained *s)
{
	const struct row_subject *row = screen_selected(screen);

	*s = (struct explained){
		.series = series_of(explain_card_metric(card, screen), 0),
		.text = {.db = screen->session->db, .views = &screen->views, .judge = screen->judge.judge}};
	if (!s->series.metric && !card->finding)
		return false;
	s->instance = row && follows_row(card) ? row->instance : NULL;
	screen_fill_data(screen, &s->data);
	s->data.hits = NULL;
	if (s->data.feeds[SOURCE_GPU].set)
		s->text.product = s->data.feeds[SOURCE_GPU].set->product;
	if (s->series.metric)
		find_values(s, screen);
	if (card->finding)
		explanation_finding(&s->text, card->finding);
	else
		explanation_metric(&s->text, s->series.metric->def);
	return true;
}

static void subject_fini(struct explained *s)
{
	explanation_fini(&s->text);
	free(s->own);
}

/* ---- numbers and graph ---- */

struct stat_line {
	const char *name;
	char text[64];
};

#define STAT_LINES 9

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Return the known values of the kept history, sorted; *n is how many there are. */
static double *sorted_history(const struct explained *s, int *n)
{
	int points = s->data.feeds[s->series.source].n_points;
	double *values = xcalloc((size_t)points + 1, sizeof(*values));

	series_rates(&s->series, 1, &s->data, s->instance, values, points);
	*n = 0;
	for (int i = 0; i < points; i++)
		if (!isnan(values[i]))
			values[(*n)++] = values[i];
	qsort(values, (size_t)*n, sizeof(*values), compare_values);
	return values;
}

static void put_stat(struct stat_line *line, const char *name, const struct metric *m, double value)
{
	char text[UNITS_TEXT];

	line->name = name;
	snprintf(line->text, sizeof(line->text), "%s", unit_format(text, value, m->unit, m->grows, false));
}

/* Append how accurate the current value is. */
static void put_quality(const struct explained *s, struct stat_line *line)
{
	double share = s->own ? metric_share(s->text.set, s->series.metric, s->own) : 1;

	line->name = "quality";
	if (share < 1 && !s->simulated)
		snprintf(line->text, sizeof(line->text), "estimate: %.0f %% of the time", share * 100);
	else
		snprintf(line->text, sizeof(line->text), s->simulated ? "simulated" : "measured");
}

/* Append the place in the guide: "Mali-G715 6.1.1". Returns false if its template lacks it. */
static bool put_guide(const struct explained *s, struct stat_line *line)
{
	const struct template_view *guide = s->data.templ;
	unsigned i = 0, n = guide ? guide->n_rows : 0;

	while (i < n && guide->rows[i].metric != s->series.metric)
		i++;
	if (i == n)
		return false;
	line->name = "guide";
	snprintf(line->text, sizeof(line->text), "%.40s %s", guide->parent->name, guide->rows[i].number);
	return true;
}

static unsigned list_stats(const struct explained *s, struct stat_line lines[STAT_LINES])
{
	static const char *const sides[] = {"none in the guide", "above ", "below "};
	const struct metric *m = s->series.metric;
	char limit[UNITS_TEXT];
	unsigned n = 0;
	int known;
	AUTOFREE double *values = sorted_history(s, &known);

	put_stat(&lines[n++], "now", m, series_rate(&s->series, &s->data, s->instance, -1));
	if (!s->instance)
		put_stat(&lines[n++], "mean", m, series_rate_total(&s->series, &s->data));
	put_stat(&lines[n++], "peak", m, known ? values[known - 1] : (double)NAN);
	put_stat(&lines[n++], "p95", m, known ? values[(known - 1) * 95 / 100] : (double)NAN);
	put_stat(&lines[n++], "min", m, known ? values[0] : (double)NAN);
	lines[n].name = "limit";
	snprintf(lines[n++].text, sizeof(lines[0].text), "%s%s", sides[m->alert],
		 m->alert == ALERT_NONE ? "" : unit_format(limit, m->alert_at, m->unit, false, false));
	n += put_guide(s, &lines[n]);
	put_quality(s, &lines[n++]);
	if (s->instance) {
		lines[n].name = "of";
		snprintf(lines[n++].text, sizeof(lines[0].text), "%s", s->instance->title);
	}
	assert(n <= STAT_LINES);
	return n;
}

/* Draw a graph of all instances together. The numbers are beside it, or form the first line below:
 * "now 71.3 % mean 50.8 % ..." */
static void draw_graph(const struct explained *s, struct canvas *canvas, struct rect *r, struct strbuf *below)
{
	struct series series = s->series;
	const struct chart chart = {.name = "explained",
				    .title = "",
				    .base = "",
				    .widget = &widget_area,
				    .series = &series,
				    .n_series = 1};
	const struct drawing d = {&chart, &s->data, canvas};
	int h = r->h < GRAPH_FROM ? 0 : r->h / 3 > GRAPH_MOST ? GRAPH_MOST : r->h / 3;
	bool beside = h && r->w >= STATS_FROM;
	struct stat_line lines[STAT_LINES];
	unsigned n = list_stats(s, lines);
	struct rect graph = rect_top(r, h);

	for (unsigned i = 0; i < n && !beside; i++)
		strbuf_printf(below, "%s%s %s", i ? "   " : "", lines[i].name, lines[i].text);
	if (!h)
		return;
	if (beside) {
		struct rect stats = rect_right(&graph, STATS_COLS);

		for (unsigned i = 0; i < n && stats.h > 0; i++) {
			struct rect row = rect_top(&stats, 1);

			canvas_text_right(canvas, row, i ? STYLE_TEXT : STYLE_VALUE, lines[i].text);
			canvas_text(canvas, row, STYLE_DIM, lines[i].name);
		}
		rect_right(&graph, 2);
	}
	graph.h--;
	widget_area_plot(&d, graph);
	panel_axis(&d, graph);
}

/* ---- text ---- */

/* Add a heading as wide as the card: "How it is computed ..........". */
static void add_head(struct page *page, const char *title)
{
	struct rect row;

	page_line(page);
	row = page_line(page);
	if (!row.h)
		return;
	canvas_fill(page->canvas, row, STYLE_BORDER, page->canvas->ascii ? '.' : 0x2504);
	row.w = canvas_text(page->canvas, row, STYLE_TITLE, title);
	canvas_put(page->canvas, row.x + row.w, row.y, STYLE_BORDER, ' ');
}

static void add_history(const struct explained *s, const struct metric *m, struct canvas *canvas,
			struct rect row)
{
	struct series series = series_of(m, s->series.source);
	const struct chart chart = {
		.name = "operand", .widget = &widget_rows, .series = &series, .n_series = 1};
	const struct drawing d = {&chart, &s->data, canvas};
	struct widget_past past;

	row = rect_right(&row, HISTORY_COLS);
	widget_history(&d, &series, NULL, widget_scale(&d, &series, 2 * row.w), &past, row.w);
	canvas_history(canvas, row, past.points, past.styles, past.cells);
}

static void add_page(const struct explained *s, const char *numbers, struct page *page)
{
	enum explanation_part part = EXPLANATION_TITLE;
	struct rect whole = page->window;

	if (numbers)
		page_text(page, 0, STYLE_TEXT, NULL, numbers);
	for (unsigned i = 0; i < s->text.n; i++) {
		const struct explanation_item *item = &s->text.items[i];
		bool history = whole.w >= STATS_FROM && item->metric && item->metric->grows && s->own &&
			       !s->instance;
		int y;

		if (item->part == EXPLANATION_TITLE)
			continue;
		if (item->part != part)
			add_head(page, explanation_part_titles[item->part]);
		part = item->part;
		y = page->n - page->first;
		page->window.w = whole.w - (history ? HISTORY_COLS + 2 : 0);
		page_text(page, EXPLANATION_NAME_COLS + PAGE_INDENT, item->holds ? STYLE_BUSY : STYLE_TEXT,
			  item->name[0] ? item->name : NULL, item->text);
		page->window = whole;
		if (history && y >= 0 && y < whole.h)
			add_history(s, item->metric, page->canvas,
				    (struct rect){whole.x, whole.y + y, whole.w, 1});
	}
}

static void draw_text(struct explain_card *card, const struct explained *s, const char *numbers,
		      struct canvas *canvas, struct rect r)
{
	struct page page = {.canvas = canvas, .window = {r.x, r.y, r.w, 0}};

	add_page(s, numbers, &page); /* counts the lines only */
	card->page = r.h;
	card->scroll_max = page.n > r.h ? page.n - r.h : 0;
	if (card->scroll > card->scroll_max)
		card->scroll = card->scroll_max;
	page = (struct page){.canvas = canvas, .window = r, .first = card->scroll};
	add_page(s, numbers, &page);
}

/* ---- the card ---- */

static void draw_footer(const struct explain_card *card, const struct alert *alert, struct canvas *canvas,
			struct rect row)
{
	struct foot_keys keys = {.keys = {{"\u2191 \u2193", "Up Down", "next metric", 2},
					  {"Enter", NULL, "go to its view", 1},
					  {"y", NULL, "copy the expression", 2},
					  {"e", NULL, "add to my charts (u)", 2},
					  {"i Esc", NULL, "close", 0},
					  {"PgUp PgDn", NULL, "scroll", 1}},
				 .n = card->scroll_max ? 6 : 5};
	char where[48] = "";

	if (!follows_row(card))
		keys.keys[0].word = "scroll";
	if (card->scroll_max)
		snprintf(where, sizeof(where), "lines %d to %d of %d", card->scroll + 1,
			 card->scroll + card->page, card->scroll_max + card->page);
	frame_draw_footer(&(struct frame_text){.alert = alert, .keys = &keys, .dropped = where}, canvas, row);
}

/* Draw the title, or only the name if that is too long, and the current value at the right. */
static void draw_border_text(const struct explained *s, bool finding, struct canvas *canvas, struct rect row)
{
	const struct metric *m = s->series.metric;
	char title[256], text[UNITS_TEXT];

	str_printable(title, sizeof(title), s->text.items[0].text);
	if (m && !finding) {
		double value = series_rate(&s->series, &s->data, s->instance, -1);

		unit_format(text, value, m->unit, m->grows, false);
		canvas_printf(canvas, rect_right(&row, text_width(text) + 2),
			      series_style(&s->series, &s->data, NULL, value), " %s ", text);
		rect_right(&row, 1);
		if (text_width(title) + 2 > row.w)
			str_printable(title, sizeof(title), m->def->name);
	}
	canvas_printf(canvas, row, STYLE_TITLE, " %s ", title);
}

bool explain_card_draw(struct explain_card *card, struct screen *screen, const struct alert *alert,
		       struct canvas *canvas)
{
	AUTO_STRBUF struct strbuf numbers = {0};
	struct rect r = canvas_rect(canvas), footer;
	struct explained s;

	if (!find_subject(card, screen, &s))
		return false;
	/* between tabs and footer, over the whole width */
	rect_top(&r, r.h > 12 ? 2 : 0);
	footer = rect_bottom(&r, 1);
	if (screen->timeline)
		rect_bottom(&r, 1);
	screen->hits.n = 0;
	canvas_fill(canvas, r, STYLE_TEXT, ' ');
	if (r.w >= 20 && r.h >= 6) {
		struct rect row = {r.x + 2, r.y, r.w - 4, 1};

		canvas_box(canvas, r, STYLE_BORDER);
		draw_border_text(&s, card->finding, canvas, row);
		r = (struct rect){r.x + 2, r.y + 1, r.w - 4, r.h - 2};
	}
	if (text_width(s.text.items[0].text) > r.w - 2)
		strbuf_printf(&numbers, "%s   ", s.text.items[0].text);
	if (s.series.metric)
		draw_graph(&s, canvas, &r, &numbers);
	draw_text(card, &s, numbers.p, canvas, r);
	draw_footer(card, alert, canvas, footer);
	subject_fini(&s);
	return true;
}

/* Show the next view with the metric; for a finding, the first view that it names. */
static bool show_its_view(const struct explain_card *card, struct screen *screen)
{
	const struct metric *m = explain_card_metric(card, screen);
	unsigned n = screen->views.n_views, at = (unsigned)(screen->view - screen->views.views);

	if (card->finding)
		return screen_show_finding(screen, explanation_judged(screen->judge.judge, card->finding));
	for (unsigned i = 1; m && i < n + !follows_row(card); i++)
		if (screen_show_metric(screen, &screen->views.views[(at + i) % n], m))
			return true;
	return false;
}

static void scroll_text(struct explain_card *card, int lines)
{
	int at = card->scroll + lines;

	card->scroll = at < 0 ? 0 : at > card->scroll_max ? card->scroll_max : at;
}

enum key_answer explain_card_key(struct explain_card *card, struct screen *screen, uint32_t key,
				 struct strbuf *said)
{
	struct key_action does = keys_action(keys_everywhere, key, NEEDS_NO_TIMELINE);
	const int page = card->page > 1 ? card->page - 1 : 1;

	if (keys_pass_card(key))
		return KEY_PASSED;
	if (key == 'q' || does.action == ACTION_EXPLAIN || does.action == ACTION_BACK)
		return KEY_CLOSES;
	if (key == K_ENTER && show_its_view(card, screen))
		return KEY_CLOSES;
	if (key == K_ENTER)
		strbuf_str(said, "explain: no other view shows it");
	else if (does.action == ACTION_SELECT && follows_row(card))
		card->scroll = screen_move(screen, does.number) ? 0 : card->scroll;
	else if (does.action == ACTION_SELECT || does.action == ACTION_SCROLL)
		scroll_text(card, does.number);
	else if (does.action == ACTION_PAGE)
		scroll_text(card, does.number * page);
	else if (does.action == ACTION_EDGE)
		scroll_text(card, does.number * card->scroll_max);
	else
		return KEY_UNKNOWN;
	return KEY_TAKEN;
}

void explain_card_expression(const struct explain_card *card, struct screen *screen, struct strbuf *out)
{
	struct explained s;

	if (!find_subject(card, screen, &s))
		return;
	for (unsigned i = 0; i < s.text.n && !out->n; i++)
		if (!strcmp(s.text.items[i].name, card->finding ? "when" : "formula"))
			strbuf_str(out, s.text.items[i].text);
	subject_fini(&s);
}
