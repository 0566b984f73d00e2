/* Traces, read by a decoder that knows the fields which Perfetto documents: a packet a line.
 * Numbers of tracks are told from the first. */
#include "tests/support/export_machine.h"

#include "base/wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum field_kind { NUMBER, TRACK, VALUE, TEXT, PART };
enum perfetto_part { PACKET, CLOCKS, CLOCK, DEFAULTS, DESCRIPTOR, UNIT, EVENT };

static const struct perfetto_field {
	enum perfetto_part in;
	unsigned number;
	enum field_kind kind;
	const char *name;
	enum perfetto_part part;
} fields[] = {
	{PACKET, 6, PART, "clocks", CLOCKS},
	{PACKET, 8, NUMBER, "at", 0},
	{PACKET, 10, NUMBER, "sequence", 0},
	{PACKET, 11, PART, "event", EVENT},
	{PACKET, 13, NUMBER, "flags", 0},
	{PACKET, 59, PART, "defaults", DEFAULTS},
	{PACKET, 60, PART, "track", DESCRIPTOR},
	{CLOCKS, 1, PART, "clock", CLOCK},
	{CLOCKS, 2, NUMBER, "primary", 0},
	{CLOCK, 1, NUMBER, "id", 0},
	{CLOCK, 2, NUMBER, "at", 0},
	{DEFAULTS, 58, NUMBER, "clock", 0},
	{DESCRIPTOR, 1, TRACK, "uuid", 0},
	{DESCRIPTOR, 2, TEXT, "name", 0},
	{DESCRIPTOR, 5, TRACK, "parent", 0},
	{DESCRIPTOR, 8, PART, "counter", UNIT},
	{DESCRIPTOR, 11, NUMBER, "order", 0},
	{DESCRIPTOR, 12, NUMBER, "rank", 0},
	{DESCRIPTOR, 14, TEXT, "about", 0},
	{DESCRIPTOR, 15, NUMBER, "merge", 0},
	{UNIT, 6, TEXT, "unit", 0},
	{UNIT, 7, TEXT, "scale", 0},
	{EVENT, 9, NUMBER, "type", 0},
	{EVENT, 11, TRACK, "track", 0},
	{EVENT, 23, TEXT, "name", 0},
	{EVENT, 44, VALUE, "value", 0},
};

/* By field_kind: how it is encoded. */
static const unsigned wire_types[] = {[NUMBER] = 0, [TRACK] = 0, [VALUE] = 1, [TEXT] = 2, [PART] = 2};

static const struct perfetto_field *find_field(enum perfetto_part in, uint64_t tag)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (fields[i].in == in && fields[i].number == tag >> 3 &&
		    wire_types[fields[i].kind] == (tag & 7))
			return &fields[i];
	fail_msg("no field %" PRIu64 " of type %" PRIu64 " in part %d", tag >> 3, tag & 7, (int)in);
	return NULL;
}

static void decode_block(struct wire in, enum perfetto_part part, uint64_t *base, struct strbuf *text)
{
	const char *blank = "";

	for (; !in.bad && in.p < in.end; blank = " ") {
		const struct perfetto_field *f = find_field(part, wire_get(&in));
		struct span s;
		double value;
		uint64_t n;

		strbuf_printf(text, "%s%s", blank, f->name);
		switch (f->kind) {
		case NUMBER:
			strbuf_printf(text, "=%" PRIu64, wire_get(&in));
			break;
		case TRACK:
			n = wire_get(&in);
			*base = *base ? *base : n;
			strbuf_printf(text, "=%" PRIu64, n - *base);
			break;
		case VALUE:
			assert_true(in.end - in.p >= 8);
			n = wire_get_u64(in.p);
			in.p += 8;
			memcpy(&value, &n, sizeof(value));
			strbuf_printf(text, "=%g", value);
			break;
		case TEXT:
			s = wire_get_text(&in);
			strbuf_printf(text, "='%.*s'", SPAN_ARG(s));
			break;
		case PART:
			strbuf_str(text, "{");
			decode_block(wire_get_part(&in, wire_get(&in)), f->part, base, text);
			strbuf_str(text, "}");
			break;
		}
	}
	assert_false(in.bad);
}

/* The trace since *from, in lines; *from is what comes next. */
static void read_trace(const struct export_machine *m, size_t *from, uint64_t *base, struct strbuf *text)
{
	const uint8_t *bytes = (const uint8_t *)m->out.p;
	struct wire in = {bytes + *from, bytes + m->out.n, false};

	strbuf_clear(text);
	strbuf_str(text, "");
	while (in.p < in.end) {
		assert_int_equal(wire_get(&in), 1 << 3 | 2);
		decode_block(wire_get_part(&in, wire_get(&in)), PACKET, base, text);
		strbuf_str(text, "\n");
		assert_false(in.bad);
	}
	*from = m->out.n;
}

