/* Attributes: change from one look to another by the shorter of two ways, adding to the current
 * attributes or starting with a reset. */
#include "term/term_cells.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	unsigned attr;
	enum term_string cap;
} attributes[PEN_ATTRIBUTES] = {
	{LOOK_BOLD, CAP_BOLD},
	{LOOK_DIM, CAP_DIM},
	{LOOK_UNDERLINE, CAP_SMUL},
	{LOOK_REVERSE, CAP_REV},
};

/* The parameters of a text that is exactly "ESC [ parameters m". Several such texts can be joined
 * into one. */
static bool sgr_parameters(const char *text, size_t n, struct span *parameters)
{
	if (n < 3 || text[0] != '\x1b' || text[1] != '[' || text[n - 1] != 'm')
		return false;
	*parameters = (struct span){text + 2, n - 3};
	for (size_t i = 0; i < parameters->n; i++)
		if (!strchr("0123456789;:", parameters->p[i]))
			return false;
	return true;
}

/* Append a piece of the change that starts at out->p + start. */
static void add_piece(struct strbuf *out, size_t start, const char *text)
{
	struct span before, piece;

	if (out->n > start && sgr_parameters(out->p + start, out->n - start, &before) &&
	    sgr_parameters(text, strlen(text), &piece)) {
		bool empty = before.n == 0; /* the same as 0 */

		out->n--;
		strbuf_str(out, empty ? "0;" : ";");
		strbuf_add(out, text + 2, piece.n + 1);
		return;
	}
	strbuf_str(out, text);
}

static void add_attributes(const struct pen *pen, struct strbuf *out, size_t start, unsigned attrs)
{
	for (unsigned i = 0; i < PEN_ATTRIBUTES; i++)
		if (attrs & attributes[i].attr)
			add_piece(out, start, pen->attributes[i]);
}

static void add_colors(struct strbuf *out, size_t start, const struct pen_look *from,
		       const struct pen_look *to)
{
	if (to->look.fg >= 0 && (!from || from->look.fg != to->look.fg))
		add_piece(out, start, to->fg);
	if (to->look.bg >= 0 && (!from || from->look.bg != to->look.bg))
		add_piece(out, start, to->bg);
}

void pen_change(const struct pen *pen, unsigned from, unsigned to, struct strbuf *out)
{
	const struct pen_look *old = &pen->looks[from], *new = &pen->looks[to];
	/* Whether the change needs no reset. */
	bool only_adds = !(old->look.attrs & ~new->look.attrs) && (old->look.fg < 0 || new->look.fg >= 0) &&
			 (old->look.bg < 0 || new->look.bg >= 0);
	size_t start = out->n, end;

	if (from == to)
		return;
	add_piece(out, start, pen->reset);
	add_attributes(pen, out, start, new->look.attrs);
	add_colors(out, start, NULL, new);
	if (!only_adds)
		return;
	end = out->n;
	add_attributes(pen, out, end, new->look.attrs & ~old->look.attrs);
	add_colors(out, end, old, new);
	if (out->n - end <= end - start) {
		memmove(out->p + start, out->p + end, out->n - end);
		out->n -= end - start;
	} else {
		out->n = end;
	}
}

void pen_set(struct pen *pen, unsigned look, struct strbuf *out)
{
	pen_change(pen, pen->now, look, out);
	pen->now = look;
}

int pen_measure(struct pen *pen, unsigned from, unsigned to)
{
	AUTO_STRBUF struct strbuf text = {0};
	size_t bytes;

	pen_change(pen, from, to, &text);
	bytes = text.n < UINT8_MAX ? text.n : UINT8_MAX - 1;
	pen->costs[from * pen->n_looks + to] = (uint8_t)(bytes + 1);
	return (int)bytes;
}

void pen_reset(struct pen *pen, struct strbuf *out)
{
	const struct term_strings *strings = pen->strings;

	if (strings->cap[CAP_SGR0])
		strings->add(out, strings->cap[CAP_SGR0], 0, 0);
	if (strings->cap[CAP_OP])
		strings->add(out, strings->cap[CAP_OP], 0, 0);
	pen->now = 0;
}

