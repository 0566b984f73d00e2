/* When findings begin and end to hold, how a verdict changes, and what the reader refuses. */
#include "model/judge.h"
#include "tests/support/gpu_set.h"

#include <stdio.h>

#define S 1000000000ll

static const char data[] =
	"slots x\n  names Load Spare Clock\n"
	"metric Load\n  title The load\n  unit percent\n"
	"metric Spare\n  title What is left\n  unit percent\n"
	"metric Clock\n  title The clock\n  unit hertz\n"
	"condition on\n  and Clock above 0\n"
	"condition frame-late\n  and $FrameRate / $FramesPerSecond below 0.95 until 0.97\n"
	"resource core\n  title core\n"
	"finding high\n  title High\n  when Load above 80 until 70\n  needs on\n"
	"  resource core\n  evidence Load, Nothing | Spare\n  says It is high.\n  house because\n"
	"finding elsewhere\n  title E\n  when MaliNothing | MaliA above 3\n  says E.\n"
	"verdict full\n  title Full\n  when Load above 90 until 85\n  clear Spare below 5\n"
	"  explains core\n  evidence Load, $BusiestThread\n  says It is full.\n"
	"verdict thread\n  title Thread\n  when $BusiestThread above 90\n  and Load below 50\n"
	"  says A thread.\n"
	"verdict idle\n  title Idle\n  when Load below 5\n  spare yes\n  says Idle.\n";

struct bench {
	struct gpudb *db;
	struct metric_set *set;
	struct judge *judge;
	double vector[VECTOR_CONSTANTS + 3];
	struct judge_facts facts;
	int64_t now_ns;
};

static void bench_init(struct bench *b)
{
	const struct slot slots[] = {
		{.name = "Load", .scale = 1}, {.name = "Spare", .scale = 1}, {.name = "Clock", .scale = 1}};
	/* Names that some GPU has, but not this source. */
	const char *others =
		"metric MaliA\n  title A\n  unit count\nmetric MaliNothing\n  title N\n  unit count\n"
		"metric Nothing\n  title N\n  unit count\n";
	const struct gpudb_text texts[] = {{"others", span_of(others)}, {"data", SPAN_LIT(data)}};
	const struct metric_set *sets[SOURCE_KINDS] = {0};
	struct err err;

	*b = (struct bench){.db = gpudb_load_texts(texts, 2, &err), .facts = {.value = {NAN, NAN}}};
	if (!b->db)
		fail_msg("%s", err.text);
	b->set = metric_set_new(
		b->db, &(struct metric_source){.slots = slots, .n_slots = 3, .frames_per_second = 60}, &err);
	if (!b->set)
		fail_msg("%s", err.text);
	sets[SOURCE_CPU] = b->set;
	b->judge = judge_new(b->db, sets);
	memcpy(b->vector, b->set->constants, sizeof(b->set->constants));
	b->vector[VECTOR_SECONDS] = 0.5;
	b->vector[VECTOR_CONSTANTS + 1] = 50;
	b->vector[VECTOR_CONSTANTS + 2] = 1e9;
	b->now_ns = 100 * S;
}

static void bench_fini(struct bench *b)
{
	judge_free(b->judge);
	metric_set_free(b->set);
	gpudb_free(b->db);
}

/* Steps of half a second with that load. */
static void run_steps(struct bench *b, double load, double seconds)
{
	const double *vectors[SOURCE_KINDS] = {[SOURCE_CPU] = b->vector};

	b->vector[VECTOR_CONSTANTS] = load;
	for (int i = 0; i < (int)(2 * seconds); i++) {
		b->now_ns += S / 2;
		judge_step(b->judge, b->now_ns - S / 2, b->now_ns, vectors, &b->facts);
	}
}

