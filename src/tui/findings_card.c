#include "tui/findings_card.h"

#include "base/alloc.h"
#include "tui/keys.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOLD_NS 5000000000ll /* time for which rows keep their order */
#define WIDE 136             /* least columns for titles of groups and histories of rows */
#define VALUE_COLS 10
#define PAST_LEAST 10    /* columns of a history; with less there is none */
#define FAIR 96          /* least columns for the start and the source of the limit */
#define SELECTED_ROWS 10 /* least rows of the panels below */
#define LINES_MOST (FINDINGS_CARD_MOST + JUDGE_GROUPS + 2)

static bool is_listed(const struct findings_card *card, const struct screen *screen, const struct judged *f)
{
	const char *filter = screen->filter;

	if (filter[0] && !strcasestr(f->def->name, filter) && !strcasestr(f->def->title, filter))
		return false;
	if (!card->shows_muted && screen_judge_mutes(&screen->judge, f->def))
		return false;
	return f->holds || (f->begun_ns && screen->judge.judge->end_ns - f->since_ns < JUDGE_KEPT_NS);
}

static void select_row(struct findings_card *card, int at)
{
	card->at = at > card->n ? card->n : at;
	card->at = card->at < 0 ? 0 : card->at;
	card->def = card->at < card->n ? card->rows[card->at]->def : NULL;
	card->at_checks = !card->def;
}

/* ---- the order ---- */

static int shown_at(const struct findings_card *card, const struct judged *f)
{
	for (int i = 0; i < card->n_shown; i++)
		if (card->shown[i] == f->def)
			return i;
	return -1;
}

/* Findings of one group always stay together. */
static const char *group_title(const struct screen *screen, const struct judged *f)
{
	return f->holds ? judge_group_titles[screen_judge_rank(&screen->judge, f).group]
			: "Ended in the last minute";
}

/* Restore the previous order of the findings of a group; new ones keep their places. Returns
 * whether that moved any. */
static bool keep_order(struct findings_card *card, int from, int end)
{
	bool moved = false;

	for (int i = from; i < end; i++)
		for (int k = i + 1; k < end; k++) {
			const struct judged *f = card->rows[i];
			int x = shown_at(card, f), y = shown_at(card, card->rows[k]);

			if (x < 0 || y < 0 || x < y)
				continue;
			card->rows[i] = card->rows[k];
			card->rows[k] = f;
			moved = true;
		}
	return moved;
}

/* A row moves within its group only when its new order has held for some seconds, so that rows stay
 * readable. */
static void hold_order(struct findings_card *card, const struct screen *screen)
{
	const struct judged *wanted[FINDINGS_CARD_MOST];
	int64_t now_ns = screen->judge.judge ? screen->judge.judge->end_ns : 0;
	bool differs = false;

	memcpy(wanted, card->rows, sizeof(wanted));
	for (int from = 0, end; from < card->n; from = end) {
		const char *group = group_title(screen, card->rows[from]);

		for (end = from + 1; end < card->n && group_title(screen, card->rows[end]) == group;)
			end++;
		differs |= keep_order(card, from, end);
	}
	card->differs_ns = !differs ? 0 : card->differs_ns ? card->differs_ns : now_ns;
	if (differs && (now_ns - card->differs_ns >= HOLD_NS || now_ns < card->differs_ns ||
			now_ns - card->shown_ns > HOLD_NS)) {
		memcpy(card->rows, wanted, sizeof(wanted));
		card->differs_ns = 0;
	}
	card->n_shown = card->n;
	for (int i = 0; i < card->n; i++)
		card->shown[i] = card->rows[i]->def;
	card->shown_ns = now_ns;
}

static void list_findings(struct findings_card *card, const struct screen *screen)
{
	const struct judge *judge = screen->judge.judge;
	int at;

	card->n = 0;
	for (unsigned i = 0; judge && i < judge->n_findings && card->n < FINDINGS_CARD_MOST; i++) {
		const struct judged *f = &judge->findings[i];

		if (!is_listed(card, screen, f))
			continue;
		for (at = card->n; at > 0 && screen_judge_before(&screen->judge, f, card->rows[at - 1]); at--)
			card->rows[at] = card->rows[at - 1];
		card->rows[at] = f;
		card->n++;
	}
	hold_order(card, screen);
	/* the selection stays on its finding, which may have moved, or on the last row */
	at = card->at < card->n ? card->at : card->n - 1;
	for (int i = 0; i < card->n; i++)
		at = card->rows[i]->def == card->def ? i : at;
	select_row(card, card->at_checks ? card->n : at);
}

