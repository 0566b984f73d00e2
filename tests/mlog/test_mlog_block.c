/* A data block: samples and notes are decoded bit for bit, heads describe them, and invalid
 * payloads are rejected. */
#include "tests/support/mlog_bench.h"
#include "tests/support/test.h"

#include <stdio.h>

#define UNKNOWN SAMPLE_UNKNOWN
#define SAMPLES_MAX 8

/* A builder, and what its payload is decoded to. */
struct mlog_block_bench {
	struct mlog_builder *builder;
	struct mlog_head head;
	struct strbuf payload;
	struct mlog_block block;
};

static void bench_init(struct mlog_block_bench *b)
{
	*b = (struct mlog_block_bench){.builder = bench_builder()};
}

static void bench_fini(struct mlog_block_bench *b)
{
	mlog_builder_free(b->builder);
	strbuf_fini(&b->payload);
	mlog_block_fini(&b->block);
}

/* Whatever was collected: taken, and decoded. */
static void pass_block(struct mlog_block_bench *b)
{
	assert_true(mlog_builder_take(b->builder, &b->head, &b->payload));
	assert_true(bench_decode(&b->block, &bench_about, &b->head, b->payload.p, b->payload.n));
	assert_int_equal(b->block.begin_ns, b->head.begin_ns);
	assert_int_equal(b->block.end_ns, b->head.end_ns);
	assert_int_equal(b->block.flags, b->head.flags);
}

static void add_part(struct mlog_block_bench *b, const struct bench_sample *samples, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		mlog_builder_sample(b->builder, bench_sample(&samples[i]));
}

static void assert_same(const struct sample *got, const struct bench_sample *sample)
{
	unsigned n_slots = bench_sources[sample->source].n_slots;

	assert_int_equal(got->source, sample->source);
	assert_int_equal(got->flags, sample->flags);
	assert_int_equal(got->lost, sample->lost);
	assert_int_equal(got->seq, sample->seq);
	assert_int_equal(got->begin_ns, sample->begin_ns);
	assert_int_equal(got->end_ns, sample->end_ns);
	assert_int_equal(got->n_values, n_slots);
	for (unsigned i = 0; i < n_slots; i++)
		assert_int_equal(got->value[i], i < sample->n_values ? sample->value[i] : UNKNOWN);
}

/* ---- round trips ---- */

static const struct {
	const char *what;
	unsigned n;
	struct bench_sample samples[SAMPLES_MAX];
	int64_t begin_ns, end_ns;
} trips[] = {
	{"one", 1, {{0, 0, 0, 4, 1, 10 * MS, 11 * MS, {1, 2, 3, 4}}}, 10 * MS, 11 * MS},
	{"nothing but zeros", 1, {{.n_values = 4}}, 0, 0},
	{"numbers at their ends",
	 3,
	 {{0, UINT32_MAX, UINT32_MAX, 4, UINT64_MAX, 0, 1, {UNKNOWN, UINT64_MAX - 1, 0, 1ull << 63}},
	  {0, 0, 0, 4, 0, 1, 2, {0, UNKNOWN, UINT64_MAX - 1, (1ull << 63) - 1}},
	  {0, UINT32_MAX, 1, 4, 1ull << 63, 2, 3, {UINT64_MAX - 1, 0, UNKNOWN, 1ull << 63}}},
	 0,
	 3},
	{"levels below zero",
	 3,
	 {{1, 0, 0, 1, 1, 0, 1, {(uint64_t)-40000}},
	  {1, 0, 0, 1, 2, 1, 2, {40000}},
	  {1, 0, 0, 1, 3, 2, 3, {(uint64_t)INT64_MIN}}},
	 0,
	 3},
	{"interleaved sources, one without slots",
	 6,
	 {{1, 0, 0, 1, 7, 0, 10 * MS, {35000}},
	  {0, 0, 0, 4, 1, 8 * MS, 9 * MS, {1, 2, 3, 4}},
	  {2, 0, 0, 0, 4, 9 * MS, 10 * MS, {0}},
	  {0, 0, 0, 4, 2, 9 * MS, 10 * MS, {5, 6, 7, 8}},
	  {2, 0, 0, 0, 5, 10 * MS, 11 * MS, {0}},
	  {1, 0, 0, 1, 8, 10 * MS, 20 * MS, {35001}}},
	 0,
	 20 * MS},
	{"fewer values than slots",
	 3,
	 {{0, 0, 0, 0, 1, 0, 1, {9, 9, 9, 9}},
	  {0, 0, 0, 2, 2, 1, 2, {5, 6, 9, 9}},
	  {0, 0, 0, 4, 3, 2, 3, {5, 6, 7, 8}}},
	 0,
	 3},
	{"gaps and overlaps, and one of no length",
	 4,
	 {{0, SAMPLE_GAP, 0, 4, 1, 50, 60, {1}},
	  {0, SAMPLE_GAP, 9, 4, 20, 1000 * MS, 1001 * MS, {1}},
	  {0, 0, 0, 4, 21, 40, 45, {1}},
	  {0, 0, 0, 4, 22, 44, 44, {1}}},
	 40,
	 1001 * MS},
	{"as long as can be",
	 2,
	 {{0, 0, 0, 4, 1, 0, SAMPLE_NS_MAX, {1}}, {0, 0, 0, 4, 2, 0, SAMPLE_NS_MAX, {2}}},
	 0,
	 SAMPLE_NS_MAX},
};

