#include "views/compared.h"

#include "base/alloc.h"
#include "base/real.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VALUE_COLS 12
#define SHORT_COLS 7   /* of the old value, without a unit */
#define CHANGE_COLS 11 /* an arrow, the number and its unit */
#define WORD_COLS 8
#define BAR_MIN 9
#define BAR_MOST 17
#define SAME_POINTS 0.6 /* points of a percentage */
#define SAME_SHARE 0.01

bool compared_is_same(const struct comparison *c)
{
	double by = fabs(c->now - c->was);

	return c->now == c->was || by < SAME_SHARE * fabs(c->was) ||
	       (c->unit->kind == UNIT_PERCENT && by < SAME_POINTS);
}

double compared_share(const struct comparison *c)
{
	if (c->was == 0)
		return c->now == 0 ? 0 : c->now > 0 ? (double)INFINITY : (double)-INFINITY;
	return (c->now - c->was) / fabs(c->was);
}

/* ---- the columns ---- */

struct compared_columns {
	struct rect was, now, change, word, bar; /* w is 0 if it is omitted */
};

static struct compared_columns columns_in(struct rect r)
{
	struct compared_columns c = {.now = {.w = 0}};

	if (r.w >= SHORT_COLS + VALUE_COLS + CHANGE_COLS)
		c.was = rect_left(&r, r.w >= 2 * VALUE_COLS + CHANGE_COLS ? VALUE_COLS : SHORT_COLS);
	c.now = rect_left(&r, r.w < VALUE_COLS ? r.w : VALUE_COLS);
	if (r.w >= CHANGE_COLS)
		c.change = rect_left(&r, CHANGE_COLS);
	if (r.w > WORD_COLS) {
		rect_left(&r, 1);
		c.word = rect_left(&r, WORD_COLS - 1);
	}
	if (r.w > BAR_MIN) {
		rect_left(&r, 1);
		c.bar = rect_left(&r, r.w > BAR_MOST ? BAR_MOST : r.w - !(r.w % 2));
	}
	return c;
}

void compared_head(struct canvas *canvas, struct rect r)
{
	struct compared_columns c = columns_in(r);

	c.was.w = c.was.w ? WIDGET_NUMBER_COLS : 0;
	c.now.w = WIDGET_NUMBER_COLS;
	canvas_text_right(canvas, c.was, STYLE_DIM, c.was.w ? "was " : "");
	canvas_text_right(canvas, c.now, STYLE_DIM, "now ");
	canvas_text_right(canvas, c.change, STYLE_DIM, "change");
}

/* Draw the old value; a short column omits the unit, which the new value beside it shows. */
static void draw_was(const struct comparison *c, struct canvas *canvas, struct rect r)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];
	size_t symbol = strlen(c->unit->symbol) + (c->grows ? strlen("/s") : 0);

	if (r.w >= VALUE_COLS) {
		widget_number(canvas, r, c->unit, c->was, c->grows, false, STYLE_DIM);
		return;
	}
	unit_split(number, suffix, c->was, c->unit, c->grows, false);
	suffix[strlen(suffix) > symbol ? strlen(suffix) - symbol : 0] = 0;
	canvas_printf(canvas, rect_left(&r, SHORT_COLS), STYLE_DIM, "%5.5s%-1.1s", number, suffix);
}

/* Draw a bar from the middle to the side of the change, in half cells if the terminal has them. */
static void draw_bar(double share, double full, enum style style, struct canvas *canvas, struct rect r)
{
	int half = r.w / 2, n;
	bool up = share > 0;
	double part = real_min(fabs(share) / full, 1);

	if (!half)
		return;
	canvas_fill(canvas, r, STYLE_TRACK, canvas->ascii ? '.' : 0xb7);
	canvas_put(canvas, r.x + half, r.y, STYLE_DIM, canvas->ascii ? '|' : 0x2502);
	n = isnan(part) ? 0 : (int)(part * half + 0.5);
	for (int i = 1; i <= n; i++)
		canvas_put(canvas, r.x + half + (up ? i : -i), r.y, style, canvas->ascii ? '=' : 0x2584);
	if (fabs(share) > full)
		canvas_put(canvas, r.x + half + (up ? half : -half), r.y, style,
			   canvas->ascii ? (up ? '>' : '<') : (up ? 0x25b6u : 0x25c0u));
}

/* Return the style of a change, and set *word to its judgement. */
static enum style meaning_of(const struct comparison *c, const char **word)
{
	bool worse = c->worse && (c->worse > 0) == (c->now > c->was);

