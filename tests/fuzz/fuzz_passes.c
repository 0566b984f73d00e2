/* Shared memory that a hostile application wrote: no endless loop, no event or text out of range,
 * and no row of passes, record or region that cannot be. A log may hold any number in their slots.
 *
 * Input: records of 72 bytes. The first 8 say which record of the memory the other 64 become; the
 * reader runs after each. Then the input is taken as the slots of a sample of a log. */
#include "base/alloc.h"
#include "model/gpudb.h"
#include "passes/frame_stats.h"
#include "passes/regions.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW 1000000000000ll
#define SAMPLE_RECORDS 16 /* records per sample */

/* The slots of the source, and what is made of them. */
static struct fuzz_source {
	uint64_t *memory;
	struct gpudb *db;
	struct slot slots[PASS_FOLD_SLOTS + REGIONS_SLOTS];
	struct pass_fold fold;
	struct regions regions;
	struct metric_set *set;
	uint64_t *value;
	struct sample *records; /* has no slots */
	double *vector;
	struct pass_names names;
} f;

static void make_source(void)
{
	f.db = gpudb_load(NULL, 0, NULL);
	f.memory = xmalloc(PASSES_BYTES);
	pass_fold_slots(&f.fold, f.slots);
	regions_slots(&f.regions, f.slots + PASS_FOLD_SLOTS);
	f.set = metric_set_new(f.db, &(struct metric_source){.slots = f.slots, .n_slots = ARRAY_LEN(f.slots)},
			       NULL);
	assert(f.set);
	f.value = xcalloc(ARRAY_LEN(f.slots), sizeof(*f.value));
	f.vector = xcalloc(f.set->n_vector, sizeof(*f.vector));
	f.records = xcalloc(1, sizeof(*f.records) + PASS_MORE_WORDS * sizeof(f.records->value[0]));
}

