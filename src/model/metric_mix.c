#include "model/metric_mix.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums of a source, not its instances. */
static unsigned add_slots(const struct metric_set *from, struct slot *slots, unsigned n)
{
	for (unsigned i = 0; i < from->n_slots; i++)
		if (from->slots[i].instance == INSTANCE_ALL) {
			slots[n] = from->slots[i];
			slots[n].running = slots[n].enabled = slots[n].raw = 0;
			n++;
		}
	return n;
}

/* Which source a slot of the mix is from. */
static enum source_kind source_of(const struct metric_mix *mix, unsigned at)
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		for (unsigned i = 0; mix->sources[kind] && i < mix->sources[kind]->n_slots; i++)
			if (mix->sources[kind]->slots[i].instance == INSTANCE_ALL && !at--)
				return kind;
	return SOURCE_KINDS;
}

static unsigned used_sources(const struct metric_mix *mix, const struct metric *m, bool uses[SOURCE_KINDS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->expr.n; i++) {
		const struct expr_op *op = &m->expr.ops[i];
		enum source_kind kind;

		if (op->kind != EXPR_LOAD || op->slot < VECTOR_CONSTANTS)
			continue;
		kind = source_of(mix, op->slot - VECTOR_CONSTANTS);
		n += !uses[kind];
		uses[kind] = true;
	}
	return n;
}

static bool has_alone(const struct metric_mix *mix, const struct metric_def *def)
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (mix->sources[kind] && metric_find(mix->sources[kind], span_of(def->name)))
			return true;
	return false;
}

static bool is_mixed(void *ctx, const struct metric *m)
{
	struct metric_mix *mix = ctx;
	bool uses[SOURCE_KINDS] = {false};

	if (has_alone(mix, m->def) || used_sources(mix, m, uses) < 2)
		return false;
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		mix->uses[kind] |= uses[kind];
	return true;
}

/* Whether a user's own metric is in no set: only then a mix is worth compiling. */
static bool may_mix(const struct gpudb *db, const struct metric_mix *mix)
{
	for (unsigned i = 0; i < db->n_metrics; i++)
		if (db->metrics[i].own && !has_alone(mix, &db->metrics[i]))
			return true;
	return false;
}

static struct metric_set *mixed_set(const struct gpudb *db, const struct metric_set *const sets[SOURCE_KINDS],
				    struct slot *slots, struct err *err)
{
	const struct metric_set *gpu = sets[SOURCE_GPU], *any = NULL;
	struct metric_source source = {.slots = slots};
	struct metric_set *set;

	for (enum source_kind kind = SOURCE_KINDS; kind-- > 0;)
		any = sets[kind] ? sets[kind] : any;
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (sets[kind])
			source.n_slots = add_slots(sets[kind], slots, source.n_slots);
	if (gpu) {
		source.product = gpu->product;
		source.layout = gpu->layout;
		source.definitions = gpu->definitions;
	}
	set = metric_set_new(db, &source, err);
	if (set && any)
		memcpy(set->constants, any->constants, sizeof(set->constants));
	return set;
}

bool metric_mix_new(const struct gpudb *db, const struct metric_set *const sets[SOURCE_KINDS],
		    struct metric_mix **result, struct err *err)
{
	struct metric_mix *mix = xcalloc(1, sizeof(*mix));
	AUTOFREE struct slot *slots = NULL;
	bool ok = true;
	unsigned n = 0;

	*result = NULL;
	for (enum source_kind kind = 0; kind < SOURCE_MIX; kind++) {
		mix->sources[kind] = sets[kind];
		n += sets[kind] ? sets[kind]->n_slots : 0;
	}
	if (may_mix(db, mix)) {
		slots = xcalloc(n, sizeof(*slots));
		mix->set = mixed_set(db, mix->sources, slots, err);
		ok = mix->set != NULL;
	}
	if (mix->set)
		metric_set_keep(mix->set, is_mixed, mix);
	if (mix->set && mix->set->n_metrics)
		*result = mix;
	else
		metric_mix_free(mix);
	return ok;
}

void metric_mix_free(struct metric_mix *mix)
{
	if (!mix)
		return;
	metric_set_free(mix->set);
	free(mix);
}

/* Append what a source has counted, extended to that time. */
static double *put_source(const struct metric_set *set, const struct column *column, int64_t time_ns,
			  double *out)
{
	bool known = column && column->n_samples && column->time_ns;
	double stretch = known ? (double)time_ns / (double)column->time_ns : 1;

	for (unsigned i = 0; i < set->n_slots; i++) {
		bool level = set->slots[i].kind == SLOT_LEVEL || set->slots[i].kind == SLOT_PEAK;

		if (set->slots[i].instance == INSTANCE_ALL)
			*out++ = known ? column->value[i] * (level ? 1 : stretch) : (double)NAN;
	}
	return out;
}

void metric_mix_column(const struct metric_mix *mix, const struct column *const columns[SOURCE_KINDS],
		       struct column *out)
{
	double *at = out->value;

	*out = (struct column){0};
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct column *c = mix->uses[kind] ? columns[kind] : NULL;

		if (!c || !c->n_samples)
			continue;
		out->begin_ns = !out->n_samples || c->begin_ns < out->begin_ns ? c->begin_ns : out->begin_ns;
		out->end_ns = c->end_ns > out->end_ns ? c->end_ns : out->end_ns;
		out->time_ns = c->time_ns > out->time_ns ? c->time_ns : out->time_ns;
		out->n_samples = c->n_samples > out->n_samples ? c->n_samples : out->n_samples;
		out->flags |= c->flags;
		out->lost += c->lost;
	}
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (mix->sources[kind])
			at = put_source(mix->sources[kind], columns[kind], out->time_ns, at);
}

/* ---- steps ---- */

#define SILENT_NS 3000000000ll

void mix_fold_init(struct mix_fold *fold, const struct metric_mix *mix)
{
	*fold = (struct mix_fold){.mix = mix};
	if (!mix)
		return;
	fold->column = column_new(mix->set->n_slots);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (mix->uses[kind])
			fold->waiting[kind] = column_new(mix->sources[kind]->n_slots);
}

void mix_fold_fini(struct mix_fold *fold)
{
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		free(fold->waiting[kind]);
	free(fold->column);
	*fold = (struct mix_fold){0};
}

void mix_fold_add(struct mix_fold *fold, enum source_kind kind, const struct column *column)
{
	const struct metric_set *set = fold->waiting[kind] ? fold->mix->sources[kind] : NULL;

	if (set)
		column_fold(fold->waiting[kind], column, set->slots, set->n_slots);
}

const struct column *mix_fold_step(struct mix_fold *fold)
{
	const struct column *columns[SOURCE_KINDS] = {0};
	int64_t begin_ns = INT64_MAX, end_ns = 0;
	bool all = fold->mix != NULL;

	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		const struct column *c = columns[kind] = fold->waiting[kind];

		if (c && c->n_samples) {
			begin_ns = c->begin_ns < begin_ns ? c->begin_ns : begin_ns;
			end_ns = c->end_ns > end_ns ? c->end_ns : end_ns;
		}
		all = all && (!c || c->n_samples);
	}
	if (!all && (!end_ns || end_ns - begin_ns < SILENT_NS))
		return NULL;
	metric_mix_column(fold->mix, columns, fold->column);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		if (columns[kind])
			column_clear(fold->waiting[kind], fold->mix->sources[kind]->n_slots);
	return fold->column;
}
