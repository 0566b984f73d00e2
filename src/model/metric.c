#include "model/metric.h"

#include "base/alloc.h"
#include "model/gpudb_parse.h"
#include "model/template.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTED_MAX 32 /* depth of metrics that name metrics */

enum def_state { DEF_UNTOUCHED, DEF_BUSY, DEF_PRESENT, DEF_ABSENT };

/* A set that is being compiled. Definitions are compiled when first named. */
struct build {
	const struct gpudb *db;
	struct metric_set *set;
	const struct metric_template *guide; /* NULL with current definitions */
	bool cores_mean;
	uint8_t *state;       /* enum def_state by definition; NULL until one is compiled */
	struct metric *built; /* by definition; likewise */
	unsigned depth;
	bool missing; /* the last failure was a valid name that this source does not have */
	bool reports; /* the error names it */
	bool shipped; /* the definition is */
};

static bool build_def(struct build *b, unsigned def, struct err *err);

static bool load_slot(const struct build *b, unsigned slot, struct expr *out)
{
	const struct gpu_counter *c = b->set->names->counters[slot];

	if (!expr_load(out, VECTOR_CONSTANTS + slot, b->set->slots[slot].scale))
		return false;
	if (!b->cores_mean || !c || c->block != BLOCK_CORE)
		return true;
	return expr_load(out, VECTOR_CORE_ROWS, 1) &&
	       expr_inline(out, &(struct expr){&(struct expr_op){.kind = EXPR_DIV}, 1, 1, 0});
}

static void name_counter(const struct build *b, unsigned slot, char *out, size_t size)
{
	const struct gpu_counter *c = b->set->names->counters[slot];

	if (c)
		snprintf(out, size, "%s %u (%s)", gpu_block_names[c->block], c->index,
			 c->name ? c->name : c->hw_name);
	else
		snprintf(out, size, "%s", b->set->slots[slot].name);
}

static const char *source_name(const struct build *b)
{
	return b->set->product ? b->set->product->name : b->set->layout ? "this GPU" : "the CPU";
}

/* Parse ".core3" and the like at the end of a name, and remove it. Returns false if there is
 * none. */
static bool cut_instance(struct span *name, enum instance_kind *kind, unsigned *number)
{
	for (unsigned k = INSTANCE_CORE; k < INSTANCE_KINDS; k++) {
		size_t len = strlen(instance_names[k]);

		for (size_t at = 1; at + 1 + len < name->n; at++) {
			struct span rest = {name->p + at + 1 + len, name->n - at - 1 - len};
			uint64_t n;

			if (name->p[at] != '.' || strncasecmp(name->p + at + 1, instance_names[k], len) != 0)
				continue;
			if (rest.n > 2 && rest.p[0] == '[' && rest.p[rest.n - 1] == ']')
				rest = (struct span){rest.p + 1, rest.n - 2};
			if (!span_u64(rest, &n) || n > UINT16_MAX)
				continue;
			*kind = k;
			*number = (unsigned)n;
			name->n = at;
			return true;
		}
	}
	return false;
}

/* Return the slot with one instance's part of the slot `sum`, or -1. */
static int slot_of_instance(const struct metric_set *set, unsigned sum, enum instance_kind kind,
			    unsigned number)
{
	for (unsigned i = 0; i < set->n_slots; i++)
		if (set->slots[i].instance == kind && set->slots[i].number == number &&
		    strcmp(set->slots[i].name, set->slots[sum].name) == 0)
			return (int)i;
	return -1;
}

/* Compile NAME.core3: replace the sums in a counter or a formula by that instance's parts. Returns
 * false if it has none. */
static bool narrow_formula(const struct metric_set *set, struct expr *e, unsigned from,
			   enum instance_kind kind, unsigned number)
{
	bool any = false;

