/* The shipped data held to account: against tests/reference, and against itself. */
#include "model/embed.h"
#include "model/gpudb_parse.h"
#include "tests/support/gpu_set.h"
#include "tests/support/reference.h"

#include <ctype.h>
#include <stdio.h>

#define PRODUCTS 32

static struct gpudb *db;
static struct metric_set *sets[PRODUCTS], *guides[PRODUCTS], *cpu;
static char **cpu_names;

/* The program trusts its own data. Here it is read like a file of a user's, with all checks. */
static struct gpudb *load_distrusted(void)
{
	struct gpudb_text texts[64];
	struct gpudb *distrusted;
	unsigned n = 0;
	struct err err;

	for (const struct embedded *e = embedded_data; e->file; e++)
		texts[n++] = (struct gpudb_text){e->file, {e->begin, (size_t)(e->end - e->begin)}};
	distrusted = gpudb_load_texts(texts, n, &err);
	if (!distrusted)
		fail_msg("%s", err.text);
	return distrusted;
}

FIXTURE(load_all)
{
	db = load_distrusted();
	assert_int_equal(db->n_products, PRODUCTS);
	for (unsigned i = 0; i < PRODUCTS; i++) {
		sets[i] = set_of_gpu(db, gpudb_product(db, i), DEFINITIONS_CURRENT, false);
		guides[i] = set_of_gpu(db, gpudb_product(db, i), DEFINITIONS_GUIDE, false);
	}
	cpu = set_of_cpu(db, &cpu_names);
	return 0;
}

FIXTURE(free_all)
{
	for (unsigned i = 0; i < PRODUCTS; i++) {
		metric_set_free(sets[i]);
		metric_set_free(guides[i]);
	}
	metric_set_free(cpu);
	names_free(db, cpu_names);
	gpudb_free(db);
	return 0;
}

static unsigned place_of(struct span gpu)
{
	AUTOFREE char *name = span_dup(gpu);
	const struct gpu_product *p = gpudb_by_name(db, name);

	if (!p)
		fail_msg("%s is not in the data", name);
	return (unsigned)(p - db->products);
}

static uint64_t number_of(struct span s)
{
	uint64_t n;

	if (!span_u64(s, &n))
		fail_msg("'%.*s' is no number", SPAN_ARG(s));
	return n;
}

/* gpus.tsv: gpu family ids counters derived slots */
TEST(every_gpu_has_its_family_ids_and_number_of_counters)
{
	struct reference r;
	unsigned n = 0;

	for (reference_open(&r, "gpus.tsv"); reference_next(&r); n++) {
		const struct gpu_product *p = gpudb_product(db, place_of(r.cell[0]));
		struct span ids = r.cell[2], id;
		unsigned n_ids = 0;

		assert_true(p == gpudb_product(db, n)); /* lists keep this order */
		assert_true(span_is(r.cell[1], gpu_family_names[p->family]));
		while ((id = span_word(&ids)).n)
			assert_int_equal(p->ids[n_ids++], number_of(id));
		assert_int_equal(p->n_ids, n_ids);
		assert_int_equal(p->layout->n_published, number_of(r.cell[3]));
		assert_int_equal(p->layout->slots_per_block, number_of(r.cell[5]));
	}
	assert_int_equal(n, PRODUCTS);
}

/* counters.tsv: gpus block index hw_name lgc_name scale */
TEST(every_counter_slot_is_that_of_the_reference)
{
	unsigned seen[PRODUCTS] = {0};
	struct reference r;

	for (reference_open(&r, "counters.tsv"); reference_next(&r);)
		for (unsigned i = 0; i < PRODUCTS; i++) {
			const struct gpu_counter *c;
			unsigned block = 0;

			if (!reference_has_gpu(r.cell[0], gpudb_product(db, i)))
				continue;
			while (!span_is(r.cell[1], gpu_block_names[block]))
				block++;
			c = gpu_layout_at(gpudb_product(db, i)->layout, block,
					  (unsigned)number_of(r.cell[2]));
			if (!c || !span_is(r.cell[3], c->hw_name) ||
			    !span_is(r.cell[4], c->name ? c->name : "") || c->scale != number_of(r.cell[5]))
				fail_msg("%s: counters.tsv:%u", db->products[i].name, r.line);
			seen[i]++;
		}
	for (unsigned i = 0; i < PRODUCTS; i++)
		assert_int_equal(seen[i], gpudb_product(db, i)->layout->n_counters);
}

