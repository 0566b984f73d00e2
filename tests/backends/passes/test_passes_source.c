/* The passes source with real sockets and shared memory: the application's side is the layer's own
 * channel, in this process. */
#include "backends/backends.h"
#include "backends/passes/passes.h"
#include "base/alloc.h"
#include "layer/channel.h"
#include "model/history.h"
#include "passes/frame_stats.h"
#include "tests/support/point.h"
#include "tests/support/test.h"
#include "tui/screen_judge.h"
#include "views/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ll
#define SECOND 1000000000ll

struct passes_bench {
	char directory[64];
	struct sys sys;
	struct gpudb *db;
	struct source source;
	struct metric_set *set;
	struct sample *sample;
	int64_t now_ns, first_ns; /* first_ns: begin of frame 0 */
	struct pass_run run;
};

static void bench_init(struct passes_bench *b)
{
	struct err err = {0};

	*b = (struct passes_bench){.directory = "/tmp/malitop-passes-XXXXXX"};
	assert_non_null(mkdtemp(b->directory));
	setenv("XDG_RUNTIME_DIR", b->directory, 1);
	assert_true(sys_init(&b->sys, NULL, &err));
	b->db = gpudb_load(NULL, 0, &err);
	b->source = (struct source){.backend = &backend_passes,
				    .sys = &b->sys,
				    .options.frames_per_second = 100,
				    .priv = xcalloc(1, backend_passes.priv_size)};
	assert_true(backend_passes.open(&b->source, "", &err));
	b->set = metric_set_new(b->db,
				&(struct metric_source){.slots = b->source.slots,
							.n_slots = b->source.n_slots,
							.frames_per_second = 100},
				&err);
	assert_non_null(b->set);
	b->sample =
		xcalloc(1, sizeof(*b->sample) + (b->source.n_slots + b->source.n_more) * sizeof(uint64_t));
	b->sample->n_values = (uint16_t)b->source.n_slots;
	b->first_ns = b->now_ns = passes_now_ns();
	assert_true(backend_passes.start(&b->source, 100 * MS, b->now_ns, &err));
}

static void bench_fini(struct passes_bench *b)
{
	char path[128];

	backend_passes.close(&b->source);
	free(b->source.priv);
	free(b->source.slots);
	free(b->sample);
	metric_set_free(b->set);
	gpudb_free(b->db);
	sys_fini(&b->sys);
	snprintf(path, sizeof(path), "%s/malitop", b->directory);
	assert_int_equal(rmdir(path), 0); /* its socket is gone */
	assert_int_equal(rmdir(b->directory), 0);
}

/* The next sample, its vector, and the passes in it. Free the vector. */
static double *read_sample(struct passes_bench *b, struct pass_table *table)
{
	struct history *history =
		history_new(b->source.slots, b->source.n_slots, b->source.n_slots, 100 * MS);
	struct column *column = history_column_new(history);
	double *vector = xcalloc(b->set->n_vector, sizeof(*vector));

	b->now_ns += 100 * MS;
	b->sample->n_more = (uint16_t)b->source.n_more;
	assert_int_equal(backend_passes.read(&b->source, b->now_ns, b->sample), READ_GOT);
	history_push(history, b->sample);
	history_span(history, b->now_ns - 100 * MS, b->now_ns, column);
	metric_vector(b->set, column, vector);
	b->sample->n_values = (uint16_t)b->source.n_slots; /* the sampler's part */
	pass_run_take(&b->run, b->set, b->sample, 0);
	pass_table_read(table, b->set, vector, &b->run.names);
	free(column);
	history_free(history);
	return vector;
}

static void assert_metric(const struct passes_bench *b, const double *vector, const char *name,
			  double expected)
{
	const struct metric *metric = metric_find(b->set, span_of(name));
	double value = metric ? metric_value(metric, vector) : -1;

	if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) < 1e-6))
		fail_msg("%s is %g, expected %g", name, value, expected);
}

static void write_pass(const struct passes_bench *b, uint64_t frame, const char *name, int64_t begin_ns,
		       int64_t end_ns)
{
	int64_t at = b->first_ns + (int64_t)frame * 10 * MS;

	channel_write(&(struct passes_event){.type = PASSES_PASS,
					     .name = channel_name(name),
					     .frame = frame,
					     .begin_ns = at + begin_ns,
					     .end_ns = at + end_ns,
					     .width = 640,
					     .height = 480},
		      1);
}

static void write_frame(const struct passes_bench *b, uint64_t frame, int64_t ns)
{
	int64_t at = b->first_ns + (int64_t)frame * 10 * MS;

	channel_write(&(struct passes_event){.type = PASSES_FRAME,
					     .frame = frame,
					     .begin_ns = at,
					     .end_ns = at + ns,
					     .present_ns = 1 * MS,
					     .wait_ns = 2 * MS,
					     .thread_ns = (uint32_t)(ns - 3 * MS),
					     .process_ns = (uint32_t)(2 * (ns - 3 * MS)),
					     .submits = 3,
					     .passes = 2,
					     .in_flight = 1},
		      1);
}

