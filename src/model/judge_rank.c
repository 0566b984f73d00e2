/* The verdict of a whole run, and what to change first: findings ranked by the verdict and by what
 * they are worth. */
#include "model/judge.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

#define LATE_FROM 0.1 /* of a run: from here on its frames are called late */

const char *const judge_group_titles[JUDGE_GROUPS] = {"Holds the frame back",
						      "Costs energy, or is about the system", "Notes"};

/* ---- the verdict of a run ---- */

#define WORTH_NAMING 0.1 /* of a run: from here on a verdict comes before those that limit nothing */
#define MOSTLY 0.5       /* of the time that a verdict held, for clear evidence */

static bool is_unclear(const struct judged *verdict)
{
	return !verdict || strcmp(verdict->def->id, "unclear") == 0;
}

bool judged_is_calm(const struct judged *verdict)
{
	return is_unclear(verdict) || verdict->def->spare;
}

const struct judged *judge_of_run(const struct judge *judge, double *share)
{
	double seconds = (double)(judge->end_ns - judge->begin_ns) * 1e-9;
	const struct judged *found = NULL;
	bool limits = false;

	for (unsigned i = 0; i < judge->n_verdicts; i++) {
		const struct judged *v = &judge->verdicts[i];
		bool this_limits = !judged_is_calm(v) && v->held_s >= WORTH_NAMING * seconds;

		if (v->held_s > 0 &&
		    (!found || (this_limits == limits ? v->held_s > found->held_s : this_limits))) {
			found = v;
			limits = this_limits;
		}
	}
	*share = found && seconds > 0 ? found->held_s / seconds : 0;
	return found;
}

enum judge_surety judged_surety(const struct judged *verdict)
{
	if (is_unclear(verdict))
		return JUDGE_UNCLEAR;
	return verdict->clear_s >= MOSTLY * verdict->held_s ? JUDGE_CLEAR : JUDGE_LIKELY;
}

void judge_put_share(const struct judged *verdict, double share, struct strbuf *out)
{
	enum judge_surety surety = judged_surety(verdict);

	if (surety != JUDGE_UNCLEAR)
		strbuf_printf(out, " (%s, %.0f %% of the time)", judge_surety_names[surety], share * 100);
}

/* ---- what to change first ---- */

/* Whether the verdict says that one of the finding's resources holds the workload back. */
static bool is_explained(const struct judged *verdict, const struct judged *f)
{
	struct span words = f->def->resource, word;

	while (verdict && (word = span_word(&words)).n)
		if (span_has_word(verdict->def->explains, word))
			return true;
	return false;
}

static double figure_of(const struct judge_resource *r, enum resource_figure figure, bool whole_run)
{
	return whole_run ? r->figures[figure].mean : r->figures[figure].now;
}

static bool is_late(const struct judge *judge, bool whole_run)
{
	double seconds = (double)(judge->end_ns - judge->begin_ns) * 1e-9;

	return whole_run ? judge->late_s > LATE_FROM * seconds : judge->late;
}

/* Content that costs no time while the GPU waits is no fault; power is one at any time. */
static bool is_free(const struct judged *verdict, const struct judged *f)
{
	return verdict && verdict->def->spare && f->def->resource.n &&
	       !span_has_word(f->def->resource, SPAN_LIT("power"));
}

struct judge_rank judge_rank(const struct judge *judge, const struct judged *verdict, bool whole_run,
			     const struct judged *f)
{
	struct judge_rank r = {f, verdict, JUDGE_NOTES, f->def->severity,
			       whole_run ? f->worth_mean : f->worth};

	if (r.severity == SEVERITY_NOTE)
		return r;
	if (is_explained(verdict, f)) {
		r.group = JUDGE_HOLDS;
		r.severity = is_late(judge, whole_run) ? SEVERITY_CRITICAL : SEVERITY_WARNING;
	} else {
		r.group = is_free(verdict, f) ? JUDGE_NOTES : JUDGE_BESIDE;
		if (f->def->resource.n) /* one of the user's own says itself how bad it is */
			r.severity = r.group == JUDGE_NOTES ? SEVERITY_NOTE : SEVERITY_WARNING;
	}
	return r;
}

