/* The start block's text: what is written is read back to the bit, and nothing of it is believed
 * unseen. */
#include "mlog/mlog.h"

#include "base/alloc.h"
#include "base/stanza.h"
#include "tests/support/test.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static struct slot gpu_slots[] = {
	{.name = "MaliGPUActiveCy", .kind = SLOT_DELTA, .scale = 1},
	{.name = "GPUSteadyCy", .kind = SLOT_STEADY, .scale = 1},
	{.name = "GPUTemperature", .kind = SLOT_LEVEL, .scale = 1e-3},
	{.name = "MaliFragActiveCy",
	 .kind = SLOT_DELTA,
	 .instance = INSTANCE_CORE,
	 .number = 63,
	 .scale = 256},
	{.name = "MaliL2CacheRd",
	 .kind = SLOT_PEAK,
	 .instance = INSTANCE_SLICE,
	 .number = 65535,
	 .scale = 0.1},
};
static struct slot perf_slots[] = {
	{.name = "cpu/event=0x11,umask=2/u",
	 .kind = SLOT_DELTA,
	 .instance = INSTANCE_CLUSTER,
	 .scale = 1,
	 .running = 1,
	 .enabled = 2,
	 .raw = 3,
	 .title = "Cortex-A76 x4 (2.4 GHz)"},
	{.name = "Running",
	 .kind = SLOT_DELTA,
	 .instance = INSTANCE_CPU,
	 .number = 1,
	 .scale = 1,
	 .title = "big"},
	{.name = "Enabled", .kind = SLOT_DELTA, .scale = -1},
	{.name = "Raw", .kind = SLOT_DELTA, .scale = 1, .raw = 1},
};
static struct mlog_source sources[] = {
	{.kind = SOURCE_GPU,
	 .backend = "kbase",
	 .device = "/dev/mali0",
	 .title = "Mali-G715 7 cores",
	 .driver = "kbase r44p1",
	 .note = "a note  with # and  blanks",
	 .product = "Mali-G715",
	 .period_ns = 99999999,
	 .asked_ns = 100000000,
	 .simulated = true,
	 .constants.top_hz = 848e6 + 1. / 3,
	 .constants.core_count = 7,
	 .constants.l2_slice_count = 2,
	 .constants.bus_width_bits = 128,
	 .constants.block_values = 64,
	 .constants.core_mask = 0x800000000000007f,
	 .slots = gpu_slots,
	 .n_slots = ARRAY_LEN(gpu_slots),
	 .n_sums = 3},
	{.kind = SOURCE_CPU,
	 .backend = "proc",
	 .device = "",
	 .title = "CPU",
	 .driver = "",
	 .note = "",
	 .product = "",
	 .period_ns = 1,
	 .asked_ns = 86400000000000},
	{.kind = SOURCE_PERF,
	 .backend = "perf",
	 .device = "",
	 .title = "CPU",
	 .driver = "",
	 .note = "",
	 .product = "",
	 .period_ns = 5,
	 .asked_ns = 6,
	 .slots = perf_slots,
	 .n_slots = ARRAY_LEN(perf_slots),
	 .n_sums = 4},
};
static const struct mlog_about full = {.program = "malitop 0.1.0",
				       .host = "rock5b",
				       .kernel = "Linux 6.1.75 aarch64",
				       .scope = "process 1234",
				       .control = "1 mark interval",
				       .monotonic_ns = 81234567890,
				       .realtime_ns = 1700000000123456789,
				       .fps = 59.94,
				       .width = 1920,
				       .height = 1080,
				       .sources = sources,
				       .n_sources = ARRAY_LEN(sources)};

static void parse_text(struct mlog_about *about, const struct strbuf *text)
{
	struct err err = {0};

	if (!mlog_about_parse(about, "t.mlog", (struct span){text->p, text->n}, &err))
		fail_msg("%s\n%s", err.text, text->p);
}