FIXTURE(trace_init)
{
	int failed = machine_init(state);
	struct export_machine *m = *state;

	m->binary = true;
	m->options.start_ns = 5000000000;
	return failed;
}

TEST_EACH(trace_init, machine_fini)
/* What the header says of the tracks, without the clocks. */
static void assert_tracks(struct export_machine *m, unsigned n_sources, const char *expected)
{
	struct export *ex = start_export(m, &export_perfetto, m->sources, n_sources);
	AUTO_STRBUF struct strbuf text = {0};
	struct span tracks;
	size_t from = 0;
	uint64_t base = 0;

	read_trace(m, &from, &base, &text);
	tracks = span_of(text.p);
	span_until(&tracks, '\n');
	assert_string_equal(tracks.p, expected);
	export_free(ex);
}

TEST(trace_begins_with_the_clocks)
{
	static const struct {
		int64_t boottime_ns;
		const char *line;
	} cases[] = {
		{0, "sequence=8150 flags=1 defaults{clock=3} clocks{clock{id=3 at=5000000000} "
		    "clock{id=1 at=1700000005000000000} primary=3}"},
		{6000000000, "sequence=8150 flags=1 defaults{clock=3} clocks{clock{id=3 at=5000000000} "
			     "clock{id=1 at=1700000005000000000} clock{id=6 at=6000000000} primary=3}"},
	};
	struct export_machine *m = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct export *ex;
		size_t from = m->out.n;
		uint64_t base = 0;

		m->options.boottime_ns = cases[i].boottime_ns;
		ex = start_export(m, &export_perfetto, m->sources, 1);
		read_trace(m, &from, &base, &text);
		assert_memory_equal(text.p, cases[i].line, strlen(cases[i].line));
		export_free(ex);
	}
}

TEST(tracks_are_a_tree_with_units)
{
	assert_tracks(
		*state, 2,
		"sequence=8150 track{uuid=0 name='Marks' order=3 rank=2 merge=2}\n"
		"sequence=8150 track{uuid=1 name='Mali-Test 2 cores' about='simulator, every 100 ms, by "
		"malitop 1.2 on board' "
		"order=3 rank=0 merge=2}\n"
		"sequence=8150 track{uuid=2 name='Cortex' about='proc, every 0.5 s, by malitop 1.2 on board' "
		"order=3 rank=1 merge=2}\n"
		"sequence=8150 track{uuid=9 name='G' parent=1 order=3 rank=0 merge=2}\n"
		"sequence=8150 track{uuid=3 name='Fragment' parent=9 about='MaliFragUtil' counter{unit='%' "
		"scale='percent'} order=3 rank=0 merge=2}\n"
		"sequence=8150 track{uuid=4 name='GPU active' parent=9 about='MaliGPUActiveCy' "
		"counter{unit='cy/s'} "
		"order=3 rank=1 merge=2}\n"
		"sequence=8150 track{uuid=11 name='C' parent=2 order=3 rank=2 merge=2}\n"
		"sequence=8150 track{uuid=5 name='Load' parent=11 about='CPULoad' counter{unit='count/s'} "
		"order=3 rank=2 merge=2}\n"
		"sequence=8150 track{uuid=6 name='cluster0: Load' parent=5 about='CPULoad.cluster0' "
		"counter{unit='count/s' scale='cluster'} order=3 rank=3 merge=2}\n"
		"sequence=8150 track{uuid=7 name='cluster1: Load' parent=5 about='CPULoad.cluster1' "
		"counter{unit='count/s' scale='cluster'} order=3 rank=4 merge=2}\n"
		"sequence=8150 track{uuid=8 name='Heat' parent=11 about='Heat' counter{unit='celsius'} "
		"order=3 rank=5 merge=2}\n");
}

TEST(core_without_its_metric_is_below_the_group)
{
	struct export_machine *m = *state;

	m->options.per_core = true;
	m->options.metrics = "MaliFragUtil.core3";
	m->options.host = "";
	assert_tracks(m, 1,
		      "sequence=8150 track{uuid=0 name='Marks' order=3 rank=1 merge=2}\n"
		      "sequence=8150 track{uuid=1 name='Mali-Test 2 cores' about='simulator, every 100 ms, "
		      "by malitop 1.2' "
		      "order=3 rank=0 merge=2}\n"
		      "sequence=8150 track{uuid=3 name='G' parent=1 order=3 rank=0 merge=2}\n"
		      "sequence=8150 track{uuid=2 name='core3: Fragment' parent=3 about='MaliFragUtil.core3' "
		      "counter{unit='%' scale='core'} order=3 rank=0 merge=2}\n");
}

