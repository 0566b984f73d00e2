#include "model/rawtable.h"

#include "base/alloc.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rawtable_constant_names[RAWTABLE_CONSTANTS] = {
	[RAWTABLE_CORES] = "shader_core_count",   [RAWTABLE_SLICES] = "l2_slice_count",
	[RAWTABLE_BUS_BITS] = "bus_width_bits",   [RAWTABLE_SECONDS] = "sample_seconds",
	[RAWTABLE_FRAMES] = "frames_shown",       [RAWTABLE_FRAME_MS] = "frame_ms",
	[RAWTABLE_CLOCK] = "clock_mhz",           [RAWTABLE_TOP_CLOCK] = "top_clock_mhz",
	[RAWTABLE_TEMPERATURE] = "temperature_c", [RAWTABLE_THREAD] = "busiest_thread",
};

enum rawtable_field { FIELD_BLOCK, FIELD_INSTANCE, FIELD_INDEX, FIELD_NAME, FIELD_VALUE, FIELD_COUNT };

/* The parser's state, with its position for messages. */
struct rawtable_reader {
	struct rawtable *table;
	const char *file;
	unsigned line;
	struct err *err;
};

static bool fail_line(const struct rawtable_reader *rd, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail_line(const struct rawtable_reader *rd, unsigned line, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(rd->err, 0, "%s:%u: %s", rd->file, line, what);
}

/* Make a field fit for a message: bounded and printable. */
#define SHOWN 48
static const char *shown_text(char buf[SHOWN], struct span s)
{
	char text[SHOWN];

	snprintf(text, sizeof(text), "%.*s", s.n < SHOWN ? (int)s.n : SHOWN - 1, s.n ? s.p : "");
	return str_printable(buf, SHOWN, text);
}

/* Parse digits only; span_u64 alone would also accept hexadecimal. */
static bool parse_count(struct span s, uint64_t *value)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]))
			return false;
	return span_u64(s, value);
}

/* Parse a plain decimal: digits and a point, no sign and no exponent. */
static bool parse_decimal(struct span s, bool positive, double *value)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]) && s.p[i] != '.')
			return false;
	return span_double(s, value) && isfinite(*value) && (*value > 0 || !positive);
}

/* Of no frame and of an idle machine the number is 0. */
static bool may_be_zero(enum rawtable_constant c)
{
	return c == RAWTABLE_FRAMES || c == RAWTABLE_TEMPERATURE || c == RAWTABLE_THREAD;
}

static bool fail_unknown_constant(struct rawtable_reader *rd, struct span name)
{
	AUTO_STRBUF struct strbuf all = {0};
	char buf[SHOWN];

	for (unsigned c = 0; c < RAWTABLE_CONSTANTS; c++)
		strbuf_printf(&all, "%s%s",
			      c == 0                       ? ""
			      : c + 1 < RAWTABLE_CONSTANTS ? ", "
							   : " or ",
			      rawtable_constant_names[c]);
	return fail_line(rd, rd->line, "unknown constant '%s': expected %s", shown_text(buf, name), all.p);
}

static bool add_constant(struct rawtable_reader *rd, const struct span fields[FIELD_COUNT])
{
	struct rawtable *t = rd->table;
	char buf[SHOWN];
	uint64_t ignored;

	if (fields[FIELD_INDEX].n)
		return fail_line(rd, rd->line, "index '%s' of a constant: leave it empty",
				 shown_text(buf, fields[FIELD_INDEX]));
	if (fields[FIELD_INSTANCE].n && !parse_count(fields[FIELD_INSTANCE], &ignored))
		return fail_line(rd, rd->line, "instance '%s' is not a number: write 0",
				 shown_text(buf, fields[FIELD_INSTANCE]));
	for (unsigned c = 0; c < RAWTABLE_CONSTANTS; c++) {
		if (!span_is(fields[FIELD_NAME], rawtable_constant_names[c]))
			continue;
		if (t->constants[c].line)
			return fail_line(rd, rd->line, "constant %s is already in line %u: remove one",
					 rawtable_constant_names[c], t->constants[c].line);
		t->constants[c].line = rd->line;
		if (c >= RAWTABLE_SECONDS &&
		    !parse_decimal(fields[FIELD_VALUE], !may_be_zero(c), &t->constants[c].decimal))
			return fail_line(
				rd, rd->line, "%s '%s' is not a decimal%s: write a number such as %s",
				rawtable_constant_names[c], shown_text(buf, fields[FIELD_VALUE]),
				may_be_zero(c) ? "" : " above 0", c == RAWTABLE_SECONDS ? "0.1" : "16.7");
		if (c < RAWTABLE_SECONDS && !parse_count(fields[FIELD_VALUE], &t->constants[c].value))
			return fail_line(rd, rd->line, "value '%s' is not an unsigned 64-bit integer",
					 shown_text(buf, fields[FIELD_VALUE]));
		return true;
	}
	return fail_unknown_constant(rd, fields[FIELD_NAME]);
}