static void assert_same_slot(const struct slot *a, const struct slot *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->instance, b->instance);
	assert_int_equal(a->number, b->number);
	assert_int_equal(a->running, b->running);
	assert_int_equal(a->enabled, b->enabled);
	assert_int_equal(a->raw, b->raw);
	assert_memory_equal(&a->scale, &b->scale, sizeof(a->scale));
	assert_int_equal(!a->title, !b->title);
	if (a->title)
		assert_string_equal(a->title, b->title);
}

static void assert_same_source(const struct mlog_source *a, const struct mlog_source *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_string_equal(a->backend, b->backend);
	assert_string_equal(a->device, b->device);
	assert_string_equal(a->title, b->title);
	assert_string_equal(a->driver, b->driver);
	assert_string_equal(a->note, b->note);
	assert_string_equal(a->product, b->product);
	assert_int_equal(a->period_ns, b->period_ns);
	assert_int_equal(a->asked_ns, b->asked_ns);
	assert_int_equal(a->simulated, b->simulated);
	assert_memory_equal(&a->constants.top_hz, &b->constants.top_hz, sizeof(a->constants.top_hz));
	assert_int_equal(a->constants.core_count, b->constants.core_count);
	assert_int_equal(a->constants.core_mask, b->constants.core_mask);
	assert_int_equal(a->constants.l2_slice_count, b->constants.l2_slice_count);
	assert_int_equal(a->constants.bus_width_bits, b->constants.bus_width_bits);
	assert_int_equal(a->constants.block_values, b->constants.block_values);
	assert_int_equal(a->n_sums, b->n_sums);
	assert_int_equal(a->n_slots, b->n_slots);
	for (unsigned i = 0; i < a->n_slots; i++)
		assert_same_slot(&a->slots[i], &b->slots[i]);
}

TEST(what_is_written_is_read_back_to_the_bit)
{
	AUTO_STRBUF struct strbuf text = {0}, again = {0};
	struct mlog_about got;

	mlog_about_format(&full, &text);
	parse_text(&got, &text);
	assert_string_equal(got.program, full.program);
	assert_string_equal(got.host, full.host);
	assert_string_equal(got.kernel, full.kernel);
	assert_string_equal(got.scope, full.scope);
	assert_string_equal(got.control, full.control);
	assert_int_equal(got.monotonic_ns, full.monotonic_ns);
	assert_int_equal(got.realtime_ns, full.realtime_ns);
	assert_memory_equal(&got.fps, &full.fps, sizeof(got.fps));
	assert_int_equal(got.width, full.width);
	assert_int_equal(got.height, full.height);
	assert_int_equal(got.n_sources, full.n_sources);
	for (unsigned i = 0; i < full.n_sources; i++)
		assert_same_source(&got.sources[i], &full.sources[i]);
	mlog_about_format(&got, &again);
	assert_string_equal(again.p, text.p);
	mlog_about_fini(&got);
}

TEST(it_looks_as_the_format_says)
{
	static const char expected[] = "log\n"
				       "  program      malitop 0.1.0\n"
				       "  host         rock5b\n"
				       "  kernel       Linux 6.1.75 aarch64\n"
				       "  monotonic    81234567890\n"
				       "  realtime     1700000000123456789\n"
				       "  frames       59.94 1920 1080\n"
				       "  scope        process 1234\n"
				       "  control      1 mark interval\n"
				       "source 0\n"
				       "  kind         gpu\n";
	AUTO_STRBUF struct strbuf text = {0};

	mlog_about_format(&full, &text);
	assert_memory_equal(text.p, expected, sizeof(expected) - 1);
	assert_non_null(strstr(text.p, "\n  simulated\n"));
	assert_non_null(strstr(text.p, "\n  cores        7 0x800000000000007f\n"));
	assert_non_null(strstr(text.p, "\n  block_values 64\n"));
	assert_non_null(strstr(text.p, "\n    MaliGPUActiveCy delta all 0 1\n"));
	assert_non_null(strstr(
		text.p, "\n    cpu/event=0x11,umask=2/u delta cluster 0 1 1 2 3 Cortex-A76 x4 (2.4 GHz)\n"));
}