	for (unsigned i = from; i < e->n; i++) {
		struct expr_op *op = &e->ops[i];
		int own;

		if (op->kind != EXPR_LOAD)
			continue;
		if (op->slot < VECTOR_CONSTANTS) {
			if (((op->slot == VECTOR_CORES || op->slot == VECTOR_CORE_ROWS) &&
			     kind == INSTANCE_CORE) ||
			    (op->slot == VECTOR_SLICES && kind == INSTANCE_SLICE))
				*op = (struct expr_op){.kind = EXPR_CONST, .number = 1};
			continue;
		}
		own = slot_of_instance(set, op->slot - VECTOR_CONSTANTS, kind, number);
		if (own >= 0)
			op->slot = (uint16_t)(VECTOR_CONSTANTS + own);
		any |= own >= 0;
	}
	return any;
}

/* Most metrics of the data are for other sources; only metric_compile says why one is absent. */
static bool lacks_name(struct build *b, struct span name, struct err *err)
{
	b->missing = true;
	err->code = EXPR_ABSENT;
	return b->reports && err_set(err, 0, "%s has no '%.*s'", source_name(b), SPAN_ARG(name));
}

static bool resolve_all_instances(struct build *b, const struct metric_name *found, struct span name,
				  struct expr *out, struct err *err)
{
	switch (found->kind) {
	case NAME_SLOT:
		return load_slot(b, found->at, out);
	case NAME_VECTOR:
		return expr_load(out, found->at, 1);
	case NAME_CONSTANT:
		return expr_const(out, found->number);
	default:
		break;
	}
	if (!build_def(b, found->at, err))
		return false;
	return b->state[found->at] == DEF_PRESENT ? expr_inline(out, &b->built[found->at].expr)
						  : lacks_name(b, name, err);
}

static bool resolve_name(void *ctx, struct span name, struct expr *out, struct err *err)
{
	struct build *b = ctx;
	enum instance_kind kind = INSTANCE_ALL;
	unsigned number = 0;
	unsigned from = out->n;
	struct metric_name found;
	struct span whole = name;
	char one[96], two[96];

	cut_instance(&name, &kind, &number);
	if (!metric_names_find(b->set->names, name, &found)) {
		if (b->shipped || metric_name_known(b->db, name))
			return lacks_name(b, name, err);
		return err_set(err, 0, "unknown name '%.*s': expected a counter, a metric or a constant",
			       SPAN_ARG(name));
	}
	if (found.at != found.other) {
		name_counter(b, found.at, one, sizeof(one));
		name_counter(b, found.other, two, sizeof(two));
		return err_set(err, 0, "'%.*s' is ambiguous on %s: it means %s or %s: use one of their names",
			       SPAN_ARG(name), source_name(b), one, two);
	}
	if (!resolve_all_instances(b, &found, name, out, err))
		return false;
	if (kind == INSTANCE_ALL || narrow_formula(b->set, out, from, kind, number))
		return true;
	return lacks_name(b, whole, err);
}

/* Return the unit in the row of the guide that shows this metric. It decides whether the value is
 * bounded. */
static const struct unit *guide_unit(const struct build *b, const struct metric_def *def)
{
	for (unsigned i = 0; b->guide && i < b->guide->n_rows; i++)
		if (b->guide->rows[i].unit_name && span_is(b->guide->rows[i].names, def->name))
			return unit_find(span_of(b->guide->rows[i].unit_name));
	return def->unit;
}

static bool loads_a_slot(const struct expr *e)
{
	for (unsigned i = 0; i < e->n; i++)
		if (e->ops[i].kind == EXPR_LOAD && e->ops[i].slot >= VECTOR_CONSTANTS)
			return true;
	return false;
}

static void set_nature(const struct build *b, struct metric *m)
{
	bool percent = m->unit->kind == UNIT_PERCENT;

	m->low = percent && !(b->guide && b->guide->upper_bound_only) ? 0 : -INFINITY;
	m->high = percent && !m->unit->open ? 100 : INFINITY;
	m->grows = m->unit->kind == UNIT_COUNT && loads_a_slot(&m->expr);
}

