/* Modes over the view: cards, settings, help, a question. The topmost mode gets a key first, and
 * passes other keys on; the keys of the view are last. A click acts on the drawing at its place. */
#include "tui/live_priv.h"

#include "base/alloc.h"

#include <stdio.h>

void live_hint(struct live *l, const char *text)
{
	alerts_hint(&l->alerts, l->sys->monotonic_ns(l->sys), text);
}

/* ---- the modes ---- */

static void draw_below(struct live *l, unsigned n);

static void draw_help(struct live *l, const struct alert *alert)
{
	help_draw(&l->help,
		  &(struct help_text){.session = &l->session,
				      .view = l->screen.view->title,
				      .own = screen_pane(&l->screen) ? keys_of_processes : NULL,
				      .has = screen_has(&l->screen),
				      .frames = views_find(&l->screen.views, "frame"),
				      .own_cost = l->own_cost[0] ? l->own_cost : NULL,
				      .alerts = &l->alerts,
				      .alert = alert,
				      .now_ns = l->sys->monotonic_ns(l->sys)},
		  &l->canvas);
}

static void draw_findings(struct live *l, const struct alert *alert)
{
	findings_card_draw(&l->findings, &l->screen, alert, &l->canvas);
}

static void draw_worst(struct live *l, const struct alert *alert)
{
	int64_t shown_ns = l->screen.paused_ns ? l->screen.paused_ns : feeds_shown_ns(&l->feeds);

	worst_card_draw(&l->worst, &l->screen, live_frame_stats(l), l->screen.realtime_ns - shown_ns, alert,
			&l->canvas);
}

static void draw_explanation(struct live *l, const struct alert *alert)
{
	if (!explain_card_draw(&l->explain, &l->screen, alert, &l->canvas))
		live_close(l, MODE_EXPLANATION);
}

static void handle_key(struct live *l, uint32_t key);

/* Explain the row chosen in help, or press its keys one after the other. */
static enum key_answer key_in_help(struct live *l, uint32_t key, struct strbuf *said)
{
	struct help_row choice;
	enum key_answer answer = help_key(&l->help, key, &choice, said);

	if (answer != KEY_CLOSES)
		return answer;
	live_close(l, MODE_HELP);
	if (choice.metric || choice.finding) {
		l->explain = (struct explain_card){.finding = choice.finding};
		snprintf(l->explain.metric, sizeof(l->explain.metric), "%s",
			 choice.metric ? choice.metric : "");
		live_open(l, MODE_EXPLANATION);
	}
	for (unsigned i = 0; i < HELP_PRESSES && choice.press[i]; i++)
		handle_key(l, choice.press[i]);
	return KEY_TAKEN;
}

static enum key_answer key_in_findings(struct live *l, uint32_t key, struct strbuf *said)
{
	return findings_card_key(&l->findings, &l->screen, key, said);
}

static enum key_answer key_in_worst(struct live *l, uint32_t key, struct strbuf *said)
{
	const struct frame_stats *stats = live_frame_stats(l);
	const struct frame_facts *frame = worst_card_selected(&l->worst, stats);

	(void)said;
	if (key != K_ENTER)
		return worst_card_key(&l->worst, stats, key);
	if (frame)
		live_show_frame(l, frame);
	return frame ? KEY_CLOSES : KEY_TAKEN;
}

static void copy_expression(struct live *l)
{
	AUTO_STRBUF struct strbuf text = {0}, hint = {0};

	explain_card_expression(&l->explain, &l->screen, &text);
	if (!text.n)
		strbuf_str(&hint, "copy: a counter has no expression");
	else
		strbuf_printf(&hint,
			      term_copy(l->term, text.p) ? "copied, if the terminal allows it: %s"
							 : "copy: this terminal has no clipboard: %s",
			      text.p);
	live_hint(l, hint.p);
}

static void add_to_own(struct live *l)
{
	const struct metric *m = explain_card_metric(&l->explain, &l->screen);
	AUTO_STRBUF struct strbuf hint = {0};
	bool added = false;
	struct err err;

	if (!m) {
		live_hint(l, "my charts: this finding has no metric of its own");
	} else if (!options_own_add(l->options, m->def->name, &added, &err)) {
		alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), err.text);
	} else {
		strbuf_printf(&hint, "%s: %s your charts, key u", m->def->name,
			      added ? "now in" : "already in");
		if (added)
			live_reload(l); /* this frees the metric */
		live_hint(l, hint.p);
	}
}

/* Handle a key of the card. Moving the selection needs the rows that are drawn below the card. */
static enum key_answer key_in_explanation(struct live *l, uint32_t key, struct strbuf *said)
{
	if (!l->explain.finding && !l->explain.metric[0])
		for (unsigned i = 0; i < l->n_open; i++)
			if (l->open[i] == MODE_EXPLANATION)
				draw_below(l, i);
	if (key == 'y')
		copy_expression(l);
	else if (key == 'e')
		add_to_own(l);
	else
		return explain_card_key(&l->explain, &l->screen, key, said);
	return KEY_TAKEN;
}