/* Find the text that resets all attributes and colours. Use only the SGR part of sgr0: the rest
 * switches character sets. An SGR reset also resets colours; any other text may not, so append
 * op. */
static void find_reset(struct pen *pen)
{
	const struct term_strings *strings = pen->strings;
	AUTO_STRBUF struct strbuf text = {0};
	struct span parameters;

	if (strings->cap[CAP_SGR0])
		strings->add(&text, strings->cap[CAP_SGR0], 0, 0);
	for (size_t i = 0; i < text.n; i++) {
		const char *end = text.p[i] == '\x1b' ? memchr(text.p + i, 'm', text.n - i) : NULL;
		size_t n = end ? (size_t)(end - text.p) - i + 1 : 0;

		if (n && n < sizeof(pen->reset) && sgr_parameters(text.p + i, n, &parameters) &&
		    (!parameters.n || parameters.p[0] == '0')) {
			memcpy(pen->reset, text.p + i, n);
			return;
		}
	}
	if (strings->cap[CAP_OP])
		strings->add(&text, strings->cap[CAP_OP], 0, 0);
	if (text.n < sizeof(pen->reset))
		memcpy(pen->reset, text.n ? text.p : "", text.n);
}

/* The text of a capability; "" if the terminal does not have it, or has no reset. */
static void find_text(const struct pen *pen, enum term_string cap, int parameter, char text[PEN_TEXT_MAX])
{
	AUTO_STRBUF struct strbuf out = {0};

	text[0] = '\0';
	if (!pen->strings->cap[cap] || !pen->reset[0])
		return;
	pen->strings->add(&out, pen->strings->cap[cap], parameter, 0);
	if (out.n && out.n < PEN_TEXT_MAX)
		memcpy(text, out.p, out.n + 1);
}

/* Remove from a look what the terminal does not support. */
static struct pen_look resolve_look(const struct pen *pen, const struct look *look)
{
	struct pen_look found = {.look = *look};

	if (look->fg >= 0)
		find_text(pen, CAP_SETAF, look->fg, found.fg);
	if (look->bg >= 0)
		find_text(pen, CAP_SETAB, look->bg, found.bg);
	if (!found.fg[0])
		found.look.fg = -1;
	if (!found.bg[0])
		found.look.bg = -1;
	for (unsigned i = 0; i < PEN_ATTRIBUTES; i++)
		if (!pen->attributes[i][0])
			found.look.attrs &= ~attributes[i].attr;
	if (found.look.fg >= 0 || found.look.bg >= 0)
		found.look.attrs &= ~pen->strings->not_colored;
	found.shows_blank = found.look.bg >= 0 || (found.look.attrs & (LOOK_REVERSE | LOOK_UNDERLINE));
	return found;
}

void pen_init(struct pen *pen, const struct term_strings *strings, const struct look *looks,
	      unsigned n_styles)
{
	*pen = (struct pen){.strings = strings, .n_looks = 1, .n_styles = n_styles};
	pen->looks = xcalloc(n_styles + 1, sizeof(*pen->looks));
	pen->looks[0].look = (struct look){-1, -1, 0};
	find_reset(pen);
	for (unsigned i = 0; i < PEN_ATTRIBUTES; i++)
		find_text(pen, attributes[i].cap, 0, pen->attributes[i]);
	for (unsigned style = 0; style < n_styles; style++) {
		struct pen_look look = resolve_look(pen, &looks[style]);
		unsigned i = 0;

		while (i < pen->n_looks && memcmp(&pen->looks[i].look, &look.look, sizeof(look.look)) != 0)
			i++;
		if (i == pen->n_looks)
			pen->looks[pen->n_looks++] = look;
		pen->of_style[style] = (uint16_t)i;
	}
	pen->costs = xcalloc(pen->n_looks, pen->n_looks);
}

void pen_fini(struct pen *pen)
{
	free(pen->looks);
	free(pen->costs);
	pen->looks = NULL;
	pen->costs = NULL;
}