static unsigned count_held(const struct findings_card *card, const struct screen *screen,
			   enum finding_severity severity)
{
	unsigned n = 0;

	for (int i = 0; i < card->n; i++)
		n += card->rows[i]->holds &&
		     screen_judge_rank(&screen->judge, card->rows[i]).severity == severity;
	return n;
}

/* ---- one row ---- */

void findings_lasted(char text[UNITS_TEXT], int64_t ns, bool brief)
{
	long long s = ns / 1000000000;

	if (s < 60)
		snprintf(text, UNITS_TEXT, "%lld s", s);
	else if (s < 3600)
		snprintf(text, UNITS_TEXT, brief ? "%lldm%02lld" : "%lld min %lld s", s / 60, s % 60);
	else
		snprintf(text, UNITS_TEXT, brief ? "%lldh%02lld" : "%lld h %lld min", s / 3600, s / 60 % 60);
}

/* Draw the last minute of the number, two steps per cell; beyond the limit in its colour. */
static void draw_past(const struct judged *f, enum finding_severity severity, struct canvas *canvas,
		      struct rect r)
{
	static const enum style beyond[] = {STYLE_BUSY, STYLE_BUSY, STYLE_HOT};
	double points[JUDGE_PAST], top = f->limit;
	uint8_t styles[JUDGE_PAST / 2];
	int cells = r.w < JUDGE_PAST / 2 ? r.w : JUDGE_PAST / 2;

	for (int i = 0; i < 2 * cells; i++) {
		points[i] = judged_past(f, (unsigned)(2 * cells - 1 - i));
		top = points[i] > top ? points[i] : top;
	}
	for (int i = 0; i < 2 * cells; i++) {
		bool over = f->side == ALERT_ABOVE ? points[i] > f->limit : points[i] < f->limit;

		styles[i / 2] = (uint8_t)(over ? beyond[severity] : STYLE_CALM);
		points[i] /= top > 0 ? top : 1;
	}
	canvas_history(canvas, rect_right(&r, cells), points, styles, cells);
}

bool findings_beyond(const struct judged *f)
{
	double value = isnan(f->number.value) ? f->mean : f->number.value;

	return f->side == ALERT_ABOVE ? value >= f->limit : value <= f->limit;
}

void findings_put_value(struct canvas *canvas, struct rect r, enum style style, const struct judge_number *n,
			double value)
{
	char text[UNITS_TEXT];

	canvas_text_right(canvas, r, style,
			  unit_format(text, value, n->unit, n->metric && n->metric->grows, false));
}

struct finding_columns {
	struct rect severity, title, value, limit, worth, lasted, look, past; /* w is 0 if it is omitted */
};

/* The longest title decides: its end is worth more than the whole history, and a worth's bar. */
static struct finding_columns cut_columns(const struct findings_card *card, struct rect row)
{
	bool wide = row.w >= WIDE, fair = row.w >= FAIR;
	struct finding_columns c = {.severity = rect_left(&row, wide ? 12 : 3)};
	int past = wide ? 17 : 0, look = wide ? 15 : 0,
	    lasted = wide   ? 13
		     : fair ? 8
			    : 0,
	    worth = wide          ? 27
		    : row.w >= 60 ? 10
				  : 0,
	    limit = fair          ? 25
		    : row.w >= 45 ? 14
				  : 0,
	    room = row.w - past - look - lasted - worth - limit - VALUE_COLS, title = 0;

	for (int i = 0; i < card->n; i++) {
		int cols = text_width(card->rows[i]->def->title) + 1;

		title = cols > title ? cols : title;
	}
	if (wide && title > room) {
		int less = title - room <= past - PAST_LEAST ? title - room : past;

		past -= less;
		room += less;
	}
	if (wide && title > room)
		worth = 10;
	c.past = rect_right(&row, past);
	c.look = rect_right(&row, look);
	c.lasted = rect_right(&row, lasted);
	c.worth = rect_right(&row, worth);
	c.limit = rect_right(&row, limit);
	c.value = rect_right(&row, VALUE_COLS);
	c.title = row;
	return c;
}