TEST(a_finding_needs_two_seconds_to_begin_and_five_to_end)
{
	const struct judged *f;
	struct bench b;

	bench_init(&b);
	assert_int_equal(b.judge->n_findings, 1); /* what names other counters is left out */
	f = &b.judge->findings[0];
	run_steps(&b, 81, 1.5);
	assert_false(f->holds);
	run_steps(&b, 81, 0.5);
	assert_true(f->holds);
	assert_int_equal(f->since_ns, 100 * S);
	run_steps(&b, 71, 2); /* between the numbers: it goes on */
	assert_true(f->holds);
	run_steps(&b, 69, 4.5);
	assert_true(f->holds);
	run_steps(&b, 69, 0.5);
	assert_false(f->holds);
	assert_int_equal(f->since_ns, 104 * S);
	run_steps(&b, 71, 10);
	assert_false(f->holds);
	assert_float_equal(f->held_s, 4, 1e-6);
	assert_float_equal(f->mean, (81 * 2 + 71 * 2) / 4.0, 1e-6);
	assert_float_equal(f->worst, 81, 1e-6);
	assert_int_equal(f->begins, 1);
	bench_fini(&b);
}

/* Details of a scene drift; another scene is far away. */
TEST(a_settled_scene_keeps_a_finding_unless_it_is_clear_cut_or_lasts)
{
	const struct judged *f;
	struct bench b;

	bench_init(&b);
	f = &b.judge->findings[0];
	run_steps(&b, 75, 12); /* settled */
	run_steps(&b, 85, 250);
	assert_false(f->holds);
	run_steps(&b, 85, 51);
	assert_true(f->holds);
	run_steps(&b, 65, 200); /* by less than a quarter */
	run_steps(&b, 81, 2);
	run_steps(&b, 65, 200);
	assert_true(f->holds);
	run_steps(&b, 50, 5); /* by more */
	assert_false(f->holds);
	bench_fini(&b);
}

TEST(a_number_beyond_its_limit_is_as_bad_as_its_finding)
{
	const struct metric *load, *spare, *clock;
	struct bench b;

	bench_init(&b);
	load = metric_find(b.set, SPAN_LIT("Load"));
	spare = metric_find(b.set, SPAN_LIT("Spare"));
	clock = metric_find(b.set, SPAN_LIT("Clock"));
	b.set->metrics[load - b.set->metrics].alert = ALERT_ABOVE;
	run_steps(&b, 95, 0.5);
	assert_int_equal(judge_severity(b.judge, load), SEVERITY_NOTE);     /* not listed yet */
	assert_int_equal(judge_severity(b.judge, spare), SEVERITY_WARNING); /* evidence of it */
	run_steps(&b, 95, 3);
	assert_true(b.judge->findings[0].holds);
	assert_int_equal(judge_severity(b.judge, load), SEVERITY_WARNING);
	b.facts.value[FACT_FRAME_RATE] = 30; /* late, and it explains the verdict */
	run_steps(&b, 95, 3);
	assert_int_equal(judge_severity(b.judge, load), SEVERITY_CRITICAL);
	b.facts.value[FACT_FRAME_RATE] = 60;
	run_steps(&b, 95, 3);
	assert_int_equal(judge_severity(b.judge, load), SEVERITY_WARNING);
	b.vector[VECTOR_CONSTANTS + 2] = 0; /* the clock stands: the finding needs it */
	run_steps(&b, 95, 400);
	assert_int_equal(judge_severity(b.judge, load), SEVERITY_NOTE);
	assert_int_equal(judge_severity(b.judge, spare), SEVERITY_NOTE);
	assert_int_equal(judge_severity(b.judge, clock), SEVERITY_WARNING); /* no finding has it */
	bench_fini(&b);
}

