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

struct rawtable_line {
	struct span block, instance, index, name, value;
};

/* The parser's state, with its position for messages. */
struct rawtable_reader {
	struct rawtable *table;
	const char *file;
	unsigned line;
	struct err *err;
};

/* "file:line: ..." of the line that is being read. */
static bool fail_line(const struct rawtable_reader *rd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail_line(const struct rawtable_reader *rd, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(rd->err, 0, "%s:%u: %s", rd->file, rd->line, what);
}

/* Make a field fit for a message: bounded and printable. */
#define SHOWN 48
#define SHOW(span) shown_text((char[SHOWN]){0}, span)
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

	for (unsigned c = 0; c < RAWTABLE_CONSTANTS; c++)
		strbuf_printf(&all, "%s%s",
			      c == 0                       ? ""
			      : c + 1 < RAWTABLE_CONSTANTS ? ", "
							   : " or ",
			      rawtable_constant_names[c]);
	return fail_line(rd, "unknown constant '%s': expected %s", SHOW(name), all.p);
}

static bool add_constant(struct rawtable_reader *rd, const struct rawtable_line *line)
{
	struct rawtable *t = rd->table;
	uint64_t ignored;

	if (line->index.n)
		return fail_line(rd, "index '%s' of a constant: leave it empty", SHOW(line->index));
	if (line->instance.n && !parse_count(line->instance, &ignored))
		return fail_line(rd, "instance '%s' is not a number: write 0", SHOW(line->instance));
	for (unsigned c = 0; c < RAWTABLE_CONSTANTS; c++) {
		if (!span_is(line->name, rawtable_constant_names[c]))
			continue;
		if (t->constants[c].line)
			return fail_line(rd, "constant %s is already in line %u: remove one",
					 rawtable_constant_names[c], t->constants[c].line);
		t->constants[c].line = rd->line;
		if (c >= RAWTABLE_SECONDS &&
		    !parse_decimal(line->value, !may_be_zero(c), &t->constants[c].decimal))
			return fail_line(rd, "%s '%s' is not a decimal%s: write a number such as %s",
					 rawtable_constant_names[c], SHOW(line->value),
					 may_be_zero(c) ? "" : " above 0",
					 c == RAWTABLE_SECONDS ? "0.1" : "16.7");
		if (c < RAWTABLE_SECONDS && !parse_count(line->value, &t->constants[c].value))
			return fail_line(rd, "value '%s' is not an unsigned 64-bit integer",
					 SHOW(line->value));
		return true;
	}
	return fail_unknown_constant(rd, line->name);
}

/* Find the published counter of a row. */
static bool find_counter(struct rawtable_reader *rd, enum gpu_block block, const struct rawtable_line *line,
			 unsigned *counter)
{
	const struct gpu_layout *layout = rd->table->layout;
	const struct gpu_counter *c;
	struct span name = line->name;
	const char *where = gpu_block_names[block];
	uint64_t index;

	if (!parse_count(line->index, &index))
		return fail_line(rd, "index '%s' is not a number: write the slot of the counter",
				 SHOW(line->index));
	if (index >= layout->slots_per_block)
		return fail_line(rd, "index %llu, but a block of this GPU has %u slots: is --gpu right?",
				 (unsigned long long)index, layout->slots_per_block);
	c = gpu_layout_at(layout, block, (unsigned)index);
	if (!c)
		return fail_line(rd, "unknown index %u in %s: see malitop list counters", (unsigned)index,
				 where);
	if (!c->name)
		return fail_line(rd, "index %u in %s (%s) is not published: remove the row", (unsigned)index,
				 where, c->hw_name);
	if (name.n && !span_is(name, c->hw_name) && !span_is(name, c->name))
		return fail_line(rd, "wrong name '%s': index %u in %s is %s (%s)", SHOW(name),
				 (unsigned)index, where, c->hw_name, c->name);
	*counter = (unsigned)(c - layout->counters);
	return true;
}

static bool add_counter(struct rawtable_reader *rd, enum gpu_block block, const struct rawtable_line *line)
{
	struct rawtable *t = rd->table;
	struct rawtable_row row = {.line = rd->line};

	if (!parse_count(line->instance, &row.instance))
		return fail_line(rd, "instance '%s' is not a number", SHOW(line->instance));
	if (!find_counter(rd, block, line, &row.counter))
		return false;
	if (!parse_count(line->value, &row.value))
		return fail_line(rd, "value '%s' is not an unsigned 64-bit integer", SHOW(line->value));
	GROW(t->rows, t->n_rows, t->cap_rows);
	t->rows[t->n_rows++] = row;
	return true;
}

static bool add_line(struct rawtable_reader *rd, struct span text)
{
	struct rawtable_line line;
	struct span *const columns[] = {&line.block, &line.instance, &line.index, &line.name, &line.value};
	unsigned n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\t';
	if (n != ARRAY_LEN(columns))
		return fail_line(rd,
				 "%u column%s: expected %zu, tab-separated: block instance index name value",
				 n, plural_ending(n), ARRAY_LEN(columns));
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		*columns[i] = span_until(&text, '\t');
	if (span_is(line.block, RAWTABLE_CONSTANT_BLOCK))
		return add_constant(rd, &line);
	for (unsigned b = 0; b < BLOCK_COUNT; b++)
		if (span_is(line.block, gpu_block_names[b]))
			return add_counter(rd, b, &line);
	return fail_line(
		rd, "unknown block '%s': expected constant, front_end, tiler, memory_system or shader_core",
		SHOW(line.block));
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

/* Find how many instances every counter of a block must have, and why; n if that is still
 * unknown. */
static uint64_t expected_instances(const struct rawtable *t, enum gpu_block block, unsigned n,
				   const char **why)
{
	enum rawtable_constant constant = block == BLOCK_MEMORY ? RAWTABLE_SLICES : RAWTABLE_CORES;

	*why = "there is one per GPU";
	if (block == BLOCK_FRONT_END || block == BLOCK_TILER)
		return 1;
	*why = rawtable_constant_names[constant];
	if (t->constants[constant].line)
		return t->constants[constant].value;
	*why = "as the other counters";
	return t->instances[block] ? t->instances[block] : n;
}

/* Check the rows [from, to) of one counter: each instance must occur once, and none may be
 * missing. */
static bool check_counter(struct rawtable_reader *rd, unsigned from, unsigned to)
{
	struct rawtable *t = rd->table;
	const struct gpu_counter *c = &t->layout->counters[t->rows[from].counter];
	const char *why, *block = gpu_block_names[c->block];
	unsigned n = to - from;
	uint64_t expected = expected_instances(t, c->block, n, &why);

	rd->line = 0;
	for (unsigned i = from; i < to; i++) {
		const struct rawtable_row *row = &t->rows[i], *before = i > from ? row - 1 : NULL;

		if (before && row->instance == before->instance) {
			rd->line = row->line;
			return fail_line(rd, "duplicate: %s of %s %llu is already in line %u", c->hw_name,
					 block, (unsigned long long)row->instance, before->line);
		}
		if (row->line > rd->line)
			rd->line = row->line;
	}
	if (n != expected)
		return fail_line(rd, "%s has %u instance%s in %s, expected %llu (%s): give one row for each",
				 c->hw_name, n, plural_ending(n), block, (unsigned long long)expected, why);
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
			return fail_line(&rd,
					 "no header: expected the words block, instance, index, name and "
					 "value between tabs");
		header = true;
	}
	*before = rd.line;
	if (header)
		return check_rows(&rd);
	rd.line++;
	return fail_line(&rd,
			 "empty: expected the header block, instance, index, name and value between tabs");
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