/* "above 60.0 % house"; within the limit "until 55.0 % house", where the finding ends */
static void draw_limit(const struct judged *f, struct canvas *canvas, struct rect r, enum style style)
{
	const char *side = f->side == ALERT_ABOVE ? "above" : "below";
	bool ends = f->holds && !findings_beyond(f);
	char limit[UNITS_TEXT];

	rect_left(&r, 2);
	if (r.w <= 0)
		return;
	unit_format(limit, ends ? f->off : f->limit, f->number.unit, false, false);
	if (r.w < 20) {
		canvas_printf(canvas, r, style, "%s %s", f->side == ALERT_ABOVE ? ">" : "<", limit);
		return;
	}
	rect_left(&r, canvas_text(canvas, r, style, ends ? "until" : side));
	canvas_text_right(canvas, rect_left(&r, 11), style, limit);
	rect_left(&r, 1);
	canvas_text_cut(canvas, r, STYLE_DIM, finding_origin(f->def));
}

/* Draw a bar and "10.1 ms 43 %", or the reason for the lack of a gain. */
static void draw_worth(const struct judge_rank *rank, struct canvas *canvas, struct rect r, enum style style)
{
	const struct judge_worth *w = &rank->worth;
	bool wide = r.w >= 20;
	char ms[24] = "", percent[24];

	rect_left(&r, wide ? 1 : 2);
	if (rank->group == JUDGE_NOTES || r.w <= 0)
		return;
	if (rank->group == JUDGE_BESIDE || isnan(w->share)) {
		canvas_text_cut(canvas, r, STYLE_DIM,
				rank->group == JUDGE_BESIDE ? wide ? "energy only" : "energy"
				: wide                      ? "no known bound"
							    : "\u2013");
		return;
	}
	if (isfinite(w->ms))
		snprintf(ms, sizeof(ms), "%.1f ms", w->ms);
	snprintf(percent, sizeof(percent), "%.0f %%", w->share * 100);
	if (wide) {
		canvas_meter(canvas, rect_left(&r, 10), style, w->share, NAN);
		canvas_text_right(canvas, rect_left(&r, 9), style, ms);
		canvas_text_right(canvas, rect_left(&r, 6), style, percent);
	} else {
		canvas_text(canvas, r, style, ms[0] ? ms : percent);
	}
}

static void draw_finding(const struct findings_card *card, const struct screen *screen,
			 const struct judged *f, bool selected, struct canvas *canvas, struct rect row)
{
	static const enum style styles[] = {STYLE_TEXT, STYLE_BUSY, STYLE_HOT};
	static const char *const signs[] = {" i", " !", "!!"}; /* the marks of numbers */
	struct judge_rank rank = screen_judge_rank(&screen->judge, f);
	const struct view *view = screen_judge_look(&screen->views, f->def);
	enum style style = f->holds ? STYLE_TEXT : STYLE_DIM,
		   worst = f->holds ? styles[rank.severity] : STYLE_DIM;
	struct finding_columns c = cut_columns(card, row);
	char lasted[UNITS_TEXT];

	canvas_printf(canvas, c.severity, worst, "%s %s", f->holds ? signs[rank.severity] : " \u2013",
		      f->holds ? finding_severity_names[rank.severity] : "ended");
	canvas_text_cut(canvas, c.title, style, f->def->title);
	findings_put_value(canvas, c.value, findings_beyond(f) ? worst : style, &f->number,
			   isnan(f->number.value) ? f->mean : f->number.value);
	draw_limit(f, canvas, c.limit, style);
	draw_worth(&rank, canvas, c.worth, style);
	findings_lasted(lasted, screen->judge.judge->end_ns - f->since_ns, c.lasted.w < 13);
	if (c.lasted.w)
		canvas_text_right(canvas, c.lasted, style, lasted);
	rect_left(&c.look, 2);
	if (c.look.w && view)
		canvas_printf(canvas, c.look, style, "%c %s", view->key ? view->key : ' ', view->title);
	if (c.past.w)
		draw_past(f, rank.severity, canvas, c.past);
	if (selected)
		canvas_restyle(canvas, row, STYLE_SELECTED);
}

/* ---- the list ---- */

/* A line of the list: a finding, the title of a group, or the checks. */
struct list_line {
	enum { LINE_TITLE, LINE_FINDING, LINE_CHECKS } kind;
	const char *title;
	int row; /* the row to select there; for a title, the first row below it */
};

static unsigned list_lines(const struct findings_card *card, const struct screen *screen, bool titles,
			   struct list_line lines[LINES_MOST])
{
	const char *last = NULL;
	unsigned n = 0;

	for (int i = 0; i < card->n; i++) {
		const char *title = group_title(screen, card->rows[i]);

		if (titles && title != last)
			lines[n++] = (struct list_line){LINE_TITLE, title, i};
		lines[n++] = (struct list_line){LINE_FINDING, NULL, i};
		last = title;
	}
	lines[n++] = (struct list_line){LINE_CHECKS, NULL, card->n};
	return n;
}