TEST(samples_come_back_to_the_bit)
{
	for (size_t i = 0; i < ARRAY_LEN(trips); i++) {
		struct mlog_block_bench b;

		print_message("           %s\n", trips[i].what);
		bench_init(&b);
		add_part(&b, trips[i].samples, trips[i].n);
		pass_block(&b);
		assert_int_equal(b.head.begin_ns, trips[i].begin_ns);
		assert_int_equal(b.head.end_ns, trips[i].end_ns);
		assert_int_equal(b.block.n_samples, trips[i].n);
		for (unsigned k = 0; k < trips[i].n; k++)
			assert_same(b.block.samples[k], &trips[i].samples[k]);
		bench_fini(&b);
	}
}

/* A number of `bits` bits, so that every length of a varint comes, and runs of the shortest. */
static uint64_t any_number(uint64_t *random, unsigned k)
{
	uint64_t number = bench_random(random);

	return k % 40 < 20 ? k / 40 % 3 : number >> (number & 63);
}

/* What samples have after their values. */
TEST(words_beside_the_values_come_back)
{
	static const struct bench_sample samples[] = {{0, 0, 0, 4, 1, 0, 1, {1, 2, 3, 4}},
						      {1, 0, 0, 1, 1, 0, 2, {5}},
						      {2, 0, 0, 0, 1, 1, 3, {0}},
						      {0, 0, 0, 2, 2, 1, 4, {6, 7}}};
	static const uint64_t words[] = {0, UINT64_MAX, 127, 128};
	static const unsigned n_more[] = {0, 4, 1, 3};
	struct mlog_block_bench b;

	bench_init(&b);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < ARRAY_LEN(samples); i++) {
			const struct sample *plain = bench_sample(&samples[i]);
			AUTOFREE struct sample *sample = xcalloc(1, sample_size(plain) + sizeof(words));

			memcpy(sample, plain, sample_size(plain));
			sample->n_more = (uint16_t)n_more[i];
			memcpy(sample->value + sample->n_values, words, n_more[i] * sizeof(*words));
			mlog_builder_sample(b.builder, sample);
		}
		pass_block(&b);
		assert_int_equal(b.block.n_samples, ARRAY_LEN(samples));
		for (unsigned i = 0; i < ARRAY_LEN(samples); i++) {
			const struct sample *got = b.block.samples[i];

			assert_same(got, &samples[i]);
			assert_int_equal(got->n_more, n_more[i]);
			assert_memory_equal(got->value + got->n_values, words, n_more[i] * sizeof(*words));
		}
	}
	bench_fini(&b);
}

