/* Own views are read again while sources are sampled and a log is written: run it with
 * ThreadSanitizer, too (make check-threads). */
#include "record/recorder.h"
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/test.h"
#include "tui/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ll
#define RELOADS 12
#define OWN "view mine\n  title Mine\n\nchart c\n  widget rows\n"

static struct sys sys; /* as long as the process */
static struct options options;
static struct gpudb_dir dirs[1];

struct reload_bench {
	char dir[32];
	char *own, *log;
	struct session session;
	struct feeds feeds;
	struct screen screen;
};

static void write_own(const struct reload_bench *b, const char *text)
{
	FILE *file = fopen(b->own, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void bench_init(struct reload_bench *b)
{
	struct err err;

	*b = (struct reload_bench){.dir = "/tmp/reload-XXXXXX"};
	assert_non_null(mkdtemp(b->dir));
	b->own = xasprintf("%s/mine.view", b->dir);
	b->log = xasprintf("%s/log.csv", b->dir);
	write_own(b, OWN "  series GPUBusy\n");
	if (!sys.open) /* a thread that was abandoned may still read it */
		assert_true(sys_init(&sys, NULL, &err));
	dirs[0] = (struct gpudb_dir){b->dir, true};
	options = (struct options){.backends = "sim",
				   .interval_ns = 2 * MS,
				   .refresh_ns = 50 * MS,
				   .fps = 60,
				   .resolution = {1920, 1080},
				   .seed = 1,
				   .sync_ns = 1000 * MS,
				   .format = FORMAT_CSV,
				   .gpudb = dirs,
				   .n_gpudb = 1};
	if (!session_open(&b->session, &sys, &options, 0, false, &err))
		fail_msg("%s", err.text);
	feeds_init(&b->feeds, &b->session, 0, options.refresh_ns);
	feeds_want_points(&b->feeds, 200);
	if (!screen_init(&b->screen, &b->session, &b->feeds, "user", &err))
		fail_msg("%s", err.text);
}

static void bench_fini(struct reload_bench *b)
{
	screen_fini(&b->screen);
	feeds_fini(&b->feeds);
	session_close(&b->session);
	unlink(b->own);
	unlink(b->log);
	rmdir(b->dir);
	free(b->own);
	free(b->log);
}

/* A refresh, drawn. */
static void draw_screen(struct reload_bench *b)
{
	struct canvas canvas;

	canvas_init(&canvas, 80, 24, false);
	feeds_drain(&b->feeds);
	feeds_step(&b->feeds);
	screen_draw(&b->screen, NULL, &canvas);
	canvas_fini(&canvas);
}

TEST(views_change_under_load_and_a_broken_file_changes_nothing)
{
	struct recorder_state end;
	struct reload_bench b;
	struct recorder *log;
	struct err err;

	bench_init(&b);
	log = recorder_start(&b.session, b.log, &err);
	assert_non_null(log);
	for (int i = 0; i < RELOADS; i++) {
		unsigned n_series = 1 + (unsigned)i % 2;

		write_own(&b, n_series == 1 ? OWN "  series GPUBusy\n"
					    : OWN
				      "  series GPUBusy\n  expr 100 - GPUBusy | rest | percent\n");
		if (!screen_reload(&b.screen, &err))
			fail_msg("%s", err.text);
		assert_string_equal(b.screen.view->name, "mine");
		assert_int_equal(b.screen.view->charts[0].n_series, n_series);
		draw_screen(&b);
		write_own(&b, OWN "  series Nothing\n");
		assert_false(screen_reload(&b.screen, &err));
		assert_non_null(strstr(err.text, "mine.view:6: series 'Nothing'"));
		assert_int_equal(b.screen.view->charts[0].n_series, n_series);
		draw_screen(&b);
	}
	recorder_stop(log, &end); /* on a busy machine it may have lost samples */
	assert_true(!end.failed && end.rows > 0);
	bench_fini(&b);
}

TEST(history_survives_new_definitions)
{
	struct reload_bench b;
	struct err err;
	int64_t oldest = 0, newest = 0, kept = 0;

	bench_init(&b);
	AWAIT((feeds_drain(&b.feeds), feeds_reach(&b.feeds, &oldest, &newest)) && newest > oldest);
	write_own(&b, OWN "  series GPUBusy\n  series MaliFragQueueUtil\n");
	assert_true(screen_reload(&b.screen, &err));
	session_forget_data(&b.session);
	assert_true(feeds_reach(&b.feeds, &kept, &newest));
	assert_int_equal(kept, oldest);
	draw_screen(&b);
	bench_fini(&b);
}
