#include "tui/findings_card.h"

#include "base/alloc.h"
#include "tui/keys.h"
#include "tui/page.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INDENT 13
#define WIDE 136 /* columns from which what is known of a finding stands beside its title */
#define WHAT_COLS 50
#define NUMBER_COLS 54
#define SINCE_COLS 13
#define LOOK_COLS 16
#define AROUND_ROWS 5 /* of the panels below, at least */

static bool is_listed(const struct findings_card *card, const struct screen *screen, const struct judged *f)
{
	const char *filter = screen->filter;

	if (filter[0] && !strcasestr(f->def->name, filter) && !strcasestr(f->def->title, filter))
		return false;
	if (!card->shows_muted && screen_judge_mutes(&screen->judge, f->def))
		return false;
	return f->holds || (f->begun_ns && screen->judge.judge->end_ns - f->since_ns < JUDGE_KEPT_NS);
}

static void list_findings(struct findings_card *card, const struct screen *screen)
{
	const struct judge *judge = screen->judge.judge;

	card->n = 0;
	for (unsigned i = 0; judge && i < judge->n_findings && card->n < FINDINGS_CARD_MOST; i++) {
		const struct judged *f = &judge->findings[i];
		int at = card->n;

		if (!is_listed(card, screen, f))
			continue;
		for (; at > 0 && screen_judge_before(&screen->judge, f, card->rows[at - 1]); at--)
			card->rows[at] = card->rows[at - 1];
		card->rows[at] = f;
		card->n++;
	}
	card->at = card->at >= card->n ? card->n - 1 : card->at;
	card->at = card->at < 0 ? 0 : card->at;
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

/* ---- one finding ---- */

/* A page of findings. */
struct finding_page {
	struct page page;
	const struct screen *screen;
	bool ascii;
};

/* "\u221221 s", "gone \u22128 s" */
static void put_since(struct strbuf *out, const struct judged *f, const struct judge *judge)
{
	strbuf_printf(out, "%s\u2212%lld s", f->holds ? "" : "gone ",
		      (long long)((judge->end_ns - f->since_ns) / 1000000000));
}

/* "5 Fragment"; nothing without a view */
static void put_look(struct strbuf *out, const struct judged *f, const struct views *views)
{
	const struct view *view = screen_judge_look(views, f->def);

	if (view)
		strbuf_printf(out, "%c %s", view->key ? view->key : ' ', view->title);
}

/* What else is known: "Fragment queue 97.6 %; ..." */
static void put_evidence(struct strbuf *out, const struct judged *f, bool ascii)
{
	for (unsigned i = 0; i < f->n_evidence; i++) {
		if (isnan(f->evidence[i].value) || f->evidence[i].metric == f->number.metric)
			continue;
		strbuf_str(out, out->n ? "; " : "");
		screen_judge_put_number(out, &f->evidence[i], f->evidence[i].value, ascii);
	}
}

/* Its number over the last minute, two steps in a cell; beyond the limit in its colour. */
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

/* The columns beside the title; the head has the same. */
struct finding_columns {
	struct rect what, number, since, look, past;
};

static struct finding_columns cut_columns(struct rect row)
{
	struct finding_columns c;

	c.what = rect_left(&row, WHAT_COLS);
	rect_right(&c.what, 1);
	c.number = rect_left(&row, NUMBER_COLS);
	rect_right(&c.number, 1);
	c.since = rect_left(&row, SINCE_COLS);
	c.look = rect_left(&row, LOOK_COLS);
	c.past = row;
	return c;
}

static void draw_title(const struct judged *f, enum finding_severity severity, bool selected,
		       struct canvas *canvas, struct rect row)
{
	static const enum style styles[] = {STYLE_TEXT, STYLE_BUSY, STYLE_HOT};
	static const char *const signs[] = {" i", " !", "!!"}; /* as beside numbers */
	AUTO_STRBUF struct strbuf text = {0};

	strbuf_printf(&text, "%s %-8s  %s", signs[severity], finding_severity_names[severity], f->def->title);
	canvas_text_cut(canvas, row,
			selected   ? STYLE_SELECTED
			: f->holds ? styles[severity]
				   : STYLE_DIM,
			text.p);
}

/* Beside the title in a wide terminal, below it in another. */
static void add_numbers(struct finding_page *p, const struct judged *f, bool selected)
{
	AUTO_STRBUF struct strbuf number = {0}, since = {0}, look = {0}, evidence = {0};
	enum style style = f->holds ? STYLE_TEXT : STYLE_DIM;
	struct judge_rank rank = screen_judge_rank(&p->screen->judge, f);
	struct canvas *canvas = p->page.canvas;
	struct rect row = page_line(&p->page);

	judge_put_worth(p->screen->judge.judge, &rank, false, &evidence);
	screen_judge_put_limit(&number, f, p->ascii);
	put_since(&since, f, p->screen->judge.judge);
	put_look(&look, f, &p->screen->views);
	put_evidence(&evidence, f, p->ascii);
	if (p->page.window.w < WIDE) {
		if (row.h)
			draw_title(f, rank.severity, selected, canvas, row);
		if (evidence.n) /* what it is worth comes first */
			strbuf_printf(&number, "   %.*s", (int)strcspn(evidence.p, ";"), evidence.p);
		strbuf_printf(&number, "   %s   %s%s", since.p, look.n ? "look at " : "",
			      look.n ? look.p : "");
		page_text(&p->page, INDENT, style, NULL, number.p);
		return;
	}
	if (row.h) {
		struct finding_columns c = cut_columns(row);

		draw_title(f, rank.severity, selected, canvas, c.what);
		if (text_width(number.p) > c.number.w) /* whose limit it is gives way */
			number.p[strrchr(number.p, ' ') - number.p] = 0;
		canvas_text(canvas, c.number, style, number.p);
		canvas_text(canvas, c.since, style, since.p);
		canvas_text(canvas, c.look, style, look.n ? look.p : "");
		draw_past(f, rank.severity, canvas, c.past);
	}
	if (evidence.n)
		page_text(&p->page, WHAT_COLS, STYLE_DIM, NULL, evidence.p);
}

/* Title and numbers, what it means, and what to do. */
static void add_finding(struct finding_page *p, const struct judged *f, bool selected)
{
	const struct gpu_product *product = p->screen->judge.judge->product;
	AUTOFREE char *says = span_dup(finding_text(f->def->says, product)),
		      *advice = span_dup(finding_text(f->def->advice, product));

	add_numbers(p, f, selected);
	if (says[0])
		page_text(&p->page, INDENT, f->holds ? STYLE_TEXT : STYLE_DIM, NULL, says);
	if (advice[0])
		page_text(&p->page, INDENT, STYLE_DIM, NULL, advice);
	if (p->page.window.w >= WIDE)
		page_line(&p->page);
}

/* ---- the card ---- */

/* Add all; `begins` gets the line of each, and the end of the last. */
static void add_all(const struct findings_card *card, struct finding_page *p, int *begins)
{
	for (int i = 0; i < card->n; i++) {
		begins[i] = p->page.n;
		add_finding(p, card->rows[i], i == card->at);
	}
	begins[card->n] = p->page.n;
}

static void draw_head(struct canvas *canvas, struct rect row)
{
	struct finding_columns c = cut_columns(row);

	rect_left(&c.what, INDENT - 1);
	canvas_text(canvas, c.what, STYLE_DIM, "what");
	canvas_text(canvas, c.number, STYLE_DIM, "number, limit, evidence");
	canvas_text(canvas, c.since, STYLE_DIM, "since");
	canvas_text(canvas, c.look, STYLE_DIM, "look at");
	canvas_text_right(canvas, c.past, STYLE_DIM, "history, 1 cell = 1 s");
}

/* Scroll until the selected one is whole, or its begin is visible. */
static void draw_list(struct findings_card *card, const struct screen *screen, struct canvas *canvas,
		      struct rect r)
{
	struct finding_page p = {.page = {.window = {.w = r.w}}, .screen = screen, .ascii = canvas->ascii};
	int begins[FINDINGS_CARD_MOST + 1];

	add_all(card, &p, begins); /* only counted */
	if (begins[card->at + (card->n > 0)] - card->first > r.h)
		card->first = begins[card->at + (card->n > 0)] - r.h;
	if (card->first > begins[card->at])
		card->first = begins[card->at];
	card->page = 0;
	for (int i = 0; i < card->n; i++)
		card->page += begins[i] >= card->first && begins[i] < card->first + r.h;
	p.page = (struct page){.canvas = canvas, .window = r, .first = card->first};
	add_all(card, &p, begins);
}

/* Lines that the list needs at that width. */
static int list_lines(const struct findings_card *card, const struct screen *screen, int cols)
{
	struct finding_page p = {.page = {.window = {.w = cols}}, .screen = screen};
	int begins[FINDINGS_CARD_MOST + 1];

	add_all(card, &p, begins);
	return p.page.n;
}

static void draw_panel(struct findings_card *card, const struct screen *screen, struct canvas *canvas,
		       struct rect r)
{
	const struct judge *judge = screen->judge.judge;
	unsigned warnings = count_held(card, screen, SEVERITY_WARNING),
		 notes = count_held(card, screen, SEVERITY_NOTE);
	char corner[64];

	snprintf(corner, sizeof(corner), "%u critical  %u warning%s  %u note%s  %u checks",
		 count_held(card, screen, SEVERITY_CRITICAL), warnings, warnings == 1 ? "" : "s", notes,
		 notes == 1 ? "" : "s", judge ? judge->n_findings : 0);
	panel_box(&(struct panel_texts){"Findings now", "", corner, STYLE_VALUE}, canvas, r);
	r = (struct rect){r.x + PANEL_MARGIN, r.y + 1, r.w - 2 * PANEL_MARGIN, r.h - 2};
	if (r.w >= WIDE && card->n && r.h > 2)
		draw_head(canvas, rect_top(&r, 1));
	draw_list(card, screen, canvas, r);
}

/* The findings get what they need, but leave two fifths to the panels below if they need that. */
static int around_rows(const struct findings_card *card, const struct screen *screen, struct rect r)
{
	int wanted = findings_around_rows(screen, r.w),
	    needed = list_lines(card, screen, r.w - 2 * PANEL_MARGIN) + 3, left = r.h - needed,
	    rows = left > r.h * 2 / 5 ? left : r.h * 2 / 5;

	rows = rows < wanted ? rows : wanted;
	return rows < AROUND_ROWS ? 0 : rows;
}

static void draw_summary(const struct findings_card *card, const struct screen *screen, struct canvas *canvas,
			 struct rect row)
{
	unsigned n = screen_judge_held(&screen->judge);

	rect_left(&row, 1);
	if (!card->n) {
		canvas_text(canvas, row, STYLE_TEXT,
			    screen->filter[0] ? "findings: none fits the filter; / changes it"
					      : "findings: none now, and none in the last minute");
		return;
	}
	rect_left(&row, canvas_printf(canvas, row, n ? STYLE_BUSY : STYLE_CALM, "%u finding%s", n,
				      n == 1 ? "" : "s") +
				2);
	canvas_text_cut(
		canvas, row, STYLE_TEXT,
		"the most useful change first: beyond a limit for 2 s, now or in the last minute (dim)");
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
	struct rect r, below;

	screen_draw_frame(screen, &(struct screen_part){NULL, &keys}, alert, canvas, &r);
	list_findings(card, screen);
	draw_summary(card, screen, canvas, rect_top(&r, 1));
	below = rect_bottom(&r, around_rows(card, screen, r));
	draw_panel(card, screen, canvas, r);
	if (below.h)
		findings_around_draw(screen, canvas, below);
}

static void mute_selected(struct findings_card *card, struct screen *screen, struct strbuf *said)
{
	const struct finding_def *def = findings_card_selected(card);
	bool mute = def && !screen_judge_mutes(&screen->judge, def);

	if (!def) {
		strbuf_str(said, "mute: there is no finding");
		return;
	}
	screen_judge_mute(&screen->judge, def, mute);
	strbuf_printf(said, mute ? "%s: muted; X shows it" : "%s: no longer muted", def->name);
	list_findings(card, screen);
}

/* What acts on the rows of a view, which is not shown. */
static bool needs_view(enum action action)
{
	return action == ACTION_ZOOM || action == ACTION_PER_CORE || action == ACTION_PIN ||
	       action == ACTION_COUNTED || action == ACTION_EDGE || action == ACTION_COMPARE;
}

static bool shows_view(enum action action)
{
	return action == ACTION_VIEW || action == ACTION_TURN || action == ACTION_OWN ||
	       action == ACTION_COUNTERS || action == ACTION_GPU;
}

enum key_answer findings_card_key(struct findings_card *card, struct screen *screen, uint32_t key,
				  struct strbuf *said)
{
	struct key_action does = keys_action(keys_everywhere, key, NEEDS_NO_TIMELINE);
	enum action action = keys_action(keys_everywhere, key, ~0u).action;

	list_findings(card, screen); /* the sources may have changed since the last draw */
	if (key == 'q' || key == '!' || does.action == ACTION_BACK) {
		screen->filter[0] = 0;
		return KEY_CLOSES;
	}
	if (key == K_ENTER)
		return screen_show_finding(screen, card->n ? card->rows[card->at] : NULL) ? KEY_CLOSES
											  : KEY_TAKEN;
	if (key == 'x')
		mute_selected(card, screen, said);
	else if (key == 'X')
		card->shows_muted = !card->shows_muted;
	else if (does.action == ACTION_SELECT || does.action == ACTION_SCROLL)
		card->at += does.number;
	else if (does.action == ACTION_PAGE)
		card->at += does.number * card->page;
	else if (action == ACTION_EXPLAIN)
		return card->n ? KEY_PASSED : KEY_TAKEN; /* the caller explains the selected one */
	else
		return needs_view(action) ? KEY_UNKNOWN : shows_view(action) ? KEY_LEAVES : KEY_PASSED;
	return KEY_TAKEN;
}

const struct finding_def *findings_card_selected(const struct findings_card *card)
{
	return card->n ? card->rows[card->at]->def : NULL;
}
