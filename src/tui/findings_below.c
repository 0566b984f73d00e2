/* The panels below the findings: the selected finding, or the passed checks; and recent events. */
#include "base/alloc.h"
#include "tui/findings_card.h"
#include "tui/page.h"
#include "views/widget.h"
#include "mlog/moment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RECENT_COLS 48
#define RECENT_FROM 120 /* least columns to have it beside the selected one */
#define SECOND_NS 1000000000ll
#define TOGETHER_MOST 8 /* events that started in one second */
#define RECENT_NS 300000000000ll
#define CHECK_COLS 50 /* least columns of one check */
#define VALUE_COLS 10
#define LIMIT_COLS 15
#define LIMIT_FROM 46 /* least columns of a check with its limit */

enum check { CHECK_FINE, CHECK_BEYOND, CHECK_UNKNOWN, CHECKS };

/* Return why a finding does not hold; CHECKS if it is not listed. */
static enum check check_of(const struct judge *judge, unsigned at)
{
	const struct judged *f = &judge->findings[at];

	if (f->holds || f->side == ALERT_NONE)
		return CHECKS;
	for (unsigned i = 0; i < at; i++) /* two findings may judge the same number by the same limit */
		if (!strcmp(judge->findings[i].number.title, f->number.title) &&
		    judge->findings[i].limit == f->limit && judge->findings[i].side == f->side)
			return CHECKS;
	return judged_is_fine(f) ? CHECK_FINE : isnan(f->number.value) ? CHECK_UNKNOWN : CHECK_BEYOND;
}

static unsigned count_checks(const struct judge *judge, enum check check)
{
	unsigned n = 0;

	for (unsigned i = 0; judge && i < judge->n_findings; i++)
		n += check_of(judge, i) == check;
	return n;
}

/* "4 more: ...", "3 without a value: ..." */
static void add_rest(const struct judge *judge, enum check check, unsigned skip, const char *what,
		     struct strbuf *out)
{
	const char *before = "";

	if (count_checks(judge, check) <= skip)
		return;
	strbuf_printf(out, "%s%u %s: ", out->n ? "; " : "", count_checks(judge, check) - skip, what);
	for (unsigned i = 0; i < judge->n_findings; i++) {
		if (check_of(judge, i) != check || (skip && skip--))
			continue;
		strbuf_printf(out, "%s%s", before, judge->findings[i].number.title);
		before = ", ";
	}
}

static void draw_checks(const struct judge *judge, struct canvas *canvas, struct rect r)
{
	unsigned n = count_checks(judge, CHECK_FINE), shown = 0;
	int columns = (r.w - 2 * PANEL_MARGIN) / CHECK_COLS, rows = r.h - 3, w;
	AUTO_STRBUF struct strbuf rest = {0};
	char corner[32];

	snprintf(corner, sizeof(corner), "%u ok", n);
	panel_box(&(struct panel_texts){"Checked and fine", "value, limit", corner, STYLE_CALM}, canvas, r);
	r = (struct rect){r.x + PANEL_MARGIN, r.y + 1, r.w - 2 * PANEL_MARGIN, r.h - 2};
	columns = columns > 1 ? columns : 1;
	w = r.w / columns;
	for (unsigned i = 0; judge && i < judge->n_findings && (int)shown < rows * columns; i++) {
		const struct judged *f = &judge->findings[i];
		struct rect cell;
		char limit[UNITS_TEXT];

		if (check_of(judge, i) != CHECK_FINE)
			continue;
		/* "ok  Read stall rate      1.8 %  < 10.0 %" */
		cell = (struct rect){r.x + (int)shown / rows * w, r.y + (int)shown % rows, w, 1};
		rect_left(&cell, canvas_text(canvas, cell, STYLE_CALM, "ok") + 2);
		canvas_printf(canvas, rect_right(&cell, cell.w < LIMIT_FROM - 4 ? 0 : LIMIT_COLS), STYLE_DIM,
			      "  %s %s", f->side == ALERT_ABOVE ? "<" : ">",
			      unit_format(limit, f->limit, f->number.unit, false, false));
		findings_put_value(canvas, rect_right(&cell, VALUE_COLS), STYLE_TEXT, &f->number,
				   f->number.value);
		canvas_text_cut(canvas, cell, STYLE_TEXT, f->number.title);
		shown++;
	}
	add_rest(judge, CHECK_FINE, shown, "more", &rest);
	add_rest(judge, CHECK_BEYOND, 0, "over the limit, but harmless now", &rest);
	add_rest(judge, CHECK_UNKNOWN, 0, "without a value", &rest);
	if (rest.n)
		canvas_text_parts(canvas, rect_bottom(&r, 1), STYLE_DIM, rest.p);
}

/* ---- recent events ---- */