TEST(what_is_unknown_is_left_out)
{
	struct mlog_source source = {.kind = SOURCE_CPU,
				     .backend = "",
				     .device = "",
				     .title = "",
				     .driver = "",
				     .note = "",
				     .product = "",
				     .period_ns = 1,
				     .asked_ns = 2};
	struct mlog_about about = {.program = "",
				   .host = "",
				   .kernel = "",
				   .scope = "",
				   .sources = &source,
				   .n_sources = 1},
			  got;
	AUTO_STRBUF struct strbuf text = {0};

	mlog_about_format(&about, &text);
	assert_string_equal(text.p, "log\n  monotonic    0\n  realtime     0\n"
				    "source 0\n  kind         cpu\n  period       1\n  asked        2\n");
	parse_text(&got, &text);
	assert_string_equal(got.host, "");
	assert_true(got.fps == 0);
	assert_same_source(&got.sources[0], &source);
	mlog_about_fini(&got);
}

TEST(numbers_come_back_to_the_last_bit)
{
	static const double numbers[] = {
		1,       0.1,    1e-3,    1. / 3,      2. / 3,         1e6, 123456789.123456789, DBL_MAX,
		DBL_MIN, 5e-324, -1e-300, DBL_EPSILON, 1 + DBL_EPSILON};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct slot slot = {.name = "X", .scale = numbers[i]};
		struct mlog_source source = sources[1];
		struct mlog_about about = full, got;
		AUTO_STRBUF struct strbuf text = {0};

		source.slots = &slot;
		source.n_slots = source.n_sums = 1;
		about.sources = &source;
		about.n_sources = 1;
		mlog_about_format(&about, &text);
		parse_text(&got, &text);
		assert_memory_equal(&got.sources[0].slots[0].scale, &numbers[i], sizeof(numbers[i]));
		mlog_about_fini(&got);
	}
}

/* ---- texts ---- */

static void assert_short_lines(const struct strbuf *text)
{
	struct span rest = {text->p, text->n};

	while (rest.n)
		assert_in_range(span_until(&rest, '\n').n, 1, STANZA_LINE_MAX);
}

/* One text in all places where one can stand. */
static struct mlog_about everywhere(char *nasty, struct mlog_source *source, struct slot *slot)
{
	*slot = (struct slot){.name = nasty, .title = nasty, .scale = 1};
	*source = (struct mlog_source){.backend = nasty,
				       .device = nasty,
				       .title = nasty,
				       .driver = nasty,
				       .note = nasty,
				       .product = nasty,
				       .period_ns = 1,
				       .asked_ns = 1,
				       .slots = slot,
				       .n_slots = 1,
				       .n_sums = 1};
	return (struct mlog_about){.program = nasty,
				   .host = nasty,
				   .kernel = nasty,
				   .scope = nasty,
				   .sources = source,
				   .n_sources = 1};
}