static void set_alert(const struct build *b, struct metric *m)
{
	for (const struct metric_variant *v = m->def->alerts; v; v = v->next)
		if (gpu_set_has(v->gpus, b->set->product)) {
			metric_alert_parse(v->text, m->def->unit, &m->alert, &m->alert_at);
			m->of_budget = isnan(m->alert_at);
			if (m->of_budget) /* up to 5 % over the frame budget is on time */
				m->alert_at = 1050 / b->set->constants[VECTOR_FPS];
			m->alert = isnan(m->alert_at) ? ALERT_NONE : m->alert;
			return;
		}
}

/* Compile the first variant that fits. *taken stays false if none does. Returns false only for a
 * malformed one. */
static bool take_variant(struct build *b, struct metric *m, const struct metric_variant *v, bool *taken,
			 struct err *err)
{
	for (; v; v = v->next) {
		struct err why;

		if (!gpu_set_has(v->gpus, b->set->product))
			continue;
		b->missing = false;
		if (expr_compile(&m->expr, v->text, resolve_name, b, &why)) {
			expr_of_counts(&m->expr);
			m->text = v->text;
			*taken = true;
			return true;
		}
		if (!b->missing)
			return err_set(err, 0, "%s:%u: metric %s: %s", m->def->file, v->line, m->def->name,
				       why.text);
	}
	b->missing = false;
	return true;
}

static bool compile_def(struct build *b, unsigned at, bool *present, struct err *err)
{
	const struct metric_def *def = &b->db->metrics[at];
	struct metric *m = &b->built[at];
	struct metric_name name;

	*present = false;
	*m = (struct metric){.def = def, .unit = guide_unit(b, def)};
	if (!gpu_set_has(def->gpus, b->set->product))
		return true;
	metric_names_find(b->set->names, span_of(def->name), &name);
	if (b->guide && !take_variant(b, m, def->guides, present, err))
		return false;
	if (*present)
		return true;
	if (name.kind == NAME_SLOT || name.kind == NAME_CONSTANT) {
		m->is_counter = name.kind == NAME_SLOT;
		*present = true;
		return name.kind == NAME_SLOT ? load_slot(b, name.at, &m->expr)
					      : expr_const(&m->expr, name.number);
	}
	if (!take_variant(b, m, def->exprs, present, err))
		return false;
	if (*present && !b->set->product && !loads_a_slot(&m->expr)) {
		expr_fini(&m->expr); /* GPU constants alone are meaningless for a CPU */
		*present = false;
	}
	return true;
}

static bool build_def(struct build *b, unsigned at, struct err *err)
{
	const struct metric_def *def = &b->db->metrics[at];
	bool present, ok, shipped = b->shipped;

	if (!b->state) {
		b->state = xcalloc(b->db->n_metrics, sizeof(*b->state));
		b->built = xcalloc(b->db->n_metrics, sizeof(*b->built));
	}
	if (b->state[at] == DEF_PRESENT || b->state[at] == DEF_ABSENT)
		return true;
	b->missing = false;
	if (b->state[at] == DEF_BUSY)
		return err_set(err, 0, "metric %s is defined by itself", def->name);
	if (b->depth == NESTED_MAX)
		return err_set(err, 0, "metric %s: more than %d levels of metrics that name metrics",
			       def->name, NESTED_MAX);
	b->state[at] = DEF_BUSY;
	b->depth++;
	b->shipped = def->shipped;
	ok = compile_def(b, at, &present, err);
	b->shipped = shipped;
	b->depth--;
	b->state[at] = present ? DEF_PRESENT : DEF_ABSENT;
	if (ok && present) {
		set_nature(b, &b->built[at]);
		set_alert(b, &b->built[at]);
	}
	return ok;
}

/* Return whether a slot has no definition: a counter of a GPU that is not in the data, or a CPU
 * event that the user named. */
static bool is_raw(const struct build *b, unsigned slot)
{
	const struct slot *s = &b->set->slots[slot];

	if (b->set->names->counters[slot])
		return gpudb_is_raw(b->db, b->set->layout);
	return s->instance == INSTANCE_ALL && s->running != s->enabled &&
	       !metric_name_known(b->db, span_of(s->name));
}