/* "5x warning  Reads wait for the bus", "gone: ..." */
static void draw_event(const struct screen *screen, unsigned number, struct canvas *canvas, struct rect r)
{
	const struct judge *judge = screen->judge.judge;
	const struct judge_event *event = &judge->events[number];
	bool verdict = !event->what || event->what->def->kind == FINDING_VERDICT;
	AUTO_STRBUF struct strbuf text = {0};
	unsigned times = 0; /* of the last events; an end counts with its start */

	for (unsigned i = 0; i < judge->n_events; i++)
		times += judge->events[i].what == event->what && !judge->events[i].ended;
	if (times > 1)
		strbuf_printf(&text, "%ux ", times);
	if (!verdict && !event->ended)
		strbuf_printf(
			&text, "%s: ",
			finding_severity_names[screen_judge_rank(&screen->judge, event->what).severity]);
	strbuf_printf(&text, "%s%s", event->ended ? "gone: " : "",
		      event->what ? event->what->def->title : "Not clear");
	canvas_text_cut(canvas, r, verdict ? STYLE_VALUE : event->ended ? STYLE_DIM : STYLE_TEXT, text.p);
}

/* A position in the events of the judge and the user's marks. */
struct recent {
	const struct screen *screen;
	unsigned event, mark;
};

/* Get the next older event or mark of the last minutes. Repeated events count as one. */
static bool next_recent(struct recent *r, int64_t *at_ns, bool *is_event)
{
	const struct judge *judge = r->screen->judge.judge;
	int64_t end_ns = judge ? judge->end_ns : 0;

	while (r->event || r->mark) {
		int64_t event_ns = r->event ? judge->events[r->event - 1].at_ns : INT64_MIN,
			mark_ns = r->mark ? r->screen->marks[r->mark - 1].at_ns : INT64_MIN;
		bool repeats = false;

		*is_event = event_ns > mark_ns;
		*at_ns = *is_event ? event_ns : mark_ns;
		r->event -= *is_event;
		r->mark -= !*is_event;
		for (unsigned i = r->event + 1; *is_event && i < judge->n_events; i++)
			repeats |= judge->events[i].what == judge->events[r->event].what;
		if (*at_ns <= end_ns && !repeats)
			return end_ns - *at_ns <= RECENT_NS;
	}
	return false;
}

static struct recent newest_recent(const struct screen *screen)
{
	return (struct recent){screen, screen->judge.judge ? screen->judge.judge->n_events : 0,
			       screen->n_marks};
}

/* Count the following events that started in the same second as the first of them. */
static int count_together(struct recent at)
{
	int64_t at_ns, second = INT64_MIN;
	bool is_event;
	int n = 0;

	while (next_recent(&at, &at_ns, &is_event) && (!n || at_ns / SECOND_NS == second)) {
		second = at_ns / SECOND_NS;
		n++;
	}
	return n;
}

/* Draw recent events, the newest first. If many started in one second, those that the judge found
 * first, which are the worst, come first. Events that do not fit are counted. */
static void draw_recent(const struct screen *screen, struct canvas *canvas, struct rect r)
{
	struct recent at = newest_recent(screen);
	int n = 0, left = 0, skipped = 0;
	struct rect row;
	char clock[16];
	int64_t at_ns;
	bool is_event;

	panel_box(&(struct panel_texts){"Recent", "last 5 minutes", "", STYLE_DIM}, canvas, r);
	r = (struct rect){r.x + PANEL_MARGIN, r.y + 1, r.w - 2 * PANEL_MARGIN, r.h - 2};
	while (next_recent(&at, &at_ns, &is_event))
		n++;
	at = newest_recent(screen);
	while (n > 0 && r.h > 0 && !(r.h == 1 && n > 1)) {
		if (!left) { /* the events of this second are complete */
			left = count_together(at);
			skipped = left > TOGETHER_MOST ? left - TOGETHER_MOST : 0;
			for (int i = 0; i < skipped; i++)
				next_recent(&at, &at_ns, &is_event);
			left -= skipped;
			n -= skipped;
		}
		next_recent(&at, &at_ns, &is_event);
		moment_clock(screen->realtime_ns - (screen->judge.judge->end_ns - at_ns), clock,
			     sizeof(clock));
		row = rect_top(&r, 1);
		rect_left(&row, canvas_text(canvas, row, STYLE_DIM, clock) + 2);
		if (is_event)
			draw_event(screen, at.event, canvas, row);
		else
			canvas_printf(canvas, row, STYLE_MARK, "\u25b2  %s", screen->marks[at.mark].text);
		n--;
		if (!--left && skipped && r.h > 0)
			canvas_printf(canvas, rect_top(&r, 1), STYLE_DIM, "%10s%d more started", "", skipped);
	}
	if (n && r.h)
		canvas_printf(canvas, rect_top(&r, 1), STYLE_DIM, "%d more", n);
}

