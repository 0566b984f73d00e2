#include "tui/help.h"

#include "config.h"

#define KEY_COLS 18

static void draw_line(struct rect *r, struct canvas *canvas, enum style style, int indent, struct span line)
{
	char text[256];
	AUTO_STRBUF struct strbuf raw = {0};
	struct rect row = rect_top(r, 1);

	strbuf_add(&raw, line.p, line.n);
	rect_left(&row, indent);
	canvas_text(canvas, row, style, str_printable(text, sizeof(text), raw.p));
}

static void draw_keys(const struct key_help *k, unsigned has, struct rect *r, struct canvas *canvas)
{
	for (; k->keys; k++) {
		struct rect row;

		if (k->needs & ~has)
			continue;
		row = rect_top(r, 1);
		rect_left(&row, 1);
		canvas_text(canvas, rect_left(&row, KEY_COLS), STYLE_KEY, k->keys);
		canvas_text(canvas, row, STYLE_TEXT, k->text);
	}
}

/* Of what is on the screen all that there is to say; of other GPUs, that they are there. */
static void draw_source(const struct session_source *s, struct session *session, struct rect *r, struct canvas *canvas)
{
	const char *away = session_away_text(s);
	AUTO_STRBUF struct strbuf text = {0};
	struct rect row = rect_top(r, 1);
	struct span rest;

	canvas_printf(canvas, row, STYLE_TITLE, "%s, %s%s%s", s->title, s->driver, away ? ": " : "", away ? away : "");
	if (s != session_shown(session, s->kind))
		return;
	session_describe(session, s, &text);
	rest = (struct span){text.p, text.n};
	while (rest.n) {
		struct span line = span_until(&rest, '\n');

		if (line.n) /* the first is empty where a source has none for the foot of its view */
			draw_line(r, canvas, STYLE_TEXT, 1, line);
	}
}

void help_draw(struct session *session, const struct key_help *own, unsigned has, const struct alerts *alerts, int64_t now_ns,
	       struct canvas *canvas)
{
	struct rect r = canvas_rect(canvas);

	canvas_clear(canvas);
	canvas_text(canvas, rect_top(&r, 1), STYLE_HEADER, "malitop " PACKAGE_VERSION "   any key goes back, q quits");
	rect_top(&r, 1);
	if (own)
		draw_keys(own, has, &r, canvas);
	draw_keys(key_helps, own ? has & ~(unsigned)NEEDS_SCROLL : has, &r, canvas);
	rect_top(&r, 1);
	for (unsigned i = 0; i < session->n; i++)
		draw_source(&session->sources[i], session, &r, canvas);
	if (alerts->n)
		rect_top(&r, 1);
	for (unsigned i = alerts->n; i > 0; i--)
		canvas_printf(canvas, rect_top(&r, 1), STYLE_ALERT, "%4lld s ago  %s",
			      (long long)((now_ns - alerts->lines[i - 1].at_ns) / 1000000000), alerts->lines[i - 1].text);
}