static void draw_line(const struct findings_card *card, const struct screen *screen,
		      const struct list_line *line, struct canvas *canvas, struct rect row)
{
	AUTO_STRBUF struct strbuf checks = {0};

	switch (line->kind) {
	case LINE_TITLE:
		rect_left(&row, canvas_text(canvas, row, STYLE_VALUE, line->title) + 1);
		canvas_fill(canvas, row, STYLE_BORDER, canvas->ascii ? '-' : 0x2504);
		break;
	case LINE_FINDING:
		draw_finding(card, screen, card->rows[line->row], line->row == card->at, canvas, row);
		break;
	case LINE_CHECKS:
		findings_put_checks(screen, &checks);
		canvas_text_parts(canvas, row, STYLE_DIM, checks.p);
		if (card->at == line->row)
			canvas_restyle(canvas, row, STYLE_SELECTED);
	}
}

static void draw_head(const struct findings_card *card, struct canvas *canvas, struct rect row)
{
	char past[UNITS_TEXT];
	struct finding_columns c = cut_columns(card, row);

	rect_left(&c.limit, 2);
	rect_left(&c.worth, c.worth.w >= 20 ? 1 : 2);
	rect_left(&c.look, 2);
	canvas_text(canvas, c.title, STYLE_DIM, "finding");
	canvas_text_right(canvas, c.value, STYLE_DIM, "value");
	canvas_text(canvas, c.limit, STYLE_DIM, "limit");
	canvas_text(canvas, c.worth, STYLE_DIM, c.worth.w >= 20 ? "worth at most" : "worth");
	canvas_text_right(canvas, c.lasted, STYLE_DIM, c.lasted.w ? "for" : "");
	canvas_text(canvas, c.look, STYLE_DIM, c.look.w > 0 ? "look at" : "");
	snprintf(past, sizeof(past), "last %d s", c.past.w);
	canvas_text_right(canvas, c.past, STYLE_DIM, c.past.w ? past : "");
}

/* Scroll so that the selected line is visible; say how many lines are cut off. */
static void draw_list(struct findings_card *card, const struct screen *screen, struct canvas *canvas,
		      struct rect r)
{
	struct list_line lines[LINES_MOST];
	int n = (int)list_lines(card, screen, r.w >= WIDE, lines), selected = 0, last;

	for (int i = 0; i < n; i++)
		selected = lines[i].kind != LINE_TITLE && lines[i].row == card->at ? i : selected;
	card->page = r.h - (n > r.h && r.h > 2);
	card->page = card->page < 1 ? 1 : card->page;
	if (card->first > n - card->page)
		card->first = n - card->page;
	if (card->first < selected - card->page + 1)
		card->first = selected - card->page + 1;
	if (card->first > selected)
		card->first = selected == 1 ? 0 : selected; /* show the title of the group, too */
	card->first = card->first < 0 ? 0 : card->first;
	last = card->first + card->page < n ? card->first + card->page : n;
	for (int i = card->first; i < last; i++)
		draw_line(card, screen, &lines[i], canvas, rect_top(&r, 1));
	if (r.h > 0 && n > card->page)
		canvas_printf(canvas, rect_top(&r, 1), STYLE_DIM, last < n ? "%d more" : "%d above",
			      last < n ? n - last : card->first);
}

static void draw_panel(struct findings_card *card, const struct screen *screen, struct canvas *canvas,
		       struct rect r)
{
	const struct judge *judge = screen->judge.judge;
	unsigned warnings = count_held(card, screen, SEVERITY_WARNING),
		 notes = count_held(card, screen, SEVERITY_NOTE);
	char corner[64];

	snprintf(corner, sizeof(corner), "%u critical  %u warning%s  %u note%s  %u checks",
		 count_held(card, screen, SEVERITY_CRITICAL), warnings, plural_ending(warnings), notes,
		 plural_ending(notes), judge ? judge->n_findings : 0);
	panel_box(&(struct panel_texts){"Findings",
					r.w >= FAIR ? "worst first; the bounds overlap, do not add them"
						    : "worst first",
					corner, STYLE_VALUE},
		  canvas, r);
	r = (struct rect){r.x + PANEL_MARGIN, r.y + 1, r.w - 2 * PANEL_MARGIN, r.h - 2};
	if (card->n && r.h > 2)
		draw_head(card, canvas, rect_top(&r, 1));
	draw_list(card, screen, canvas, r);
}