TEST(what_came_and_went_is_kept_in_the_order_of_time)
{
	const struct judged *f;
	struct bench b;

	bench_init(&b);
	f = &b.judge->findings[0];
	run_steps(&b, 95, 10); /* the verdict is full, too */
	run_steps(&b, 2, 10);
	assert_int_equal(b.judge->n_events, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(b.judge->events[i].at_ns, (i < 2 ? 100 : 110) * S);
	assert_ptr_equal(b.judge->events[1].what, f);
	assert_string_equal(b.judge->events[2].what->def->name, "idle");
	assert_true(b.judge->events[3].ended);
	for (int i = 0; i < JUDGE_EVENTS; i++)
		run_steps(&b, i % 2 ? 2 : 95, 10);
	assert_int_equal(b.judge->n_events, JUDGE_EVENTS);
	for (unsigned i = 1; i < JUDGE_EVENTS; i++)
		assert_true(b.judge->events[i - 1].at_ns <= b.judge->events[i].at_ns);
	assert_int_equal(b.judge->events[JUDGE_EVENTS - 1].at_ns, b.now_ns - 10 * S);
	judge_clear(b.judge);
	assert_int_equal(b.judge->n_events, 0);
	bench_fini(&b);
}

TEST(the_last_numbers_of_a_finding_are_kept)
{
	const struct judged *f;
	struct bench b;

	bench_init(&b);
	f = &b.judge->findings[0];
	assert_true(isnan(judged_past(f, 0)));
	assert_false(judged_is_fine(f)); /* unknown is not fine */
	run_steps(&b, 80, 0.5);
	assert_true(judged_is_fine(f)); /* at its limit */
	run_steps(&b, 81, 0.5);
	assert_false(judged_is_fine(f));
	assert_float_equal(judged_past(f, 0), 81, 1e-6);
	assert_float_equal(judged_past(f, 1), 80, 1e-6);
	assert_true(isnan(judged_past(f, 2)));
	run_steps(&b, 7, JUDGE_PAST);
	assert_float_equal(judged_past(f, JUDGE_PAST - 1), 7, 1e-6);
	assert_true(isnan(judged_past(f, JUDGE_PAST)));
	bench_fini(&b);
}

TEST(a_finding_of_a_device_that_fell_silent_ends)
{
	struct bench b;

	bench_init(&b);
	run_steps(&b, 90, 3);
	assert_true(b.judge->findings[0].holds);
	run_steps(&b, NAN, 5);
	assert_false(b.judge->findings[0].holds);
	bench_fini(&b);
}

TEST(short_peaks_change_no_verdict)
{
	struct bench b;

	bench_init(&b);
	run_steps(&b, 95, 1);
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "unclear");
	run_steps(&b, 95, 0.5);
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "full");
	assert_int_equal(b.judge->verdict.since_ns, 100 * S);
	for (int i = 0; i < 10; i++) {
		run_steps(&b, 2, 1);
		run_steps(&b, 95, 1);
	}
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "full");
	assert_int_equal(b.judge->verdict.changes, 1);
	run_steps(&b, 2, 1.5);
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "idle");
	bench_fini(&b);
}

TEST(a_change_of_verdict_is_news_once_and_the_first_verdict_is_none)
{
	struct judge_reported reported = {0};
	char text[JUDGE_NEWS_TEXT];
	struct bench b;

	bench_init(&b);
	run_steps(&b, 50, 4); /* not clear */
	assert_false(judge_news(b.judge, &reported, text));
	run_steps(&b, 95, 4);
	assert_false(judge_news(b.judge, &reported, text));
	run_steps(&b, 1, 4);
	assert_true(judge_news(b.judge, &reported, text));
	assert_string_equal(text, "verdict: Idle");
	assert_false(judge_news(b.judge, &reported, text));
	run_steps(&b, 50, 4);
	assert_true(judge_news(b.judge, &reported, text));
	assert_string_equal(text, "verdict: Not clear");
	bench_fini(&b);
}

TEST(a_verdict_is_clear_only_with_all_of_its_evidence)
{
	struct bench b;

	bench_init(&b);
	run_steps(&b, 95, 2);
	assert_int_equal(b.judge->verdict.surety, JUDGE_LIKELY);
	b.vector[VECTOR_CONSTANTS + 1] = 2;
	run_steps(&b, 95, 0.5);
	assert_int_equal(b.judge->verdict.surety, JUDGE_CLEAR);
	run_steps(&b, 86, 5); /* it ends below 85 */
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "full");
	bench_fini(&b);
}

