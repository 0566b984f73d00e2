/* The reader of src/data/demo.rules. Its top describes the text. */
#include "backends/sim/sim_model.h"

#include "base/alloc.h"
#include "base/stanza.h"
#include "base/sys.h"
#include "model/embed.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

EMBED(demo_rules, "demo.rules");

/* The state of reading a stanza. */
struct reader {
	struct sim_book *book;
	struct sim_laws *laws;
	const struct sim_gpu *gpu;
	struct stanza s;
	struct stanza_line line;
};

/* Names in the order of the enums, here and below. */
static const struct {
	const char *name;
	enum sim_block block;
} lists[SIM_LISTS] = {{"exec", SIM_CORE},     {"texture", SIM_CORE}, {"rays", SIM_CORE},
		      {"fragment", SIM_CORE}, {"nonfrag", SIM_CORE}, {"tiler", SIM_TILER},
		      {"slice", SIM_SLICE},   {"stall", SIM_SLICE},  {"queue", SIM_QUEUE},
		      {"front", SIM_FRONT}};

static const char *const block_names[SIM_BLOCKS] = {
	[SIM_QUEUE] = "cycles jobs tasks",
	[SIM_FRONT] = "zero active any_queue irqs flushes tail irq_cycles mcu ceu lsu",
	[SIM_TILER] = "work queue read_beats write_beats warps",
	[SIM_CORE] = ("any nonfrag frag exec exec_quarter vertex_warps read_tex read_ls read_rt read_front "
		      "read_other write_ls_wb write_ls_other write_tile write_other"),
	[SIM_SLICE] = "reads writes active",
};

/* The inputs of formulas from SIZE_INPUTS on, which differ between the jobs of a pass; those before
 * have names in sim_scenario.c. */
static const char *const input_names[] = {"size.visible", "size.culled", "size.pixels", "size.quads",
					  "size.partial", "job.load",    "job.over128", "job.over192",
					  "job.over256",  "job.over320", "job.over384", "job.pixels",
					  "job.threads",  "job.issue"};
#define SIZE_INPUTS (offsetof(struct sim_inputs, size) / sizeof(double))
_Static_assert(SIZE_INPUTS + ARRAY_LEN(input_names) == SIM_INPUTS, "a name for each input, in order");

/* Return a number of the GPU; NAN if there is no such number. */
static double gpu_number(const struct sim_gpu *gpu, struct span name)
{
	double x;

	for (const struct gpu_constant *f = gpu->facts; f->name; f++)
		if (span_is(name, f->name))
			return f->value;
	return span_double(name, &x) ? x : (double)NAN;
}

static bool line_fail(const struct reader *r, struct span word, const char *expected, struct err *err)
{
	return stanza_fail(&r->s, r->line.line, err, "'%.*s': expected %s", SPAN_ARG(word), expected);
}

/* Take a leading "@CONDITION" off *text. Sets the streams for which the line holds; none if the
 * condition excludes this GPU. */
