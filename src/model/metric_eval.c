/* The part of metric.h that runs for every sample and frame: vectors, instances and values. */
#include "base/alloc.h"
#include "base/real.h"
#include "model/metric.h"
#include "model/gpudb_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool metric_set_counts(const struct metric_set *set)
{
	for (unsigned i = 0; i < set->n_slots; i++)
		if (set->names->counters[i])
			return true;
	return false;
}

void metric_vector(const struct metric_set *set, const struct column *column, double *vector)
{
	memcpy(vector, set->constants, sizeof(set->constants));
	vector[VECTOR_SECONDS] = column->time_ns ? (double)column->time_ns * 1e-9 : NAN;
	memcpy(vector + VECTOR_CONSTANTS, column->value, set->n_slots * sizeof(*vector));
}

static double named_value(const struct metric_set *set, struct span name, const struct column *column)
{
	struct metric_name slot;

	if (!metric_names_find(set->names, name, &slot) || slot.kind != NAME_SLOT)
		return NAN;
	return column->value[slot.at] * set->slots[slot.at].scale;
}

#define EDGE_FRAMES 2 /* at both ends of a column together, a frame may be cut */

static const char *const flip_names[METRIC_DISPLAYS + 1] = {"Display0Flips", "Display1Flips", "Display2Flips",
							    "Display3Flips", "DisplayFlips"};

bool metric_counts_frames(const struct metric_set *set)
{
	struct metric_name slot;

	return metric_names_find(set->names, SPAN_LIT("FrameCount"), &slot) ||
	       metric_names_find(set->names, SPAN_LIT("Display0Flips"), &slot) ||
	       metric_names_find(set->names, SPAN_LIT("DisplayFlips"), &slot);
}

static double application_rate(const struct metric_set *set, const struct column *column)
{
	double frames = named_value(set, SPAN_LIT("FrameCount"), column),
	       lasted = named_value(set, SPAN_LIT("FrameTime"), column) * 1e-3,
	       seconds = (double)column->time_ns * 1e-9;

	if (frames > EDGE_FRAMES && fabs(lasted - seconds) <= EDGE_FRAMES * lasted / frames)
		return frames / lasted;
	return frames / seconds;
}

static struct metric_frames flip_rate(const struct metric_set *set, const struct column *column)
{
	struct metric_frames most = METRIC_FRAMES_UNKNOWN;

	for (int i = 0; i <= METRIC_DISPLAYS; i++) {
		double rate =
			named_value(set, span_of(flip_names[i]), column) / (double)column->time_ns * 1e9;

		if (!isnan(rate) && !(rate <= most.rate))
			most = (struct metric_frames){rate, i};
	}
	return most;
}

void metric_frames_add(struct metric_frames *frames, const struct metric_set *set,
		       const struct column *column)
{
	struct metric_frames own;

	if (!column->n_samples || !column->time_ns)
		return;
	own = (struct metric_frames){application_rate(set, column), -1};
	/* Without an application no frames are counted. */
	if (!isnan(own.rate) && named_value(set, SPAN_LIT("PassesApps"), column) == 0)
		own.rate = NAN;
	if (isnan(own.rate))
		own = flip_rate(set, column);
	if (!isnan(own.rate) && (isnan(frames->rate) || (frames->display >= 0 && own.display < 0)))
		*frames = own;
}

void metric_frames_put(const struct metric_frames *frames, double *vector)
{
	vector[VECTOR_FRAME_RATE] = frames->rate;
	vector[VECTOR_FRAME_FLIPS] = frames->display >= 0;
}

void metric_frames_say(const struct metric_frames *frames, char *text, size_t size)
{
	int n = frames->rate > 0 ? snprintf(text, size, "%.1f fps", frames->rate) : 0;

	if (n <= 0)
		text[0] = 0;
	else if (frames->display == METRIC_DISPLAYS)
		snprintf(text + n, size - (size_t)n, " by page flips");
	else if (frames->display >= 0)
		snprintf(text + n, size - (size_t)n, " by page flips of display %d", frames->display);
}

static struct metric_instance *find_instance(const struct metric_set *set, enum instance_kind kind,
					     unsigned number)
{
	for (unsigned i = 0; i < set->n_instances; i++)
		if (set->instances[i].kind == kind && set->instances[i].number == number)
			return &set->instances[i];
	return NULL;
}

const struct metric_instance *metric_instance_like(const struct metric_set *set,
						   const struct metric_instance *like)
{
	if (like >= set->instances && like < set->instances + set->n_instances)
		return like;
	return find_instance(set, like->kind, like->number);
}

void metric_vector_instance(const struct metric_set *set, const struct metric_instance *instance,
			    const double *vector, unsigned n, double *out)
{
	instance = metric_instance_like(set, instance);
	if (!instance)
		n = 0;
	memcpy(out, vector, n * sizeof(*out));
	for (unsigned i = n; i < set->n_vector; i++)
		out[i] = NAN;
	if (!instance)
		return;
	if (instance->kind == INSTANCE_CORE)
		out[VECTOR_CORES] = out[VECTOR_CORE_ROWS] = 1;
	if (instance->kind == INSTANCE_SLICE)
		out[VECTOR_SLICES] = 1;
	for (unsigned i = 0; i < instance->n_parts; i++)
		out[instance->parts[i].sum] =
			instance->parts[i].own < n ? vector[instance->parts[i].own] : (double)NAN;
}

