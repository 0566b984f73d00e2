/* What the findings say about one view: a row below the tabs, and a panel of advice. */
#include "tui/screen_judge.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW_FROM 20 /* rows of a terminal in which the charts can spare one */

/* The findings of a view, without the muted ones. */
struct view_findings {
	const struct judged *held[8];                /* faults: the worst first, then the oldest */
	unsigned n_held, n_fine, n_known, n_idle, n; /* idle: beyond the limit where it does not matter */
	struct strbuf quiet, noticed; /* the numbers of findings that do not hold; those to know */
};

static void add_held(const struct screen_judge *j, struct view_findings *of, const struct judged *f)
{
	unsigned at = of->n_held < ARRAY_LEN(of->held) ? of->n_held++ : of->n_held - 1;

	for (; at > 0 && screen_judge_before(j, f, of->held[at - 1]); at--)
		of->held[at] = of->held[at - 1];
	of->held[at] = f;
}

/* Two findings may judge the same number. */
static void add_name(struct strbuf *names, const char *name)
{
	if (!names->n || !strstr(names->p, name))
		strbuf_printf(names, "%s%s", names->n ? ", " : "", name);
}

static void fini_findings(struct view_findings *of)
{
	strbuf_fini(&of->quiet);
	strbuf_fini(&of->noticed);
}

/* Whether the evidence of a finding is in a view. */
static bool looks_at(const struct finding_def *def, const struct view *view)
{
	struct span rest = def->look, word;

	while ((word = span_word(&rest)).n)
		if (span_is(word, view->name))
			return true;
	return false;
}

static struct view_findings findings_of(const struct screen_judge *j, const struct view *view)
{
	struct view_findings of = {0};

	for (unsigned i = 0; j->judge && i < j->judge->n_findings; i++) {
		const struct judged *f = &j->judge->findings[i];

		if (!looks_at(f->def, view) || screen_judge_mutes(j, f->def))
			continue;
		of.n++;
		of.n_known += !isnan(f->number.value);
		of.n_fine += !f->holds && judged_is_fine(f);
		if (f->holds && screen_judge_rank(j, f).severity > SEVERITY_NOTE)
			add_held(j, &of, f);
		else if (f->holds)
			add_name(&of.noticed, f->def->title);
		else
			add_name(&of.quiet, f->number.title);
		of.n_idle += !f->holds && !isnan(f->number.value) && !judged_is_fine(f);
	}
	return of;
}

/* The numbers of the worst one, and the names of the others. */
static void put_held(const struct view_findings *of, bool ascii, struct strbuf *out)
{
	screen_judge_put_limit(out, of->held[0], ascii);
	for (unsigned i = 1; i < of->n_held; i++)
		strbuf_printf(out, "%s%s", i > 1 ? ", " : "; also ", of->held[i]->def->title);
}

/* "all 8 checks are fine", "10 of 11 checks are fine; noticed: Little depth is written". */
static void put_fine(const struct view_findings *of, struct strbuf *out)
{
	if (of->n_fine == of->n)
		strbuf_printf(out, of->n == 1 ? "the only check is fine" : "all %u checks are fine", of->n);
	else
		strbuf_printf(out, "%u of %u checks are fine", of->n_fine, of->n);
	if (of->n_idle)
		strbuf_printf(out, ", %u beyond the limit where it does not matter", of->n_idle);
	if (of->n > of->n_known)
		strbuf_printf(out, ", %u not known now", of->n - of->n_known);
	if (of->noticed.n)
		strbuf_printf(out, "; noticed: %s", of->noticed.p);
}

static void say_row(struct screen_judge *j, const struct view_findings *of, bool ascii,
		    struct verdict_text *row)
{
	AUTO_STRBUF struct strbuf text = {0};

	if (of->n_held) {
		const struct finding_def *worst = of->held[0]->def;

		*row = (struct verdict_text){worst->title,
					     screen_judge_rank(j, of->held[0]).severity == SEVERITY_CRITICAL
						     ? STYLE_HOT
						     : STYLE_BUSY,
					     j->text, ROW_FROM};
		put_held(of, ascii, &text);
	} else if (of->n_known) {
		*row = (struct verdict_text){"Nothing found", STYLE_CALM, j->text, ROW_FROM};
		put_fine(of, &text);
	} else {
		*row = (struct verdict_text){"Not clear", STYLE_DIM, j->text, ROW_FROM};
		strbuf_str(&text, "no number is known now that a check needs");
	}
	str_printable(j->text, sizeof(j->text), text.p);
}

static void put_advice(struct screen_judge *j, const struct view_findings *of)
{
	for (unsigned i = 0; i < of->n_held; i++) {
		const struct finding_def *def = of->held[i]->def;

		strbuf_printf(&j->advice, "%s\t%.*s\n", def->title,
			      SPAN_ARG(finding_text(def->advice, j->judge->product)));
	}
	if (!of->n_held)
		strbuf_str(&j->advice,
			   of->n_known ? "nothing: no finding of this view holds now\n" : "not clear\n");
	if (!of->n_held && of->quiet.n) /* not which are fine now: that changes often */
		strbuf_printf(&j->advice, "what is checked\t%s\n", of->quiet.p);
}

void screen_judge_view(struct screen_judge *j, const struct view *view, bool ascii, struct verdict_text *row)
{
	struct view_findings of = findings_of(j, view);

	strbuf_clear(&j->advice);
	if (of.n) {
		say_row(j, &of, ascii, row);
		put_advice(j, &of);
	}
	fini_findings(&of);
}
