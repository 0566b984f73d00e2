/* The reader of src/data/demo.rules. Its top describes the text. */
#include "backends/sim/sim_model.h"

#include "base/alloc.h"
#include "base/stanza.h"
#include "model/embed.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

EMBED(demo_rules, "demo.rules");

/* The state of reading. */
struct reader {
	struct sim_book *book;
	struct sim_laws *laws;
	const struct sim_gpu *gpu;
	struct stanza s;
	struct stanza_line line;
	struct err *err;
	bool failed;
	/* of the stanza */
	bool are_rules, are_ratios, left_out;
	enum sim_list list;
};

static const struct {
	const char *name;
	enum sim_block block;
} lists[SIM_LISTS] = {{"exec", SIM_CORE},     {"texture", SIM_CORE}, {"rays", SIM_CORE},
		      {"fragment", SIM_CORE}, {"nonfrag", SIM_CORE}, {"tiler", SIM_TILER},
		      {"slice", SIM_SLICE},   {"stall", SIM_SLICE},  {"queue", SIM_QUEUE},
		      {"front", SIM_FRONT}};

/* Return a number of the GPU; NAN if there is no such number. */
static double gpu_number(const struct sim_gpu *gpu, struct span name)
{
	double x;

	for (const struct gpu_constant *f = gpu->facts; f->name; f++)
		if (span_is(name, f->name))
			return f->value;
	return span_double(name, &x) ? x : (double)NAN;
}

/* Report the first error; after it nothing that was read is used. */
static void fail_word(struct reader *r, struct span word, const char *expected)
{
	if (!r->failed)
		stanza_fail(&r->s, r->line.line, r->err, "'%.*s': expected %s", SPAN_ARG(word), expected);
	r->failed = true;
}

/* Return the number of a name; that of the next one if it is not known yet. */
static unsigned find_name(const struct sim_names *list, struct span name)
{
	unsigned i = 0;

	while (i < list->n && !span_eq(name, list->names[i]))
		i++;
	return i;
}

static void add_name(struct sim_names *list, struct span name)
{
	GROW(list->names, list->n, list->cap);
	list->names[list->n++] = name;
}

static uint8_t find_quantity(struct reader *r, enum sim_block block, struct span name)
{
	unsigned i = find_name(&r->book->quantities[block], name);

	if (i == r->book->quantities[block].n)
		fail_word(r, name, "a quantity above");
	return (uint8_t)i;
}

/* Return the number of a quantity, which its first mention adds, and add the counters that show
 * it. */
static uint8_t take_quantity(struct reader *r, enum sim_block block, struct span name, struct span counters)
{
	struct sim_book *b = r->book;
	unsigned i = find_name(&b->quantities[block], name);
	struct span counter;

	assert(i < ARRAY_LEN(b->needed[block]));
	if (i == b->quantities[block].n)
		add_name(&b->quantities[block], name);
	while ((counter = span_word(&counters)).n) {
		GROW(b->counters, b->n_counters, b->counters_cap);
		b->counters[b->n_counters++] = (struct sim_counter){counter, (uint8_t)block, (uint8_t)i};
	}
	return (uint8_t)i;
}

/* Return the number of a part's wait. */
static int16_t add_wait(struct reader *r, struct sim_rules *list, struct span shares)
{
	struct sim_wait wait = {.number = list->n};
	struct span share;

	for (unsigned i = 0; i < STREAMS && (share = span_word(&shares)).n; i++)
		if (!span_double(share, &wait.shares[i]) || wait.shares[i] < 0 || wait.shares[i] > 1)
			fail_word(r, share, "a share");
	GROW(list->waits, list->n_parts, list->waits_cap);
	list->waits[list->n_parts] = wait;
	return (int16_t)list->n_parts++;
}

/* The operation of a rule on its first input: "% RATIO", "% SHARE ...", "+ QUANTITY", "- QUANTITY"
 * or "* NUMBER". */