TEST(a_thread_that_is_no_longer_read_does_not_end_its_verdict)
{
	struct bench b;

	bench_init(&b);
	b.facts.value[FACT_BUSIEST_THREAD] = 99;
	run_steps(&b, 30, 2);
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "thread");
	b.facts.value[FACT_BUSIEST_THREAD] = NAN;
	run_steps(&b, 30, 10);
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "thread");
	run_steps(&b, 95, 2);
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "full");
	run_steps(&b, 30, 2); /* it has to be known again */
	assert_string_equal(judge_verdict_name(&b.judge->verdict), "unclear");
	bench_fini(&b);
}

TEST(the_frame_rate_is_that_of_the_source_of_frames)
{
	const struct slot slots[] = {{.name = "FrameCount", .scale = 1}};
	struct gpudb *db = load_shipped();
	struct err err;
	struct metric_set *frames =
		metric_set_new(db, &(struct metric_source){.slots = slots, .n_slots = 1}, &err);
	const struct metric_set *sets[SOURCE_KINDS] = {[SOURCE_PASSES] = frames};
	struct judge *judge = judge_new(db, sets);
	struct judge_facts facts = judge->facts;
	double vector[VECTOR_CONSTANTS + 1] = {
		[VECTOR_SECONDS] = 0.5, [VECTOR_FRAME_RATE] = 30, [VECTOR_CONSTANTS] = 15};
	const double *vectors[SOURCE_KINDS] = {[SOURCE_PASSES] = vector};

	judge_step(judge, S, S + S / 2, vectors, &facts);
	assert_float_equal(judge->facts.value[FACT_FRAME_RATE], 30, 1e-9);
	facts.value[FACT_FRAME_RATE] = 24; /* the caller knows better */
	judge_step(judge, S + S / 2, 2 * S, vectors, &facts);
	assert_float_equal(judge->facts.value[FACT_FRAME_RATE], 24, 1e-9);
	judge_free(judge);
	metric_set_free(frames);
	gpudb_free(db);
}

