/* The judgement of the shown sources: the rows of the verdict. */
#include "tui/screen_judge.h"

#include "tui/screen_hot.h"

#include "base/alloc.h"
#include "tui/screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEXT_FROM 30            /* least rows of a terminal with a hint to the next view */
#define BEFORE_NS 10000000000ll /* time before a jump target that is judged */
#define LATEST_NS 3000000000ll  /* how long a list of processes stays valid, besides its own interval */

void screen_judge_follow(struct screen_judge *j, const struct session *session)
{
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct strbuf muted = j->muted;

	j->muted = (struct strbuf){0};
	screen_judge_fini(j);
	j->muted = muted;
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct session_source *shown =
			session_shown((struct session *)(uintptr_t)session, kind);

		sets[kind] = shown ? shown->set : NULL;
		j->vectors[kind] = shown ? xcalloc(shown->set->n_vector, sizeof(double)) : NULL;
	}
	j->judge = judge_new(session->db, sets);
	j->facts = j->judge->facts;
}

void screen_judge_fini(struct screen_judge *j)
{
	judge_free(j->judge);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		free(j->vectors[kind]);
	strbuf_fini(&j->muted);
	strbuf_fini(&j->advice);
	*j = (struct screen_judge){0};
}

void screen_judge_processes(struct screen_judge *j, const struct process_list *list)
{
	if (judge_facts_thread(&j->facts, list)) {
		j->facts_ns = list->end_ns;
		j->facts_length_ns = list->end_ns - list->begin_ns;
	}
}

static void judge_until(struct screen_judge *j, const struct feeds *feeds, int64_t end_ns)
{
	const double *vectors[SOURCE_KINDS] = {0};
	struct judge_facts facts = j->facts;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (j->vectors[kind] && feeds_vector(feeds, kind, j->at_ns, end_ns, j->vectors[kind]))
			vectors[kind] = j->vectors[kind];
	if (llabs(end_ns - j->facts_ns) > LATEST_NS + j->facts_length_ns + BEFORE_NS * (j->jumps != 0)) {
		facts.value[FACT_BUSIEST_THREAD] = facts.value[FACT_THREAD_WAITS] = NAN;
		facts.thread[0] = 0;
	}
	if (facts.thread[0])
		screen_hot_code(feeds, facts.thread_id, end_ns, facts.code, sizeof(facts.code));
	judge_step(j->judge, j->at_ns, end_ns, vectors, &facts);
	j->at_ns = end_ns;
}

/* After a jump, judge the time before it, so that a time has the same verdict however it was
 * reached. */
void screen_judge_step(struct screen_judge *j, const struct feeds *feeds, int64_t end_ns)
{
	int64_t oldest, newest;

	if (!feeds_reach(feeds, &oldest, &newest))
		return;
	end_ns = end_ns ? end_ns : newest;
	j->jumps = !j->at_ns || end_ns < j->at_ns || end_ns - j->at_ns > BEFORE_NS;
	if (j->jumps) {
		judge_clear(j->judge);
		j->at_ns = end_ns - BEFORE_NS > oldest ? end_ns - BEFORE_NS : oldest;
	}
	while (end_ns - j->at_ns >= JUDGE_STEP_NS)
		judge_until(j, feeds, j->at_ns + JUDGE_STEP_NS);
	if (j->jumps)
		j->reported.changes = j->judge->verdict.changes;
}

bool screen_judge_news(struct screen_judge *j, char text[JUDGE_NEWS_TEXT])
{
	return j->judge && judge_news(j->judge, &j->reported, text);
}

struct judge_rank screen_judge_rank(const struct screen_judge *j, const struct judged *f)
{
	return judge_rank(j->judge, j->judge->verdict.why, false, f);
}

bool screen_judge_before(const struct screen_judge *j, const struct judged *a, const struct judged *b)
{
	struct judge_rank x, y;

	if (a->holds != b->holds)
		return a->holds;
	x = screen_judge_rank(j, a);
	y = screen_judge_rank(j, b);
	return judge_ranks_before(&x, &y);
}

static void put_evidence(const struct judge *judge, struct strbuf *out)
{
	const struct judge_verdict *v = &judge->verdict;

	if (!v->why) {
		judge_missing(judge, out);
		return;
	}
	if (v->surety == JUDGE_LIKELY)
		strbuf_str(out, "likely: ");
	for (unsigned i = 0; i < v->why->n_evidence; i++) {
		const struct judge_number *n = &v->why->evidence[i];
		bool thread = !strcmp(n->name, finding_facts[FACT_BUSIEST_THREAD].name);
		char value[UNITS_TEXT];

		if (isnan(n->value))
			continue;
		strbuf_printf(out, "%s%s %s", i ? "; " : "",
			      thread && judge->facts.thread[0] ? judge->facts.thread : n->title,
			      unit_format(value, n->value, n->unit, n->metric && n->metric->grows, false));
		if (thread && judge->facts.code[0])
			strbuf_printf(out, ": %s", judge->facts.code);
	}
}

