#include "tests/judge/table.h"

#include "base/alloc.h"
#include "base/file.h"
#include "model/expr.h"
#include "model/rawtable.h"
#include "tests/support/gpu_set.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLES_MAX 256
#define NESTED_MAX 24

static const struct ratio_table *find_table(const struct tables *tables, struct span name)
{
	for (unsigned i = 0; i < tables->n; i++)
		if (span_eq(tables->list[i].name, name))
			return &tables->list[i];
	return NULL;
}

/* "table G from H", "case NAME G" */
static void open_table(struct tables *tables, struct span words, bool is_case, const char *path,
		       unsigned line)
{
	struct span name = span_word(&words), from = span_word(&words);
	struct ratio_table *t;

	if (!is_case && from.n) {
		assert_true(span_is(from, "from"));
		from = span_word(&words);
	}
	if (find_table(tables, name) || (from.n && !find_table(tables, from)) || tables->n == TABLES_MAX)
		fail_msg("%s:%u: '%.*s' is there already, or is from nothing", path, line, SPAN_ARG(name));
	if (!tables->list)
		tables->list = xcalloc(TABLES_MAX, sizeof(*tables->list));
	t = &tables->list[tables->n];
	*t = (struct ratio_table){
		.name = name, .from = from.n ? find_table(tables, from) : NULL, .line = line};
	tables->n++;
}

static void add_variable(struct tables *tables, struct span line, const char *path, unsigned number)
{
	struct ratio_table *t = tables->n ? &tables->list[tables->n - 1] : NULL;
	struct span name = span_word(&line);

	if (!t)
		fail_msg("%s:%u: before the first table", path, number);
	GROW(t->variables, t->n, t->cap);
	t->variables[t->n++] = (struct variable){name, span_trim(line), number};
}

void tables_read(struct tables *tables, const char *path)
{
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *whole = xasprintf("%s/%s", srcdir ? srcdir : ".", path);
	unsigned number = 0;
	struct span rest;
	struct err err;
	char *text;
	size_t n;

	if (!file_read(whole, (size_t)1 << 20, &text, &n, &err))
		fail_msg("%s", err.text);
	rest = (struct span){text, n};
	GROW(tables->texts, tables->n_texts, tables->cap_texts);
	tables->texts[tables->n_texts++] = text;
	while (rest.n) {
		struct span all = span_until(&rest, '\n'), line = span_until(&all, '#'), words = line;
		struct span word = span_word(&words);

		number++;
		if (!word.n)
			continue;
		if (line.p[0] != ' ')
			open_table(tables, words, span_is(word, "case"), path, number);
		else
			add_variable(tables, line, path, number);
	}
}

void tables_fini(struct tables *tables)
{
	for (unsigned i = 0; i < tables->n; i++)
		free(tables->list[i].variables);
	for (unsigned i = 0; i < tables->n_texts; i++)
		free(tables->texts[i]);
	free(tables->texts);
	free(tables->list);
}

static const struct variable *find_variable(const struct ratio_table *t, struct span name)
{
	for (; t; t = t->from)
		for (unsigned i = 0; i < t->n; i++)
			if (span_eq(t->variables[i].name, name))
				return &t->variables[i];
	return NULL;
}

struct span table_text(const struct ratio_table *table, const char *name)
{
	const struct variable *v = find_variable(table, span_of(name));

	return v ? v->text : (struct span){"", 0};
}

struct resolver {
	const struct ratio_table *table;
	unsigned nested;
};

static bool resolve_variable(void *ctx, struct span name, struct expr *out, struct err *err)
{
	const struct resolver *r = ctx;
	struct resolver deeper = {r->table, r->nested + 1};
	const struct variable *v = find_variable(r->table, name);
	struct expr one;
	bool ok;

	if (!v || r->nested == NESTED_MAX)
		return err_set(err, 0, "'%.*s' is unknown or in a circle", SPAN_ARG(name));
	if (!expr_compile(&one, v->text, resolve_variable, &deeper, err))
		return false;
	ok = expr_const(out, expr_eval(&one, NULL));
	expr_fini(&one);
	return ok;
}

static double value_of(const struct ratio_table *table, struct span text, unsigned line)
{
	struct resolver r = {table, 0};
	struct expr expr;
	struct err err;
	double value;

	if (!expr_compile(&expr, text, resolve_variable, &r, &err))
		fail_msg("%.*s, line %u: %s", SPAN_ARG(table->name), line, err.text);
	value = expr_eval(&expr, NULL);
	expr_fini(&expr);
	return value;
}

double table_value(const struct ratio_table *table, const char *name)
{
	const struct variable *v = find_variable(table, span_of(name));

	return v ? value_of(table, v->text, v->line) : (double)NAN;
}

void table_check(const struct ratio_table *table)
{
	for (const struct ratio_table *t = table; t && !table_text(table, "unbounded").n; t = t->from)
		for (unsigned i = 0; i < t->n; i++) {
			const struct variable *v = &t->variables[i];
			struct span bound = v->text, what = span_word(&bound);

			if (span_is(v->name, "within") &&
			    value_of(table, what, v->line) >
				    value_of(table, span_trim(bound), v->line) * 1.0001)
				fail_msg("%.*s: %.*s is beyond %.*s, which bounds it", SPAN_ARG(table->name),
					 SPAN_ARG(what), SPAN_ARG(bound));
		}
}

static void write_constant(const struct ratio_table *table, const char *variable, const char *name,
			   struct strbuf *out)
{
	double value = table_value(table, variable);

	if (!isnan(value))
		strbuf_printf(out, "constant\t0\t\t%s\t%.12g\n", name, value);
}

/* Each instance counts as much as the others, and the first one the rest. */
static void write_counter(const struct gpu_counter *c, double sum, unsigned instances, struct strbuf *out)
{
	uint64_t all = (uint64_t)(sum + 0.5), each = all / instances;

	for (unsigned i = 0; i < instances; i++)
		strbuf_printf(out, "%s\t%u\t%u\t%s\t%" PRIu64 "\n", gpu_block_names[c->block], i, c->index,
			      c->name, i ? each : all - each * (instances - 1));
}

void table_write(const struct ratio_table *table, const struct gpu_layout *layout, struct strbuf *out)
{
	static const struct {
		const char *variable;
		enum rawtable_constant constant;
	} constants[] = {{"cores", RAWTABLE_CORES},   {"slices", RAWTABLE_SLICES},
			 {"bus", RAWTABLE_BUS_BITS},  {"seconds", RAWTABLE_SECONDS},
			 {"frames", RAWTABLE_FRAMES}, {"clock", RAWTABLE_CLOCK},
			 {"top", RAWTABLE_TOP_CLOCK}, {"temperature", RAWTABLE_TEMPERATURE},
			 {"thread", RAWTABLE_THREAD}};
	const unsigned instances[BLOCK_COUNT] = {
		[BLOCK_FRONT_END] = 1,
		[BLOCK_TILER] = 1,
		[BLOCK_MEMORY] = (unsigned)table_value(table, "slices"),
		[BLOCK_CORE] = (unsigned)table_value(table, "cores"),
	};

	strbuf_str(out, RAWTABLE_HEADER "\n");
	for (size_t i = 0; i < ARRAY_LEN(constants); i++)
		write_constant(table, constants[i].variable, rawtable_constant_names[constants[i].constant],
			       out);
	for (unsigned i = 0; i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];
		double sum = c->name ? table_value(table, c->name) : (double)NAN;

		if (!isnan(sum))
			write_counter(c, sum, instances[c->block], out);
	}
}