static uint64_t seed = 0x2545f4914f6cdd1du;

static unsigned below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 33) % n;
}

/* Whole counts of all magnitudes, and zeros. `kind` 0: all zero. */
static void random_vector(const struct metric_set *set, double *vector, unsigned kind)
{
	memcpy(vector, set->constants, sizeof(set->constants));
	vector[VECTOR_SECONDS] = 0.001 * (1 + below(1000));
	for (unsigned i = VECTOR_CONSTANTS; i < set->n_vector; i++) {
		bool zero = kind == 0 || (kind % 2 == 0 && below(4) == 0);

		vector[i] = zero ? 0 : 1 + below(1u << (4 + below(27)));
	}
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static void compare_formula(unsigned gpu, struct span name, struct span text)
{
	const struct metric_set *set = sets[gpu];
	const struct metric *m = metric_find(set, name);
	AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));
	unsigned defined = 0;
	struct expr e;
	struct err err;

	if (!m)
		fail_msg("%s has no %.*s", set->product->name, SPAN_ARG(name));
	if (!metric_compile(set, db, text, false, &e, &err))
		fail_msg("%s: %.*s: %s", set->product->name, SPAN_ARG(name), err.text);
	/* in many vectors a part is more than all, so that the rest of it is unknown */
	for (unsigned kind = 0; kind < 24 || (defined <= 4 && kind < 2400); kind++) {
		double ours, theirs;

		random_vector(set, vector, kind);
		ours = metric_value(m, vector);
		theirs = expr_eval(&e, vector);
		if (!same(ours, theirs))
			fail_msg("%s: %.*s is %.17g, not %.17g", set->product->name, SPAN_ARG(name), ours,
				 theirs);
		defined += !isnan(ours);
	}
	assert_true(defined > 4);
	expr_fini(&e);
}

/* derived.tsv: lgc_name kind unit expression gpus */
TEST(every_derived_metric_has_the_value_of_the_reference_formula)
{
	unsigned n[PRODUCTS] = {0}, constants[PRODUCTS] = {0}, i = 0;
	struct reference r;

	for (reference_open(&r, "derived.tsv"); reference_next(&r);)
		for (i = 0; i < PRODUCTS; i++) {
			if (!reference_has_gpu(r.cell[4], gpudb_product(db, i)))
				continue;
			compare_formula(i, r.cell[0], r.cell[3]);
			n[i]++;
			constants[i] += span_is(r.cell[1], "constant");
		}
	for (reference_open(&r, "gpus.tsv"), i = 0; reference_next(&r); i++)
		assert_int_equal(n[i] - constants[i], number_of(r.cell[4]) - constants[i]);
}

TEST(every_derived_metric_has_the_unit_of_the_reference)
{
	struct reference r;

	for (reference_open(&r, "derived.tsv"); reference_next(&r);) {
		const struct metric_def *def = metric_def_find(db, r.cell[0]);
		struct span ours = span_of(def->unit->name), first = span_until(&ours, '/');

		/* Ours says more where the reference says "cycles" of a ratio. */
		if (!span_is(r.cell[2], def->unit->name) && !span_eq(r.cell[2], first) &&
		    def->unit->kind != UNIT_RATIO)
			fail_msg("%s: unit %s, not %.*s", def->name, def->unit->name, SPAN_ARG(r.cell[2]));
	}
}

/* The slots that a variable means on one GPU: rows of aliases.tsv with the same name stand
 * anywhere. */
struct alias {
	struct span var;
	unsigned first, second; /* vector indices; equal: one meaning */
};

static int by_var(const void *a, const void *b)
{
	const struct alias *x = a, *y = b;
	int c = memcmp(x->var.p, y->var.p, x->var.n < y->var.n ? x->var.n : y->var.n);

	return c ? c : x->var.n < y->var.n ? -1 : x->var.n > y->var.n;
}