#define SHORT_MAX 28 /* characters; the end is kept, because event names differ there */

static void define_raw(const struct build *b, unsigned slot, struct metric_def *def)
{
	static const char *const titles[BLOCK_COUNT] = {"Front end", "Tiler", "Memory system", "Shader core"};
	const struct gpu_counter *c = b->set->names->counters[slot];

	def->name = b->set->slots[slot].name;
	def->title = c ? xasprintf("%s counter %u", titles[c->block], c->index) : xstrdup(def->name);
	def->short_title =
		strlen(def->title) > SHORT_MAX ? def->title + strlen(def->title) - SHORT_MAX : def->title;
	def->group = c ? titles[c->block] : "CPU events";
	def->help = span_of(c ? "A counter of a GPU that malitop has no data for. Its meaning is unknown."
			      : "A CPU event that was selected by name. See the CPU's manual for its "
				"meaning.");
	def->unit = unit_find(SPAN_LIT("count"));
}

/* Add a metric for each slot without a definition. */
static void add_raw_metrics(struct build *b)
{
	struct metric_set *set = b->set;
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_slots; i++)
		n += is_raw(b, i);
	set->raw_defs = xcalloc(n, sizeof(*set->raw_defs));
	set->metrics = xreallocarray(set->metrics, set->n_metrics + n, sizeof(*set->metrics));
	for (unsigned i = 0; i < set->n_slots; i++)
		if (is_raw(b, i)) {
			struct metric_def *def = &set->raw_defs[set->n_raw_defs++];
			struct metric *m = &set->metrics[set->n_metrics++];

			define_raw(b, i, def);
			*m = (struct metric){.def = def, .unit = def->unit, .is_counter = true};
			load_slot(b, i, &m->expr);
			set_nature(b, m);
		}
}

static void build_end(struct build *b)
{
	for (unsigned i = 0; b->state && i < b->db->n_metrics; i++)
		if (b->state[i] != DEF_UNTOUCHED)
			expr_fini(&b->built[i].expr);
	free(b->built);
	free(b->state);
}

static bool build_all(struct build *b, struct err *err)
{
	struct metric_set *set = b->set;

	for (unsigned i = 0; i < b->db->n_metrics; i++)
		if (!build_def(b, i, err))
			return false;
	set->metrics = xcalloc(b->db->n_metrics, sizeof(*set->metrics));
	for (unsigned i = 0; i < b->db->n_metrics; i++) {
		set->metric_of_def[i] = -1;
		if (b->state[i] != DEF_PRESENT)
			continue;
		set->metric_of_def[i] = (int)set->n_metrics;
		set->metrics[set->n_metrics++] = b->built[i];
		b->built[i].expr = (struct expr){0}; /* handed over */
	}
	add_raw_metrics(b);
	return true;
}

struct metric_set *metric_set_new(const struct gpudb *db, const struct metric_source *source, struct err *err)
{
	struct metric_set *set = xcalloc(1, sizeof(*set));
	struct build b = {.db = db, .set = set};
	bool ok;