static void assert_text(const char *text, size_t size)
{
	assert(strlen(text) < size);
	for (; *text; text++)
		assert((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void check_frame(const struct pass_frame *frame)
{
	assert(frame->n <= PASS_SPANS && frame->n_regions <= REGION_SPANS);
	for (unsigned i = 0; i < frame->n; i++)
		assert(frame->spans[i].row >= 1 && frame->spans[i].row <= PASS_TABLE_ROWS &&
		       frame->spans[i].queue < 8 && frame->spans[i].end_ms >= frame->spans[i].begin_ms);
	for (unsigned i = 0; i < frame->n_regions; i++)
		assert(frame->regions[i].row >= 1 && frame->regions[i].row <= REGION_ROWS);
}

static void read_records(void)
{
	unsigned n = pass_records_count(f.records);
	struct pass_frame frame;

	pass_names_take(&f.names, f.records);
	for (unsigned i = 0; i <= PASS_NAMES_MOST; i++)
		assert_text(f.names.text[i], PASS_NAME_TEXT);

	for (unsigned i = 0; i <= n; i++) {
		pass_records_read_frame(&frame, f.records, i);
		assert(i < n || !frame.n);
		check_frame(&frame);
	}
}

static void read_table(void)
{
	struct pass_table table;
	struct pass_frame frame;

	pass_table_read(&table, f.set, f.vector, &f.names);
	assert_text(table.app, sizeof(table.app));
	assert(table.n <= PASS_TABLE_ROWS && table.n_regions <= REGION_ROWS);
	assert(table.stamp < PASSES_STAMPS && table.boundary < PASSES_BOUNDARIES);
	for (unsigned i = 0; i < table.n; i++) {
		assert_text(table.lines[i].name, sizeof(table.lines[i].name));
		assert(table.lines[i].kind < PASSES_KINDS && !isnan(table.lines[i].ms));
		assert(table.lines[i].row >= 1 && table.lines[i].row <= PASS_TABLE_ROWS);
	}
	for (unsigned i = 0; i < table.n_regions; i++)
		assert_text(table.regions[i].name, sizeof(table.regions[i].name));
	pass_frame_read(&frame, f.set, f.vector);
	check_frame(&frame);
}

static void write_name(const void *reader, unsigned name, unsigned ordinal, char *text, size_t size)
{
	passes_reader_name(reader, name, ordinal, text, size);
}

static void put_sample(struct passes_reader *reader, int64_t now_ns)
{
	char title[PASS_NAME_TEXT];
	struct pass_fold_app app = {.apps = 1,
				    .writer = passes_reader_writer(reader),
				    .stamp = passes_reader_stamp(reader),
				    .title = title,
				    .driver = title,
				    .name = write_name,
				    .names = reader};

	passes_reader_text(reader, PASSES_RECORD_TITLE, title, sizeof(title));
	regions_sample(&f.regions, &f.fold, f.value + PASS_FOLD_SLOTS);
	pass_fold_sample(&f.fold, &app, f.value);
	f.records->end_ns = now_ns;
	f.records->n_more = PASS_MORE_WORDS;
	pass_fold_records(&f.fold, now_ns, 0, f.records);
	read_records();
	for (unsigned i = 0; i < ARRAY_LEN(f.slots); i++)
		f.vector[VECTOR_CONSTANTS + i] =
			f.value[i] == SAMPLE_UNKNOWN ? (double)NAN : (double)f.value[i];
	read_table();
}

static void read_events(struct passes_reader *reader, int64_t now_ns)
{
	struct passes_event e;
	char text[PASSES_TEXT + 16];

	for (unsigned i = 0; i < 64 && passes_reader_next(reader, now_ns, &e); i++) {
		assert(e.type && e.type < PASSES_TYPES && e.name < PASSES_NAMES && e.end_ns >= e.begin_ns);
		passes_reader_name(reader, e.name, e.ordinal, text, sizeof(text));
		assert(text[0] && strlen(text) < sizeof(text));
		if (e.type == PASSES_REGION)
			regions_event(&f.regions, &e, text, now_ns, &f.fold.records);
		else
			pass_fold_event(&f.fold, &e, now_ns);
	}
	passes_reader_text(reader, PASSES_RECORD_TITLE, text, sizeof(text));
	passes_reader_counts(reader);
	assert(passes_reader_writer(reader) < PASSES_WRITERS && passes_reader_stamp(reader) < PASSES_STAMPS);
}

/* Any numbers, over and over, as a log may have them. */
static void read_any_slots(const uint8_t *data, size_t size)
{
	for (unsigned i = 0; i < ARRAY_LEN(f.slots) && size >= 8; i++)
		memcpy(&f.vector[VECTOR_CONSTANTS + i], data + i * 8 % (size - 7), 8);
	read_table();
	f.records->n_more = (uint16_t)(size < PASS_RECORDS_WORDS ? size : PASS_RECORDS_WORDS);
	for (unsigned i = 0; i < f.records->n_more; i++)
		f.records->value[i] = data[i] < 250 ? data[i] : UINT64_MAX >> (data[i] - 250) * 12;
	read_records();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct passes_reader reader;
	const uint8_t *at = data;
	unsigned n = 0;

	if (!f.memory)
		make_source();
	memset(f.memory, 0, (PASSES_HEADER + PASSES_NAMES + 64) * 64);
	passes_init(f.memory, PASSES_VULKAN, PASSES_STAMP_BOTTOM);
	assert(passes_reader_init(&reader, f.memory, PASSES_BYTES, NULL));
	pass_fold_forget(&f.fold);
	pass_fold_start(&f.fold, 60);
	regions_forget(&f.regions);
	for (int64_t now_ns = NOW; at + 72 <= data + size; at += 72, now_ns += 60000000) {
		uint64_t record;

		memcpy(&record, at, 8);
		memcpy(passes_record(f.memory, record % (PASSES_HEADER + PASSES_NAMES + 64)), at + 8, 64);
		read_events(&reader, now_ns);
		if (++n % SAMPLE_RECORDS == 0)
			put_sample(&reader, now_ns);
	}
	put_sample(&reader, NOW);
	read_any_slots(data, size);
	return 0;
}