void findings_card_draw(struct findings_card *card, struct screen *screen, const struct alert *alert,
			struct canvas *canvas)
{
	const struct foot_keys keys = {
		.keys = {{"\u2191 \u2193", "Up Down", "select", 1},
			 {"Enter", NULL, "go to its view", 0},
			 {"i", NULL, "explain", 0},
			 {"x", NULL, "mute this one", 2},
			 {"X", NULL, card->shows_muted ? "hide muted" : "show muted", 3},
			 {"/", NULL, "filter", 3},
			 {"! Esc", NULL, "close", 0}},
		.press = {{K_UP, K_DOWN},
			  {K_ENTER, K_ENTER},
			  {'i', 'i'},
			  {'x', 'x'},
			  {'X', 'X'},
			  {'/', '/'},
			  {'!', K_ESCAPE}},
		.n = 7};
	struct list_line lines[LINES_MOST];
	struct rect r, row, below;
	unsigned held;
	int needed, rest;

	screen_draw_frame(screen, NULL, &keys, alert, canvas, &r);
	list_findings(card, screen);
	row = rect_top(&r, 1);
	rect_left(&row, 1);
	held = screen_judge_held(&screen->judge);
	if (card->n) {
		rect_left(&row, canvas_printf(canvas, row, held ? STYLE_BUSY : STYLE_CALM, "%u finding%s",
					      held, plural_ending(held)) +
					2);
		canvas_text_cut(canvas, row, STYLE_TEXT, "Worst first. Dim: ended within the last minute.");
	} else {
		canvas_text(canvas, row, STYLE_TEXT,
			    screen->filter[0] ? "findings: none matches; / changes the filter"
					      : "findings: none now, and none in the last minute");
	}
	/* the list gets the lines that it needs, but leaves half to the panels below */
	needed = (int)list_lines(card, screen, r.w - 2 * PANEL_MARGIN >= WIDE, lines) + 3;
	rest = r.h - needed > r.h / 2 ? r.h - needed : r.h / 2;
	below = rect_bottom(&r, rest < SELECTED_ROWS ? 0 : rest);
	draw_panel(card, screen, canvas, r);
	if (below.h)
		findings_below_draw(screen, card->at < card->n ? card->rows[card->at] : NULL, canvas, below);
}

enum key_answer findings_card_key(struct findings_card *card, struct screen *screen, uint32_t key,
				  struct strbuf *said)
{
	struct key_action does = keys_action(keys_everywhere, key, NEEDS_NO_TIMELINE);
	bool mute;

	list_findings(card, screen); /* the sources may have changed since the last draw */
	if (key == 'q' || key == '!' || does.action == ACTION_BACK) {
		screen->filter[0] = 0;
		return KEY_CLOSES;
	}
	if (key == K_ENTER)
		return screen_show_finding(screen, card->at < card->n ? card->rows[card->at] : NULL)
			       ? KEY_CLOSES
			       : KEY_TAKEN;
	if (key == 'x' && card->def) {
		mute = !screen_judge_mutes(&screen->judge, card->def);
		screen_judge_mute(&screen->judge, card->def, mute);
		strbuf_printf(said, mute ? "%s: muted; X shows it" : "%s: unmuted", card->def->name);
		list_findings(card, screen);
		return KEY_TAKEN;
	}
	if (key == 'x')
		strbuf_str(said, "mute: there is no finding");
	else if (key == 'X')
		card->shows_muted = !card->shows_muted;
	else if (does.action == ACTION_SELECT || does.action == ACTION_SCROLL)
		select_row(card, card->at + does.number);
	else if (does.action == ACTION_PAGE)
		select_row(card, card->at + does.number * card->page);
	else
		switch (keys_action(keys_everywhere, key, ~0u).action) {
		case ACTION_EXPLAIN: /* the caller explains the selected one */
			return card->def ? KEY_PASSED : KEY_TAKEN;
		case ACTION_ZOOM: /* actions on the rows of a view, which is hidden */
		case ACTION_PER_CORE:
		case ACTION_PIN:
		case ACTION_COUNTED:
		case ACTION_EDGE:
		case ACTION_COMPARE:
			return KEY_UNKNOWN;
		case ACTION_VIEW: /* actions that show a view */
		case ACTION_TURN:
		case ACTION_OWN:
		case ACTION_COUNTERS:
		case ACTION_GPU:
			return KEY_LEAVES;
		default:
			return KEY_PASSED;
		}
	return KEY_TAKEN;
}
