#include "tui/findings_card.h"

#include "base/alloc.h"
#include "tui/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INDENT 5
#define WIDE 120 /* columns from which the number stands beside the title */

static bool is_listed(const struct judged *f, int64_t now_ns, const char *filter)
{
	if (filter[0] && !strcasestr(f->def->name, filter) && !strcasestr(f->def->title, filter))
		return false;
	return f->holds || (f->begun_ns && now_ns - f->since_ns < JUDGE_KEPT_NS);
}

/* Those that hold before those that ended, then the worse, then the older. */
static bool comes_before(const struct judged *a, const struct judged *b)
{
	if (a->holds != b->holds)
		return a->holds;
	if (a->def->severity != b->def->severity)
		return a->def->severity > b->def->severity;
	return a->since_ns < b->since_ns;
}

static void list_findings(struct findings_card *card, const struct judge *judge, const char *filter)
{
	card->n = 0;
	for (unsigned i = 0; judge && i < judge->n_findings && card->n < FINDINGS_CARD_MOST; i++) {
		const struct judged *f = &judge->findings[i];
		int at = card->n;

		if (!is_listed(f, judge->end_ns, filter))
			continue;
		for (; at > 0 && comes_before(f, card->rows[at - 1]); at--)
			card->rows[at] = card->rows[at - 1];
		card->rows[at] = f;
		card->n++;
	}
}

static void put_number(struct strbuf *out, const struct judge_number *n, bool ascii)
{
	char value[UNITS_TEXT];

	strbuf_printf(out, "%s %s", n->title,
		      unit_format(value, n->value, n->unit, n->metric && n->metric->grows, ascii));
}

/* "5 Fragment": the first view that a finding names and this machine has; "" if there is none. */
static void look_text(const struct findings_card *card, const struct judged *f, struct strbuf *out)
{
	struct span rest = f->def->look, word;

	while (card->views && !out->n && (word = span_word(&rest)).n) {
		AUTOFREE char *name = span_dup(word);
		const struct view *view = views_find(card->views, name);

		if (view)
			strbuf_printf(out, "%c %s", view->key ? view->key : ' ', view->title);
	}
}

/* "Budget used 1.18, limit 1.00 (guide)   for 21 s   look at 5 Fragment". */
static void number_text(const struct findings_card *card, const struct judged *f, int64_t now_ns, bool ascii,
			struct strbuf *out)
{
	AUTO_STRBUF struct strbuf look = {0};

	char limit[UNITS_TEXT];

	put_number(out, &f->number, ascii);
	strbuf_printf(out, ", limit %s (%s)   %s %lld s",
		      unit_format(limit, f->limit, f->number.unit, false, ascii),
		      f->def->house ? "house" : "guide", f->holds ? "for" : "ended before",
		      (long long)((now_ns - f->since_ns) / 1000000000));
	look_text(card, f, &look);
	if (look.n)
		strbuf_printf(out, "   look at %s", look.p);
}

/* Draw a text broken between words; without a canvas only count its lines. */
static int draw_text(struct canvas *canvas, struct rect *r, enum style style, struct span text)
{
	int lines = 0, cols = r->w - INDENT;

	for (; text.n && cols > 0; lines++) {
		AUTO_STRBUF struct strbuf words = {0};
		char shown[512];

		while (text.n) {
			struct span rest = text, word = span_word(&rest);

			if (words.n && (int)(words.n + 1 + word.n) > cols)
				break;
			strbuf_printf(&words, "%s%.*s", words.n ? " " : "", SPAN_ARG(word));
			text = span_trim(rest);
		}
		if (canvas) {
			struct rect row = rect_top(r, 1);

			rect_left(&row, INDENT);
			canvas_text(canvas, row, style,
				    str_printable(shown, sizeof(shown), words.n ? words.p : ""));
		}
	}
	return lines;
}

/* Title and number, what it means, and what to do. Returns the rows; without a canvas it counts. */
static int draw_finding(const struct findings_card *card, const struct judge *judge, const struct judged *f,
			struct canvas *canvas, struct rect *r)
{
	static const enum style styles[] = {STYLE_TEXT, STYLE_BUSY, STYLE_HOT};
	static const char *const marks[] = {" i", " !", "!!"};
	enum style dim = STYLE_DIM, text = f->holds ? STYLE_TEXT : STYLE_DIM;
	AUTO_STRBUF struct strbuf title = {0}, number = {0};
	bool wide = r->w >= WIDE, selected = f == card->rows[card->at];
	char shown[512];