TEST(second_gpu_and_simulated_data_are_named)
{
	struct export_machine *m = *state;
	struct export_source two[] = {m->sources[GPU], m->sources[GPU1]};
	AUTO_STRBUF struct strbuf text = {0};
	struct export *ex;
	size_t from = 0;
	uint64_t base = 0;

	two[1].simulated = true;
	m->options.metrics = "MaliGPUActiveCy";
	ex = start_export(m, &export_perfetto, two, 2);
	read_trace(m, &from, &base, &text);
	assert_non_null(strstr(text.p, "uuid=1 name='Mali-Test 2 cores' "));
	assert_non_null(strstr(text.p, "uuid=2 name='gpu1: Mali-Test 2 cores (simulated)' "));
	assert_non_null(strstr(text.p, "uuid=6 name='G' parent=2 "));
	export_free(ex);
}

/* What is written after the header. */
struct events {
	struct export_machine *m;
	struct export *ex;
	struct strbuf text;
	size_t from;
	uint64_t base;
};

static void events_init(struct events *e, struct export_machine *m, unsigned n_sources)
{
	*e = (struct events){.m = m, .ex = start_export(m, &export_perfetto, m->sources, n_sources)};
	read_trace(m, &e->from, &e->base, &e->text);
}

static void events_fini(struct events *e)
{
	export_free(e->ex);
	strbuf_fini(&e->text);
}

static void assert_events(struct events *e, const char *expected)
{
	read_trace(e->m, &e->from, &e->base, &e->text);
	assert_string_equal(e->text.p, expected);
}

TEST(values_stand_at_the_begin_of_an_interval_and_counts_are_rates)
{
	struct events e;

	events_init(&e, *state, 1);
	push_gpu(e.ex, 200, 450, 1000, 250);
	assert_events(&e, "sequence=8150 at=200000000 flags=2 event{type=1 track=1 name='interval'}\n"
			  "sequence=8150 at=450000000 flags=2 event{type=2 track=1}\n"
			  "sequence=8150 at=200000000 flags=2 event{type=4 track=2 value=25}\n"
			  "sequence=8150 at=200000000 flags=2 event{type=4 track=3 value=4000}\n");
	events_fini(&e);
}

TEST(constants_are_no_rates)
{
	struct export_machine *m = *state;
	struct events e;

	m->options.metrics = "MaliBeat";
	assert_tracks(m, 1,
		      "sequence=8150 track{uuid=0 name='Marks' order=3 rank=1 merge=2}\n"
		      "sequence=8150 track{uuid=1 name='Mali-Test 2 cores' about='simulator, every 100 ms, "
		      "by malitop 1.2 on "
		      "board' order=3 rank=0 merge=2}\n"
		      "sequence=8150 track{uuid=3 name='G' parent=1 order=3 rank=0 merge=2}\n"
		      "sequence=8150 track{uuid=2 name='Beat' parent=3 about='MaliBeat' counter{unit='B'} "
		      "order=3 rank=0 "
		      "merge=2}\n");
	strbuf_clear(&m->out);
	events_init(&e, m, 1);
	push_gpu(e.ex, 200, 450, 1000, 250);
	assert_events(&e, "sequence=8150 at=200000000 flags=2 event{type=1 track=1 name='interval'}\n"
			  "sequence=8150 at=450000000 flags=2 event{type=2 track=1}\n"
			  "sequence=8150 at=200000000 flags=2 event{type=4 track=2 value=16}\n");
	events_fini(&e);
}

TEST(undefined_and_unknown_values_are_no_events)
{
	struct events e;

	events_init(&e, *state, 1);
	push_gpu(e.ex, 0, 100, 0, 0); /* of no cycle nothing is a percentage */
	assert_events(&e, "sequence=8150 at=0 flags=2 event{type=1 track=1 name='interval'}\n"
			  "sequence=8150 at=100000000 flags=2 event{type=2 track=1}\n"
			  "sequence=8150 at=0 flags=2 event{type=4 track=3 value=0}\n");
	push_sample(e.ex, GPU, 100, 200, 0,
		    (uint64_t[]){SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}, 4);
	assert_events(&e, "sequence=8150 at=100000000 flags=2 event{type=1 track=1 name='interval'}\n"
			  "sequence=8150 at=200000000 flags=2 event{type=2 track=1}\n");
	events_fini(&e);
}

