/* One frame of 304 ms among 10,000 of 16: in the list of a log, also after a crash, and in what
 * stat reports of it. */
#include "export/export.h"
#include "mlog/mlog_open.h"
#include "mlog/mlog_reader.h"
#include "session/session.h"
#include "tests/support/frame_log.h"
#include "tests/support/shared_data.h"
#include "tests/support/test.h"
#include "tui/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LATE 4711

static char directory[] = "/tmp/malitop-worst-XXXXXX", path[64];
static struct sys sys;

static long file_bytes(void)
{
	FILE *file = fopen(path, "re");
	long n;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	n = ftell(file);
	fclose(file);
	return n;
}

static void write_log(bool cut)
{
	const struct frame_log log = {.frames = 10000, .late = LATE, .late_ns = 304000000, .cut = cut};

	assert_true(frame_log_write(&log, path));
}

TEST(a_log_lists_its_longest_frame_whole_or_cut)
{
	char cause[FRAME_CAUSE_TEXT];

	for (unsigned cut = 0; cut < 2; cut++) {
		struct options options = {.command = COMMAND_REPLAY,
					  .operand = path,
					  .refresh_ns = 500000000,
					  .view = "frame",
					  .speed = 1};
		const struct pass_run *run;
		struct session session;
		struct player *player;
		struct feeds feeds;
		struct err err;

		write_log(cut);
		if (cut) /* within its last block */
			assert_int_equal(truncate(path, file_bytes() - 40), 0);
		player = player_open(&session, &sys, &options, NULL, &err);
		if (!player)
			fail_msg("%s", err.text);
		feeds_init(&feeds, &session, 0, player->refresh_ns);
		assert_true(player_start(player, &feeds, 1, &err));
		run = player_frames(player);
		assert_non_null(run);
		assert_true(run->stats.times.n > 9900 && run->stats.n_worst == WORST_FRAMES);
		assert_true(run->stats.worst[0].number == LATE && run->stats.worst[0].ms == 304);
		assert_true(run->stats.worst[0].gpu_ms == 298 && run->stats.worst[0].cpu_ms == 8);
		assert_string_equal(run->stats.worst[0].pass, "scene");
		assert_true(fabs(run->stats.worst[0].pass_over_ms - 288) < 0.01);
		assert_string_equal(frame_cause(&run->stats, &run->stats.worst[0], cause), "scene");
		assert_int_equal(run->stats.late, 1);
		feeds_fini(&feeds);
		session_close(&session);
		player_free(player);
	}
}

static bool keep_text(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	strbuf_add(ctx, bytes, n);
	return true;
}

/* Feed an export with all samples of the log. */
static void export_log(struct export *ex)
{
	struct mlog_feed *feed;
	struct mlog_input input;
	struct mlog_reader *reader;
	const struct mlog_block *block;
	struct err err;

	feed = mlog_open(path, &err);
	assert_non_null(feed);
	input = mlog_opened(feed);
	reader = mlog_reader_new(&input, path, &err);
	assert_non_null(reader);
	while ((block = mlog_reader_next(reader, &err)))
		for (unsigned i = 0; i < block->n_samples; i++)
			assert_true(export_sample(ex, block->samples[i], &err));
	mlog_reader_free(reader);
	mlog_close(feed);
}

TEST(a_report_has_the_longest_frames_and_all_percentiles)
{
	static const struct {
		const struct export_format *format;
		const char *words[4];
	} cases[] = {
		{&export_jsonl,
		 {"\"longest_ms\":304.0,",
		  "\"worst\":[{\"at_s\":75.68,\"frame\":4711.0,\"ms\":304.0,\"cpu_ms\":8.0,"
		  "\"gpu_ms\":298.0,",
		  "\"pass\":\"scene\",\"pass_ms\":298.0}", "\"low_01pct_fps\":"}},
		{&export_text,
		 {"     304.000 ms  frame time, longest", "frame 4711",
		  "75.680     304.000       8.000     298.000", "scene; scene 298.000 ms"}},
	};
	struct slot slots[PASS_FOLD_SLOTS];
	struct pass_fold *fold = xcalloc(1, sizeof(*fold));
	const struct export_command command = {.text = "game",
					       .begin_ns = FRAME_LOG_BEGIN_NS,
					       .end_ns = FRAME_LOG_BEGIN_NS + 161000000000ll};

	write_log(false);
	pass_fold_slots(fold, slots);
	struct metric_set *set = metric_set_new(
		db,
		&(struct metric_source){.slots = slots, .n_slots = PASS_FOLD_SLOTS, .frames_per_second = 60},
		NULL);
	assert_non_null(set);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct export_source source = {.title = "Frames and passes",
						     .driver = "",
						     .set = set,
						     .db = db,
						     .period_ns = FRAME_LOG_STEP_NS,
						     .kind = SOURCE_PASSES};
		const struct export_options options = {.lines = EXPORT_TOTAL, .host = "", .version = ""};
		AUTO_STRBUF struct strbuf text = {0};
		struct err err;
		struct export *ex = export_new(cases[i].format, &options, &source, 1, keep_text, &text, &err);

		if (!ex)
			fail_msg("%s", err.text);
		export_log(ex);
		assert_true(export_total(ex, &command, &err));
		for (size_t w = 0; w < ARRAY_LEN(cases[i].words); w++)
			if (!strstr(text.p, cases[i].words[w]))
				fail_msg("no '%s' in %s", cases[i].words[w], text.p);
		export_free(ex);
	}
	metric_set_free(set);
	free(fold);
}

FIXTURE(make_directory)
{
	struct err err;

	assert_true(sys_init(&sys, NULL, &err));
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/run.mlog", directory);
	return load_data(state);
}

FIXTURE(remove_directory)
{
	unlink(path);
	sys_fini(&sys);
	return unload_data(state) || rmdir(directory);
}

TEST_GROUP(make_directory, remove_directory)