static bool take_condition(const struct reader *r, struct span *text, uint8_t *streams, struct err *err)
{
	static const char *const streams_of[STREAMS] = {
		[STREAM_VERTEX] = "@vertex", [STREAM_FRAGMENT] = "@fragment", [STREAM_COMPUTE] = "@compute"};
	struct span word;
	double x;

	*streams = SIM_SETS - 1;
	if (!text->n || text->p[0] != '@')
		return true;
	word = span_word(text);
	*text = span_trim(*text);
	for (unsigned i = 0; i < STREAMS; i++)
		if (span_is(word, streams_of[i])) {
			*streams = (uint8_t)(1u << i);
			return true;
		}
	x = gpu_number(r->gpu, (struct span){word.p + 1, word.n - 1});
	*streams = x > 0 ? SIM_SETS - 1 : 0;
	return x >= 0 || line_fail(r, word, "a stream, or what some GPUs have", err);
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

/* Get the number of a quantity, which its first mention adds, and the counters that show it. */
static bool take_quantity(const struct reader *r, enum sim_block block, struct span name, bool is_new,
			  struct span counters, uint8_t *quantity, struct err *err)
{
	struct sim_book *b = r->book;
	struct sim_names *known = &b->quantities[block];
	unsigned i = find_name(known, name);
	struct span counter;

	if (i == known->n) {
		if (!is_new || !name.n || i == UINT8_MAX)
			return line_fail(r, name, is_new ? "a name, and fewer of them" : "a quantity above",
					 err);
		add_name(known, name);
	}
	*quantity = (uint8_t)i;
	while ((counter = span_word(&counters)).n) {
		GROW(b->counters, b->n_counters, b->counters_cap);
		b->counters[b->n_counters++] = (struct sim_counter){counter, (uint8_t)block, *quantity};
	}
	return true;
}

static bool find_ratio(const struct reader *r, struct span name, unsigned *ratio, struct err *err)
{
	*ratio = find_name(&r->book->ratios, name);
	return *ratio < r->book->ratios.n || line_fail(r, name, "a ratio above", err);
}

/* The operation of a rule on its first input: "% RATIO", "% SHARE ...", "+ QUANTITY", "- QUANTITY"
 * or "* NUMBER". */
static bool parse_operation(const struct reader *r, enum sim_list list, struct span text,
			    struct sim_rule *rule, struct err *err)
{
	struct sim_rules *rules = &r->laws->lists[list];
	struct span op = span_word(&text), word = span_word(&text);
	struct sim_wait wait = {.number = rules->n};
	unsigned ratio;
	double x;

	if (!word.n || op.n != 1 || !strchr("%+-*", op.p[0]))
		return line_fail(r, op, "an operation and its second part", err);
	rule->is_part = op.p[0] == '%';
	if (rule->is_part && list < LIST_STALL) {
		if (!find_ratio(r, word, &ratio, err))
			return false;
		rule->factor = (int16_t)ratio;
		return true;
	}
	if (rule->is_part) {
		for (unsigned i = 0; word.n && i < STREAMS; i++, word = span_word(&text))
			if (!span_double(word, &wait.shares[i]) || wait.shares[i] < 0 || wait.shares[i] > 1)
				return line_fail(r, word, "a share", err);
		rule->factor = (int16_t)rules->n_parts;
		GROW(rules->waits, rules->n_parts, rules->waits_cap);
		rules->waits[rules->n_parts++] = wait;
		return true;
	}
	if (op.p[0] != '*') {
		rule->factor = op.p[0] == '+' ? 1 : -1;
		return take_quantity(r, rules->block, word, false, (struct span){0}, &rule->b, err);
	}
	x = gpu_number(r->gpu, word);
	if (!(x >= 1 && x <= 512))
		return line_fail(r, word, "a number, or one of the GPU", err);
	rule->b = rule->a;
	rule->factor = (int16_t)(x - 1);
	return true;
}

static void add_rule(struct sim_rules *list, struct sim_rule rule)
{
	GROW(list->rules, list->n, list->cap);
	list->rules[list->n++] = rule;
}

/* OUT[/REST] [[@CONDITION] IN OPERATION] [: COUNTERS [/ COUNTERS of the rest]] */
static bool parse_rule(struct reader *r, enum sim_list list, struct err *err)
{
	struct span rest = r->line.key, out = span_until(&rest, '/'), more = r->line.value,
		    formula = span_trim(span_until(&more, ':')), counters = span_until(&more, '/');
	struct sim_rules *rules = &r->laws->lists[list];
	struct sim_rule rule = {0}, left = {.factor = -1};
	uint8_t streams;

	if (!take_quantity(r, rules->block, out, formula.n > 0, counters, &rule.out, err) ||
	    !take_condition(r, &formula, &streams, err) ||
	    (rest.n && !take_quantity(r, rules->block, rest, true, more, &left.out, err)))
		return false;
	if (!formula.n || !streams)
		return true;
	if (!take_quantity(r, rules->block, span_word(&formula), false, (struct span){0}, &rule.a, err) ||
	    !parse_operation(r, list, formula, &rule, err))
		return false;
	add_rule(rules, rule);
	left.a = rule.a;
	left.b = rule.out;
	if (rest.n)
		add_rule(rules, left);
	return true;
}

static bool resolve_value(void *ctx, struct span name, struct expr *out, struct err *err)
{
	const struct reader *r = ctx;
	struct span own = name, group = span_until(&own, '.');
	unsigned slot = 0;

	if (span_is(group, "gpu")) {
		double x = gpu_number(r->gpu, own);

		return x >= 0 ? expr_const(out, x) : err_set(err, 0, "not a number of the GPU");
	}
	for (const struct sim_number *n = sim_shader_numbers; n->name; n++, slot++)
		if (span_is(group, "shader") && span_is(own, n->name))
			return expr_load(out, slot, 1);
	for (const struct sim_number *n = sim_look_numbers; n->name; n++, slot++)
		if (span_is(group, "look") && span_is(own, n->name))
			return expr_load(out, slot, 1);
	for (unsigned i = 0; i < ARRAY_LEN(input_names); i++, slot++)
		if (span_is(name, input_names[i]))
			return expr_load(out, slot, 1);
	slot = find_name(&r->book->values, name);
	return slot < r->book->values.n ? expr_load(out, (unsigned)SIM_INPUTS + slot, 1)
					: err_set(err, 0, "unknown: expected an input or a value above");
}

/* Return the streams of the formulas for a value. *varies is set if one of them varies. */
static uint8_t streams_of(const struct sim_laws *laws, unsigned value, bool *varies)
{
	uint8_t streams = 0;

	for (const struct sim_formula *f = laws->formulas; f < laws->formulas + laws->n_formulas; f++)
		if (f->value == value) {
			streams |= f->streams;
			*varies |= f->varies;
		}
	return streams;
}

/* NAME [@CONDITION] FORMULA: for streams without an earlier line for it. */
static bool parse_formula(struct reader *r, bool is_ratio, struct span name, struct span text,
			  struct err *err)
{
	struct sim_names *values = &r->book->values;
	struct sim_laws *laws = r->laws;
	unsigned value = find_name(values, name), at;
	struct sim_formula f = {.value = (uint16_t)(SIM_INPUTS + value)};
	bool varies = false;

	if (!take_condition(r, &text, &f.streams, err))
		return false;
	f.streams &= (uint8_t)~streams_of(laws, f.value, &varies);
	if (f.streams) {
		if (!expr_compile(&f.expr, text, resolve_value, r, err))
			return err_prefix(err, "%s:%u: ", r->s.file, r->line.line);
		GROW_FIT(f.expr.ops, f.expr.n, f.expr.cap);
		for (const struct expr_op *op = f.expr.ops; op < f.expr.ops + f.expr.n; op++)
			if (op->kind == EXPR_LOAD && !streams_of(laws, op->slot, &f.varies))
				f.varies |= op->slot >= SIZE_INPUTS;
		at = f.varies ? laws->n_formulas : laws->n_fixed++;
		GROW(laws->formulas, laws->n_formulas, laws->formulas_cap);
		memmove(&laws->formulas[at + 1], &laws->formulas[at], (laws->n_formulas++ - at) * sizeof(f));
		laws->formulas[at] = f;
	}
	if (value < values->n)
		return true;
	add_name(values, name);
	if (!is_ratio)
		return true;
	add_name(&r->book->ratios, name);
	GROW(laws->ratios, laws->n_ratios, laws->ratios_cap);
	laws->ratios[laws->n_ratios++] = (struct sim_ratio){.value = f.value};
	return true;
}

/* Parse a line of a stanza: the rules of a list, or formulas of ratios or of other values,
 * separated by ';'. */
static bool parse_line(struct reader *r, const struct stanza_line *open, struct err *err)
{
	struct span rest = r->line.text, one, name;
	unsigned list = 0;

	if (!span_is(open->key, "rules")) {
		while (rest.n) {
			one = span_until(&rest, ';');
			name = span_word(&one);
			if (!parse_formula(r, span_is(open->key, "ratios"), name, span_trim(one), err))
				return false;
		}
		return true;
	}
	while (list < SIM_LISTS && !span_is(open->value, lists[list].name))
		list++;
	return list < SIM_LISTS ? parse_rule(r, (enum sim_list)list, err)
				: line_fail(r, open->value, "a list of rules", err);
}

bool sim_book_load(struct sim_book *book, struct sim_laws *laws, const struct sim_gpu *gpu,
		   const struct gpudb_text *text, struct err *err)
{
	const struct gpudb_text shipped = {
		"demo.rules", {embed_demo_rules, (size_t)(embed_demo_rules_end - embed_demo_rules)}};
	struct reader r = {.book = book, .laws = laws, .gpu = gpu};
	struct stanza_line open = {0};

	for (unsigned b = 0; b < SIM_BLOCKS; b++) {
		struct span names = span_of(block_names[b]), name;

		while ((name = span_word(&names)).n)
			add_name(&book->quantities[b], name);
	}
	for (unsigned i = 0; i < SIM_LISTS; i++)
		laws->lists[i].block = lists[i].block;
	text = text ? text : &shipped;
	stanza_init(&r.s, text->file, text->text);
	for (;;) {
		if (!stanza_next(&r.s, &r.line, err))
			return false;
		if (r.line.kind == STANZA_END)
			break;
		if (r.line.kind != STANZA_OPEN) {
			if (!parse_line(&r, &open, err))
				return false;
			continue;
		}
		open = r.line;
		if (span_is(open.text, "ratios shader"))
			laws->n_content = laws->n_ratios;
		if (span_is(open.text, "ratios rates"))
			laws->n_shares = laws->n_ratios;
	}
	for (unsigned i = 0; i < book->values.n; i++) {
		bool varies = false;

		if (streams_of(laws, (unsigned)SIM_INPUTS + i, &varies) != SIM_SETS - 1)
			return line_fail(&r, book->values.names[i], "a formula for each stream", err);
	}
	return find_ratio(&r, span_of("line"), &laws->line, err);
}

/* Keep the rules that lead to a quantity that is needed. Goes backwards, because a rule precedes
 * the rules that it feeds. */
static void prune_rules(struct sim_rules *list, bool *needed)
{
	unsigned first = list->n;

	for (unsigned i = list->n; i-- > 0;) {
		struct sim_rule r = list->rules[i];

		if (!needed[r.out])
			continue;
		needed[r.a] = true;
		needed[r.b] |= !r.is_part;
		list->rules[--first] = r;
	}
	list->n -= first;
	memmove(list->rules, list->rules + first, list->n * sizeof(*list->rules));
	GROW_FIT(list->rules, list->n, list->cap);
}

void sim_book_prune(struct sim_book *book, struct sim_laws *laws)
{
	AUTOFREE uint16_t *needed = NULL; /* lists, by value */

	laws->n_values = (unsigned)SIM_INPUTS + book->values.n;
	needed = xcalloc(laws->n_values, sizeof(*needed));
	for (unsigned b = 0; b < SIM_BLOCKS; b++)
		laws->n_quantities[b] = book->quantities[b].n;
	/* Traffic feeds the slices, and warps the cores, so they are always counted. */
	for (unsigned i = CORE_READS; i < CORE_TRAFFIC_END; i++)
		book->needed[SIM_CORE][i] = true;
	for (unsigned i = TILER_READ_BEATS; i <= TILER_WARPS; i++)
		book->needed[SIM_TILER][i] = true;
	laws->ratios[laws->line].lists = UINT16_MAX;
	for (unsigned i = SIM_LISTS; i-- > 0;) {
		struct sim_rules *list = &laws->lists[i];

		prune_rules(list, book->needed[list->block]);
		list->n_parts = 0;
		for (const struct sim_rule *r = list->rules; r < list->rules + list->n; r++) {
			if (r->is_part && i < LIST_STALL)
				laws->ratios[r->factor].lists |= (uint16_t)(1u << i);
			else if (r->is_part)
				list->waits[list->n_parts] = list->waits[r->factor];
			list->n_parts += r->is_part;
		}
	}
	for (unsigned i = 0; i < laws->n_ratios; i++)
		needed[laws->ratios[i].value] = laws->ratios[i].lists;
	for (struct sim_formula *f = laws->formulas + laws->n_formulas; f-- > laws->formulas;) {
		f->lists = needed[f->value];
		for (const struct expr_op *op = f->expr.ops; op < f->expr.ops + f->expr.n; op++)
			if (op->kind == EXPR_LOAD)
				needed[op->slot] |= f->lists;
	}
}

void sim_book_free(struct sim_book *book)
{
	for (unsigned b = 0; b < SIM_BLOCKS; b++)
		free(book->quantities[b].names);
	free(book->values.names);
	free(book->ratios.names);
	free(book->counters);
	free(book);
	sys_unload(embed_demo_rules, embed_demo_rules_end);
}

void sim_laws_fini(struct sim_laws *laws)
{
	for (unsigned i = 0; i < SIM_LISTS; i++) {
		free(laws->lists[i].rules);
		free(laws->lists[i].waits);
	}
	for (unsigned i = 0; i < laws->n_formulas; i++)
		expr_fini(&laws->formulas[i].expr);
	free(laws->formulas);
	free(laws->ratios);
}