TEST(flags_name_the_interval)
{
	struct events e;

	events_init(&e, *state, 1);
	push_sample(e.ex, GPU, 300, 400, SAMPLE_GAP | SAMPLE_SIMULATED, (uint64_t[]){10, 0, 0, 0}, 4);
	assert_events(&e, "sequence=8150 at=300000000 flags=2 event{type=1 track=1 name='gap simulated'}\n"
			  "sequence=8150 at=400000000 flags=2 event{type=2 track=1}\n"
			  "sequence=8150 at=300000000 flags=2 event{type=4 track=2 value=0}\n"
			  "sequence=8150 at=300000000 flags=2 event{type=4 track=3 value=100}\n");
	push_sample(e.ex, GPU, 400, 500, SAMPLE_ERROR, (uint64_t[]){10, 0, 0, 0}, 4);
	assert_events(&e, "sequence=8150 at=400000000 flags=2 event{type=1 track=1 name='error'}\n"
			  "sequence=8150 at=500000000 flags=2 event{type=2 track=1}\n");
	events_fini(&e);
}

TEST(sources_have_intervals_of_their_own)
{
	struct events e;

	events_init(&e, *state, 2);
	push_cpu(e.ex, 0, 500, 4, 30);
	assert_events(&e, "sequence=8150 at=0 flags=2 event{type=1 track=2 name='interval'}\n"
			  "sequence=8150 at=500000000 flags=2 event{type=2 track=2}\n"
			  "sequence=8150 at=0 flags=2 event{type=4 track=5 value=2}\n"
			  "sequence=8150 at=0 flags=2 event{type=4 track=6 value=1.5}\n"
			  "sequence=8150 at=0 flags=2 event{type=4 track=7 value=0.5}\n"
			  "sequence=8150 at=0 flags=2 event{type=4 track=8 value=30}\n");
	events_fini(&e);
}

TEST(marks_are_instants)
{
	struct events e;
	struct err err;

	events_init(&e, *state, 1);
	assert_true(export_mark(e.ex, 150000000, "level 2", &err));
	assert_true(export_mark(e.ex, 150000001, "", &err));
	assert_events(&e, "sequence=8150 at=150000000 flags=2 event{type=3 track=0 name='level 2'}\n"
			  "sequence=8150 at=150000001 flags=2 event{type=3 track=0 name='mark'}\n");
	e.m->fail_at = e.m->writes + 1;
	assert_false(export_mark(e.ex, 150000002, "lost", &err));
	assert_string_equal(err.text, "log: disk full");
	events_fini(&e);
}

/* Ids differ, so that traces of several machines or runs can be concatenated. */
TEST(tracks_of_other_traces_have_other_numbers)
{
	static const struct {
		const char *host;
		int64_t start_ns;
	} cases[] = {{"board", 5000000000}, {"board", 5000000001}, {"boarc", 5000000000}, {"", 0}};
	uint64_t seen[ARRAY_LEN(cases)] = {0};
	struct export_machine *m = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct export *ex;
		size_t from = m->out.n;

		m->options.host = cases[i].host;
		m->options.start_ns = cases[i].start_ns;
		ex = start_export(m, &export_perfetto, m->sources, 2);
		read_trace(m, &from, &seen[i], &text);
		assert_in_range(seen[i], 1, UINT64_C(1) << 35); /* 0 is Perfetto's own */
		for (size_t k = 0; k < i; k++)
			assert_true(seen[k] + 11 < seen[i] || seen[i] + 11 < seen[k]);
		export_free(ex);
	}
}

TEST(metric_of_the_format_stands_first_unless_others_are_asked_for)
{
	struct export_format format = export_csv;
	struct export_machine *m = *state;

	m->binary = false;
	format.also = "MaliExtra";
	export_free(start_export(m, &format, m->sources, 1));
	assert_string_equal(m->out.p, "time,duration,flags,MaliExtra,MaliFragUtil,MaliGPUActiveCy\r\n");
	strbuf_clear(&m->out);
	m->options.metrics = "MaliFragUtil";
	export_free(start_export(m, &format, m->sources, 1));
	assert_string_equal(m->out.p, "time,duration,flags,MaliFragUtil\r\n");
	assert_string_equal(export_perfetto.also, "GPUClock");
}