static unsigned read_aliases(const struct gpu_product *p, struct reference *r, struct alias *all)
{
	unsigned n = 0, kept = 0;

	while (reference_next(r)) {
		unsigned block = 0;
		const struct gpu_counter *c;

		if (!reference_has_gpu(r->cell[1], p))
			continue;
		while (!span_is(r->cell[2], gpu_block_names[block]))
			block++;
		c = gpu_layout_at(p->layout, block, (unsigned)number_of(r->cell[3]));
		if (!c)
			fail_msg("%s: aliases.tsv:%u: no such slot", p->name, r->line);
		all[n].var = (struct span){span_dup(r->cell[0]), r->cell[0].n};
		all[n].first = all[n].second = (unsigned)(VECTOR_CONSTANTS + (c - p->layout->counters));
		n++;
	}
	qsort(all, n, sizeof(*all), by_var);
	for (unsigned i = 0; i < n; i++) {
		if (kept && span_eq(all[kept - 1].var, all[i].var)) {
			if (all[kept - 1].first != all[i].first)
				all[kept - 1].second = all[i].first;
			free((void *)(uintptr_t)all[i].var.p);
		} else {
			all[kept++] = all[i];
		}
	}
	return kept;
}

static void check_alias(const struct metric_set *set, const struct alias *a)
{
	const struct gpu_counter *counters = set->product->layout->counters;
	bool ambiguous = a->first != a->second;
	struct expr e;
	struct err err;
	bool ok = metric_compile(set, db, a->var, false, &e, &err);

	if (ok == ambiguous)
		fail_msg("%s: %.*s: %s", set->product->name, SPAN_ARG(a->var), ok ? "taken" : err.text);
	if (ok) {
		const struct gpu_counter *c = &counters[a->first - VECTOR_CONSTANTS];

		if (e.n != 1 || e.ops[0].kind != EXPR_LOAD || e.ops[0].slot != a->first ||
		    e.ops[0].number != c->scale)
			fail_msg("%s: %.*s is not slot %u (%s)", set->product->name, SPAN_ARG(a->var),
				 a->first, c->hw_name);
		expr_fini(&e);
		return;
	}
	for (unsigned k = 0; k < 2; k++) {
		const struct gpu_counter *c = &counters[(k ? a->second : a->first) - VECTOR_CONSTANTS];

		assert_non_null(strstr(err.text, "is ambiguous on"));
		assert_non_null(strstr(err.text, c->name ? c->name : c->hw_name));
	}
}

/* aliases.tsv: var gpus block index */
TEST(every_streamline_name_means_the_slot_that_it_meant)
{
	unsigned n_ambiguous = 0;

	for (unsigned i = 0; i < PRODUCTS; i++) {
		AUTOFREE struct alias *all = xcalloc(2000, sizeof(*all));
		struct reference r;
		unsigned n;

		reference_open(&r, "aliases.tsv");
		n = read_aliases(gpudb_product(db, i), &r, all);
		assert_true(n > 100 || db->products[i].family == FAMILY_MIDGARD); /* its names are few */
		for (unsigned k = 0; k < n; k++) {
			check_alias(sets[i], &all[k]);
			n_ambiguous += all[k].first != all[k].second;
			free((void *)(uintptr_t)all[k].var.p);
		}
	}
	assert_int_equal(n_ambiguous, 4);
}

/* ---- against itself ---- */

TEST(no_name_stands_twice_in_the_shipped_files)
{
	AUTO_STRBUF struct strbuf seen = {0};

	strbuf_str(&seen, "\n");
	for (const struct embedded *f = embedded_data; f->file; f++) {
		struct stanza_line line = {.kind = STANZA_OPEN};
		struct stanza s;
		struct err err;

		stanza_init(&s, f->file, (struct span){f->begin, (size_t)(f->end - f->begin)});
		while (stanza_next(&s, &line, &err) && line.kind != STANZA_END) {
			struct span rest = line.value,
				    own = span_is(line.key, "event") ? span_word(&rest) : line.value;
			AUTOFREE char *name = xasprintf("\n%.*s %.*s\n", SPAN_ARG(line.key), SPAN_ARG(own));

			if (line.kind != STANZA_OPEN || span_is(line.key, "section") ||
			    span_is(line.key, "chart") || span_is(line.key, "prometheus"))
				continue;
			if (strstr(seen.p, name))
				fail_msg("%s:%u:%s", f->file, line.line, name);
			strbuf_str(&seen, name + 1);
		}
	}
}