static enum key_answer key_in_question(struct live *l, uint32_t key, struct strbuf *said)
{
	const struct question *q = l->asks;
	bool yes = q->typed ? key == K_ENTER : key == 'y' || key == 'Y',
	     no = key == K_ESCAPE || (!q->typed && (key == 'n' || key == 'N' || key == 'q'));

	(void)said;
	if (no)
		l->typed[0] = 0;
	else if (q->typed && !yes)
		term_key_type(l->typed, sizeof(l->typed), key);
	if (q->follow)
		q->follow(l, l->typed);
	if (!yes)
		return no ? KEY_CLOSES : KEY_TAKEN;
	live_close(l, MODE_QUESTION);
	q->answer(l, l->typed);
	return KEY_TAKEN;
}

static const struct mode {
	enum { HIDES_NOTHING, HIDES_ROWS, HIDES_ALL } hides;
	void (*draw)(struct live *l, const struct alert *alert); /* NULL if it is in the footer */
	enum key_answer (*key)(struct live *l, uint32_t key, struct strbuf *said);
	const char *unknown; /* answer to other keys */
} modes[MODES] = {
	[MODE_FINDINGS] = {HIDES_ALL, draw_findings, key_in_findings,
			   .unknown = "findings: Enter goes to a view, i explains, / filters, x mutes, "
				      "! or Esc closes"},
	[MODE_WORST] = {HIDES_ALL, draw_worst, key_in_worst,
			.unknown = "longest frames: Enter goes to one, W or Esc closes"},
	[MODE_EXPLANATION] = {HIDES_ROWS, draw_explanation, key_in_explanation,
			      .unknown = "explain: i, Esc or q closes it, and the other keys act again"},
	[MODE_SETTINGS] = {HIDES_NOTHING, live_draw_settings, live_key_in_settings,
			   .unknown = "settings: w saves, F2 or Esc closes, and the other keys act again"},
	[MODE_LAYOUT] = {HIDES_NOTHING, live_draw_layouts, live_key_in_layouts,
			 .unknown = "layout: Enter keeps it, Esc goes back, and the other keys act again"},
	[MODE_HELP] = {HIDES_ALL, draw_help, key_in_help,
		       "help: q, Esc or ? closes it, and the other keys act again"},
	[MODE_QUESTION] = {.hides = HIDES_NOTHING, .key = key_in_question},
};

/* ---- the stack ---- */

void live_close(struct live *l, enum mode_id mode)
{
	unsigned n = 0;

	if (!live_is_open(l, mode))
		return;
	if (mode == MODE_LAYOUT)
		l->screen.layout.choosing = false;
	if (mode == MODE_HELP)
		help_close(&l->help);
	for (unsigned i = 0; i < l->n_open; i++)
		if (l->open[i] != mode)
			l->open[n++] = l->open[i];
	l->n_open = n;
}

void live_open(struct live *l, enum mode_id mode)
{
	live_close(l, mode);
	l->open[l->n_open++] = mode;
}

bool live_is_open(const struct live *l, enum mode_id mode)
{
	for (unsigned i = 0; i < l->n_open; i++)
		if (l->open[i] == mode)
			return true;
	return false;
}

bool live_sees_view(const struct live *l)
{
	for (unsigned i = 0; i < l->n_open; i++)
		if (modes[l->open[i]].hides)
			return false;
	return true;
}

void live_ask(struct live *l, const struct question *question, const char *typed)
{
	l->asks = question;
	snprintf(l->typed, sizeof(l->typed), "%s", typed);
	live_open(l, MODE_QUESTION);
}

/* ---- drawing ---- */

/* Draw the view and the lowest n modes. */
static void draw_below(struct live *l, unsigned n)
{
	int64_t now = l->sys->monotonic_ns(l->sys), until;
	const struct alert *alert = alerts_now(&l->alerts, now, &until);
	const struct question *q = l->asks;
	unsigned first = n;

	screen_describe(&l->screen, now);
	l->screen.realtime_ns =
		l->sys->realtime_ns(l->sys) - (l->screen.paused_ns ? now - l->screen.paused_ns : 0);
	if (l->player)
		screen_show_moment(&l->screen, l->player, now);
	l->screen.ask = NULL;
	if (live_is_open(l, MODE_QUESTION)) {
		snprintf(l->question, sizeof(l->question), "%s%s%s", q->text, q->typed ? ": " : "", l->typed);
		l->ask = (struct foot_ask){.text = l->question,
					   .answers = l->player && q->of_log ? q->of_log : q->answers,
					   .typed = q->typed};
		l->screen.ask = &l->ask;
	}
	l->screen.timeline = live_timeline(l);
	l->screen.marks = l->past.marks;
	l->screen.n_marks = l->past.n_marks;
	if (l->player && l->screen.timeline) {
		l->screen.marks = l->screen.timeline->marks;
		l->screen.n_marks = l->screen.timeline->n_marks;
	}
	l->screen.hits.n = 0;
	while (first > 0 && modes[l->open[first - 1]].hides != HIDES_ALL)
		first--;
	if (first)
		first--;
	else
		screen_draw(&l->screen, alert, &l->canvas);
	for (unsigned i = first; i < n && i < l->n_open; i++)
		if (modes[l->open[i]].draw)
			modes[l->open[i]].draw(l, alert);
}