static void read_operation(struct reader *r, struct sim_rules *list, struct span text, struct sim_rule *rule)
{
	struct span op = span_word(&text), word = span_trim(text);
	unsigned value = find_name(&r->book->values, word);
	double x = gpu_number(r->gpu, word);

	rule->is_part = span_is(op, "%");
	rule->b = rule->a;
	if (rule->is_part && r->list >= LIST_STALL) {
		rule->factor = add_wait(r, list, word);
	} else if (rule->is_part) {
		if (value == r->laws->n_values || r->laws->values[value].ratio < 0)
			fail_word(r, word, "a ratio above");
		rule->factor = (int16_t)value;
	} else if (!span_is(op, "*")) {
		rule->b = find_quantity(r, list->block, word);
		rule->factor = span_is(op, "-") ? -1 : 1;
		if (rule->factor > 0 && !span_is(op, "+"))
			fail_word(r, op, "an operation");
	} else if (x >= 1 && x <= 512) {
		rule->factor = (int16_t)(x - 1);
	} else {
		fail_word(r, word, "a number, or one of the GPU");
	}
}

static void add_rule(struct sim_rules *list, struct sim_rule rule)
{
	GROW(list->rules, list->n, list->cap);
	list->rules[list->n++] = rule;
}

/* OUT[/REST] [IN OPERATION] [: COUNTERS [/ COUNTERS of the rest]] */
static void read_rule(struct reader *r, struct span text)
{
	struct sim_rules *list = &r->laws->lists[r->list];
	struct span formula = span_until(&text, ':'), rest = span_word(&formula),
		    out = span_until(&rest, '/'), in = span_word(&formula);
	struct sim_rule rule = {.out = take_quantity(r, list->block, out, span_until(&text, '/'))};

	if (!in.n) {
		r->book->needed[list->block][rule.out] = true;
		return;
	}
	rule.a = find_quantity(r, list->block, in);
	read_operation(r, list, formula, &rule);
	add_rule(list, rule);
	if (rest.n)
		add_rule(list, (struct sim_rule){.out = take_quantity(r, list->block, rest, text),
						 .a = rule.a,
						 .b = rule.out,
						 .factor = -1});
}

static bool resolve_value(void *ctx, struct span name, struct expr *out, struct err *err)
{
	const struct reader *r = ctx;
	struct span own = name, group = span_until(&own, '.');
	unsigned value = find_name(&r->book->values, name);
	double x = gpu_number(r->gpu, own);

	if (span_is(group, "gpu"))
		return x >= 0 ? expr_const(out, x) : err_set(err, 0, "not a number of the GPU");
	return value < r->laws->n_values ? expr_load(out, value, 1)
					 : err_set(err, 0, "unknown: expected a value above");
}

/* NAME [FORMULA]. The inputs, without a formula, differ from `size` on between the jobs of a
 * pass. */
static void read_value(struct reader *r, struct span text)
{
	struct sim_laws *laws = r->laws;
	struct span name = span_word(&text), formula = span_trim(text);
	struct sim_value v = {.ratio = r->are_ratios ? (int16_t)laws->n_ratios++ : -1};

	if (!formula.n)
		v.varies = laws->n_values >= offsetof(struct sim_inputs, size) / sizeof(double);
	else if (!expr_compile(&v.formula, formula, resolve_value, r, r->err))
		r->failed = !err_prefix(r->err, "%s:%u: ", r->s.file, r->line.line);
	for (unsigned i = 0; i < v.formula.n; i++)
		v.varies |= v.formula.ops[i].kind == EXPR_LOAD && laws->values[v.formula.ops[i].slot].varies;
	add_name(&r->book->values, name);
	GROW(laws->values, laws->n_values, laws->values_cap);
	laws->values[laws->n_values++] = v;
}

