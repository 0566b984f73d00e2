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

/* The inputs of formulas from SIZE_INPUTS on; those before have names in sim_scenario.c. */
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

/* Get the number of a quantity, which its first mention adds, and the counters that show it. */
static bool take_quantity(const struct reader *r, enum sim_block block, struct span name, bool is_new,
			  struct span counters, uint8_t *quantity, struct err *err)
{
	struct sim_book *b = r->book;
	struct span counter;
	unsigned i = 0;

	while (i < b->n_quantities[block] && !span_eq(name, b->quantities[block][i]))
		i++;
	if (i == b->n_quantities[block]) {
		if (!is_new || !name.n || i == SIM_QUANTITIES_MAX)
			return line_fail(r, name, is_new ? "a name, and fewer of them" : "a quantity above",
					 err);
		b->quantities[block][b->n_quantities[block]++] = name;
	}
	*quantity = (uint8_t)i;
	while ((counter = span_word(&counters)).n) {
		if (b->n_counters == SIM_COUNTERS_MAX)
			return line_fail(r, counter, "fewer counters", err);
		b->counters[b->n_counters++] = (struct sim_counter){counter, (uint8_t)block, *quantity};
	}
	return true;
}

static bool find_ratio(const struct reader *r, struct span name, uint16_t *ratio, struct err *err)
{
	for (unsigned i = 0; i < r->laws->n_ratios; i++)
		if (span_eq(name, r->book->values[r->laws->value_of[i] - SIM_INPUTS])) {
			*ratio = (uint16_t)i;
			return true;
		}
	return line_fail(r, name, "a ratio above", err);
}

/* The operation of a rule on its first input: "% RATIO", "% SHARE ...", "+ QUANTITY", "- QUANTITY"
 * or "* NUMBER". */
static bool parse_operation(const struct reader *r, enum sim_list list, struct span text,
			    struct sim_rule *rule, struct err *err)
{
	static const char ops[] = {[OP_PART] = '%', [OP_SUM] = '+', [OP_REST] = '-', [OP_TIMES] = '*'};
	struct span op = span_word(&text), word = span_word(&text);
	uint8_t second = 0;
	double x;

	while (rule->op < sizeof(ops) && !(op.n == 1 && op.p[0] == ops[rule->op]))
		rule->op++;
	if (rule->op == sizeof(ops) || !word.n)
		return line_fail(r, op, "an operation and its second part", err);
	if (rule->op == OP_PART && list < LIST_STALL)
		return find_ratio(r, word, &rule->b, err);
	if (rule->op == OP_PART) {
		rule->b = (uint16_t)r->laws->lists[list].n;
		for (unsigned i = 0; word.n && i < 3; i++, word = span_word(&text))
			if (!span_double(word, &rule->shares[i]) || rule->shares[i] < 0 ||
			    rule->shares[i] > 1)
				return line_fail(r, word, "a share", err);
		return true;
	}
	if (rule->op == OP_TIMES) {
		x = gpu_number(r->gpu, word);
		rule->b = (uint16_t)(x > 0 && x <= 512 ? x : 0);
		return rule->b || line_fail(r, word, "a number, or one of the GPU", err);
	}
	if (!take_quantity(r, lists[list].block, word, false, (struct span){0}, &second, err))
		return false;
	rule->b = second;
	return true;
}

/* OUT[/REST] [[@CONDITION] IN OPERATION] [: COUNTERS [/ COUNTERS of the rest]] */
static bool parse_rule(struct reader *r, enum sim_list list, struct err *err)
{
	struct span rest = r->line.key, out = span_until(&rest, '/'), more = r->line.value,
		    formula = span_trim(span_until(&more, ':')), counters = span_until(&more, '/');
	enum sim_block block = lists[list].block;
	struct sim_rules *rules = &r->laws->lists[list];
	struct sim_rule rule = {0}, left = {.op = OP_REST};
	uint8_t streams;

	if (!take_quantity(r, block, out, formula.n > 0, counters, &rule.out, err) ||
	    !take_condition(r, &formula, &streams, err) ||
	    (rest.n && !take_quantity(r, block, rest, true, more, &left.out, err)))
		return false;
	if (!formula.n || !streams)
		return true;
	if (!take_quantity(r, block, span_word(&formula), false, (struct span){0}, &rule.a, err) ||
	    !parse_operation(r, list, formula, &rule, err))
		return false;
	left.a = rule.a;
	left.b = rule.out;
	if (rules->n + (rest.n > 0) >= SIM_RULES_MAX)
		return line_fail(r, r->line.key, "fewer rules", err);
	rules->rules[rules->n++] = rule;
	if (rest.n)
		rules->rules[rules->n++] = left;
	return true;
}

static bool resolve_value(void *ctx, struct span name, struct expr *out, struct err *err)
{
	const struct reader *r = ctx;
	struct span own = name, group = span_until(&own, '.');
	bool look = span_is(group, "look");
	unsigned slot = look ? offsetof(struct sim_inputs, look) / sizeof(double) : 0;

	if (span_is(group, "gpu")) {
		double x = gpu_number(r->gpu, own);

		return x >= 0 ? expr_const(out, x) : err_set(err, 0, "not a number of the GPU");
	}
	if (look || span_is(group, "shader"))
		for (const struct sim_number *n = look ? sim_look_numbers : sim_shader_numbers; n->name;
		     n++, slot++)
			if (span_is(own, n->name))
				return expr_load(out, slot, 1);
	for (unsigned i = 0; i < ARRAY_LEN(input_names); i++)
		if (span_is(name, input_names[i]))
			return expr_load(out, SIZE_INPUTS + i, 1);
	for (unsigned i = 0; i < r->book->n_values; i++)
		if (span_eq(name, r->book->values[i]))
			return expr_load(out, (unsigned)SIM_INPUTS + i, 1);
	return err_set(err, 0, "unknown: expected an input or a value above");
}