TEST(a_block_of_many_random_samples_comes_back)
{
	static struct bench_sample samples[2000];
	uint64_t random = 4711;
	struct mlog_block_bench b;

	bench_init(&b);
	for (unsigned round = 0; round < 5; round++) {
		unsigned n = round ? ARRAY_LEN(samples) - 7 * round : 1;

		for (unsigned i = 0; i < n; i++) {
			struct bench_sample *s = &samples[i];

			*s = (struct bench_sample){.source = bench_random(&random) % 5 % 3,
						   .flags = i & 127,
						   .seq = any_number(&random, i)};
			s->n_values = bench_sources[s->source].n_slots;
			s->begin_ns = (int64_t)(any_number(&random, i) >> 5);
			s->end_ns = s->begin_ns + (int64_t)(any_number(&random, i) >> 5);
			for (unsigned k = 0; k < s->n_values; k++)
				s->value[k] = any_number(&random, i);
		}
		add_part(&b, samples, n);
		pass_block(&b);
		assert_int_equal(b.block.n_samples, n);
		for (unsigned i = 0; i < n; i++)
			assert_same(b.block.samples[i], &samples[i]);
	}
	bench_fini(&b);
}

TEST(where_nothing_was_collected_there_is_no_block)
{
	struct mlog_block_bench b;

	bench_init(&b);
	assert_int_equal(mlog_builder_size(b.builder), 0);
	assert_false(mlog_builder_take(b.builder, &b.head, &b.payload));
	add_part(&b, trips[0].samples, 1);
	assert_in_range(mlog_builder_size(b.builder), (5 + BENCH_SLOTS) * 8, 200);
	assert_true(mlog_builder_take(b.builder, &b.head, &b.payload));
	assert_int_equal(mlog_builder_size(b.builder), 0);
	assert_false(mlog_builder_take(b.builder, &b.head, &b.payload));
	bench_fini(&b);
}

/* So that a reader finds a time by the ends of blocks. */
TEST(a_block_never_ends_before_the_one_before)
{
	static const struct bench_sample late = {0, 0, 0, 4, 1, 90, 100, {1}},
					 early = {0, 0, 0, 4, 2, 20, 30, {2}};
	struct mlog_block_bench b;

	bench_init(&b);
	add_part(&b, &late, 1);
	pass_block(&b);
	add_part(&b, &early, 1);
	pass_block(&b);
	assert_int_equal(b.head.begin_ns, 20);
	assert_int_equal(b.head.end_ns, 100);
	assert_same(b.block.samples[0], &early);
	bench_fini(&b);
}

TEST(a_level_in_a_busy_second_takes_a_byte_a_number)
{
	struct mlog_block_bench b;

	bench_init(&b);
	for (unsigned i = 0; i < 1000; i++)
		add_part(
			&b,
			&(struct bench_sample){0, 0, 0, 4, i + 1, i * MS, (i + 1) * MS, {i, 0, 800, UNKNOWN}},
			1);
	pass_block(&b);
	assert_in_range(b.payload.n, 1000 * 10, 1000 * 10 + 60); /* its source, five columns, four slots */
	bench_fini(&b);
}

/* ---- what the head says ---- */