/* values NAME, ratios NAME or rules LIST [what the GPU must have] */
static void open_stanza(struct reader *r)
{
	struct span property = r->line.value, list = span_word(&property);
	double x = gpu_number(r->gpu, span_trim(property));

	r->are_rules = span_is(r->line.key, "rules");
	r->are_ratios = span_is(r->line.key, "ratios");
	r->left_out = property.n && x == 0;
	for (r->list = 0; r->list < SIM_LISTS && !span_is(list, lists[r->list].name);)
		r->list++;
	if ((r->are_rules && r->list == SIM_LISTS) || (property.n && !(x >= 0)))
		fail_word(r, r->line.text, "a list of rules, and what some GPUs have");
	if (span_is(r->line.text, "ratios shader"))
		r->laws->n_content = r->laws->n_ratios;
	if (span_is(r->line.text, "ratios rates"))
		r->laws->n_shares = r->laws->n_ratios;
}

bool sim_book_load(struct sim_book *book, struct sim_laws *laws, const struct sim_gpu *gpu,
		   const struct gpudb_text *text, struct err *err)
{
	const struct gpudb_text shipped = {
		"demo.rules", {embed_demo_rules, (size_t)(embed_demo_rules_end - embed_demo_rules)}};
	struct reader r = {.book = book, .laws = laws, .gpu = gpu, .err = err};

	for (unsigned i = 0; i < SIM_LISTS; i++)
		laws->lists[i].block = lists[i].block;
	text = text ? text : &shipped;
	stanza_init(&r.s, text->file, text->text);
	while (!r.failed && stanza_next(&r.s, &r.line, err)) {
		struct span rest = r.line.text;

		if (r.line.kind == STANZA_END)
			return true;
		if (r.line.kind == STANZA_OPEN)
			open_stanza(&r);
		else
			while (rest.n && !r.left_out && !r.failed)
				(r.are_rules ? read_rule : read_value)(&r, span_until(&rest, ';'));
	}
	return false;
}

/* Keep the rules that lead to a quantity that is needed. A rule precedes those that it feeds. */
static void prune_rules(struct sim_laws *laws, enum sim_list list, bool *needed)
{
	struct sim_rules *l = &laws->lists[list];
	unsigned n = l->n;

	for (unsigned i = n; i-- > 0;)
		if (needed[l->rules[i].out])
			needed[l->rules[i].a] = needed[l->rules[i].b] = true;
	l->n = l->n_parts = 0;
	for (unsigned i = 0; i < n; i++) {
		struct sim_rule r = l->rules[i];

		if (!needed[r.out])
			continue;
		if (r.is_part && list >= LIST_STALL) {
			l->waits[l->n_parts] = l->waits[r.factor];
		} else if (r.is_part) {
			laws->values[r.factor].lists |= (uint16_t)(1u << list);
			r.factor = laws->values[r.factor].ratio;
		}
		l->n_parts += r.is_part;
		l->rules[l->n++] = r;
	}
	GROW_FIT(l->rules, l->n, l->cap);
}

void sim_book_prune(struct sim_book *book, struct sim_laws *laws)
{
	for (unsigned b = 0; b < SIM_BLOCKS; b++)
		laws->n_quantities[b] = book->quantities[b].n;
	for (unsigned i = SIM_LISTS; i-- > 0;)
		prune_rules(laws, i, book->needed[laws->lists[i].block]);
	for (const struct sim_value *v = laws->values + laws->n_values; v-- > laws->values;)
		for (unsigned i = 0; i < v->formula.n; i++)
			if (v->formula.ops[i].kind == EXPR_LOAD)
				laws->values[v->formula.ops[i].slot].lists |= v->lists;
	GROW_FIT(laws->values, laws->n_values, laws->values_cap);
}

void sim_book_free(struct sim_book *book)
{
	for (unsigned b = 0; b < SIM_BLOCKS; b++)
		free(book->quantities[b].names);
	free(book->values.names);
	free(book->counters);
	free(book);
}

void sim_laws_fini(struct sim_laws *laws)
{
	for (unsigned i = 0; i < SIM_LISTS; i++) {
		free(laws->lists[i].rules);
		free(laws->lists[i].waits);
	}
	for (unsigned i = 0; i < laws->n_values; i++)
		expr_fini(&laws->values[i].formula);
	free(laws->values);
}