TEST(texts_are_made_printable_and_stay_in_their_place)
{
	static const struct {
		const char *nasty, *text, *name;
	} cases[] = {
		{"plain", "plain", "plain"},
		{"a\nsource 1\n", "a?source 1?", "a?source?1?"},
		{"a\tb\r", "a?b?", "a?b?"},
		{"\x1b[2J", "?[2J", "?[2J"},
		{"# no comment", "# no comment", "??no?comment"},
		{"\xff\xfe", "??", "??"},
		{"\xe2\x80\xaeright", "?right", "?right"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{" inside  blanks ", "inside  blanks", "?inside??blanks?"},
		{"\x7f", "?", "?"},
		{"\xc2\x9b", "?", "?"},
		{"log", "log", "log"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *nasty = xstrdup(cases[i].nasty);
		AUTO_STRBUF struct strbuf text = {0};
		struct mlog_source source;
		struct slot slot;
		struct mlog_about about = everywhere(nasty, &source, &slot), got;

		mlog_about_format(&about, &text);
		parse_text(&got, &text);
		assert_string_equal(got.program, cases[i].text);
		assert_string_equal(got.scope, cases[i].text);
		assert_int_equal(got.n_sources, 1);
		assert_string_equal(got.sources[0].backend, cases[i].text);
		assert_string_equal(got.sources[0].note, cases[i].text);
		assert_string_equal(got.sources[0].slots[0].name, cases[i].name);
		assert_string_equal(got.sources[0].slots[0].title, cases[i].text);
		mlog_about_fini(&got);
	}
}

TEST(a_title_of_blanks_is_none)
{
	struct slot slot = {.name = "X", .title = "  ", .scale = 1};
	struct mlog_source source = sources[1];
	struct mlog_about about = full, got;
	AUTO_STRBUF struct strbuf text = {0};

	source.slots = &slot;
	source.n_slots = source.n_sums = 1;
	about.sources = &source;
	about.n_sources = 1;
	mlog_about_format(&about, &text);
	parse_text(&got, &text);
	assert_null(got.sources[0].slots[0].title);
	mlog_about_fini(&got);
}

TEST(long_texts_are_cut_and_no_line_is_too_long)
{
	static const char *const units[] = {"x", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		for (unsigned shift = 0; shift < 4; shift++) {
			AUTO_STRBUF struct strbuf nasty = {0}, text = {0};
			struct mlog_source source;
			struct slot slot;
			struct mlog_about about, got;

			strbuf_add(&nasty, "....", shift);
			while (nasty.n < 5000)
				strbuf_str(&nasty, units[i]);
			about = everywhere(nasty.p, &source, &slot);
			slot.running = slot.enabled = slot.raw = 0;
			mlog_about_format(&about, &text);
			assert_short_lines(&text);
			parse_text(&got, &text);
			assert_in_range(strlen(got.program), 1000, STANZA_LINE_MAX);
			assert_memory_equal(got.program, nasty.p,
					    strlen(got.program)); /* no half character */
			assert_memory_equal(got.sources[0].slots[0].name, nasty.p,
					    strlen(got.sources[0].slots[0].name));
			assert_memory_equal(got.sources[0].slots[0].title, nasty.p,
					    strlen(got.sources[0].slots[0].title));
			mlog_about_fini(&got);
		}
}

/* A file can say what our writer would not. */
TEST(texts_of_a_file_are_made_printable_too)
{
	static const char text[] =
		"log\n  host \xe2\x80\xae\xff.\nsource 0\n  kind cpu\n  period 1\n  asked 1\n"
		"  slots\n    \xc2\x9b# delta all 0 1 0 0 0 \xe2\x80\x8b";
	struct mlog_about got;

	assert_true(mlog_about_parse(&got, "t.mlog", SPAN_LIT(text), NULL));
	assert_string_equal(got.host, "??.");
	assert_string_equal(got.sources[0].slots[0].name, "?#");
	assert_string_equal(got.sources[0].slots[0].title, "?");
	mlog_about_fini(&got);
}

/* ---- what is not ours ---- */

TEST(what_a_later_version_adds_is_passed_over)
{
	static const char text[] =
		"later\n  host not this one\nlog\n  colour red\n    with rows\n  host this one\n    of no "
		"use\n"
		"source 0\n  kind cpu\n  voltage 12\n  period 1\n  asked 1\n  slots\n    X delta all 0 1\n"
		"  more\n    Y delta all 0 1\nsources 7\n  kind nothing\n";
	struct mlog_about got;
	struct err err = {0};

	if (!mlog_about_parse(&got, "t.mlog", SPAN_LIT(text), &err))
		fail_msg("%s", err.text);
	assert_string_equal(got.host, "this one");
	assert_int_equal(got.n_sources, 1);
	assert_int_equal(got.sources[0].n_slots, 1);
	assert_int_equal(got.sources[0].n_sums, 1);
	mlog_about_fini(&got);
}

#define SOURCE "log\nsource 0\n  kind cpu\n  period 1\n  asked 1\n"
#define SLOT SOURCE "  slots\n    X "

TEST(every_error_names_its_line)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "t.mlog:0: no stanza 'log'"},
		{"source 0\n  kind cpu\n  period 1\n  asked 1\n", "t.mlog:4: no stanza 'log'"},
		{"  host x\n", "t.mlog:1: field without a stanza"},
		{"log\n  host a\x01\n", "t.mlog:2: control character 0x01"},
		{"log\n  monotonic -1\n",
		 "t.mlog:2: '-1': expected a whole number up to 1152921504606846976"},
		{"log\n  monotonic 1152921504606846977\n",
		 "t.mlog:2: '1152921504606846977': expected a whole number"},
		{"log\n  realtime\n", "t.mlog:2: '': expected a whole number"},
		{"log\n  frames fast 1 1\n", "t.mlog:2: 'fast': expected a number"},
		{"log\n  frames -1 1 1\n", "t.mlog:2: '-1': expected a number"},
		{"log\n  frames 60 1\n", "t.mlog:2: '': expected a whole number up to 1048576"},
		{"log\n  frames 60 1 1048577\n", "t.mlog:2: '1048577': expected"},
		{"log\nsource\n", "t.mlog:2: '': expected a whole number up to 63"},
		{"log\nsource 1\n", "t.mlog:2: source 1: expected source 0"},
		{SOURCE "source 0\n", "t.mlog:6: source 0: expected source 1"},
		{"log\nsource 0\n  period 1\n  asked 1\n", "t.mlog:2: a source without 'kind'"},
		{"log\nsource 0\n  kind npu\n", "t.mlog:3: 'npu': expected gpu, cpu"},
		{"log\nsource 0\n  kind cpu\n  asked 1\n",
		 "t.mlog:2: a source without 'period' and 'asked' above 0"},
		{"log\nsource 0\n  kind cpu\n  period 1\n",
		 "t.mlog:2: a source without 'period' and 'asked' above 0"},
		{"log\nsource 0\n  period 86400000000001\n",
		 "t.mlog:3: '86400000000001': expected a whole number"},
		{SOURCE "  top_hz 1e999\n", "t.mlog:6: '1e999': expected a number"},
		{SOURCE "  top_hz nan\n", "t.mlog:6: 'nan': expected a number"},
		{SOURCE "  top_hz -5\n", "t.mlog:6: '-5': expected a number"},
		{SOURCE "  cores 65 1\n", "t.mlog:6: '65': expected a whole number up to 64"},
		{SOURCE "  cores 7\n", "t.mlog:6: '': expected"},
		{SOURCE "  cores 7 0x10000000000000000\n", "t.mlog:6: '0x10000000000000000': expected"},
		{SOURCE "  slices 65\n", "t.mlog:6: '65': expected"},
		{SOURCE "  bus_bits 1048577\n", "t.mlog:6: '1048577': expected"},
		{SOURCE "  block_values 4294967296\n", "t.mlog:6: '4294967296': expected"},
		{SOURCE "  sums 60001\n", "t.mlog:6: '60001': expected"},
		{SOURCE "  sums 1\n", "t.mlog:2: 1 sum, but only 0 slots"},
		{SLOT "\n", "t.mlog:7: '': expected delta, steady"},
		{SLOT "sum all 0 1\n", "t.mlog:7: 'sum': expected delta, steady"},
		{SLOT "delta\n", "t.mlog:7: '': expected all, core"},
		{SLOT "delta gpu 0 1\n", "t.mlog:7: 'gpu': expected all, core"},
		{SLOT "delta all 65536 1\n", "t.mlog:7: '65536': expected a whole number up to 65535"},
		{SLOT "delta all 0\n", "t.mlog:7: '': expected a number"},
		{SLOT "delta all 0 inf\n", "t.mlog:7: 'inf': expected a number"},
		{SLOT "delta all 0 1 0\n", "t.mlog:7: '': expected a whole number"},
		{SLOT "delta all 0 1 0 0\n", "t.mlog:7: '': expected a whole number"},
		{SLOT "delta all 0 1 title\n", "t.mlog:7: 'title': expected a whole number"},
		{SLOT "delta all 0 1 1 0 0\n", "t.mlog:2: slot 'X' refers to a slot that does not exist"},
		{SLOT "delta all 0 1 0 1 0\n", "t.mlog:2: slot 'X' refers to a slot that does not exist"},
		{SLOT "delta all 0 1 0 0 1\n", "t.mlog:2: slot 'X' refers to a slot that does not exist"},
		/* a vector of the sums is all that formulas and views have */
		{SOURCE "  sums 1\n  slots\n    X delta all 0 1\n    Y delta all 0 1\n",
		 "t.mlog:2: slot 'Y' is a sum, but follows the first 1"},
		{SOURCE "  sums 1\n  slots\n    X delta all 0 1 1 0 0\n    Y delta core 0 1\n",
		 "t.mlog:2: slot 'X' refers to a slot that does not exist"},
		{"log\nsource 0\n  kind passes\n  period 1\n  asked 1\n  sums 1\n  slots\n    Pass1Time "
		 "delta all 0 1\n    Pass1Kind level core 0 1\n",
		 "t.mlog:2: 1 sum and 2 slots: this kind of source has only sums"},
		{SLOT "delta all 0 1 0 0 60000\n", "t.mlog:7: '60000': expected"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_about about;
		struct err err = {0};

		if (mlog_about_parse(&about, "t.mlog", span_of(cases[i].text), &err))
			fail_msg("'%s' was read, not: %s", cases[i].text, cases[i].message);
		if (strncmp(err.text, cases[i].message, strlen(cases[i].message)) != 0)
			fail_msg("%s\ninstead of\n%s", err.text, cases[i].message);
		assert_int_equal(about.n_sources, 0);
		assert_null(about.texts);
	}
}

TEST(as_many_sources_and_slots_as_there_may_be_but_no_more)
{
	AUTO_STRBUF struct strbuf many = {0}, large = {0};
	struct mlog_about got;
	struct err err = {0};

	strbuf_str(&many, "log\n");
	for (unsigned i = 0; i < MLOG_SOURCES_MAX; i++)
		strbuf_printf(&many, "source %u\n  kind cpu\n  period 1\n  asked 1\n", i);
	parse_text(&got, &many);
	assert_int_equal(got.n_sources, MLOG_SOURCES_MAX);
	mlog_about_fini(&got);
	strbuf_printf(&many, "source %d\n", MLOG_SOURCES_MAX);
	assert_false(mlog_about_parse(&got, "t.mlog", (struct span){many.p, many.n}, &err));
	assert_string_equal(err.text, "t.mlog:258: more than 64 sources");

	strbuf_str(&large, SOURCE "  slots\n");
	for (unsigned i = 0; i < MLOG_SLOTS_MAX; i++)
		strbuf_str(&large, "    X delta all 0 1 59999 0 0\n");
	parse_text(&got, &large);
	assert_int_equal(got.sources[0].n_slots, MLOG_SLOTS_MAX);
	assert_int_equal(got.sources[0].slots[7].running, 59999);
	mlog_about_fini(&got);
	strbuf_str(&large, "    X delta all 0 1\n");
	assert_false(mlog_about_parse(&got, "t.mlog", (struct span){large.p, large.n}, &err));
	assert_string_equal(err.text, "t.mlog:60007: more than 60000 slots");
}

/* What a sanitizer looks at. */
TEST(no_text_does_harm)
{
	AUTO_STRBUF struct strbuf text = {0};
	uint64_t random = 88172645463325252u;
	struct mlog_about got;

	mlog_about_format(&full, &text);
	for (size_t n = 0; n <= text.n; n++) {
		AUTOFREE char *cut = xmalloc(n + 1);

		memcpy(cut, text.p, n);
		if (mlog_about_parse(&got, "t.mlog", (struct span){cut, n}, NULL))
			mlog_about_fini(&got);
	}
	for (unsigned i = 0; i < 20000; i++) {
		AUTOFREE char *bent = xmalloc(text.n);

		memcpy(bent, text.p, text.n);
		for (unsigned k = 0; k < 3; k++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			bent[random % text.n] =
				text.p[random / text.n % text.n] ^ (char)(random >> 60 ? 0 : random >> 52);
		}
		if (mlog_about_parse(&got, "t.mlog", (struct span){bent, text.n}, NULL))
			mlog_about_fini(&got);
	}
}