/* Find the published counter of a row. */
static bool find_counter(struct rawtable_reader *rd, enum gpu_block block,
			 const struct span fields[FIELD_COUNT], unsigned *counter)
{
	const struct gpu_layout *layout = rd->table->layout;
	const struct gpu_counter *c;
	struct span name = fields[FIELD_NAME];
	const char *where = gpu_block_names[block];
	char buf[SHOWN];
	uint64_t index;

	if (!parse_count(fields[FIELD_INDEX], &index))
		return fail_line(rd, rd->line, "index '%s' is not a number: write the slot of the counter",
				 shown_text(buf, fields[FIELD_INDEX]));
	if (index >= layout->slots_per_block)
		return fail_line(rd, rd->line,
				 "index %llu, but a block of this GPU has %u slots: is --gpu right?",
				 (unsigned long long)index, layout->slots_per_block);
	c = gpu_layout_at(layout, block, (unsigned)index);
	if (!c)
		return fail_line(rd, rd->line, "unknown index %u in %s: see malitop list counters",
				 (unsigned)index, where);
	if (!c->name)
		return fail_line(rd, rd->line, "index %u in %s (%s) is not published: remove the row",
				 (unsigned)index, where, c->hw_name);
	if (name.n && !span_is(name, c->hw_name) && !span_is(name, c->name))
		return fail_line(rd, rd->line, "wrong name '%s': index %u in %s is %s (%s)",
				 shown_text(buf, name), (unsigned)index, where, c->hw_name, c->name);
	*counter = (unsigned)(c - layout->counters);
	return true;
}

static bool add_counter(struct rawtable_reader *rd, enum gpu_block block,
			const struct span fields[FIELD_COUNT])
{
	struct rawtable *t = rd->table;
	struct rawtable_row row = {.line = rd->line};
	char buf[SHOWN];

	if (!parse_count(fields[FIELD_INSTANCE], &row.instance))
		return fail_line(rd, rd->line, "instance '%s' is not a number",
				 shown_text(buf, fields[FIELD_INSTANCE]));
	if (!find_counter(rd, block, fields, &row.counter))
		return false;
	if (!parse_count(fields[FIELD_VALUE], &row.value))
		return fail_line(rd, rd->line, "value '%s' is not an unsigned 64-bit integer",
				 shown_text(buf, fields[FIELD_VALUE]));
	GROW(t->rows, t->n_rows, t->cap_rows);
	t->rows[t->n_rows++] = row;
	return true;
}

static bool add_line(struct rawtable_reader *rd, struct span text)
{
	struct span fields[FIELD_COUNT];
	unsigned n = 1;
	char buf[SHOWN];

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\t';
	if (n != FIELD_COUNT)
		return fail_line(rd, rd->line,
				 "%u columns: expected %d, tab-separated: block instance index name value", n,
				 FIELD_COUNT);
	for (unsigned f = 0; f < FIELD_COUNT; f++)
		fields[f] = span_until(&text, '\t');
	if (span_is(fields[FIELD_BLOCK], RAWTABLE_CONSTANT_BLOCK))
		return add_constant(rd, fields);
	for (unsigned b = 0; b < BLOCK_COUNT; b++)
		if (span_is(fields[FIELD_BLOCK], gpu_block_names[b]))
			return add_counter(rd, b, fields);
	return fail_line(
		rd, rd->line,
		"unknown block '%s': expected constant, front_end, tiler, memory_system or shader_core",
		shown_text(buf, fields[FIELD_BLOCK]));
}

