#include "passes/pass_table.h"

#include "base/alloc.h"
#include "base/str.h"
#include "passes/pass_fold.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Earlier versions had fewer slots of a row. The first one had a name as text: OLD_WORDS slots of
 * OLD_BYTES, the last ones. */
enum { OLD_WORDS = 10, OLD_APP_WORDS = 8, OLD_BYTES = 3 };
#define OLD_SPAN_US (1 << 20)

static unsigned find_slot(const struct metric_set *set, const char *name)
{
	unsigned i = 0;

	while (i < set->n_slots && strcmp(set->slots[i].name, name) != 0)
		i++;
	return i;
}

static double slot_value(const struct metric_set *set, const double *vector, const char *name)
{
	unsigned i = find_slot(set, name);

	return i < set->n_slots ? vector[VECTOR_CONSTANTS + i] * set->slots[i].scale : (double)NAN;
}

/* A level that is a small number; `most` is what it must be below. */
static unsigned small_number(double value, unsigned most)
{
	return value >= 0 && value < most ? (unsigned)value : 0;
}

static void read_text(char *text, size_t size, const double *words, unsigned n)
{
	char raw[OLD_WORDS * OLD_BYTES + 1];
	unsigned length = 0;

	for (unsigned w = 0; w < n; w++) {
		unsigned bytes = small_number(words[w], 1u << 8 * OLD_BYTES);

		for (unsigned b = 0; b < OLD_BYTES; b++)
			raw[length++] = (char)(bytes >> 8 * b & 0xff);
	}
	raw[length] = 0;
	str_printable(text, size, raw);
}

static double row_metric(const struct metric_set *set, const double *vector, unsigned row, const char *what)
{
	const struct metric *metric;
	char name[32];

	snprintf(name, sizeof(name), "pass%u.%s", row, what);
	metric = metric_find(set, span_of(name));
	return metric ? metric_value(metric, vector) : NAN;
}

/* Return the slots of a row, 0 if there is none. */
static unsigned row_slots(const struct metric_set *set, unsigned first, unsigned row)
{
	char name[32];
	int length = snprintf(name, sizeof(name), "Pass%u", row);
	unsigned n = 0;

	while (first + n < set->n_slots && strncmp(set->slots[first + n].name, name, (size_t)length) == 0 &&
	       isalpha((unsigned char)set->slots[first + n].name[length]))
		n++;
	return n > ROW_SPAN_P50 && strcmp(set->slots[first].name + length, "Time") == 0 ? n : 0;
}

/* The value of a slot that not all versions have. */
static double later_value(const double *slots, unsigned n, unsigned slot)
{
	return slot < n ? slots[slot] : (double)NAN;
}

/* Read the name at `slots`: a number, or of earlier versions n words. */
static void read_name(char text[PASS_NAME_TEXT], const struct pass_names *names, const double *slots,
		      bool is_old, unsigned n)
{
	if (is_old)
		read_text(text, PASS_NAME_TEXT, slots, n);
	else
		snprintf(text, PASS_NAME_TEXT, "%s",
			 names ? names->text[small_number(slots[0], PASS_NAMES_MOST + 1)] : "");
}

bool pass_table_has(const struct metric_set *set)
{
	return row_slots(set, find_slot(set, "Pass1Time"), 1) > 0;
}

bool pass_driver_is_software(char *driver)
{
	const size_t n = strlen(driver), suffix = strlen(PASSES_ON_CPU);
	static const char *const names[] = {"llvmpipe", "lavapipe", "softpipe", "SwiftShader"};

	if (n >= suffix && strcmp(driver + n - suffix, PASSES_ON_CPU) == 0) {
		driver[n - suffix] = 0;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasestr(driver, names[i]))
			return true;
	return false;
}

static void read_lines(struct pass_table *table, const struct metric_set *set, const double *vector,
		       const struct pass_names *names)
{
	unsigned first = find_slot(set, "Pass1Time"), n = row_slots(set, first, 1);
	bool is_old = n >= ROW_NAME + OLD_WORDS && find_slot(set, "Pass1Name0") == first + ROW_NAME;

	for (unsigned row = 1; row <= PASS_TABLE_ROWS && n; first += n, n = row_slots(set, first, ++row)) {
		const double *slots = vector + VECTOR_CONSTANTS + first;
		unsigned later = is_old ? 0 : n, at;
		struct pass_line line = {
			.row = row,
			.ms = row_metric(set, vector, row, "ms"),
			.span_ms = row_metric(set, vector, row, "span_ms"),
			.share = row_metric(set, vector, row, "share"),
			.span_p50_ms = later_value(slots, later, ROW_SPAN_P50) * 1e-6,
			.least_ms = later_value(slots, later, ROW_LEAST) * 1e-6,
			.p50_ms = later_value(slots, later, ROW_P50) * 1e-6,
			.most_ms = later_value(slots, later, ROW_MOST) * 1e-6,
			.p95_ms = slots[ROW_P95] * 1e-6,
			.count = slots[ROW_COUNT],
			.per_frame = slots[ROW_COUNT] / table->frames,
			.draws = later_value(slots, later, ROW_DRAWS) / table->frames,
			.dispatches = later_value(slots, later, ROW_DISPATCHES) / table->frames,
			.vertices = later_value(slots, later, ROW_VERTICES) / table->frames,
			.kind = (enum passes_kind)small_number(slots[ROW_KIND], PASSES_KINDS),
			.width = small_number(slots[ROW_WIDTH], 65536),
			.height = small_number(slots[ROW_HEIGHT], 65536)};

		if (!(slots[ROW_COUNT] > 0) || isnan(line.ms))
			continue;
		read_name(line.name, names, &slots[ROW_NAME], is_old, OLD_WORDS);
		for (at = table->n++; at > 0 && table->lines[at - 1].ms < line.ms; at--)
			table->lines[at] = table->lines[at - 1];
		table->lines[at] = line;
	}
}