void live_compose(struct live *l)
{
	draw_below(l, l->n_open);
	feeds_settle(&l->feeds);
}

/* ---- keys ---- */

/* Offer the key to the modes from the top, then to the shown view, then to the keys for all views.
 * Ctrl-C always ends the program. */
static void handle_key(struct live *l, uint32_t key)
{
	AUTO_STRBUF struct strbuf said = {0};
	struct process_pane *pane = screen_pane(&l->screen);
	enum key_answer answer = KEY_PASSED;

	for (unsigned at = key == K_CTRL_C ? 0 : l->n_open;
	     at-- > 0 && (answer == KEY_PASSED || answer == KEY_LEAVES);) {
		enum mode_id mode = l->open[at];

		answer = modes[mode].key(l, key, &said);
		if (answer == KEY_CLOSES || answer == KEY_LEAVES)
			live_close(l, mode);
		if (answer == KEY_UNKNOWN)
			strbuf_str(&said, modes[mode].unknown);
	}
	if ((answer == KEY_PASSED || answer == KEY_LEAVES) &&
	    !(pane && key != K_CTRL_C && process_pane_key(pane, key, &said)))
		live_act(l, key, &said);
	if (said.n)
		live_hint(l, said.p);
}

void live_key(struct live *l, uint32_t key)
{
	enum mode_id top = l->n_open ? l->open[l->n_open - 1] : MODES;
	struct process_pane *pane = screen_pane(&l->screen);
	bool typing = top == MODES ? pane && process_pane_ask(pane)
				   : top == MODE_QUESTION || (top == MODE_HELP && l->help.typing);

	l->dirty = true;
	l->alerts.hint = (struct alert){0};
	/* typed text takes the keys themselves, even if the configuration remaps them */
	handle_key(l, typing ? key : options_key(l->options, key));
}

/* ---- the mouse ---- */

static void click_timeline(struct live *l, const struct hit *hit, int x)
{
	const struct timeline *line = live_timeline(l);

	if (line)
		live_go(l, timeline_moment(line, &hit->at, x));
}

/* Go to the time at x, or select the range from the time where the button was pressed. */
static void click_graph(struct live *l, const struct hit *hit, int x, bool drags)
{
	int64_t at_ns = hits_moment(hit, x), from_ns = hits_moment(hit, l->held_x);

	live_point(l, at_ns, drags ? from_ns : at_ns);
}

void live_click(struct live *l, int x, int y)
{
	const struct hit *found = hits_at(&l->screen.hits, x, y);
	struct hit hit = found ? *found : (struct hit){0};
	const struct row_subject *selected;
	const struct hit *row;

	l->dirty = true;
	l->held = hit;
	l->held_x = x;
	switch (hit.kind) {
	case HIT_TAB:
		live_close(l, MODE_FINDINGS);
		live_close(l, MODE_WORST);
		screen_show(&l->screen, views_find(&l->screen.views, (char[]){(char)hit.number, 0}));
		break;
	case HIT_KEY:
		live_key(l, (uint32_t)hit.number);
		break;
	case HIT_PANEL: /* only the title: the rest of a panel belongs to its rows */
		if (y < hit.at.y + hit.number)
			screen_zoom(&l->screen, hit.subject.chart);
		break;
	case HIT_ROW: /* a second click on the same row acts like Enter */
		selected = screen_selected(&l->screen);
		if (selected && subject_same(selected, &hit.subject))
			live_key(l, K_ENTER);
		else
			screen_select(&l->screen, &hit.subject);
		break;
	case HIT_PROCESS:
		process_pane_click_row(&l->screen.pane, (unsigned)hit.number);
		break;
	case HIT_COLUMN:
		process_pane_click_title(&l->screen.pane, (enum process_key)hit.number);
		break;
	case HIT_TIMELINE:
		click_timeline(l, &hit, x);
		break;
	case HIT_GRAPH:
		row = hits_row_at(&l->screen.hits, x, y);
		if (row)
			screen_select(&l->screen, &row->subject);
		click_graph(l, &hit, x, false);
		break;
	default:
		break;
	}
}

void live_drag(struct live *l, int x)
{
	if (l->held.kind == HIT_TIMELINE)
		click_timeline(l, &l->held, x);
	else if (l->held.kind == HIT_GRAPH)
		click_graph(l, &l->held, x, true);
	else
		return;
	l->dirty = true;
}

void live_wheel(struct live *l, uint32_t key, int x, int y)
{
	const struct hit *hit = hits_at(&l->screen.hits, x, y);
	const struct timeline *line = hit && hit->kind == HIT_TIMELINE ? live_timeline(l) : NULL;
	int by = key == K_WHEEL_UP ? -1 : 1;

	if (!line) {
		live_key(l, key);
		return;
	}
	live_go(l, line->at_ns + by * ((line->end_ns - line->begin_ns) / line->n_cells + 1));
	l->dirty = true;
}