double metric_share(const struct metric_set *set, const struct metric *metric, const double *vector)
{
	double least = NAN;

	for (unsigned i = 0; i < metric->expr.n; i++) {
		const struct expr_op *op = &metric->expr.ops[i];
		const struct slot *slot;

		if (op->kind != EXPR_LOAD || op->slot < VECTOR_CONSTANTS)
			continue;
		slot = &set->slots[op->slot - VECTOR_CONSTANTS];
		if (slot->running != slot->enabled)
			least = real_min(least, vector[VECTOR_CONSTANTS + slot->running] /
							vector[VECTOR_CONSTANTS + slot->enabled]);
	}
	return least;
}

unsigned metric_slots(const struct metric *metric, uint16_t *slots, unsigned n, unsigned most)
{
	for (unsigned i = 0; i < metric->expr.n; i++) {
		const struct expr_op *op = &metric->expr.ops[i];
		unsigned at = 0;

		if (op->kind != EXPR_LOAD || op->slot < VECTOR_CONSTANTS)
			continue;
		while (at < n && slots[at] != op->slot - VECTOR_CONSTANTS)
			at++;
		if (at == n && n < most)
			slots[n++] = (uint16_t)(op->slot - VECTOR_CONSTANTS);
	}
	return n;
}

int metric_worse(const struct metric *metric)
{
	return metric->def->worse             ? metric->def->worse
	       : metric->alert == ALERT_NONE  ? 0
	       : metric->alert == ALERT_ABOVE ? 1
					      : -1;
}

double metric_value(const struct metric *metric, const double *vector)
{
	double v = expr_eval(&metric->expr, vector);

	return v < metric->low ? metric->low : v > metric->high ? metric->high : v;
}

static struct metric_instance *instance_of(struct metric_set *set, const struct slot *slot, unsigned *cap)
{
	struct metric_instance *last = set->n_instances ? &set->instances[set->n_instances - 1] : NULL;

	if (last && last->kind == slot->instance && last->number == slot->number)
		return last; /* slots of one instance are usually adjacent */
	last = find_instance(set, slot->instance, slot->number);
	if (last)
		return last;
	GROW(set->instances, set->n_instances, *cap);
	last = &set->instances[set->n_instances++];
	*last = (struct metric_instance){.kind = slot->instance, .number = slot->number};
	snprintf(last->label, sizeof(last->label), "%s%u", instance_names[slot->instance], slot->number);
	str_printable(last->title, sizeof(last->title), slot->title ? slot->title : last->label);
	return last;
}

/* Return whether a slot may be used in a breakdown although it has no instances: time or cycles of
 * the GPU. Other front end counters, such as fragment tasks, belong to the GPU as a whole, so
 * dividing a core's counter by them is meaningless. */
static bool is_cycles_of_all(const struct metric_set *set, unsigned slot)
{
	const struct gpu_counter *c = set->names->counters[slot];

	return !c || (c->block == BLOCK_FRONT_END && c->name && strlen(c->name) > 2 &&
		      strcmp(c->name + strlen(c->name) - 2, "Cy") == 0);
}

static unsigned metric_breakdowns(const struct metric_set *set, const struct metric *m,
				  const unsigned *kinds_of_slot)
{
	unsigned any = 0, all = ~0u;

	for (unsigned i = 0; i < m->expr.n; i++) {
		const struct expr_op *op = &m->expr.ops[i];
		unsigned kinds;

		if (op->kind != EXPR_LOAD || op->slot < VECTOR_CONSTANTS)
			continue;
		kinds = kinds_of_slot[op->slot - VECTOR_CONSTANTS];
		any |= kinds;
		if (!is_cycles_of_all(set, op->slot - VECTOR_CONSTANTS))
			all &= kinds;
	}
	return any & all;
}

void metric_instances_find(struct metric_set *set)
{
	unsigned *kinds = xcalloc(set->n_slots, sizeof(*kinds)), cap = 0;

	for (unsigned i = 0; i < set->n_slots; i++) {
		const struct slot *slot = &set->slots[i];
		struct metric_name sum;
		struct metric_instance *instance;

		if (slot->instance == INSTANCE_ALL)
			continue;
		if (!metric_names_find(set->names, span_of(slot->name), &sum) || sum.kind != NAME_SLOT)
			continue;
		kinds[sum.at] |= 1u << slot->instance;
		instance = instance_of(set, slot, &cap);
		GROW(instance->parts, instance->n_parts, instance->cap_parts);
		instance->parts[instance->n_parts].sum = (uint16_t)(VECTOR_CONSTANTS + sum.at);
		instance->parts[instance->n_parts++].own = (uint16_t)(VECTOR_CONSTANTS + i);
	}
	for (unsigned i = 0; i < set->n_metrics; i++)
		set->metrics[i].instances = metric_breakdowns(set, &set->metrics[i], kinds);
	alloc_cleanup_free(&kinds);
}