bool judge_ranks_before(const struct judge_rank *a, const struct judge_rank *b)
{
	double x = isnan(a->worth.share) ? -1 : a->worth.share,
	       y = isnan(b->worth.share) ? -1 : b->worth.share;

	if (a->group != b->group)
		return a->group < b->group;
	if (a->severity != b->severity)
		return a->severity > b->severity;
	if (fabs(x - y) > 0.001)
		return x > y;
	return a->f->begun_ns && b->f->begun_ns && a->f->begun_ns < b->f->begun_ns;
}

void judge_put_worth(const struct judge_rank *rank, bool whole_run, struct strbuf *out)
{
	const struct judge_resource *r = rank->f->resource;
	double whole_ms = r ? figure_of(r, RESOURCE_WHOLE, whole_run) : (double)NAN;

	if (rank->group != JUDGE_HOLDS) {
		if (r && rank->verdict && rank->f->def->severity != SEVERITY_NOTE)
			strbuf_str(out, rank->group == JUDGE_NOTES
						? "energy only, nothing waits for it"
						: "energy only, the frame waits for something else");
		return;
	}
	if (isnan(rank->worth.share))
		return;
	if (isfinite(rank->worth.ms) && isfinite(whole_ms))
		strbuf_printf(out, "up to %.1f of %.1f ms", rank->worth.ms, whole_ms);
	else
		strbuf_printf(out, "up to %.0f %% of %s", rank->worth.share * 100,
			      r->def->of ? r->def->of : r->def->title);
}

/* The two busiest units that a verdict names; returns how many there are. */
static unsigned busiest_units(const struct judge *judge, const struct judged *verdict, bool whole_run,
			      const struct judge_resource *first[2], double load[2])
{
	unsigned n = 0;

	for (unsigned i = 0; i < judge->n_resources; i++) {
		const struct judge_resource *r = &judge->resources[i];
		double time = figure_of(r, RESOURCE_TIME, whole_run);

		if (isnan(time) || !span_has_word(verdict->def->units, span_of(r->def->name)))
			continue;
		if (n == 0 || time > load[0]) {
			first[1] = first[0], load[1] = load[0];
			first[0] = r, load[0] = time;
		} else if (n == 1 || time > load[1]) {
			first[1] = r, load[1] = time;
		}
		n++;
	}
	return n < 2 ? n : 2;
}

/* "needs 23.1 of 14.2 ms: over by 8.9 ms, 1.63x" */
static void put_budget(const struct judge *judge, const struct judged *verdict, bool whole_run,
		       struct strbuf *out)
{
	for (unsigned i = 0; i < judge->n_resources; i++) {
		const struct judge_resource *r = &judge->resources[i];
		double takes = figure_of(r, RESOURCE_TAKES, whole_run);
		double may_take = figure_of(r, RESOURCE_MAY_TAKE, false);

		if (isnan(takes) || isnan(may_take) ||
		    !span_has_word(verdict->def->explains, span_of(r->def->name)))
			continue;
		strbuf_printf(out, "needs %.1f of %.1f ms", takes, may_take);
		if (takes > may_take)
			strbuf_printf(out, ": over by %.1f ms, %.2fx", takes - may_take, takes / may_take);
	}
}

void judge_put_headroom(const struct judge *judge, const struct judged *verdict, bool whole_run,
			struct strbuf *out)
{
	const struct judge_resource *unit[2] = {NULL, NULL};
	double load[2] = {NAN, NAN},
	       spare_ms = verdict ? (whole_run ? verdict->worth_mean.ms : verdict->worth.ms) : (double)NAN;

	if (!verdict)
		return;
	if (verdict->def->spare) {
		strbuf_str(out, "nothing to fix");
		if (isfinite(spare_ms))
			strbuf_printf(out, ": %.1f ms spare per frame", spare_ms > 0 ? spare_ms : 0);
		return;
	}
	put_budget(judge, verdict, whole_run, out);
	if (busiest_units(judge, verdict, whole_run, unit, load) < 2 || load[0] <= 0)
		return;
	strbuf_printf(out, "%s%s %.1f %% is the busiest unit, next %s %.1f %%", out->n ? "; " : "",
		      unit[0]->def->title, load[0], unit[1]->def->title, load[1]);
	if (load[1] > 0)
		strbuf_printf(out, ": at most %.1fx", load[0] / load[1]);
}