TEST(an_unclear_verdict_says_what_is_missing)
{
	static const struct {
		double load, thread;
		const char *says;
	} cases[] = {
		{30, NAN, "Busiest thread is not known"},
		{NAN, NAN, "The load is not known"},
		{30, 20, "the numbers fit no known pattern"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct bench b;

		bench_init(&b);
		judge_missing(b.judge, &text);
		assert_string_equal(text.p, "measured for too short a time");
		strbuf_clear(&text);
		b.facts.value[FACT_BUSIEST_THREAD] = cases[i].thread;
		run_steps(&b, cases[i].load, 3);
		assert_int_equal(b.judge->verdict.surety, JUDGE_UNCLEAR);
		judge_missing(b.judge, &text);
		assert_string_equal(text.p, cases[i].says);
		bench_fini(&b);
	}
}

/* Full for 7 of 20 s, then for 7 of 80. */
TEST(a_run_has_the_verdict_that_limits_it_from_a_tenth_of_the_time_on)
{
	struct bench b;
	double share;

	bench_init(&b);
	assert_null(judge_of_run(b.judge, &share));
	run_steps(&b, 95, 6);
	run_steps(&b, 2, 14);
	assert_string_equal(judge_of_run(b.judge, &share)->def->name, "full");
	assert_float_equal(share, 7.0 / 20, 1e-6); /* the first second decides */
	run_steps(&b, 2, 60);
	assert_string_equal(judge_of_run(b.judge, &share)->def->name, "idle");
	assert_float_equal(share, 73.0 / 80, 1e-6);
	bench_fini(&b);
}

TEST(a_run_too_short_for_the_rules_still_has_findings)
{
	struct bench b;
	double share;

	bench_init(&b);
	run_steps(&b, 95, 0.5);
	judge_finish(b.judge);
	assert_true(b.judge->findings[0].holds);
	assert_float_equal(b.judge->findings[0].held_s, 0.5, 1e-6);
	assert_string_equal(judge_of_run(b.judge, &share)->def->name, "full");
	assert_int_equal(b.judge->verdict.surety, JUDGE_LIKELY);
	bench_fini(&b);
}

TEST(evidence_takes_the_first_name_that_there_is)
{
	struct bench b;

	bench_init(&b);
	assert_int_equal(b.judge->findings[0].n_evidence, 2);
	assert_string_equal(b.judge->findings[0].evidence[1].name, "Spare");
	assert_string_equal(b.judge->findings[0].evidence[1].title, "What is left");
	bench_fini(&b);
}

TEST(bad_stanzas_are_refused_with_file_and_line)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"finding f\n  when A above 1\n  says S\n", "t:1: finding f: expected a field 'title'"},
		{"finding f\n  title T\n  says S\n", "t:1: finding f: expected a field 'when'"},
		{"finding f\n  title T\n  when A above 1\n", "t:1: finding f: expected a field 'says'"},
		{"finding f g\n", "t:1: finding 'f g': a name has no blanks"},
		{"finding f\n  title T\n  when A\n", "t:3: when 'A': expected a formula, 'above', 'below'"},
		{"finding f\n  title T\n  when A over 1\n", "t:3: when 'A over 1': expected a formula"},
		{"finding f\n  title T\n  when above 1\n", "t:3: when 'above 1': expected a formula"},
		{"finding f\n  title T\n  when A above 1 until 2\n",
		 "t:3: when 'A above 1 until 2': expected"},
		{"finding f\n  title T\n  when A below 1 until 0.5\n", "t:3: when"},
		{"finding f\n  title T\n  when A above x\n", "t:3: when 'A above x': expected a formula"},
		{"finding f\n  title T\n  severity bad\n",
		 "t:3: severity 'bad': expected note, warning or critical"},
		{"finding f\n  title T\n  gpus G52\n", "t:3: 'G52': expected a GPU set"},
		{"finding f\n  title T\n  house\n", "t:3: 'house': expected the reason of the limit"},
		{"finding f\n  title T\n  clear A above 1\n", "t:3: unknown field 'clear': expected one of"},
		{"finding f\n  title T\n  when Nope above 1\n  says S\n", "t:3: f: unknown name 'Nope'"},
		{"finding f\n  title T\n  when A + above 1\n  says S\n", "t:3: f: "},
		{"finding f\n  title T\n  when A above 1\n  and Nope below 2\n  says S\n",
		 "t:4: f: unknown name 'Nope'"},
		{"finding f\n  title T\n  when A above 1\n  needs c\n  says S\n",
		 "t:1: f: there is no condition 'c'"},
		{"finding f\n  title T\n  when A above 1\n  evidence A, Nope\n  says S\n",
		 "t:1: f: unknown name 'Nope'"},
		{"condition c\n", "t:1: condition c: expected a field 'and'"},
		{"note n\n  says S\n", "t:1: note n: expected a field 'metrics'"},
		{"note n\n  metrics Nope\n  says S\n", "t:1: n: unknown name 'Nope'"},
		{"verdict v\n  title T\n  severity info\n", "t:3: unknown field 'severity'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct gpudb_text texts[] = {
			{"metrics", SPAN_LIT("metric A\n  title A\n  unit percent\n")},
			{"t", span_of(cases[i].text)}};
		struct err err = {0};

		assert_null(gpudb_load_texts(texts, 2, &err));
		if (strncmp(err.text, cases[i].message, strlen(cases[i].message)) != 0)
			fail_msg("case %zu: '%s' does not begin with '%s'", i, err.text, cases[i].message);
	}
}

TEST(a_later_stanza_of_the_same_name_replaces_the_first)
{
	const struct gpudb_text texts[] = {
		{"metrics", SPAN_LIT("metric A\n  title A\n  unit percent\n")},
		{"ours", SPAN_LIT("finding f\n  title Ours\n  when A above 1\n  says S\n")},
		{"user", SPAN_LIT("finding f\n  title Theirs\n  when A above 2\n  says S\n")}};
	struct err err;
	struct gpudb *db = gpudb_load_texts(texts, 3, &err);

	assert_non_null(db);
	assert_int_equal(db->n_findings, 1);
	assert_string_equal(finding_find(db, FINDING_RULE, SPAN_LIT("f"))->title, "Theirs");
	gpudb_free(db);
}