	*word = "";
	if (isnan(c->was) || isnan(c->now))
		return STYLE_DIM;
	if (compared_is_same(c)) {
		*word = "same";
		return STYLE_DIM;
	}
	if (!c->worse)
		return STYLE_TEXT;
	*word = worse ? "worse" : "better";
	return worse ? STYLE_BUSY : STYLE_CALM;
}

void compared_change(const struct comparison *c, struct canvas *canvas, struct rect r)
{
	bool up = c->now > c->was;
	char text[UNITS_TEXT];
	const char *word;
	enum style style = meaning_of(c, &word);

	if (isnan(c->was) || isnan(c->now))
		return;
	if (compared_is_same(c)) {
		canvas_text_right(canvas, r, style, "=");
		return;
	}
	canvas_text_right(canvas, r, style, unit_change_format(text, c->was, c->now, c->unit, false));
	canvas_text(canvas, r, style, canvas->ascii ? (up ? "+" : "-") : (up ? "\u2191" : "\u2193"));
}

void compared_draw(const struct comparison *c, double full, struct canvas *canvas, struct rect r)
{
	struct compared_columns at = columns_in(r);
	bool known = !isnan(c->was) && !isnan(c->now), same = known && compared_is_same(c);
	const char *word;
	enum style style = meaning_of(c, &word);

	if (at.was.w)
		draw_was(c, canvas, at.was);
	widget_number(canvas, at.now, c->unit, c->now, c->grows, false, same ? STYLE_DIM : STYLE_VALUE);
	if (!known || !at.change.w)
		return;
	compared_change(c, canvas, at.change);
	canvas_text(canvas, at.word, style, word);
	draw_bar(same ? 0 : compared_share(c), full, style == STYLE_TEXT ? canvas_part_style(0) : style,
		 canvas, at.bar);
}

/* ---- the largest changes, as a panel ---- */

#define NAME_COLS 34
#define NAME_SHORT 20
#define VIEW_COLS 14
#define LEAST 11 /* least lines of the panel in a narrow terminal, if there are as many changes */
#define LEAST_NARROW 7
#define VIEW_FROM 100 /* least columns at which views are named */

static struct need changes_size(const struct drawing *d, int cols)
{
	int most = d->data->changes ? 1 + (int)(d->data->changes->n ? d->data->changes->n : 1) : 0;
	int least = cols < VIEW_FROM ? LEAST_NARROW : LEAST;

	return (struct need){most < least ? most : least, most};
}

static void draw_change(const struct drawing *d, const struct view_change *change, struct rect row)
{
	if (change->series)
		widget_row(d, row, change->series, NULL);
	if (row.w >= VIEW_FROM && change->view)
		canvas_printf(d->canvas, rect_right(&row, VIEW_COLS), STYLE_DIM, "%c %s",
			      change->view->key ? change->view->key : ' ', change->view->title);
	canvas_text_cut(d->canvas, rect_left(&row, row.w >= VIEW_FROM - VIEW_COLS ? NAME_COLS : NAME_SHORT),
			STYLE_TEXT, change->name);
	compared_draw(&change->compared, 1, d->canvas, row);
}

static void changes_draw(const struct drawing *d, struct rect r)
{
	struct rect head = rect_top(&r, 1);

	if (head.w >= VIEW_FROM)
		canvas_text(d->canvas, rect_right(&head, VIEW_COLS), STYLE_DIM, "view");
	rect_left(&head, head.w >= VIEW_FROM - VIEW_COLS ? NAME_COLS : NAME_SHORT);
	compared_head(d->canvas, head);
	if (!d->data->changes->n)
		canvas_text(d->canvas, r, STYLE_DIM, "no number has changed by more than its noise");
	for (unsigned i = 0; i < d->data->changes->n && r.h > 0; i++)
		draw_change(d, &d->data->changes->rows[i], rect_top(&r, 1));
}

static void changes_corner(const struct drawing *d, char *text, size_t size)
{
	const struct view_changes *c = d->data->changes;

	if (c)
		snprintf(text, size, "%u row%s: %u worse, %u better, %u other", c->n_known,
			 plural_ending(c->n_known), c->n_worse, c->n_better,
			 c->n_known - c->n_worse - c->n_better);
}

const struct widget widget_changes = {.name = "changes",
				      .seriesless = true,
				      .companion = true,
				      .heads = 1,
				      .size = changes_size,
				      .draw = changes_draw,
				      .corner = changes_corner};