static bool value_varies(const struct sim_laws *laws, unsigned value)
{
	bool varies = value < SIM_INPUTS && value >= SIZE_INPUTS;

	for (unsigned i = 0; i < laws->n_formulas; i++)
		varies |= laws->formulas[i].value == value && laws->formulas[i].varies;
	return varies;
}

/* NAME [@CONDITION] FORMULA: for streams without an earlier line for it. */
static bool parse_formula(struct reader *r, bool is_ratio, struct span name, struct span text,
			  struct err *err)
{
	struct sim_book *b = r->book;
	struct sim_laws *laws = r->laws;
	struct sim_formula *f = &laws->formulas[laws->n_formulas];
	unsigned value = 0;
	uint8_t streams;

	if (!take_condition(r, &text, &streams, err))
		return false;
	while (value < b->n_values && !span_eq(name, b->values[value]))
		value++;
	if (laws->n_formulas == SIM_FORMULAS_MAX || value == SIM_FORMULAS_MAX ||
	    laws->n_ratios == SIM_RATIOS_MAX)
		return line_fail(r, name, "fewer formulas", err);
	for (unsigned i = 0; value < b->n_values && i < laws->n_formulas; i++)
		if (laws->formulas[i].value == SIM_INPUTS + value)
			streams &= (uint8_t)~laws->formulas[i].streams;
	*f = (struct sim_formula){.streams = streams, .value = (uint16_t)(SIM_INPUTS + value)};
	if (streams && !expr_compile(&f->expr, text, resolve_value, r, err))
		return err_prefix(err, "%s:%u: ", r->s.file, r->line.line);
	GROW_FIT(f->expr.ops, f->expr.n, f->expr.cap);
	for (unsigned k = 0; k < f->expr.n; k++)
		f->varies |= f->expr.ops[k].kind == EXPR_LOAD && value_varies(laws, f->expr.ops[k].slot);
	laws->n_formulas += streams != 0;
	if (value == b->n_values && is_ratio)
		laws->value_of[laws->n_ratios++] = f->value;
	if (value == b->n_values)
		b->values[b->n_values++] = name;
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
			book->quantities[b][book->n_quantities[b]++] = name;
	}
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
	for (unsigned i = 0; i < book->n_values; i++) {
		unsigned streams = 0;

		for (unsigned k = 0; k < laws->n_formulas; k++)
			streams |= laws->formulas[k].value == SIM_INPUTS + i ? laws->formulas[k].streams : 0;
		if (streams != SIM_SETS - 1)
			return line_fail(&r, book->values[i], "a formula for each stream", err);
	}
	return find_ratio(&r, span_of("line"), &laws->line, err) &&
	       find_ratio(&r, span_of("tex"), &laws->tex, err) &&
	       find_ratio(&r, span_of("rt_box"), &laws->rays, err);
}

void sim_book_prune(struct sim_book *book, struct sim_laws *laws)
{
	const unsigned all = SIM_SETS - 1, fragment = 1u << STREAM_FRAGMENT;
	uint8_t streams[SIM_VALUES_MAX] = {0}; /* that a value is needed for */

	laws->n_queue = book->n_quantities[SIM_QUEUE];
	/* Traffic feeds the slices, and warps the cores, so they are always counted. */
	for (unsigned i = CORE_READS; i < CORE_TRAFFIC_END; i++)
		book->needed[SIM_CORE][i] = true;
	for (unsigned i = TILER_READ_BEATS; i <= TILER_WARPS; i++)
		book->needed[SIM_TILER][i] = true;
	/* Go backwards, because a rule precedes the rules that it feeds. */
	for (unsigned list = SIM_LISTS; list-- > 0;) {
		struct sim_rules *rules = &laws->lists[list];
		bool *needed = book->needed[lists[list].block];
		unsigned first = rules->n;

		rules->first_part = laws->n_parts;
		for (unsigned i = rules->n; i-- > 0;) {
			struct sim_rule r = rules->rules[i];

			if (!needed[r.out])
				continue;
			needed[r.a] = true;
			if (r.op == OP_SUM || r.op == OP_REST)
				needed[r.b] = true;
			laws->n_parts += r.op == OP_PART;
			if (r.op == OP_PART && list < LIST_STALL)
				streams[laws->value_of[r.b]] |= list == LIST_FRAGMENT  ? fragment
								: list == LIST_NONFRAG ? all & ~fragment
										       : all;
			rules->rules[--first] = r;
		}
		rules->n -= first;
		memmove(rules->rules, rules->rules + first, rules->n * sizeof(rules->rules[0]));
	}
	streams[laws->value_of[laws->line]] = streams[laws->value_of[laws->tex]] =
		streams[laws->value_of[laws->rays]] = all;
	for (unsigned i = laws->n_formulas; i-- > 0;) {
		struct sim_formula *f = &laws->formulas[i];

		f->streams &= streams[f->value];
		for (unsigned k = 0; k < f->expr.n; k++)
			if (f->expr.ops[k].kind == EXPR_LOAD)
				streams[f->expr.ops[k].slot] |= f->streams;
	}
	for (unsigned r = 0; r < laws->n_ratios; r++)
		laws->streams_of[r] = streams[laws->value_of[r]];
}

void sim_book_free(struct sim_book *book)
{
	free(book);
	sys_unload(embed_demo_rules, embed_demo_rules_end);
}

void sim_laws_fini(struct sim_laws *laws)
{
	for (unsigned i = 0; i < laws->n_formulas; i++)
		expr_fini(&laws->formulas[i].expr);
	laws->n_formulas = 0;
}