static bool uses(struct metric_set *const *in, const char *text)
{
	for (unsigned i = 0; i < PRODUCTS; i++)
		for (unsigned k = 0; k < in[i]->n_metrics; k++)
			if (in[i]->metrics[k].text.p == text)
				return true;
	for (unsigned k = 0; k < cpu->n_metrics; k++)
		if (cpu->metrics[k].text.p == text)
			return true;
	return false;
}

TEST(every_formula_and_every_definition_is_of_use_somewhere)
{
	for (unsigned i = 0; i < db->n_metrics; i++) {
		const struct metric_def *def = &db->metrics[i];
		bool found = metric_find(cpu, span_of(def->name)) != NULL;

		for (unsigned k = 0; k < PRODUCTS && !found; k++)
			found = metric_find(sets[k], span_of(def->name)) != NULL;
		found = found || strcmp(def->name, "CPUCycles") ==
					 0; /* of a backend for CPU counters, which there is none of yet */
		if (!found)
			fail_msg("metric %s: no GPU and no CPU has it", def->name);
		for (const struct metric_variant *v = def->exprs; v; v = v->next)
			if (!uses(sets, v->text.p))
				fail_msg("%s:%u: %s: no GPU takes this formula", def->file, v->line,
					 def->name);
		for (const struct metric_variant *v = def->guides; v; v = v->next)
			if (!uses(guides, v->text.p))
				fail_msg("%s:%u: %s: no guide takes this formula", def->file, v->line,
					 def->name);
	}
}

TEST(every_published_counter_has_a_metric)
{
	for (unsigned i = 0; i < PRODUCTS; i++)
		for (unsigned k = 0; k < gpudb_product(db, i)->layout->n_counters; k++) {
			const struct gpu_counter *c = &gpudb_product(db, i)->layout->counters[k];

			if (c->name && !metric_of(sets[i], c->name)->is_counter)
				fail_msg("%s: %s is no counter", db->products[i].name, c->name);
		}
}

TEST(percentages_are_held_within_0_and_100)
{
	for (unsigned i = 0; i < PRODUCTS; i++) {
		AUTOFREE double *vector = xcalloc(sets[i]->n_vector, sizeof(*vector));

		for (unsigned kind = 0; kind < 6; kind++) {
			random_vector(sets[i], vector, kind);
			for (unsigned k = 0; k < sets[i]->n_metrics; k++) {
				const struct metric *m = &sets[i]->metrics[k];
				double v = metric_value(m, vector);

				if (m->unit->kind == UNIT_PERCENT && !isnan(v) && (v < 0 || v > 100))
					fail_msg("%s: %s is %g", db->products[i].name, m->def->name, v);
			}
		}
	}
}

TEST(every_metric_has_a_title_and_a_group_of_printable_text)
{
	for (unsigned i = 0; i < db->n_metrics; i++) {
		const struct metric_def *def = &db->metrics[i];
		AUTO_STRBUF struct strbuf help = {0};
		char printable[4096];

		strbuf_str(&help, "");
		metric_help(def, &help);
		const char *const texts[] = {def->title, def->short_title, def->group, help.p};

		assert_true(def->title[0] && def->short_title[0] && def->group[0]);
		for (size_t k = 0; k < ARRAY_LEN(texts); k++)
			assert_string_equal(str_printable(printable, sizeof(printable), texts[k]), texts[k]);
	}
}

/* Long enough to say what it means; a counter may be left to its title. */
TEST(every_metric_of_a_gpu_that_is_no_counter_is_explained)
{
	for (unsigned i = 0; i < db->n_products; i++)
		for (unsigned k = 0; k < sets[i]->n_metrics; k++) {
			const struct metric *m = &sets[i]->metrics[k];
			AUTO_STRBUF struct strbuf help = {0};

			metric_help(m->def, &help);
			if (!m->is_counter && help.n < 40)
				fail_msg("%s: %s: %s", db->products[i].name, m->def->name, help.p);
		}
}

TEST_GROUP(load_all, free_all)