TEST(losses_and_gaps_are_flagged_also_from_block_to_block)
{
	static const struct {
		const char *what;
		struct bench_sample before, sample;
		unsigned flags;
		uint64_t lost;
	} cases[] = {
		{"all is well", {.seq = 7}, {.seq = 8}, 0, 0},
		{"the driver lost some", {.seq = 7}, {.seq = 10, .lost = 2}, MLOG_LOSS, 2},
		{"a reader lost some", {.seq = 7}, {.seq = 11}, MLOG_LOSS, 3},
		{"both", {.seq = 7}, {.seq = 12, .lost = 2}, MLOG_LOSS, 4},
		{"time was not counted", {.seq = 7}, {.seq = 8, .flags = SAMPLE_GAP}, MLOG_LOSS, 0},
		{"other flags are none",
		 {.seq = 7},
		 {.seq = 8, .flags = SAMPLE_STRETCHED | SAMPLE_ERROR | SAMPLE_CLOCK},
		 0,
		 0},
		{"the count began anew", {.seq = 7}, {.seq = 1}, MLOG_LOSS, 0},
		{"another source counts by itself", {.seq = 7}, {.source = 2, .seq = 90}, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned apart = 0; apart < 2; apart++) {
			uint64_t samples, lost;
			struct mlog_block_bench b;

			print_message("           %s\n", cases[i].what);
			bench_init(&b);
			add_part(&b, &cases[i].before, 1);
			if (apart) {
				pass_block(&b);
				assert_int_equal(b.head.flags, 0);
			}
			add_part(&b, &cases[i].sample, 1);
			pass_block(&b);
			assert_int_equal(b.head.flags, cases[i].flags);
			mlog_builder_count(b.builder, &samples, &lost);
			assert_int_equal(samples, 2);
			assert_int_equal(lost, cases[i].lost);
			mlog_builder_restart(b.builder, 0);
			mlog_builder_count(b.builder, &samples, &lost);
			assert_int_equal(samples + lost, 0);
			bench_fini(&b);
		}
}

TEST(the_first_sample_of_a_log_is_no_loss_whatever_its_number)
{
	struct mlog_block_bench b;

	bench_init(&b);
	add_part(&b, &(struct bench_sample){.seq = 1000}, 1);
	pass_block(&b);
	assert_int_equal(b.head.flags, 0);
	bench_fini(&b);
}

/* ---- notes ---- */

static const struct mlog_note notes[] = {
	{MLOG_NOTE_MARK, 50 * MS, -1, 1, "here it begins"},
	{MLOG_NOTE_MARK, 49 * MS, -1, INT64_MAX, ""},
	{MLOG_NOTE_MESSAGE, 60 * MS, 0, 0, "the GPU was reset"},
	{MLOG_NOTE_CLOCK, 61 * MS, -1, INT64_MIN, ""},
	{MLOG_NOTE_AWAY, 62 * MS, 2, -1, "gr\xc3\xbc\xc3\x9f"},
	{MLOG_NOTE_BACK, 62 * MS, 1, 0, ""},
};

TEST(notes_come_back_in_their_order)
{
	struct mlog_block_bench b;

	bench_init(&b);
	for (size_t i = 0; i < ARRAY_LEN(notes); i++)
		mlog_builder_note(b.builder, &notes[i]);
	pass_block(&b);
	assert_int_equal(b.head.flags, MLOG_MARK | MLOG_CLOCK);
	assert_int_equal(b.head.begin_ns, 49 * MS);
	assert_int_equal(b.head.end_ns, 62 * MS);
	assert_int_equal(b.block.n_samples, 0);
	assert_int_equal(b.block.n_notes, ARRAY_LEN(notes));
	for (size_t i = 0; i < ARRAY_LEN(notes); i++) {
		assert_int_equal(b.block.notes[i].kind, notes[i].kind);
		assert_int_equal(b.block.notes[i].time_ns, notes[i].time_ns);
		assert_int_equal(b.block.notes[i].source, notes[i].source);
		assert_int_equal(b.block.notes[i].value, notes[i].value);
		assert_string_equal(b.block.notes[i].text, notes[i].text);
	}
	mlog_builder_note(b.builder, &notes[2]);
	pass_block(&b);
	assert_int_equal(b.head.flags, 0);
	assert_int_equal(b.block.n_notes, 1);
	bench_fini(&b);
}

TEST(a_note_of_any_text_is_printable_and_whole)
{
	struct mlog_note note = {.kind = MLOG_NOTE_MARK, .source = -1};
	char expected[MLOG_NOTE_TEXT];
	struct mlog_block_bench b;

	bench_init(&b);
	for (unsigned i = 0; i < MLOG_NOTE_TEXT - 1; i++)
		note.text[i] = (char)(i + 1);
	str_printable(expected, sizeof(expected), note.text);
	mlog_builder_note(b.builder, &note);
	pass_block(&b);
	assert_string_equal(b.block.notes[0].text, expected);
	assert_null(strpbrk(b.block.notes[0].text, "\x01\n\r\t\x1b\x7f"));
	bench_fini(&b);
}

/* ---- payloads by hand ---- */

/* A section with the numbers in hexadecimal digits. */
static void put_section(struct strbuf *payload, unsigned kind, const char *hex)
{
	AUTO_STRBUF struct strbuf content = {0};
	unsigned byte;

	for (; *hex; hex += 2 + (hex[2] == ' ')) {
		assert_int_equal(sscanf(hex, "%2x", &byte), 1);
		strbuf_add(&content, &(uint8_t){(uint8_t)byte}, 1);
	}
	wire_varint(payload, kind);
	wire_text(payload, (struct span){content.p, content.n});
}

#define MAX_VARINT "ffffffffffffffffff01" /* zigzag: INT64_MIN */

TEST(what_is_no_block_is_refused)
{
	/* Of source 2, which has no slots: n, source; flags, lost, seq, begin, duration. Of a block
	 * from 100 to 200. */
	static const struct {
		const char *what;
		bool ok;
		unsigned kind;
		const char *hex;
	} cases[] = {
		{"a sample", true, 1, "01 02 00 00 00 00 00"},
		{"no samples", true, 1, "00"},
		{"a sample to the end of the block", true, 1, "01 02 00 00 00 00 c801"},
		{"a section without anything", false, 1, ""},
		{"a section that ends early", false, 1, "01 02 00 00 00 00"},
		{"a section that goes on", false, 1, "01 02 00 00 00 00 00 00"},
		{"a source that is not there", false, 1, "01 03 00 00 00 00 00"},
		{"a source without its columns", false, 1, "02 02 00 00 00 00 00 00 00"},
		{"more samples than bytes", false, 1, "7f 02 00 00 00 00 00"},
		{"more samples than memory", false, 1, "ffffffff0f 02 00 00 00 00 00"},
		{"a number of samples that is none", false, 1, "ffffffffffffffffff7f 02"},
		{"flags of 32 bits", true, 1, "01 02 feffffff1f 00 00 00 00"},
		{"flags of more than 32 bits", false, 1, "01 02 8080808020 00 00 00 00"},
		{"flags below zero", false, 1, "01 02 01 00 00 00 00"},
		{"losses of more than 32 bits", false, 1, "01 02 00 8080808020 00 00 00"},
		{"a sample before its block", false, 1, "01 02 00 00 00 01 00"},
		{"a sample that ends after its block", false, 1, "01 02 00 00 00 00 ca01"},
		{"a sample that ends before its block", false, 1, "01 02 00 00 00 00 01"},
		{"a sample that ends where it begins", true, 1, "01 02 00 00 00 14 00"},
		{"a sample that ends before it begins", false, 1, "01 02 00 00 00 14 01"},
		{"a time that overflows", false, 1, "01 02 00 00 00 " MAX_VARINT " 00"},
		{"a varint of eleven bytes", false, 1, "01 02 00 00 8080808080808080808000 00 00"},
		{"a varint of more than 64 bits", false, 1, "01 02 00 00 80808080808080808002 00 00"},
		{"a varint of all bits", true, 1, "01 02 00 00 " MAX_VARINT " 00 00"},
		{"a note", true, 2, "01 00 00 00 00"},
		{"a note of a source", true, 2, "04 00 03 00 02 6162"},
		{"a note of no kind that we know", true, 2, "06 00 00 00 00"},
		{"a note of a source that is not there", false, 2, "04 00 04 00 00"},
		{"a note before its block", false, 2, "01 01 00 00 00"},
		{"a note after its block", false, 2, "01 ca01 00 00 00"},
		{"a note with too little text", false, 2, "01 00 00 00 03 6162"},
		{"a note that goes on", false, 2, "01 00 00 00 00 00"},
		{"a note without anything", false, 2, ""},
		{"processes without anything", false, 3, ""},
		{"queues without processes", false, 4, ""},
		{"records without samples", false, 5, "01 00 00"},
		{"no records of no samples", true, 5, "00"},
		{"records without anything", false, 5, ""},
		{"waits without processes", false, 6, ""},
		{"users without processes", false, 7, ""},
		{"a section that we do not know", true, 8, "00 01 02"},
		{"one that is far away", true, 1000000, ""},
		{"one of number 0", true, 0, "12"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_head head = {.type = MLOG_DATA, .begin_ns = 100, .end_ns = 200};
		AUTO_STRBUF struct strbuf payload = {0};
		struct mlog_block block = {0};

		print_message("           %s\n", cases[i].what);
		put_section(&payload, 8, "");
		put_section(&payload, cases[i].kind, cases[i].hex);
		assert_int_equal(bench_decode(&block, &bench_about, &head, payload.p, payload.n),
				 cases[i].ok);
		if (!cases[i].ok)
			assert_int_equal(block.n_samples + block.n_notes + block.has_processes, 0);
		mlog_block_fini(&block);
	}
}

/* After two samples of source 2, which has no slots: n; place, n, words. */
TEST(lanes_that_cannot_be_are_refused)
{
	static const struct {
		const char *what;
		bool ok;
		const char *hex;
	} cases[] = {
		{"of both", true, "02 00 01 05 01 02 06 07"},
		{"of the second", true, "01 01 01 05"},
		{"of none", true, "00"},
		{"no words", true, "01 00 00"},
		{"twice of the same", false, "02 00 01 05 00 01 05"},
		{"of a sample that is not there", false, "01 02 01 05"},
		{"of one far away", false, "01 ffffffffffffffffff01 01 05"},
		{"more words than bytes", false, "01 00 02 05"},
		{"more words than a sample can have", false, "01 00 808004 05"},
		{"that go on", false, "01 00 01 05 05"},
		{"more of them than bytes", false, "7f 00 01 05"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_head head = {.type = MLOG_DATA, .begin_ns = 100, .end_ns = 200};
		AUTO_STRBUF struct strbuf payload = {0};
		struct mlog_block block = {0};

		put_section(&payload, 1, "02 02 02 00 00 00 00 00 00 00 00 00 00");
		put_section(&payload, 5, cases[i].hex);
		if (bench_decode(&block, &bench_about, &head, payload.p, payload.n) != cases[i].ok)
			fail_msg("%s", cases[i].what);
		assert_int_equal(block.n_samples, cases[i].ok ? 2 : 0);
		mlog_block_fini(&block);
	}
}

TEST(sections_of_samples_and_processes_stand_once)
{
	static const struct {
		unsigned kind;
		const char *hex;
		bool ok;
	} cases[] = {
		{MLOG_SECTION_SAMPLES, "01 02 00 00 00 00 00", false},
		{MLOG_SECTION_NOTE, "01 00 00 00 00", true},
		{MLOG_SECTION_PROCESSES, "00 00 00 00 00 00 00 00", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_head head = {.type = MLOG_DATA, .begin_ns = 100, .end_ns = 200};
		AUTO_STRBUF struct strbuf payload = {0};
		struct mlog_block block = {0};

		put_section(&payload, cases[i].kind, cases[i].hex);
		assert_true(bench_decode(&block, &bench_about, &head, payload.p, payload.n));
		put_section(&payload, cases[i].kind, cases[i].hex);
		assert_int_equal(bench_decode(&block, &bench_about, &head, payload.p, payload.n),
				 cases[i].ok);
		mlog_block_fini(&block);
	}
}

/* A process and its queues: 40 and 10.5 percent, or not told. */
TEST(queues_stand_behind_their_processes)
{
	static const char row[] = "00 00 00 00 00 00 00 01 02 00 00 a601 00 00 00 00 00 00 00 00 00 00 00",
			  told[] = "808080a208 8080c09208", nan[] = "808080fc0f 8080c09208";
	static const struct {
		const char *what, *queues, *more;
		bool ok, are_told;
	} cases[] = {
		{"both", told, NULL, true, true},
		{"one is not told", nan, NULL, true, false},
		{"none", NULL, NULL, true, false},
		{"too short", "00", NULL, false, false},
		{"too long", "00 00 00", NULL, false, false},
		{"twice", told, told, false, false},
		{"more than 32 bits", "8080808020 00", NULL, false, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_head head = {.type = MLOG_DATA, .begin_ns = 100, .end_ns = 200};
		AUTO_STRBUF struct strbuf payload = {0};
		struct mlog_block block = {0};
		struct process_list *list = NULL;

		print_message("           %s\n", cases[i].what);
		put_section(&payload, MLOG_SECTION_PROCESSES, row);
		if (cases[i].queues)
			put_section(&payload, MLOG_SECTION_QUEUES, cases[i].queues);
		if (cases[i].more)
			put_section(&payload, MLOG_SECTION_QUEUES, cases[i].more);
		assert_int_equal(bench_decode(&block, &bench_about, &head, payload.p, payload.n),
				 cases[i].ok);
		mlog_block_processes(&block, &list);
		assert_int_equal(list != NULL, cases[i].ok);
		if (list) {
			assert_int_equal(list->processes[0].gpu_queues, cases[i].are_told);
			assert_true(list->processes[0].gpu_fragment_percent ==
				    (cases[i].are_told ? 40.0f : 0));
		}
		process_list_free(list);
		mlog_block_fini(&block);
	}
}

/* A driver that slips. */
TEST(moments_that_no_block_may_tell_of_become_the_nearest)
{
	static const struct {
		int64_t begin_ns, end_ns, want_begin_ns, want_end_ns;
	} cases[] = {
		{44, 43, 44, 44},
		{-5, 3, 0, 3},
		{-5, -9, 0, 0},
		{7, INT64_MAX, 7, SAMPLE_NS_MAX},
		{INT64_MAX, INT64_MIN, SAMPLE_NS_MAX, SAMPLE_NS_MAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench_sample sample = {.begin_ns = cases[i].begin_ns, .end_ns = cases[i].end_ns};
		struct mlog_note note = {.kind = MLOG_NOTE_MARK, .time_ns = cases[i].end_ns, .source = -1};
		struct mlog_block_bench b;

		bench_init(&b);
		add_part(&b, &sample, 1);
		mlog_builder_note(b.builder, &note);
		mlog_builder_processes(b.builder, &(struct process_list){.begin_ns = cases[i].begin_ns,
									 .end_ns = cases[i].end_ns});
		pass_block(&b);
		assert_int_equal(b.block.samples[0]->begin_ns, cases[i].want_begin_ns);
		assert_int_equal(b.block.samples[0]->end_ns, cases[i].want_end_ns);
		assert_true(b.head.begin_ns >= 0 && b.head.end_ns <= SAMPLE_NS_MAX);
		assert_int_equal(b.block.n_notes, 1);
		assert_true(b.block.has_processes);
		bench_fini(&b);
	}
}

TEST(a_block_without_sources_has_no_samples)
{
	static const struct mlog_about none = {.program = ""};
	struct mlog_head head = {.type = MLOG_DATA};
	AUTO_STRBUF struct strbuf payload = {0};
	struct mlog_block block = {0};

	put_section(&payload, 1, "01 00 00 00 00 00 00");
	assert_false(bench_decode(&block, &none, &head, payload.p, payload.n));
	mlog_block_fini(&block);
}

/* Zeros take eight times the memory: 60,005 columns of 139 samples stay below 64 MiB, of 140 they
 * do not. */
TEST(memory_is_bounded)
{
	AUTOFREE struct slot *slots = xcalloc(MLOG_SLOTS_MAX, sizeof(*slots));
	struct mlog_source source = {.slots = slots, .n_slots = MLOG_SLOTS_MAX};
	struct mlog_about about = {.sources = &source, .n_sources = 1};

	for (unsigned n = 139; n <= 140; n++) {
		size_t size = 2 + n + (size_t)n * (5 + MLOG_SLOTS_MAX);
		struct mlog_head head = {.type = MLOG_DATA};
		AUTO_STRBUF struct strbuf payload = {0};
		struct mlog_block block = {0};

		wire_varint(&payload, MLOG_SECTION_SAMPLES);
		wire_varint(&payload, size);
		wire_varint(&payload, n);
		memset(strbuf_more(&payload, size - 2), 0, size - 2);
		assert_int_equal(
			mlog_block_decode(&block, &about, &head, (struct span){payload.p, payload.n}),
			n == 139);
		mlog_block_fini(&block);
	}
}

/* ---- anything ---- */

static void make_a_full_block(struct mlog_block_bench *b)
{
	struct process people[] = {{.pid = 1, .state = 'S', .name = "init", .user = "root"},
				   {.pid = 9, .parent = 1, .state = 'R', .name = "game", .user = "ann"}};
	struct process_list list = {
		.processes = people, .n = ARRAY_LEN(people), .begin_ns = 40 * MS, .end_ns = 50 * MS};

	for (size_t i = 0; i < ARRAY_LEN(trips) - 1; i++)
		add_part(b, trips[i].samples, trips[i].n);
	for (size_t i = 0; i < ARRAY_LEN(notes); i++)
		mlog_builder_note(b->builder, &notes[i]);
	mlog_builder_processes(b->builder, &list);
	pass_block(b);
	assert_true(b->block.has_processes);
}

static void look_at(const struct mlog_block *block)
{
	struct process_list *list = NULL;

	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *sample = block->samples[i];

		assert_true(sample->source < bench_about.n_sources);
		assert_int_equal(sample->n_values, bench_sources[sample->source].n_slots);
		assert_true(sample->begin_ns >= block->begin_ns && sample->begin_ns <= block->end_ns);
		assert_true(sample->end_ns >= block->begin_ns && sample->end_ns <= block->end_ns);
	}
	for (unsigned i = 0; i < block->n_notes; i++)
		assert_true(block->notes[i].source >= -1 &&
			    block->notes[i].source < (int)bench_about.n_sources);
	mlog_block_processes(block, &list);
	process_list_free(list);
}

TEST(a_payload_cut_anywhere_does_no_harm)
{
	unsigned whole = 0;
	struct mlog_block_bench b;

	bench_init(&b);
	make_a_full_block(&b);
	for (size_t n = 0; n < b.payload.n; n++)
		if (bench_decode(&b.block, &bench_about, &b.head, b.payload.p, n)) {
			look_at(&b.block);
			whole++;
		}
	assert_int_equal(whole, 1 + 2 + ARRAY_LEN(notes)); /* between sections */
	bench_fini(&b);
}

TEST(a_bent_payload_does_no_harm)
{
	uint64_t random = 815;
	unsigned believed = 0;
	struct mlog_block_bench b;

	bench_init(&b);
	make_a_full_block(&b);
	for (unsigned i = 0; i < 50000; i++) {
		AUTOFREE char *bent = xmalloc(b.payload.n);

		memcpy(bent, b.payload.p, b.payload.n);
		for (unsigned k = bench_random(&random) % 4 + 1; k; k--)
			bent[bench_random(&random) % b.payload.n] = (char)(bench_random(&random) >> 20);
		if (bench_decode(&b.block, &bench_about, &b.head, bent, b.payload.n)) {
			look_at(&b.block);
			believed++;
		}
	}
	assert_in_range(believed, 100, 49900); /* so that both were tried */
	bench_fini(&b);
}

TEST(bytes_of_chance_do_no_harm)
{
	uint64_t random = 42;
	struct mlog_block block = {0};
	char bytes[64];

	for (unsigned i = 0; i < 50000; i++) {
		struct mlog_head head = {.type = MLOG_DATA, .begin_ns = 0, .end_ns = 100};

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (char)(bench_random(&random) >> 20) & (i & 1 ? 7 : -1);
		bytes[0] = (char)(i % 3 + 1);
		bytes[1] = (char)(bench_random(&random) % (sizeof(bytes) - 1));
		if (bench_decode(&block, &bench_about, &head, bytes, bench_random(&random) % sizeof(bytes)))
			look_at(&block);
	}
	mlog_block_fini(&block);
}