/* Half a second each, of which the fragment queue is active for that share. */
static void push_load(struct events *e, int64_t *at_ms, unsigned n, uint64_t percent)
{
	for (; n; n--, *at_ms += 500)
		push_gpu(e->ex, *at_ms, *at_ms + 500, 1000, percent * 10);
}

/* New tracks, and what is on the tracks of verdict and findings. */
#define VERDICT_TRACK 23
static void put_judged_lines(const struct strbuf *text, struct strbuf *out)
{
	struct span rest = span_of(text->p), line;

	while ((line = span_until(&rest, '\n')).n) {
		const char *track = memmem(line.p, line.n, "track=", 6);

		if (!track || strtoul(track + 6, NULL, 10) >= VERDICT_TRACK)
			strbuf_printf(out, "%.*s\n", SPAN_ARG(line));
	}
}

TEST(verdict_and_findings_are_slices)
{
	static const char rules[] = "finding much\n  title Much to do\n  severity warning\n  when "
				    "MaliFragUtil above 50 until 40\n"
				    "  evidence MaliFragUtil\n  says It is much.\n  do Draw less.\n  look "
				    "counters\n  house A test.\n"
				    "verdict gpu\n  title GPU bound\n  when MaliFragUtil above 80 until 70\n"
				    "  evidence MaliFragUtil\n  says It is all.\n  do Draw less.\n  look "
				    "counters\n  house A test.\n";
	const struct gpudb_text texts[] = {{"data", {data, sizeof(data) - 1}},
					   {"rules", {rules, sizeof(rules) - 1}}};
	struct export_machine *m = *state;
	struct err err = {0};
	struct gpudb *db = gpudb_load_texts(texts, 2, &err);
	const struct watch_source watched = {.index = GPU, .kind = SOURCE_GPU, .set = m->gpu};
	AUTO_STRBUF struct strbuf lines = {0};
	int64_t at_ms = 1000;
	struct events e;

	if (!db)
		fail_msg("%s", err.text);
	m->options.watch = watch_new(db, &watched, 1, NULL);
	events_init(&e, m, 1);
	assert_non_null(strstr(e.text.p, "track{uuid=23 name='Verdict'"));
	strbuf_clear(&e.text);
	push_load(&e, &at_ms, 4, 10);
	push_load(&e, &at_ms, 8, 90); /* from 3 to 7 s */
	push_load(&e, &at_ms, 12, 10);
	push_load(&e, &at_ms, 8, 90); /* from 13 s to the end at 17 s */
	assert_true(export_end(e.ex, &err) && export_findings(e.ex, &err));
	read_trace(m, &e.from, &e.base, &e.text);
	put_judged_lines(&e.text, &lines);
	assert_string_equal(lines.p,
			    "sequence=8150 at=3000000000 flags=2 event{type=1 track=23 name='GPU bound'}\n"
			    "sequence=8150 track{uuid=26 name='Much to do' parent=24 about='much: It is "
			    "much. Draw less.' "
			    "order=3 rank=1 merge=2}\n"
			    "sequence=8150 at=3000000000 flags=2 event{type=1 track=26 name='Much to do'}\n"
			    "sequence=8150 at=7000000000 flags=2 event{type=2 track=23}\n"
			    "sequence=8150 at=7000000000 flags=2 event{type=2 track=26}\n"
			    "sequence=8150 at=13000000000 flags=2 event{type=1 track=23 name='GPU bound'}\n"
			    "sequence=8150 at=13000000000 flags=2 event{type=1 track=26 name='Much to do'}\n"
			    "sequence=8150 at=17000000000 flags=2 event{type=2 track=23}\n"
			    "sequence=8150 at=17000000000 flags=2 event{type=2 track=26}\n");
	watch_free(m->options.watch);
	events_fini(&e);
	/* a run that is too short to be sure of anything shows what fits */
	m->options.watch = watch_new(db, &watched, 1, NULL);
	strbuf_clear(&m->out);
	events_init(&e, m, 1);
	strbuf_clear(&e.text);
	strbuf_clear(&lines);
	at_ms = 1000;
	push_load(&e, &at_ms, 2, 90);
	assert_true(export_end(e.ex, &err) && export_findings(e.ex, &err));
	read_trace(m, &e.from, &e.base, &e.text);
	put_judged_lines(&e.text, &lines);
	assert_non_null(strstr(lines.p, "at=1000000000 flags=2 event{type=1 track=23 name='GPU bound'}\n"));
	assert_non_null(strstr(lines.p, "at=2000000000 flags=2 event{type=2 track=23}\n"));
	watch_free(m->options.watch);
	events_fini(&e);
	gpudb_free(db);
}