	set->product = source->product;
	set->layout = source->layout || !source->product ? source->layout : source->product->layout;
	set->definitions = source->definitions;
	set->n_slots = source->n_slots;
	set->slots = slots_copy(source->slots, source->n_slots);
	set->constants[VECTOR_SECONDS] = NAN;
	set->constants[VECTOR_CORES] = source->constants.core_count ? source->constants.core_count : NAN;
	set->constants[VECTOR_CORE_ROWS] = set->constants[VECTOR_CORES];
	set->constants[VECTOR_SLICES] =
		source->constants.l2_slice_count ? source->constants.l2_slice_count : NAN;
	set->constants[VECTOR_BUS_BITS] =
		source->constants.bus_width_bits ? source->constants.bus_width_bits : NAN;
	set->constants[VECTOR_FPS] = source->frames_per_second > 0 ? source->frames_per_second : NAN;
	set->constants[VECTOR_SCREEN_PIXELS] = source->screen_pixels > 0 ? source->screen_pixels : NAN;
	set->constants[VECTOR_TOP_HZ] = source->constants.top_hz > 0 ? source->constants.top_hz : NAN;
	set->constants[VECTOR_FRAME_RATE] = set->constants[VECTOR_FRAME_FLIPS] = NAN;
	set->n_vector = VECTOR_CONSTANTS + set->n_slots;
	set->names = metric_names_new(db, set);
	set->n_defs = db->n_metrics;
	set->metric_of_def = xcalloc(db->n_metrics, sizeof(*set->metric_of_def));
	b.guide = source->definitions == DEFINITIONS_GUIDE && source->product
			  ? template_guide_of(db, source->product)
			  : NULL;
	b.cores_mean = b.guide && b.guide->cores_mean;
	ok = build_all(&b, err);
	build_end(&b);
	if (!ok) {
		metric_set_free(set);
		return NULL;
	}
	set->frame_work = metric_find(set, SPAN_LIT("frame.work_share"));
	metric_instances_find(set);
	return set;
}

void metric_set_free(struct metric_set *set)
{
	if (!set)
		return;
	for (unsigned i = 0; i < set->n_metrics; i++)
		expr_fini(&set->metrics[i].expr);
	for (unsigned i = 0; i < set->n_instances; i++)
		free(set->instances[i].parts);
	for (unsigned i = 0; i < set->n_raw_defs; i++)
		free((void *)(uintptr_t)set->raw_defs[i].title);
	free(set->raw_defs);
	metric_names_free(set->names);
	free(set->metric_of_def);
	free(set->instances);
	free(set->metrics);
	slots_free(set->slots, set->n_slots);
	free(set);
}

void metric_set_keep(struct metric_set *set, metric_keep_fn *keep, void *ctx)
{
	unsigned n = 0;

	for (unsigned def = 0; def < set->n_defs; def++) {
		int at = set->metric_of_def[def];

		if (at < 0)
			continue;
		set->metric_of_def[def] = keep(ctx, &set->metrics[at]) ? (int)n : -1;
		if (set->metric_of_def[def] < 0)
			expr_fini(&set->metrics[at].expr);
		else
			set->metrics[n++] = set->metrics[at];
	}
	for (unsigned i = set->n_metrics - set->n_raw_defs; i < set->n_metrics; i++)
		expr_fini(&set->metrics[i].expr); /* those without a definition */
	set->n_metrics = n;
	set->frame_work = NULL;
}

const struct metric *metric_find(const struct metric_set *set, struct span name)
{
	struct metric_name found;

	/* The name of a counter finds its slot, so search for the definition here. */
	if (!metric_names_find(set->names, name, &found))
		return NULL;
	if (found.kind == NAME_METRIC)
		return set->metric_of_def[found.at] < 0 ? NULL : &set->metrics[set->metric_of_def[found.at]];
	for (unsigned i = 0; i < set->n_metrics; i++)
		if (span_is(name, set->metrics[i].def->name))
			return &set->metrics[i];
	return NULL;
}

/* Resolve names on a finished set: metrics are inlined as compiled. */
static bool resolve_finished(void *ctx, struct span name, struct expr *out, struct err *err)
{
	struct build *b = ctx;
	struct metric_name found;

	if (!b->cores_mean && metric_names_find(b->set->names, name, &found) && found.kind == NAME_METRIC) {
		int at = b->set->metric_of_def[found.at];

		return at >= 0 ? expr_inline(out, &b->set->metrics[at].expr) : lacks_name(b, name, err);
	}
	return resolve_name(ctx, name, out, err);
}

bool metric_compile(const struct metric_set *set, const struct gpudb *db, struct span text, bool cores_mean,
		    struct expr *out, struct err *err)
{
	struct build b = {.db = db, .cores_mean = cores_mean, .reports = true};
	bool ok;

	b.set = (struct metric_set *)(uintptr_t)set;
	ok = expr_compile(out, text, resolve_finished, &b, err);
	if (ok)
		expr_of_counts(out);
	build_end(&b);
	return ok;
}