void findings_put_checks(const struct screen *screen, struct strbuf *out)
{
	const struct judge *judge = screen->judge.judge;
	unsigned beyond = count_checks(judge, CHECK_BEYOND), unknown = count_checks(judge, CHECK_UNKNOWN);

	strbuf_printf(out, "%u checked and fine", count_checks(judge, CHECK_FINE));
	if (beyond)
		strbuf_printf(out, "; %u over the limit but harmless now", beyond);
	if (unknown)
		strbuf_printf(out, "; %u without a value", unknown);
}

/* ---- the selected finding ---- */

#define LABEL_COLS 10
#define NUMBER_TITLE 26
#define NUMBER_VALUE 10
#define METER_COLS 21

/* Add a number of the evidence on a line. The first one has its limit, which is a mark on a bar if
 * it is a percentage. */
static void add_number(struct page *page, const struct judged *f, const struct judge_number *n, bool first)
{
	struct rect row = page_line(page);
	double value = isnan(n->value) && first ? f->mean : n->value;
	bool percent = n->unit->kind == UNIT_PERCENT;
	char text[UNITS_TEXT];

	if (!row.h)
		return;
	canvas_text(page->canvas, rect_left(&row, LABEL_COLS), STYLE_KEY, first ? " Evidence" : "");
	canvas_text_cut(page->canvas, rect_left(&row, row.w < 60 ? NUMBER_TITLE - 4 : NUMBER_TITLE),
			STYLE_TEXT, n->title);
	if (row.w >= METER_COLS + NUMBER_VALUE + 34) {
		struct rect meter = rect_left(&row, METER_COLS);

		if (percent)
			canvas_meter(page->canvas, meter, first ? STYLE_BUSY : STYLE_SERIES1, value / 100,
				     first ? f->limit / 100 : (double)NAN);
	}
	findings_put_value(page->canvas, rect_left(&row, NUMBER_VALUE), STYLE_VALUE, n, value);
	rect_left(&row, 2);
	if (first) {
		unit_format(text, f->limit, n->unit, false, false);
		canvas_printf(page->canvas, row, STYLE_DIM, "%s%s %s (%s)",
			      isnan(n->value) ? "on average, " : "",
			      !findings_beyond(f)      ? "back within"
			      : f->side == ALERT_ABOVE ? "above"
						       : "below",
			      text, finding_origin(f->def));
	}
}

static void add_selected(struct page *page, const struct screen *screen, const struct judged *f)
{
	const struct gpu_product *product = screen->judge.judge->product;
	AUTOFREE char *says = span_dup(finding_text(f->def->says, product)),
		      *advice = span_dup(finding_text(f->def->advice, product));
	AUTO_STRBUF struct strbuf worth = {0};
	struct judge_rank rank = screen_judge_rank(&screen->judge, f);
	const struct view *view = screen_judge_look(&screen->views, f->def);
	char look[48];

	if (says[0])
		page_text(page, LABEL_COLS, STYLE_TEXT, "Meaning", says);
	if (advice[0])
		page_text(page, LABEL_COLS, STYLE_TEXT, "Do", advice);
	add_number(page, f, &f->number, true);
	for (unsigned i = 0; i < f->n_evidence; i++)
		if (!isnan(f->evidence[i].value) && f->evidence[i].metric != f->number.metric)
			add_number(page, f, &f->evidence[i], false);
	judge_put_worth(&rank, false, &worth);
	if (worth.n)
		page_text(page, LABEL_COLS, STYLE_TEXT, "Bound", worth.p);
	if (!view)
		return;
	snprintf(look, sizeof(look), "%c %s, with Enter", view->key ? view->key : ' ', view->title);
	page_text(page, LABEL_COLS, STYLE_TEXT, "Look at", look);
}

void findings_below_draw(const struct screen *screen, const struct judged *f, struct canvas *canvas,
			 struct rect r)
{
	char lasted[UNITS_TEXT], corner[UNITS_TEXT + 16];
	struct page page = {.canvas = canvas};

	if (r.w >= RECENT_FROM)
		draw_recent(screen, canvas, rect_right(&r, RECENT_COLS));
	if (!f) {
		draw_checks(screen->judge.judge, canvas, r);
		return;
	}
	findings_lasted(lasted, screen->judge.judge->end_ns - f->since_ns, false);
	snprintf(corner, sizeof(corner), f->holds ? "for %s" : "ended %s ago", lasted);
	panel_box(&(struct panel_texts){f->def->title, "", corner, STYLE_DIM}, canvas, r);
	page.window = (struct rect){r.x + PANEL_MARGIN, r.y + 1, r.w - 2 * PANEL_MARGIN, r.h - 2};
	add_selected(&page, screen, f);
}