static int by_counter(const void *a, const void *b)
{
	const struct rawtable_row *x = a, *y = b;

	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Find how many instances every counter of a block must have, and why. Returns false if that is
 * still unknown. */
static bool expected_instances(const struct rawtable *t, enum gpu_block block, uint64_t *expected,
			       const char **why)
{
	static const enum rawtable_constant constants[BLOCK_COUNT] = {
		[BLOCK_MEMORY] = RAWTABLE_SLICES, [BLOCK_CORE] = RAWTABLE_CORES};

	if (block == BLOCK_FRONT_END || block == BLOCK_TILER) {
		*why = "there is one per GPU";
		*expected = 1;
		return true;
	}
	*why = rawtable_constant_names[constants[block]];
	*expected = t->constants[constants[block]].value;
	if (t->constants[constants[block]].line)
		return true;
	*why = "as the other counters";
	*expected = t->instances[block];
	return *expected != 0;
}

/* Check the rows [from, to) of one counter: each instance must occur once, and none may be
 * missing. */
static bool check_counter(struct rawtable_reader *rd, unsigned from, unsigned to)
{
	struct rawtable *t = rd->table;
	const struct gpu_counter *c = &t->layout->counters[t->rows[from].counter];
	unsigned n = to - from, last = 0;
	uint64_t expected;
	const char *why;

	for (unsigned i = from + 1; i < to; i++)
		if (t->rows[i].instance == t->rows[i - 1].instance)
			return fail_line(rd, t->rows[i].line,
					 "duplicate: %s of %s %llu is already in line %u", c->hw_name,
					 gpu_block_names[c->block], (unsigned long long)t->rows[i].instance,
					 t->rows[i - 1].line);
	for (unsigned i = from; i < to; i++)
		if (t->rows[i].line > last)
			last = t->rows[i].line;
	if (expected_instances(t, c->block, &expected, &why) && n != expected)
		return fail_line(rd, last,
				 "%s has %u instance%s in %s, expected %llu (%s): give one row for each",
				 c->hw_name, n, n == 1 ? "" : "s", gpu_block_names[c->block],
				 (unsigned long long)expected, why);
	t->instances[c->block] = n;
	return true;
}

static bool check_rows(struct rawtable_reader *rd)
{
	struct rawtable *t = rd->table;

	if (t->n_rows)
		qsort(t->rows, t->n_rows, sizeof(t->rows[0]), by_counter);
	for (unsigned from = 0, to; from < t->n_rows; from = to) {
		for (to = from + 1; to < t->n_rows && t->rows[to].counter == t->rows[from].counter;)
			to++;
		if (!check_counter(rd, from, to))
			return false;
	}
	return true;
}

bool rawtable_next(struct rawtable *table, const struct gpu_layout *layout, const char *file,
		   struct span *text, unsigned *before, struct err *err)
{
	struct rawtable_reader rd = {.table = table, .file = file, .line = *before, .err = err};
	bool header = false;

	*table = (struct rawtable){.layout = layout};
	while (text->n) {
		struct span rest = *text, line = span_until(&rest, '\n'), words;

		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		words = span_trim(line);
		if (header && span_is(line, RAWTABLE_HEADER))
			break; /* the next sample */
		*text = rest;
		rd.line++;
		if (!line.n || (words.n && words.p[0] == '#'))
			continue;
		if (header) {
			if (!add_line(&rd, line))
				return false;
			continue;
		}
		if (!span_is(line, RAWTABLE_HEADER))
			return fail_line(&rd, rd.line,
					 "no header: expected the words block, instance, index, name and "
					 "value between tabs");
		header = true;
	}
	*before = rd.line;
	if (!header)
		return fail_line(
			&rd, rd.line + 1,
			"empty: expected the header block, instance, index, name and value between tabs");
	return check_rows(&rd);
}

bool rawtable_parse(struct rawtable *table, const struct gpu_layout *layout, const char *file,
		    struct span text, struct err *err)
{
	unsigned lines = 0;

	if (!rawtable_next(table, layout, file, &text, &lines, err))
		return false;
	return !text.n ||
	       err_set(err, 0, "%s:%u: a second table: metrics are of one sample; --findings reads several",
		       file, lines + 1);
}

void rawtable_fini(struct rawtable *table)
{
	free(table->rows);
	*table = (struct rawtable){0};
}