/* Frames of 10 ms, in which the GPU renders for 6 ms: 4 ms alone, 2 ms beside the second pass. */
static void write_frames(const struct passes_bench *b, uint64_t from, uint64_t to)
{
	for (uint64_t f = from; f <= to; f++) {
		write_pass(b, f, "main", 1 * MS, 5 * MS);
		write_pass(b, f, "post", 3 * MS, 7 * MS);
		write_frame(b, f, 10 * MS);
	}
}

TEST(frames_and_passes_become_metrics)
{
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	write_pass(&b, 0, "load", 0, 1 * MS);
	write_frames(&b, 0, 8);
	write_frame(&b, 9, 20 * MS);
	channel_count(PASSES_LOST, 2);
	v = read_sample(&b, &table);
	assert_metric(&b, v, "frame.count", 9);
	assert_metric(&b, v, "passes.omitted", 1);
	assert_metric(&b, v, "frame.cpu_ms", (8 * 10 + 20) / 9.0);
	assert_metric(&b, v, "frame.busy_ms", (8 * 10 + 20) / 9.0 - 3);
	assert_metric(&b, v, "frame.gpu_ms", 6);
	assert_metric(&b, v, "frame.worst_ms", 20);
	assert_metric(&b, v, "frame.p50_ms", 10);
	assert_metric(&b, v, "frame.missed", 100 / 9.0);
	assert_metric(&b, v, "frame.submits", 3);
	assert_metric(&b, v, "frame.gpu_p95_ms", 6);
	assert_true(fabs(table.lines[0].p95_ms - 3) < 1e-6 && table.lines[0].count == 8);
	assert_metric(&b, v, "passes.lost", 2);
	assert_int_equal(b.sample->flags, 0);
	assert_metric(&b, v, "passes.apps", 1);
	assert_metric(&b, v, "pass1.ms", 3);
	assert_metric(&b, v, "pass1.span_ms", 4);
	assert_metric(&b, v, "pass2.share", 50);
	assert_metric(&b, v, "pass3.ms", NAN);
	assert_int_equal(table.n, 2);
	assert_string_equal(table.lines[0].name, "main");
	assert_int_equal(table.lines[0].width, 640);
	assert_string_equal(table.lines[1].name, "post");
	assert_int_equal(table.pid, getpid());
	assert_int_equal(table.stamp, PASSES_STAMP_BOTTOM);
	free(v);
	channel_count(PASSES_DISJOINT, 1);
	v = read_sample(&b, &table); /* counts are those of the interval */
	assert_metric(&b, v, "passes.lost", 0);
	assert_metric(&b, v, "passes.disjoint", 1);
	assert_int_equal(b.sample->flags, SAMPLE_CLOCK);
	assert_metric(&b, v, "frame.cpu_ms", NAN);
	assert_int_equal(table.n, 0);
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(every_frame_is_kept_beside_the_sums)
{
	struct pass_table table;
	struct pass_record record;
	struct frame_span pass;
	struct passes_bench b;
	unsigned at = 0, n = 0;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	write_frames(&b, 0, 8);
	free(read_sample(&b, &table));
	while (pass_records_next(b.sample, &at, &record)) {
		if (record.kind == RECORD_NAME)
			continue;
		n++;
		assert_int_equal(record.kind, RECORD_FRAME);
		assert_true(record.number == n);
		assert_in_range((b.first_ns + n * 10 * MS) - record.begin_ns + 1000, 1, 1999);
		assert_true(record.end_ns - record.begin_ns == 10 * MS);
		assert_int_equal(record.n, 2);
		assert_true(pass_record_pass(&record, 1, &pass) && pass.begin_ms == 3 && pass.end_ms == 7);
		assert_string_equal(table.lines[pass.row - 1].name, "post");
	}
	assert_int_equal(n, 7); /* the first is not counted, the last not complete */
	channel_close();
	free(read_sample(&b, &table));
	at = 0;
	while (pass_records_next(b.sample, &at, &record) && record.kind == RECORD_NAME)
		;
	assert_true(record.number == 8 && record.n == 2); /* now it is */
	assert_false(pass_records_next(b.sample, &at, &record));
	assert_int_equal(b.run.stats.times.n, 8);
	assert_true(b.run.stats.worst[0].ms == 10 && b.run.stats.worst[0].wait_ms == 2);
	assert_string_equal(b.run.stats.worst[0].pass, "main");
	assert_string_equal(table.driver, "a driver");
	bench_fini(&b);
}

TEST(a_frame_without_times_of_its_passes_has_no_gpu_time)
{
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (uint64_t f = 0; f < 5; f++)
		write_frame(&b, f, 10 * MS);
	v = read_sample(&b, &table);
	assert_metric(&b, v, "frame.count", 4);
	assert_metric(&b, v, "frame.gpu_ms", NAN);
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(an_application_that_ends_is_read_to_its_end)
{
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	for (unsigned run = 0; run < 3; run++) {
		assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
		write_frames(&b, 0, 4);
		channel_close();
		v = read_sample(&b, &table);
		assert_metric(&b, v, "frame.count", 4);
		free(v);
		free(read_sample(&b, &table));
		v = read_sample(&b, &table);
		assert_metric(&b, v, "passes.apps", 0);
		assert_string_equal(table.app, "");
		free(v);
	}
	bench_fini(&b);
}

/* What CMD starts is its own; all other programs with a layer are turned away. */
TEST(only_the_command_and_its_children_count)
{
	const struct {
		pid_t command;
		double apps;
	} cases[] = {{0, 1}, {getpid(), 1}, {getppid(), 1}, {INT32_MAX, 0}};
	struct pass_table table;
	struct passes_bench b;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double *v;

		bench_init(&b);
		b.source.options.command = cases[i].command;
		assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
		write_frames(&b, 0, 4);
		v = read_sample(&b, &table);
		assert_metric(&b, v, "passes.apps", cases[i].apps);
		if (!cases[i].apps != !!table.other[0] ||
		    (pid_t)table.other_pid != (cases[i].apps ? 0 : getpid()))
			fail_msg("%d: \"%s\" (%u)", cases[i].command, table.other, table.other_pid);
		free(v);
		channel_close();
		bench_fini(&b);
	}
}

/* Numbers of a time in which another one came are of both. */
TEST(another_application_is_counted_as_a_change)
{
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	for (unsigned run = 0; run < 3; run++) {
		pid_t pid = fork();

		if (pid == 0) {
			channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver");
			write_frames(&b, 0, 4);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		v = read_sample(&b, &table);
		assert_metric(&b, v, "frame.count", 4);
		assert_metric(&b, v, "passes.changes", run > 0);
		free(v);
		for (unsigned i = 0; i < 2; i++) /* until it is known to be gone */
			free(read_sample(&b, &table));
	}
	bench_fini(&b);
}

TEST(marks_are_kept_with_their_time_up_to_a_number)
{
	struct source_mark mark = {0};
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (int i = 0; i < MARKS_MOST + 4; i++)
		channel_write(&(struct passes_event){.type = PASSES_MARK,
						     .name = channel_name("level \033[1m loaded"),
						     .begin_ns = b.first_ns + i * MS,
						     .end_ns = b.first_ns + i * MS},
			      1);
	v = read_sample(&b, &table);
	for (int i = 0; i < MARKS_MOST; i++) {
		assert_true(backend_passes.extras->mark(&b.source, &mark));
		assert_true(mark.time_ns == b.first_ns + i * MS);
		assert_string_equal(mark.text, "level ?[1m loaded");
	}
	assert_false(backend_passes.extras->mark(&b.source, &mark));
	assert_metric(&b, v, "passes.dropped", 4);
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(a_pass_keeps_its_row_and_the_last_row_has_all_others)
{
	struct pass_table table;
	struct passes_bench b;
	char name[16];
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (uint64_t f = 0; f < 3; f++) {
		for (unsigned i = 0; i < 40; i++) {
			snprintf(name, sizeof(name), "pass %u", i);
			write_pass(&b, f, name, i * MS / 10, (i + 1) * MS / 10);
		}
		write_frame(&b, f, 10 * MS);
	}
	v = read_sample(&b, &table);
	assert_int_equal(table.n, PASS_ROWS);
	assert_string_equal(table.lines[0].name, "all other passes");
	assert_metric(&b, v, "pass24.ms", 1.7); /* 40 passes, 23 of them have rows */
	assert_metric(&b, v, "pass1.ms", 0.1);
	assert_metric(&b, v, "frame.gpu_ms", 4);
	free(v);
	write_pass(&b, 3, "pass 5", 0, MS);
	write_frame(&b, 3, 10 * MS);
	write_frame(&b, 4, 10 * MS);
	v = read_sample(&b, &table);
	assert_metric(&b, v, "pass6.span_ms", (0.1 + 1) / 2); /* frames 2 and 3 */
	free(v);
	channel_close();
	bench_fini(&b);
}

/* Write a frame of n passes that fill its 10 ms, except for a hundredth. */
static void write_full_frame(const struct passes_bench *b, uint64_t frame, unsigned n, const char *name)
{
	int64_t at = b->first_ns + (int64_t)frame * 10 * MS, each = 10 * MS / n;
	uint16_t number = channel_name(name);

	for (unsigned i = 0; i < n; i++)
		channel_write(&(struct passes_event){.type = PASSES_PASS,
						     .name = number,
						     .ordinal = (uint16_t)i,
						     .frame = frame,
						     .begin_ns = at + i * each,
						     .end_ns = at + (i + 1) * each - each / 100},
			      1);
	channel_write(&(struct passes_event){.type = PASSES_FRAME,
					     .frame = frame,
					     .begin_ns = at,
					     .end_ns = at + 10 * MS,
					     .stamped = (uint16_t)(n + 1),
					     .passes = (uint16_t)n},
		      1);
	if (n > 512)
		channel_grow();
}

TEST(frames_of_ten_thousand_passes_are_exact_and_none_is_lost)
{
	struct pass_table table;
	struct passes_bench b;
	double frames = 0, timed = 0;
	uint64_t frame = 0, gpu = 0;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (unsigned i = 0; i < 12; i++) {
		for (unsigned f = 0; f < 10; f++) /* of a second in which malitop was late */
			write_full_frame(&b, frame++, 10000, f % 2 ? "512x512 RGBA8" : "512x512 D24");
		free(read_sample(&b, &table));
		frames += (double)b.sample->value[FRAME_COUNT];
		timed += (double)b.sample->value[FRAME_TIMED];
		gpu += b.sample->value[FRAME_GPU];
		assert_int_equal(b.sample->value[FRAME_DROPPED], 0);
		assert_int_equal(b.sample->value[FRAME_UNKEPT], 0);
	}
	assert_true(frames == 119 && timed == 118); /* the last one is not complete */
	assert_true(gpu == 118 * 9900000ull);
	assert_int_equal(table.n, 2);
	assert_true(table.lines[0].count == 50000);
	assert_string_equal(table.lines[1].name, "512x512 D24"); /* not #9999 */
	assert_int_equal(b.run.stats.gpu.n, 118);
	assert_true(fabs(b.run.stats.gpu.sum_ms - 118 * 9.9) < 1e-6 &&
		    fabs(b.run.stats.gpu.most_ms - 9.9) < 1e-6);
	assert_true(fabs(b.run.stats.worst[0].pass_ms - 9.9) < 0.001);
	channel_close();
	bench_fini(&b);
}

TEST(a_frame_with_more_passes_than_are_kept_has_no_gpu_time)
{
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	channel_grow();
	for (uint64_t f = 0; f < 7; f++)
		write_full_frame(&b, f, f < 6 ? 30000 : 10, "many");
	v = read_sample(&b, &table);
	assert_metric(&b, v, "frame.count", 6);
	assert_true(b.sample->value[FRAME_CROWDED] > 0);
	assert_int_equal(b.sample->value[FRAME_DROPPED], 0);
	for (unsigned i = 0; i < b.run.stats.n_worst; i++)
		assert_true(isnan(b.run.stats.worst[i].gpu_ms) ||
			    fabs(b.run.stats.worst[i].gpu_ms - 9.9) < 1e-6);
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(a_frame_with_lost_results_has_no_gpu_time)
{
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	write_frames(&b, 0, 1);
	write_pass(&b, 2, "main", MS, 2 * MS); /* the second pass's result was late */
	channel_write(&(struct passes_event){.type = PASSES_FRAME,
					     .frame = 2,
					     .begin_ns = b.first_ns + 20 * MS,
					     .end_ns = b.first_ns + 30 * MS,
					     .passes = 2,
					     .stamped = 3},
		      1);
	write_frames(&b, 3, 4);
	v = read_sample(&b, &table);
	assert_metric(&b, v, "frame.count", 4);
	assert_metric(&b, v, "frame.gpu_ms", 6);
	assert_true(b.sample->value[FRAME_TIMED] == 2 && table.lines[0].count == 2);
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(passes_that_cost_most_have_the_rows)
{
	struct pass_table table;
	struct passes_bench b;
	char name[16];
	double *v = NULL;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (uint64_t f = 0; f < 60; f++) {
		int64_t at = 0;

		for (unsigned i = 0; i < 40;
		     i++) { /* the last ones are the dearest, from frame 20 on the first */
			unsigned cost = f < 20 ? i : 39 - i;

			snprintf(name, sizeof(name), "pass %u", i);
			write_pass(&b, f, name, at, at + 1000 * (cost < 17 ? 1 : 10 + cost));
			at += 1000 * (cost < 17 ? 1 : 10 + cost);
		}
		write_frame(&b, f, 10 * MS);
		if (f % 10 != 9)
			continue;
		free(v);
		v = read_sample(&b, &table);
		if (f == 9 || f == 59)
			for (unsigned i = 0; i < 23; i++) {
				snprintf(name, sizeof(name), "pass %u", f == 9 ? 39 - i : i);
				assert_string_equal(table.lines[i].name, name);
			}
		if (f == 9 || f == 59)
			assert_true(fabs(table.lines[23].ms - 0.017) < 1e-6);
	}
	free(v);
	channel_close();
	bench_fini(&b);
}

/* Draw the Frame view as text, or what Enter shows of the pass with this metric; with the counters
 * of a GPU, if that is not NULL. Free it. */
static char *frame_view_text(const struct passes_bench *b, const double *vector, int cols, int rows,
			     const char *pass, const struct feed *gpu)
{
	const struct view *view;
	const struct metric_set *sets[SOURCE_KINDS] = {
		[SOURCE_GPU] = gpu ? gpu->set : NULL, [SOURCE_PASSES] = b->set};
	struct view_data data = {.refresh_s = 0.1, .point_s = 0.1, .fps = 100, .width = 1920, .height = 1080};
	struct strbuf text = {0};
	struct canvas canvas;
	struct views views;
	struct err err = {0};

	assert_true(views_init(&views, NULL, sets, &err));
	const double *const row[] = {vector};
	struct point_rows past = {row, 1, b->set->n_vector};
	struct points *points = points_of(&past, b->set);

	data.feeds[SOURCE_PASSES] = (struct feed){.set = b->set,
						  .n_vector = b->set->n_vector,
						  .now = vector,
						  .total = vector,
						  .run = &b->run,
						  .frame_sample = b->sample,
						  .frame_index = pass_records_count(b->sample) - 1,
						  .points = points,
						  .n_points = 1};
	if (gpu)
		data.feeds[SOURCE_GPU] = *gpu;
	canvas_init(&canvas, cols, rows, false);
	view = views_find(&views, "f");
	if (pass) {
		data.zoom = &view->charts[view->n_charts - 1];
		data.selected = (struct row_subject){.chart = data.zoom,
						     .metric = metric_find(b->set, span_of(pass))};
	}
	view_draw(view, &data, &canvas, (struct rect){0, 0, cols, rows});
	canvas_dump(&canvas, &text);
	canvas_fini(&canvas);
	views_fini(&views);
	points_free(points);
	return text.p;
}

TEST(the_frame_view_shows_the_passes_at_every_size)
{
	static const struct {
		int cols, rows;
		bool lists;
	} sizes[] = {{160, 48, true}, {100, 30, true}, {80, 24, true}, {40, 10, false}, {1, 1, false}};
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	write_frames(&b, 0, 8);
	v = read_sample(&b, &table);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		AUTOFREE char *text = frame_view_text(&b, v, sizes[i].cols, sizes[i].rows, NULL, NULL);

		if (sizes[i].lists &&
		    (!strstr(text, "main") || !strstr(text, "3.00 ms") || !strstr(text, "50.0 %")))
			fail_msg("%dx%d:\n%s", sizes[i].cols, sizes[i].rows, text);
	}
	free(v);
	channel_close();
	free(read_sample(&b, &table));
	free(read_sample(&b, &table));
	v = read_sample(&b, &table);
	for (int cols = 160; cols >= 80; cols -= 80) { /* to its end, in one line or in two */
		AUTOFREE char *none = frame_view_text(&b, v, cols, 48, NULL, NULL);

		assert_non_null(strstr(none, "no application has malitop's layer"));
		assert_non_null(strstr(none, "-- CMD"));
	}
	free(v);
	bench_fini(&b);
}

/* Writers of earlier versions count nothing, and a driver may hide how much is drawn. */
TEST(work_of_a_pass_is_a_number_or_unknown)
{
	static const struct {
		const char *name;
		uint16_t flags;
		uint32_t draws;
		uint64_t vertices;
		double per_frame, vertices_per_frame;
	} passes[] = {
		{"counted", PASSES_COUNTED, 7, 300, 7, 300},
		{"indirect", PASSES_COUNTED, 3, PASSES_VERTICES_UNKNOWN, 3, NAN},
		{"hidden", PASSES_COUNTED, PASSES_COUNT_UNKNOWN, 1ull << 63, NAN, NAN},
		{"earlier", 0, 0, 0, NAN, NAN},
	};
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (uint64_t f = 0; f < 5; f++) {
		for (unsigned i = 0; i < ARRAY_LEN(passes); i++) {
			int64_t at = b.first_ns + (int64_t)f * 10 * MS + (int64_t)i * MS;

			channel_write(&(struct passes_event){.type = PASSES_PASS,
							     .name = channel_name(passes[i].name),
							     .frame = f,
							     .flags = passes[i].flags,
							     .draws = passes[i].draws,
							     .vertices = passes[i].vertices,
							     .begin_ns = at,
							     .end_ns = at + (4 - i) * MS / 4},
				      1);
		}
		write_frame(&b, f, 10 * MS);
	}
	v = read_sample(&b, &table);
	assert_int_equal(table.n, ARRAY_LEN(passes));
	for (unsigned i = 0; i < table.n; i++) {
		const struct pass_line *line = &table.lines[i];

		assert_string_equal(line->name, passes[i].name);
		if (isnan(passes[i].per_frame) ? !isnan(line->draws) : line->draws != passes[i].per_frame)
			fail_msg("%s: %g draws", line->name, line->draws);
		if (isnan(passes[i].vertices_per_frame) ? !isnan(line->vertices)
							: line->vertices != passes[i].vertices_per_frame)
			fail_msg("%s: %g vertices", line->name, line->vertices);
	}
	AUTOFREE char *view = frame_view_text(&b, v, 160, 60, NULL, NULL);

	assert_non_null(strstr(view, " calls vertices"));
	free(v);
	channel_close();
	bench_fini(&b);
}

/* Else the mean over a run would be 0 where the passes of one sample are not counted. */
TEST(work_is_unknown_in_a_sample_without_passes)
{
	unsigned found = 0;
	struct pass_table table;
	struct passes_bench b;

	bench_init(&b);
	assert_true(channel_open(PASSES_GLES, PASSES_STAMP_BOTTOM, "a driver"));
	write_frames(&b, 0, 3);
	free(read_sample(&b, &table));
	free(read_sample(&b, &table));
	assert_int_equal(table.n, 0);
	for (unsigned i = 0; i < b.source.n_slots; i++)
		if (strcmp(b.source.slots[i].name, "Pass1Vertices") == 0) {
			assert_true(b.sample->value[i] == SAMPLE_UNKNOWN);
			found++;
		}
	assert_int_equal(found, 1);
	channel_close();
	bench_fini(&b);
}

TEST(passes_that_find_no_line_are_in_the_sum)
{
	struct pass_table table;
	struct passes_bench b;
	char name[16];
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (uint64_t f = 0; f < 5; f++) {
		for (int64_t i = 0; i < 14; i++) {
			snprintf(name, sizeof(name), "pass %c", (char)('a' + i));
			write_pass(&b, f, name, i * MS / 2, (i + 1) * MS / 2);
		}
		write_frame(&b, f, 10 * MS);
	}
	v = read_sample(&b, &table);
	AUTOFREE char *large = frame_view_text(&b, v, 160, 60, NULL, NULL);
	AUTOFREE char *small = frame_view_text(&b, v, 80, 24, NULL, NULL);

	assert_non_null(strstr(large, "pass n"));
	assert_null(strstr(large, " more   "));
	assert_non_null(strstr(small, " more   "));
	assert_non_null(strstr(small, "7.00 ms"));
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(the_frame_view_shows_one_frame_and_one_pass)
{
	struct pass_table table;
	struct pass_frame frame;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	write_frames(&b, 0, 8);
	v = read_sample(&b, &table);
	pass_records_read_frame(&frame, b.sample, pass_records_count(b.sample) - 1);
	assert_int_equal((int)frame.number, 7); /* the last one that is followed by another */
	assert_true(fabs(frame.ms - 10) < 1e-3 && fabs(frame.wait_ms - 2) < 1e-3);
	assert_int_equal(frame.n, 2);
	assert_true(fabs(frame.spans[1].begin_ms - 3) < 2e-3 && fabs(frame.spans[1].end_ms - 7) < 2e-3);
	AUTOFREE char *view = frame_view_text(&b, v, 160, 60, NULL, NULL);
	AUTOFREE char *alone = frame_view_text(&b, v, 100, 30, "pass2.ms", NULL);

	assert_non_null(strstr(view, "work 7.00  waits 2.00  present 1.00  = 10.00 ms"));
	assert_non_null(strstr(view, "10.0 ms  frame 7, 1 of 8  queues overlap 33 % of GPU time"));
	assert_non_null(strstr(view, "budget 10.0 ms"));
	assert_non_null(strstr(alone,
			       "post: own 3.00 ms, from start to end 4.00 ms, 50.0 % of the GPU's frame, "
			       "30.0 % of the budget"));
	assert_null(strstr(alone, "main"));
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(a_graph_of_frames_has_the_longest_beside_the_mean)
{
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	write_frames(&b, 0, 8);
	write_frame(&b, 9, 55 * MS);
	v = read_sample(&b, &table);
	AUTOFREE char *view = frame_view_text(&b, v, 160, 60, NULL, NULL);

	assert_non_null(strstr(view, "15.0 ms  mean 15.0 ms  peak 55.0 ms"));
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(the_frame_view_says_whether_frames_come_late_and_why)
{
	static const struct {
		double fps;
		const char *title, *words;
	} cases[] = {
		{50, "Frames are on time", "10.0 of 20.0 ms; GPU 6.0 ms; CPU work 7.0 ms; on time "},
		{200, "Frames are late", "CPU work 7.0 of 5.0 ms: cut 2.0 ms; GPU 6.0 ms as well"},
		{120, "Frames are late", "CPU 7.0 and GPU 6.0 ms would fit in parallel"},
	};
	struct pass_table table;
	struct passes_bench b;
	struct screen_judge judge = {.next = ""};
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	write_frames(&b, 0, 8);
	v = read_sample(&b, &table);
	const struct feed feed = {.set = b.set, .n_vector = b.set->n_vector, .now = v, .run = &b.run};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct verdict_text row = {0};

		screen_judge_frame(&judge, &feed, cases[i].fps, &row);
		if (strcmp(row.words, cases[i].title) != 0 || !strstr(row.evidence, cases[i].words))
			fail_msg("%s: %s", row.words, row.evidence);
	}
	free(v);
	channel_close();
	bench_fini(&b);
}

/* 60 fragment jobs and two screens of pixels in a second. */
TEST(without_the_layer_the_counters_bound_the_frames)
{
	static const struct slot slots[] = {
		{.name = "MaliFragQueueJob", .kind = SLOT_DELTA, .scale = 1},
		{.name = "MaliGPUPix", .kind = SLOT_DELTA, .scale = 1},
	};
	const double values[] = {60, 2 * 1920 * 1080};
	struct pass_table table;
	struct passes_bench b;
	struct err err = {0};
	struct feed gpu = {.n_points = 1};
	double *v;

	bench_init(&b);
	v = read_sample(&b, &table); /* no process renders */
	AUTOFREE struct column *column = column_new(2);

	column->end_ns = column->time_ns = SECOND;
	column->n_samples = 1;
	memcpy(column->value, values, sizeof(values));
	struct metric_set *set =
		metric_set_new(b.db,
			       &(struct metric_source){.product = gpudb_by_name(b.db, "Mali-G78"),
						       .slots = slots,
						       .n_slots = 2,
						       .screen_pixels = 1920 * 1080},
			       &err);

	assert_non_null(set);
	AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));

	metric_vector(set, column, vector);
	const double *const row[] = {vector};
	struct point_rows rows = {row, 1, set->n_vector};

	gpu.set = set;
	gpu.n_vector = set->n_vector;
	gpu.now = gpu.total = vector;
	gpu.points = points_of(&rows, set);
	AUTOFREE char *text = frame_view_text(&b, v, 160, 48, NULL, &gpu);

	if (!strstr(text, "no application has malitop's layer") || !strstr(text, "frames, by jobs") ||
	    !strstr(text, "[60.0]") || !strstr(text, "frames, by pixels") || !strstr(text, "[2.00]"))
		fail_msg("%s", text);
	free(v);
	points_free(gpu.points);
	metric_set_free(set);
	bench_fini(&b);
}

static void write_region(const struct passes_bench *b, uint64_t frame, const char *name, unsigned thread,
			 int64_t begin_ns, int64_t end_ns)
{
	int64_t at = b->first_ns + (int64_t)frame * 10 * MS;

	channel_write(&(struct passes_event){.type = PASSES_REGION,
					     .name = channel_name(name),
					     .thread = thread,
					     .begin_ns = at + begin_ns,
					     .end_ns = at + end_ns,
					     .cycles = 4000000,
					     .instructions = 10000000},
		      1);
}

/* Two calls of a region within another one, and a second thread. */
TEST(regions_have_metrics_rows_and_lanes)
{
	struct pass_table table;
	struct passes_bench b;
	double *v;

	bench_init(&b);
	assert_true(channel_open(PASSES_REGIONS, PASSES_STAMP_NONE, ""));
	for (uint64_t f = 0; f <= 8; f++) {
		for (unsigned call = 0; call < 2 && f; call++)
			write_region(&b, f, "solver", 77, (2 + 2 * call) * MS, (3 + 2 * call) * MS);
		if (f)
			write_region(&b, f, "physics", 77, 1 * MS, 6 * MS);
		if (f)
			write_region(&b, f, "audio", 78, 1 * MS, 2 * MS);
		write_frame(&b, f, 10 * MS);
	}
	v = read_sample(&b, &table);
	assert_int_equal(table.n_regions, 3);
	assert_metric(&b, v, "region1.ms", 2);
	assert_metric(&b, v, "region1.calls", 2);
	assert_metric(&b, v, "region2.ms", 5);
	assert_metric(&b, v, "region4.ms", NAN);
	AUTOFREE char *text = frame_view_text(&b, v, 160, 60, NULL, NULL);

	if (!strstr(text, "physics") || !strstr(text, "5.00 ms") || !strstr(text, "4.00 Mcy") ||
	    !strstr(text, "2.50") || !strstr(text, "thread 0") || !strstr(text, "thread 1"))
		fail_msg("%s", text);
	assert_true(strstr(text, "\u2502 physics") < strstr(text, "\u2502 solver")); /* the longest first */
	free(v);
	channel_close();
	bench_fini(&b);
}

TEST(frames_are_counted_by_classes_of_the_budget)
{
	static const struct {
		int64_t us;
		const char *metric; /* the only class that has it */
		bool missed;
	} cases[] = {
		{10490, "frame.on_time", false}, {10510, "frame.to_125", true},
		{12510, "frame.to_150", true},   {15010, "frame.to_200", true},
		{29990, "frame.to_300", true},   {30010, "frame.over_300", true},
	};
	static const char *const classes[] = {"frame.on_time", "frame.to_125", "frame.to_150",
					      "frame.to_200",  "frame.to_300", "frame.over_300"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pass_table table;
		struct passes_bench b;
		double *v;

		bench_init(&b);
		assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
		write_frame(&b, 0, 10 * MS);
		write_frame(&b, 1, cases[i].us * 1000);
		v = read_sample(&b, &table);
		for (size_t c = 0; c < ARRAY_LEN(classes); c++)
			assert_metric(&b, v, classes[c], strcmp(classes[c], cases[i].metric) ? 0 : 100);
		assert_metric(&b, v, "frame.missed", cases[i].missed ? 100 : 0);
		assert_metric(&b, v, "frame.at_30", 100);
		assert_metric(&b, v, "frame.at_120", 0);
		free(v);
		channel_close();
		bench_fini(&b);
	}
}

TEST(own_times_divide_overlap)
{
	static const struct {
		const char *what;
		unsigned n;
		struct sweep_span spans[4];
		int64_t busy;
		uint64_t own[3];
	} cases[] = {
		{"one after the other", 2, {{0, 10, .frame = 1}, {10, 30, .frame = 1}}, 30, {10, 20}},
		{"a gap is not busy", 2, {{0, 10, .frame = 1}, {20, 30, .frame = 1}}, 20, {10, 10}},
		{"overlap counts half", 2, {{0, 20, .frame = 1}, {10, 30, .frame = 1}}, 30, {15, 15}},
		{"one inside the other", 2, {{0, 40, .frame = 1}, {10, 20, .frame = 1}}, 40, {35, 5}},
		{"with the next frame", 2, {{0, 20, .frame = 1}, {10, 30, .frame = 2}}, 15, {15}},
		{"three at once",
		 3,
		 {{0, 30, .frame = 1}, {0, 30, .frame = 1}, {0, 30, .frame = 1}},
		 30,
		 {10, 10, 10}},
		{"thirds", 3, {{0, 10, .frame = 1}, {0, 10, .frame = 1}, {0, 10, .frame = 1}}, 10, {3, 3, 3}},
		{"empty passes", 2, {{5, 5, .frame = 1}, {5, 5, .frame = 1}}, 0, {0, 0}},
		{"backwards",
		 4,
		 {{30, 40, .frame = 1}, {20, 30, .frame = 1}, {10, 25, .frame = 1}, {0, 5, .frame = 3}},
		 30,
		 {10, 8, 12}},
	};
	static struct sweep s;

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		unsigned n;

		s.n = s.looks = 0;
		for (unsigned i = 0; i < cases[c].n; i++)
			sweep_add(&s, &cases[c].spans[i]);
		if (sweep_frame(&s, 1, &n) != cases[c].busy)
			fail_msg("%s: busy", cases[c].what);
		for (unsigned i = 0; i < 3 && i < cases[c].n; i++)
			if (s.spans[i].frame == 1 && s.spans[i].own_ns / 2 != cases[c].own[i] / 2)
				fail_msg("%s: pass %u: %llu", cases[c].what, i,
					 (unsigned long long)s.spans[i].own_ns);
	}
}

/* Without a limit, each frame of such an application would take seconds. */
TEST(passes_in_no_order_are_sorted_in_bounded_work)
{
	static struct sweep s;
	int64_t busy = 0;
	unsigned n;

	for (unsigned i = 0; i < SPANS_MOST; i++) { /* from 2 i to 2 i + 1, in a mixed order */
		int64_t at = 2 * (int64_t)(i * 40503u % SPANS_MOST);

		sweep_add(&s, &(struct sweep_span){.begin_ns = at, .end_ns = at + 1, .frame = 1});
	}
	assert_false(s.full);
	sweep_add(&s, &(struct sweep_span){.begin_ns = 0, .end_ns = 1, .frame = 1});
	assert_true(s.full); /* it says so */
	alarm(60);
	for (unsigned i = 0; busy >= 0 && i < 1000000; i++) {
		busy = sweep_frame(&s, 1, &n);
		assert_true(busy == SPANS_MOST || busy == -1);
	}
	alarm(0);
	assert_true(busy == -1 && s.n == 0 && s.full);
}

TEST(a_directory_that_is_not_private_is_refused)
{
	struct source source = {.backend = &backend_passes, .priv = xcalloc(1, backend_passes.priv_size)};
	char directory[] = "/tmp/malitop-passes-XXXXXX", path[128];
	struct err err = {0};

	assert_non_null(mkdtemp(directory));
	setenv("XDG_RUNTIME_DIR", directory, 1);
	snprintf(path, sizeof(path), "%s/malitop", directory);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_false(backend_passes.open(&source, "", &err));
	assert_non_null(strstr(err.text, "closed to others"));
	free(source.priv);
	rmdir(path);
	rmdir(directory);
}

TEST(four_malitops_can_listen_and_a_dead_ones_socket_is_replaced)
{
	struct passes *p = xcalloc(PASSES_SOCKETS + 1, sizeof(*p));
	char directory[] = "/tmp/malitop-passes-XXXXXX", path[128];
	struct err err = {0};

	assert_non_null(mkdtemp(directory));
	setenv("XDG_RUNTIME_DIR", directory, 1);
	for (unsigned i = 0; i < PASSES_SOCKETS; i++)
		assert_true(passes_listen(&p[i], &err));
	assert_false(passes_listen(&p[PASSES_SOCKETS], &err));
	assert_non_null(strstr(err.text, "end one of them"));
	close(p[1].listen_fd); /* as if it had been killed */
	assert_true(passes_listen(&p[PASSES_SOCKETS], &err));
	assert_string_equal(p[PASSES_SOCKETS].path, p[1].path);
	p[1].listen_fd = -1;
	for (unsigned i = 0; i <= PASSES_SOCKETS; i++)
		passes_unlisten(&p[i]);
	snprintf(path, sizeof(path), "%s/malitop", directory);
	assert_int_equal(rmdir(path), 0);
	rmdir(directory);
	free(p);
}
