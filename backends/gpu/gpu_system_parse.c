#include "backends/gpu/gpu_system.h"

#include "base/alloc.h"

#include <string.h>

#define HZ_MIN 10000000u
#define HZ_MAX 3000000000u
#define MEMORY_MAX ((uint64_t)1 << 44)
#define TICK_NS 256               /* kbase counts busy and idle time in steps of 256 ns */
#define PERIOD_MAX_NS 2000000000u /* the longest interval over which a driver measures its load */

_Static_assert(HZ_MAX / HZ_MIN < 1000, "a clock in Hz, kHz or MHz is in the range of that unit only");

static enum gpu_system_answer scale_clock(uint64_t v, uint64_t *hz)
{
	static const uint64_t units[] = {1, 1000, 1000000};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (v >= HZ_MIN / units[i] && v <= HZ_MAX / units[i]) {
			*hz = v * units[i];
			return ANSWER_VALUE;
		}
	return v ? ANSWER_STRANGE : ANSWER_NOTHING_NOW; /* a GPU that is off has no clock */
}

enum gpu_system_answer gpu_system_parse_clock(struct gpu_system *g, struct span text, uint64_t *value)
{
	uint64_t v;

	(void)g;
	return span_u64(span_trim(text), &v) ? scale_clock(v, value) : ANSWER_STRANGE;
}

enum gpu_system_answer gpu_system_parse_indexed_clock(struct gpu_system *g, struct span text, uint64_t *value)
{
	uint64_t index;

	return span_u64(span_word(&text), &index) ? gpu_system_parse_clock(g, text, value) : ANSWER_STRANGE;
}

enum gpu_system_answer gpu_system_parse_top_clock(struct gpu_system *g, struct span text, uint64_t *value)
{
	uint64_t top = 0, v;

	(void)g;
	for (struct span word = span_word(&text); word.n; word = span_word(&text)) {
		if (!span_u64(word, &v))
			return ANSWER_STRANGE;
		top = v > top ? v : top;
	}
	return scale_clock(top, value);
}

enum gpu_system_answer gpu_system_parse_percent(struct gpu_system *g, struct span text, uint64_t *value)
{
	struct span word = span_word(&text), digits = {word.p, 0};

	(void)g;
	while (digits.n < word.n && word.p[digits.n] >= '0' && word.p[digits.n] <= '9')
		digits.n++;
	if (digits.n < word.n && word.p[digits.n] != '%' && word.p[digits.n] != '@')
		return ANSWER_STRANGE;
	return span_u64(digits, value) && *value <= 100 ? ANSWER_VALUE : ANSWER_STRANGE;
}

/* The number after a word; later drivers write more words. */
static bool find_count(struct span text, const char *name, uint32_t *count)
{
	uint64_t v;

	while (text.n) {
		struct span word = span_word(&text);

		if (!span_is(word, name))
			continue;
		if (!span_u64(span_word(&text), &v) || v > UINT32_MAX)
			return false;
		*count = (uint32_t)v;
		return true;
	}
	return false;
}

/* Up to r44 the numbers grow all the time; later they cover the driver's last interval. The clock
 * shows which: either together they have grown by the time since the last read, or they add up to a
 * short time. A suspended driver does not change them, which means nothing; then the time counts
 * from their last change. */
enum gpu_system_answer gpu_system_parse_counts(struct gpu_system *g, struct span text, uint64_t *value)
{
	int64_t now_ns = g->sys->monotonic_ns(g->sys);
	uint64_t busy, sum, elapsed = (uint64_t)(now_ns - g->counts.at_ns) / TICK_NS;
	bool known = g->counts.known, grown;
	uint32_t b, i;

	if (!find_count(text, "busy_time:", &b) || !find_count(text, "idle_time:", &i))
		return ANSWER_STRANGE;
	if (known && b == g->counts.busy && i == g->counts.idle)
		return ANSWER_NOTHING_NOW;
	busy = b - g->counts.busy;
	sum = busy + (uint32_t)(i - g->counts.idle);
	grown = sum >= elapsed / 2 && sum <= elapsed + elapsed / 2;
	g->counts.busy = b;
	g->counts.idle = i;
	g->counts.at_ns = now_ns;
	g->counts.known = true;
	if (!grown) {
		busy = b;
		sum = (uint64_t)b + i;
	}
	if (!known || !sum || (!grown && sum > PERIOD_MAX_NS / TICK_NS))
		return ANSWER_NOTHING_NOW;
	*value = (busy * 100 + sum / 2) / sum;
	return ANSWER_VALUE;
}

