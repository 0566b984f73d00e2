/* `malitop replay FILE --once`: the same log gives the same frames, compared with
 * tests/golden/NAME.txt (see test_golden.c). */
#include "cli/commands.h"
#include "tests/support/golden.h"
#include "tests/support/log_bench.h"
#include "tests/support/people.h"

static struct sys sys;

static int64_t no_time(const struct sys *unused)
{
	(void)unused;
	return 0;
}

static void write_log(struct log_bench *log)
{
	struct err err;

	log_begin(log, &(struct log_what){{"G715", "G52"}, {100 * MS, 250 * MS}, "mixed", true});
	for (int s = 1; s <= 90; s++) {
		struct process_list *list = people_list(false);

		log_until(log, s * SECOND_NS);
		list->begin_ns = log->now_ns - SECOND_NS;
		list->end_ns = log->now_ns;
		assert_true(mlog_writer_processes(log->writer, list, &err));
		log_flush(log);
		process_list_free(list);
		if (s == 70)
			log_note(log, MLOG_NOTE_AWAY, 0, 0, "");
		if (s == 70)
			log->away = 1;
	}
	log_end(log);
}

static struct options options_of(const char *path)
{
	return (struct options){.command = COMMAND_REPLAY,
				.operand = path,
				.refresh_ns = 500 * MS,
				.view = "overview",
				.once = {100, 30},
				.frames = 2,
				.speed = 1};
}

TEST(a_log_gives_its_frames)
{
	static const struct {
		const char *name, *view;
		struct dimensions size;
		int64_t from_s, step_s;
		unsigned frames;
		bool per_core, ascii;
	} cases[] = {
		{"replay/overview-100x30", "overview", {100, 30}, 0, 0, 100, false, false},
		{"replay/cores-80x24", "core", {80, 24}, 50, 0, 4, true, false},
		{"replay/processes-80x24-ascii", "processes", {80, 24}, 30, 0, 2, false, true},
		{"replay/step-100x30", "queues", {100, 30}, 0, 5, 9, false, false},
		{"replay/away-100x30", "memory", {100, 30}, 65, 0, 20, false, false},
	};
	struct log_bench log;
	int failed = 0;

	write_log(&log);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o = options_of(log.path);
		AUTO_STRBUF struct strbuf out = {0};
		struct err err = {0};

		o.view = cases[i].view;
		o.once = cases[i].size;
		o.from_ns = cases[i].from_s * SECOND_NS;
		o.step_ns = cases[i].step_s * SECOND_NS;
		o.frames = cases[i].frames;
		o.per_core = cases[i].per_core;
		if (once_run(&sys, &o, cases[i].ascii, &out, &err) != EXIT_DONE || err.text[0])
			fail_msg("%s: %s", cases[i].name, err.text);
		failed += golden_compare(cases[i].name, out.p);
	}
	log_fini(&log);
	assert_int_equal(failed, 0);
	assert_int_equal(golden_strays("replay"), 0);
}

TEST(what_was_cut_off_is_reported_and_the_rest_is_shown)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct log_bench log;
	struct options o;
	struct err err = {0};

	write_log(&log);
	fputs("half a block", log.file);
	fflush(log.file);
	o = options_of(log.path);
	assert_int_equal(once_run(&sys, &o, false, &out, &err), EXIT_DONE);
	assert_non_null(strstr(err.text, "run.mlog: 12 bytes at the end are an incomplete block"));
	assert_non_null(strstr(out.p, "REPLAY run.mlog"));
	log_fini(&log);
}

TEST(what_cannot_be_shown_is_an_error_without_a_frame)
{
	static const struct {
		const char *view, *want;
		int64_t from_s;
		const char *layout;
	} cases[] = {{"nowhere", "--view: there is no 'nowhere'", 0, NULL},
		     {"overview", "--from: 5 m: the log is only 1:30.0 long", 300, NULL},
		     {"overview", "--layout: unknown 'gz'", 0, "gz"}};
	struct log_bench log;

	write_log(&log);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o = options_of(log.path);
		AUTO_STRBUF struct strbuf out = {0};
		struct err err = {0};

		o.view = cases[i].view;
		o.from_ns = cases[i].from_s * SECOND_NS;
		o.layout = cases[i].layout;
		assert_int_equal(once_run(&sys, &o, false, &out, &err), EXIT_FAILED);
		assert_int_equal(err.code, ERR_USAGE);
		assert_non_null(strstr(err.text, cases[i].want));
		assert_int_equal(out.n, 0);
	}
	log_fini(&log);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	sys.monotonic_ns = sys.realtime_ns = no_time;

	return test_run();
}