	number_text(card, f, judge->end_ns, canvas && canvas->ascii, &number);
	strbuf_printf(&title, "%s  %-42s %s", marks[f->def->severity], f->def->title, wide ? number.p : "");
	if (canvas) {
		struct rect row = rect_top(r, 1);

		rect_left(&row, 1);
		canvas_text(canvas, row,
			    selected   ? STYLE_SELECTED
			    : f->holds ? styles[f->def->severity]
				       : STYLE_DIM,
			    str_printable(shown, sizeof(shown), title.p));
	}
	return 1 + (wide ? 0 : draw_text(canvas, r, text, span_of(number.p))) +
	       draw_text(canvas, r, text, finding_text(f->def->says, judge->product)) +
	       draw_text(canvas, r, dim, finding_text(f->def->advice, judge->product));
}

/* Scroll until the selected one is whole, or the first. */
static void scroll_card(struct findings_card *card, const struct judge *judge, struct rect r)
{
	int rows = 0;

	card->at = card->at >= card->n ? card->n - 1 : card->at;
	card->at = card->at < 0 ? 0 : card->at;
	if (card->first > card->at)
		card->first = card->at;
	for (int i = card->first; i <= card->at && i < card->n; i++)
		rows += draw_finding(card, judge, card->rows[i], NULL, &r);
	for (; rows > r.h && card->first < card->at; card->first++)
		rows -= draw_finding(card, judge, card->rows[card->first], NULL, &r);
}

static void draw_footer(const struct findings_card *card, const struct foot_ask *ask, const char *alert,
			unsigned n_checks, struct canvas *canvas, struct rect row)
{
	const struct foot_keys keys = {.keys = {{"\u2191 \u2193", "Up Down", "select", 1},
						{"Enter", NULL, "go to its view", 0},
						{"i", NULL, "explain", 0},
						{"! Esc", NULL, "close", 0}},
				       .n = 4};
	char where[48];

	snprintf(where, sizeof(where), "%d of %u checks", card->n, n_checks);
	frame_draw_footer(&(struct frame_text){.ask = ask, .alert = alert, .keys = &keys, .dropped = where},
			  canvas, row);
}

void findings_card_draw(struct findings_card *card, struct screen *screen, const char *alert,
			struct canvas *canvas)
{
	struct rect r = canvas_rect(canvas), footer;
	const struct judge *judge;

	screen_judge_step(&screen->judge, screen->feeds, screen->paused_ns);
	judge = screen->judge.judge;
	card->views = &screen->views;
	list_findings(card, judge, screen->filter);
	canvas_clear(canvas);
	canvas_text(canvas, rect_top(&r, 1), STYLE_HEADER,
		    card->n ? "findings, the worst first: beyond a limit for 2 s, now or in the last minute"
		    : screen->filter[0] ? "findings: none fits the filter; / changes it"
					: "findings: none now, and none in the last minute");
	footer = rect_bottom(&r, 1);
	rect_top(&r, 1);
	scroll_card(card, judge, r);
	card->page = 0;
	for (int i = card->first; i < card->n && r.h > 0; i++, card->page++)
		draw_finding(card, judge, card->rows[i], canvas, &r);
	draw_footer(card, screen->ask, alert, judge ? judge->n_findings : 0, canvas, footer);
}

bool findings_card_key(struct findings_card *card, struct screen *screen, uint32_t key, struct strbuf *said)
{
	struct key_action does = keys_action(keys_everywhere, key, NEEDS_NO_TIMELINE);

	if (key == 0x03)
		return false;
	list_findings(card, screen->judge.judge,
		      screen->filter); /* the sources may have changed since the last draw */
	card->at = card->at < card->n ? card->at : 0;
	if (key == 'q' || key == '!' || does.action == ACTION_BACK) {
		card->shown = false;
		screen->filter[0] = 0;
	} else if (does.action == ACTION_FILTER) {
		return false;
	} else if (key == K_ENTER) {
		card->shown = !screen_show_finding(screen, card->n ? card->rows[card->at] : NULL);
	} else if (does.action == ACTION_EXPLAIN) {
		return card->n == 0; /* the caller explains the selected one */
	} else if (does.action == ACTION_SELECT || does.action == ACTION_SCROLL) {
		card->at += does.number;
	} else if (does.action == ACTION_PAGE) {
		card->at += does.number * card->page;
	} else {
		strbuf_str(said,
			   "findings: Enter goes to a view, i explains, / filters, ! or Esc closes, and the "
			   "other keys act again");
	}
	return true;
}

const struct finding_def *findings_card_selected(const struct findings_card *card)
{
	return card->n ? card->rows[card->at]->def : NULL;
}