/* A log without regions has no slots of them. */
static void read_regions(struct pass_table *table, const struct metric_set *set, const double *vector,
			 const struct pass_names *names)
{
	bool is_old = find_slot(set, "Region1Name0") < set->n_slots;
	const unsigned stride = 4 + (is_old ? OLD_WORDS : 1);
	unsigned at = find_slot(set, "Region1Time");

	for (unsigned row = 1; row <= REGION_ROWS && at + stride <= set->n_slots; row++, at += stride) {
		const double *slots = vector + VECTOR_CONSTANTS + at;
		struct region_line *line = &table->regions[table->n_regions];

		if (!(slots[1] > 0))
			continue;
		*line = (struct region_line){.row = row,
					     .ms = slots[0] * set->slots[at].scale,
					     .calls = slots[1],
					     .cycles = slots[2],
					     .instructions = slots[3]};
		read_name(line->name, names, &slots[4], is_old, OLD_WORDS);
		table->n_regions++;
	}
}

static void read_app(struct pass_table *table, const struct metric_set *set, const double *vector,
		     const struct pass_names *names)
{
	double words[OLD_APP_WORDS] = {slot_value(set, vector, "PassesAppName")};
	bool is_old = find_slot(set, "PassesAppName0") < set->n_slots;

	for (unsigned w = 0; w < OLD_APP_WORDS && is_old; w++) {
		char name[32];

		snprintf(name, sizeof(name), "PassesAppName%u", w);
		words[w] = slot_value(set, vector, name);
	}
	read_name(table->app, names, words, is_old, OLD_APP_WORDS);
	words[0] = slot_value(set, vector, "PassesDriver");
	read_name(table->driver, names, words, false, 1);
	words[0] = slot_value(set, vector, "PassesOther");
	read_name(table->other, names, words, false, 1);
	table->other_pid = small_number(slot_value(set, vector, "PassesOtherPid"), 1u << 31);
	table->software = pass_driver_is_software(table->driver);
}

void pass_table_read(struct pass_table *table, const struct metric_set *set, const double *vector,
		     const struct pass_names *names)
{
	*table = (struct pass_table){.frames = slot_value(set, vector, "FrameTimed"),
				     .missed = slot_value(set, vector, "FrameMissed")};
	read_app(table, set, vector, names);
	table->pid = small_number(slot_value(set, vector, "PassesPid"), 1u << 31);
	table->apps = small_number(slot_value(set, vector, "PassesApps"), 1u << 31);
	table->stamp = (enum passes_stamp)small_number(slot_value(set, vector, "PassesStamp"), PASSES_STAMPS);
	table->boundary = (enum passes_boundary)small_number(slot_value(set, vector, "PassesBoundary"),
							     PASSES_BOUNDARIES);
	read_lines(table, set, vector, names);
	read_regions(table, set, vector, names);
}

static bool unpack_span(struct frame_span *span, const double slots[2], unsigned rows)
{
	unsigned bits = small_number(slots[0], 1u << 31);

	*span = (struct frame_span){.row = bits & 63,
				    .queue = bits >> 6 & 7,
				    .of = (enum pass_span_of)(bits >> 9 & 3),
				    .begin_ms = (bits >> 11) * 1e-3};
	span->end_ms = span->begin_ms + small_number(slots[1], OLD_SPAN_US) * 1e-3;
	return span->row >= 1 && span->row <= rows && span->of <= SPAN_OF_LATER;
}

void pass_frame_read(struct pass_frame *frame, const struct metric_set *set, const double *vector)
{
	unsigned pass = find_slot(set, "PassSpan0"), region = find_slot(set, "RegionSpan0");

	*frame = (struct pass_frame){.number = slot_value(set, vector, "FrameOne"),
				     .ms = slot_value(set, vector, "FrameOneTime"),
				     .present_ms = slot_value(set, vector, "FrameOnePresentTime"),
				     .wait_ms = slot_value(set, vector, "FrameOneWaitTime"),
				     .cpu_ms = NAN,
				     .gpu_ms = NAN,
				     .age_ms = slot_value(set, vector, "FrameOneAge")};
	if (!(frame->ms > 0))
		return;
	vector += VECTOR_CONSTANTS;
	for (unsigned i = 0; i < PASS_SPANS && pass + 2 * i + 1 < set->n_slots; i++)
		frame->n += unpack_span(&frame->spans[frame->n], &vector[pass + 2 * i], PASS_TABLE_ROWS);
	for (unsigned i = 0; i < REGION_SPANS && region + 2 * i + 1 < set->n_slots; i++)
		frame->n_regions +=
			unpack_span(&frame->regions[frame->n_regions], &vector[region + 2 * i], REGION_ROWS);
}