const struct view *screen_judge_look(const struct views *views, const struct finding_def *def)
{
	struct span rest = def->look, word;

	while ((word = span_word(&rest)).n)
		for (unsigned i = 0; i < views->n_views; i++)
			if (span_is(word, views->views[i].name))
				return &views->views[i];
	return NULL;
}

bool screen_judge_names(struct span words, const char *name)
{
	struct span word;

	while ((word = span_word(&words)).n)
		if (span_is(word, name))
			return true;
	return false;
}

bool screen_judge_mutes(const struct screen_judge *j, const struct finding_def *def)
{
	return screen_judge_names((struct span){j->muted.p, j->muted.n}, def->name);
}

void screen_judge_mute(struct screen_judge *j, const struct finding_def *def, bool mute)
{
	struct strbuf others = {0};
	struct span rest = {j->muted.p, j->muted.n}, word;

	while ((word = span_word(&rest)).n)
		if (!span_is(word, def->name))
			strbuf_printf(&others, "%.*s ", SPAN_ARG(word));
	if (mute)
		strbuf_str(&others, def->name);
	strbuf_fini(&j->muted);
	j->muted = others;
}

static bool is_reported(const struct screen_judge *j, const struct judged *f)
{
	return f->holds && !screen_judge_mutes(j, f->def) && screen_judge_rank(j, f).severity > SEVERITY_NOTE;
}

unsigned screen_judge_held(const struct screen_judge *j)
{
	unsigned n = 0;

	for (unsigned i = 0; j->judge && i < j->judge->n_findings; i++)
		n += is_reported(j, &j->judge->findings[i]);
	return n;
}

/* "7 Units: Little narrow arithmetic, up to 8.9 of 23.1 ms   3 findings" */
static void put_next(const struct screen_judge *j, const struct views *views, struct strbuf *out)
{
	const struct judged *verdict = j->judge->verdict.why, *first = NULL;
	const struct finding_def *about;
	const struct view *next;
	unsigned n = 0;

	for (unsigned i = 0; i < j->judge->n_findings; i++) {
		const struct judged *f = &j->judge->findings[i];

		n += is_reported(j, f);
		if (is_reported(j, f) && (!first || screen_judge_before(j, f, first)))
			first = f;
	}
	about = first ? first->def : verdict ? verdict->def : NULL;
	next = about ? screen_judge_look(views, about) : NULL;
	if (next && (first || next->key != '1')) /* the first view shows the verdict already */
		strbuf_printf(out, "%c %s%s", next->key, next->title, first ? ": " : "   ");
	if (first) {
		struct judge_rank rank = screen_judge_rank(j, first);
		AUTO_STRBUF struct strbuf worth = {0};

		judge_put_worth(&rank, false, &worth);
		strbuf_printf(out, "%s%s%s   ", first->def->title, worth.n ? ", " : "",
			      worth.n ? worth.p : "");
	}
	if (n)
		strbuf_printf(out, "! %u finding%s", n, plural_ending(n));
	else
		strbuf_str(out, "no findings");
}

void screen_judge_rows(struct screen_judge *j, const struct views *views,
		       struct verdict_text rows[VERDICT_ROWS])
{
	const struct judge_verdict *v = j->judge ? &j->judge->verdict : NULL;
	AUTO_STRBUF struct strbuf text = {0}, headroom = {0};

	if (!v || !j->judge->n_verdicts)
		return;
	judge_put_headroom(j->judge, v->why, false, &headroom);
	if (headroom.n)
		strbuf_printf(&text, "%s; ", headroom.p);
	put_evidence(j->judge, &text);
	str_printable(j->text, sizeof(j->text), text.n ? text.p : "");
	rows[0] = (struct verdict_text){.words = judge_verdict_title(v),
					.style = v->surety == JUDGE_UNCLEAR ? STYLE_DIM
						 : v->why->def->spare       ? STYLE_CALM
									    : STYLE_BUSY,
					.evidence = j->text};
	strbuf_clear(&text);
	put_next(j, views, &text);
	str_printable(j->next, sizeof(j->next), text.p);
	rows[1] = (struct verdict_text){"next", STYLE_DIM, j->next, NEXT_FROM};
}
