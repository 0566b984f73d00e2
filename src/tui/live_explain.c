/* Keys of an explanation that need more than it: the clipboard, the user's own charts. */
#include "tui/live_priv.h"

#include "base/alloc.h"

static void show_hint(struct live *l, const char *text)
{
	alerts_hint(&l->alerts, l->sys->monotonic_ns(l->sys), text);
}

static void copy_expression(struct live *l)
{
	AUTO_STRBUF struct strbuf text = {0}, hint = {0};

	explain_card_expression(&l->explain, &l->screen, &text);
	if (!text.n)
		strbuf_str(&hint, "copy: it is counted, not computed: there is no expression");
	else
		strbuf_printf(&hint,
			      term_copy(l->term, text.p) ? "copied, if the terminal allows it: %s"
							 : "copy: this terminal has no clipboard: %s",
			      text.p);
	show_hint(l, hint.p);
}

static void add_to_own(struct live *l)
{
	const struct metric *m = explain_card_metric(&l->explain, &l->screen);
	AUTO_STRBUF struct strbuf hint = {0};
	bool added = false;
	struct err err;

	if (!m) {
		show_hint(l, "my charts: this finding has no metric of its own");
	} else if (!options_own_add(l->options, m->def->name, &added, &err)) {
		alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), err.text);
	} else {
		strbuf_printf(&hint, "%s: %s your charts, key u", m->def->name,
			      added ? "now in" : "already in");
		if (added)
			live_reload(l); /* which frees the metric */
		show_hint(l, hint.p);
	}
}

/* What moves the selection needs the rows that are drawn below the card. */
bool live_key_in_explanation(struct live *l, uint32_t key, struct strbuf *said)
{
	if (!l->explain.shown)
		return false;
	if (!l->explain.finding && !l->explain.metric[0])
		live_compose_below(l);
	if (key == 'y')
		copy_expression(l);
	else if (key == 'e')
		add_to_own(l);
	if (key == 'y' || key == 'e')
		return true;
	return explain_card_key(&l->explain, &l->screen, key, said);
}