enum gpu_system_answer gpu_system_parse_bytes(struct gpu_system *g, struct span text, uint64_t *value)
{
	(void)g;
	return span_u64(span_trim(text), value) && *value <= MEMORY_MAX ? ANSWER_VALUE : ANSWER_STRANGE;
}

/* The driver in the program writes this text, with a total at its end. Later drivers write two:
 * only one of them is without memory of the CPU. */
enum gpu_system_answer gpu_system_parse_profile(struct gpu_system *g, struct span text, uint64_t *value)
{
	static const char *const titles[] = {"Total allocated memory:", "Total allocated GPU memory:"};
	enum gpu_system_answer answer = ANSWER_STRANGE;
	size_t best = 0;

	while (text.n) {
		struct span line = span_until(&text, '\n');

		for (size_t i = best; i < ARRAY_LEN(titles); i++) {
			size_t n = strlen(titles[i]);

			if (line.n < n || memcmp(line.p, titles[i], n) != 0)
				continue;
			answer = gpu_system_parse_bytes(g, (struct span){line.p + n, line.n - n}, value);
			best = i;
		}
	}
	return answer;
}

enum gpu_system_answer gpu_system_parse_power(struct gpu_system *g, struct span text, uint64_t *value)
{
	(void)g;
	text = span_trim(text);
	*value = span_is(text, "suspended");
	return text.n ? ANSWER_VALUE : ANSWER_STRANGE;
}

struct span gpu_system_lines(const char *buf, ssize_t n, size_t size)
{
	struct span text = {buf, n > 0 ? (size_t)n : 0};

	while (text.n && text.n + 1 >= size && text.p[text.n - 1] != '\n')
		text.n--, size--;
	return text;
}

void gpu_system_table_init(struct gpu_system_table *table, const struct gpu_system *g, struct span text)
{
	*table = (struct gpu_system_table){.rest = text, .g = g};
}

static bool take_pages(const struct gpu_system *g, struct span word, struct gpu_system_row *row)
{
	uint64_t pages;

	if (!span_u64(word, &pages) || pages > MEMORY_MAX / g->page_bytes)
		return false;
	row->bytes = pages * g->page_bytes;
	return true;
}

/* "mali0 1234" and "mali0 total used_pages 1234" */
static bool take_device(struct gpu_system_table *table, struct span name, struct span rest,
			struct gpu_system_row *row)
{
	struct span word = span_word(&rest);
	uint64_t number;

	if (name.n < 5 || memcmp(name.p, "mali", 4) != 0 ||
	    !span_u64((struct span){name.p + 4, name.n - 4}, &number))
		return false;
	table->own = number == table->g->number;
	if (span_is(word, "total") && span_is(span_word(&rest), "used_pages"))
		word = span_word(&rest);
	return table->own && take_pages(table->g, word, row);
}

/* "kctx-0x00000000a0c016f1 1000" and "00000000a0c016f1 4711 1000" */
static bool take_context(struct gpu_system_table *table, struct span name, struct span rest,
			 struct gpu_system_row *row)
{
	struct span word = span_word(&rest);
	uint64_t pid;

	if (span_is(name, "kctx") && span_is(word, "pid")) {
		table->pids = true;
		return false;
	}
	if (!table->own)
		return false;
	if (name.n > 5 && memcmp(name.p, "kctx-", 5) == 0)
		return take_pages(table->g, word, row);
	if (!table->pids || !span_u64(word, &pid) || !pid || pid > INT32_MAX)
		return false;
	row->pid = (unsigned)pid;
	return take_pages(table->g, span_word(&rest), row);
}

bool gpu_system_table_next(struct gpu_system_table *table, struct gpu_system_row *row)
{
	while (table->rest.n) {
		struct span line = span_until(&table->rest, '\n'), name = span_word(&line);

		*row = (struct gpu_system_row){.device = true};
		if (take_device(table, name, line, row))
			return true;
		row->device = false;
		if (take_context(table, name, line, row))
			return true;
	}
	return false;
}

enum gpu_system_answer gpu_system_parse_table(struct gpu_system *g, struct span text, uint64_t *value)
{
	struct gpu_system_table table;
	struct gpu_system_row row;

	gpu_system_table_init(&table, g, text);
	while (gpu_system_table_next(&table, &row))
		if (row.device) {
			*value = row.bytes;
			return ANSWER_VALUE;
		}
	return ANSWER_STRANGE;
}

enum gpu_system_answer gpu_system_parse_pids(struct gpu_system *g, struct span text, uint64_t *value)
{
	struct gpu_system_table table;
	struct gpu_system_row row;

	(void)value;
	gpu_system_table_init(&table, g, text);
	while (gpu_system_table_next(&table, &row))
		;
	return table.pids ? ANSWER_VALUE : ANSWER_STRANGE;
}
