/* Logs of raw counters, from a simulated machine: what is read back is what was sampled. */
#include "record/recorder.h"
#include "tests/support/disk.h"
#include "tests/support/log_reader.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS 1000000ll
#define S 1000000000ll

struct bench {
	struct disk disk;
	struct options options;
	struct session session;
	char dir[32], path[64];
};

static void bench_open(struct bench *b, const char *backends, int64_t interval_ns, bool per_core)
{
	struct err err;

	b->options = (struct options){.backends = backends,
				      .interval_ns = interval_ns,
				      .fps = 60,
				      .resolution = {1920, 1080},
				      .format = FORMAT_MLOG,
				      .seed = 1,
				      .per_core = per_core,
				      .sync_ns = 5 * S};
	if (!session_open(&b->session, &b->disk.sys, &b->options, per_core, &err))
		fail_msg("%s", err.text);
	session_settle(&b->session);
}

static int bench_init(void **state)
{
	struct bench *b = xcalloc(1, sizeof(*b));

	disk_init(&b->disk);
	strcpy(b->dir, "/tmp/malitop-test-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	snprintf(b->path, sizeof(b->path), "%s/run.mlog", b->dir);
	*state = b;
	return 0;
}

static int bench_fini(void **state)
{
	struct bench *b = *state;
	AUTOFREE char *remove = xasprintf("rm -rf %s", b->dir);

	session_close(&b->session);
	assert_int_equal(system(remove), 0);
	disk_fini(&b->disk);
	free(b);
	return 0;
}

static struct recorder *start(struct bench *b)
{
	struct err err;
	struct recorder *r = recorder_start(&b->session, b->path, &err);

	if (!r)
		fail_msg("%s", err.text);
	return r;
}

static void wait_ms(int ms)
{
	usleep((useconds_t)ms * 1000);
}

static void stop(struct recorder *r, struct recorder_state *end)
{
	if (!recorder_stop(r, end))
		fail_msg("%s", end->err.text);
}

static void read_log(struct log *log, const char *path)
{
	if (!log_open(log, path))
		fail_msg("%s: no log", path);
	assert_int_equal(log->state.damaged, 0);
	assert_int_equal(log->state.cut, 0);
}

/* The log is what the ring holds, from its first sample on. Returns how many are the same. */
static unsigned compare(const struct log *log, struct ring *ring)
{
	const struct sample *s;
	unsigned n = 0;

	for (; (s = ring_peek(ring)) && n < log->n; ring_release(ring)) {
		const struct sample *mine = log->samples[n];

		if (n == 0 && (s->source != mine->source || s->seq != mine->seq))
			continue;
		assert_int_equal(s->n_values, mine->n_values);
		assert_memory_equal(s, mine, sizeof(*s) + s->n_values * sizeof(s->value[0]));
		n++;
	}
	return n;
}

/* ---- what is in it ---- */

static void what_is_read_back_is_what_was_sampled(void **state)
{
	static const struct {
		const char *backends;
		bool per_core;
	} cases[] = {{"sim", false}, {"sim", true}, {"sim,proc", false}, {"sim,proc", true}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = *state;
		struct recorder_state end;
		struct recorder *r;
		struct ring *ring;
		struct log log;

		bench_open(b, cases[i].backends, 10 * MS, cases[i].per_core);
		b->options.force = true;
		ring = session_ring(&b->session, cases[i].per_core);
		r = start(b);
		wait_ms(500);
		stop(r, &end);
		read_log(&log, b->path);
		assert_true(log.state.ended);
		assert_int_equal(end.rows, log.n);
		assert_int_equal(end.lost, 0);
		assert_true(log.n >= 40);
		assert_int_equal(compare(&log, ring), log.n);
		log_close(&log);
		sampler_detach(b->session.sampler, ring);
		ring_free(ring);
		session_close(&b->session);
	}
}

static void assert_same_slot(const struct slot *a, const struct slot *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->title ? a->title : "", b->title ? b->title : "");
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->instance, b->instance);
	assert_int_equal(a->number, b->number);
	assert_int_equal(a->running, b->running);
	assert_int_equal(a->enabled, b->enabled);
	assert_int_equal(a->raw, b->raw);
	assert_true(a->scale == b->scale);
}

static void the_start_says_what_is_measured(void **state)
{
	struct bench *b = *state;
	const struct session_source *s;
	const struct mlog_source *log_source;
	const struct mlog_about *about;
	struct recorder_state end;
	struct log log;

	bench_open(b, "sim,proc", 10 * MS, false);
	stop(start(b), &end);
	read_log(&log, b->path);
	about = mlog_reader_about(log.reader);
	assert_int_equal(about->n_sources, b->session.n);
	assert_non_null(strstr(about->kernel, "Linux "));
	assert_true(about->host[0] && strncmp(about->program, "malitop ", 8) == 0);
	assert_string_equal(about->scope, "machine");
	assert_true(about->fps == 60 && about->width == 1920 && about->height == 1080);
	for (unsigned i = 0; i < about->n_sources; i++) {
		s = &b->session.sources[i];
		log_source = &about->sources[i];
		assert_string_equal(log_source->title, s->title);
		assert_string_equal(log_source->driver, s->driver);
		assert_string_equal(log_source->backend, s->backend->name);
		assert_string_equal(log_source->product, s->product ? s->product->name : "");
		assert_int_equal(log_source->kind, s->kind);
		assert_int_equal(log_source->simulated, s->simulated);
		assert_int_equal(log_source->period_ns, s->period_ns);
		assert_int_equal(log_source->asked_ns, 10 * MS);
		assert_int_equal(log_source->n_slots, s->n_sums);
		assert_int_equal(log_source->core_mask, s->constants.core_mask);
		for (unsigned at = 0; at < log_source->n_slots; at++)
			assert_same_slot(&log_source->slots[at], &s->set->slots[at]);
	}
	log_close(&log);
}

static void blocks_reach_the_file_every_second(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	int64_t now;
	struct log log;

	bench_open(b, "sim", 10 * MS, false);
	r = start(b);
	for (int i = 0; i < 4; i++) {
		wait_ms(i == 0 ? 1000 : 330);
		now = b->disk.sys.monotonic_ns(&b->disk.sys);
		read_log(&log, b->path);
		assert_false(log.state.ended);
		assert_true(log.state.end_ns >= now - S);
		log_close(&log);
	}
	stop(r, &end);
}

/* ---- what happens meanwhile ---- */

static const struct mlog_note *find_note(const struct log *log, enum mlog_note_kind kind, unsigned nth)
{
	for (unsigned i = 0; i < log->n_notes; i++)
		if (log->notes[i].kind == kind && nth-- == 0)
			return &log->notes[i];
	return NULL;
}

static void assert_note(const struct log *log, enum mlog_note_kind kind, unsigned nth, int source, int64_t value,
			const char *text)
{
	const struct mlog_note *note = find_note(log, kind, nth);

	assert_non_null(note);
	assert_int_equal(note->source, source);
	assert_int_equal(note->value, value);
	assert_string_equal(note->text, text);
}

static void marks_and_messages_come_back(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	struct log log;
	int64_t now;

	bench_open(b, "sim", 10 * MS, false);
	r = start(b);
	now = b->disk.sys.monotonic_ns(&b->disk.sys);
	recorder_mark(r, now, "");
	wait_ms(900);
	recorder_mark(r, now + 500 * MS, "level 2\033[2J");
	recorder_follow(r, "something happened");
	recorder_follow(r, "");
	stop(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 3);
	assert_note(&log, MLOG_NOTE_MARK, 0, -1, 1, "");
	assert_note(&log, MLOG_NOTE_MARK, 1, -1, 2, "level 2?[2J");
	assert_int_equal(find_note(&log, MLOG_NOTE_MARK, 0)->time_ns, now);
	assert_int_equal(find_note(&log, MLOG_NOTE_MARK, 1)->time_ns, now + 500 * MS);
	assert_note(&log, MLOG_NOTE_MESSAGE, 0, -1, 0, "something happened");
	log_close(&log);
}

static void a_source_that_goes_and_comes_back_is_noted(void **state)
{
	struct bench *b = *state;
	struct session_source *gpu = &b->session.sources[0];
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim", 10 * MS, false);
	r = start(b);
	recorder_follow(r, "");
	gpu->away = AWAY_GONE;
	strcpy(gpu->told, "sim: the device is gone");
	recorder_follow(r, "");
	recorder_follow(r, ""); /* no news */
	gpu->away = AWAY_NOT;
	recorder_follow(r, "");
	gpu->away = AWAY_ASIDE;
	gpu->told[0] = 0;
	recorder_follow(r, "");
	gpu->away = AWAY_NOT;
	stop(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 3);
	assert_note(&log, MLOG_NOTE_AWAY, 0, 0, 0, "sim: the device is gone");
	assert_note(&log, MLOG_NOTE_BACK, 0, 0, 0, "");
	assert_note(&log, MLOG_NOTE_AWAY, 1, 0, 0, "not counted meanwhile");
	log_close(&log);
}

static void a_source_that_is_away_at_the_start_is_noted(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct log log;

	bench_open(b, "sim", 10 * MS, false);
	b->session.sources[0].away = AWAY_ASIDE;
	stop(start(b), &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 1);
	assert_note(&log, MLOG_NOTE_AWAY, 0, 0, 0, "not counted meanwhile");
	log_close(&log);
}

/* As the next process does that is counted alone. */
static void what_sits_down_in_a_seat_is_not_taken_for_the_one_before(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim", 10 * MS, false);
	r = start(b);
	wait_ms(400);
	b->session.sources[0].epoch++;
	recorder_follow(r, "counting another one");
	wait_ms(400);
	recorder_follow(r, "");
	wait_ms(400);
	stop(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 2);
	assert_note(&log, MLOG_NOTE_AWAY, 0, 0, 0, "not counted any more");
	assert_true(log.n >= 30 && log.n <= 45);
	assert_true(log.samples[log.n - 1]->begin_ns < find_note(&log, MLOG_NOTE_AWAY, 0)->time_ns + 10 * MS);
	assert_int_equal(end.rows, log.n);
	assert_int_equal(end.lost, 0);
	log_close(&log);
}

static void set_clock(struct bench *b, int64_t ahead_ns)
{
	pthread_mutex_lock(&b->disk.lock);
	b->disk.ahead_ns = ahead_ns;
	pthread_mutex_unlock(&b->disk.lock);
	wait_ms(800);
}

static void a_wall_clock_that_was_set_is_noted(void **state)
{
	struct bench *b = *state;
	const struct mlog_note *note;
	const struct mlog_about *about;
	struct recorder_state end;
	struct recorder *r;
	struct log log;
	int64_t offset;

	bench_open(b, "sim", 10 * MS, false);
	r = start(b);
	set_clock(b, 3600 * S);
	set_clock(b, 3600 * S + 5 * MS); /* too little */
	set_clock(b, -2 * S);
	stop(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 2);
	about = mlog_reader_about(log.reader);
	offset = about->realtime_ns - about->monotonic_ns;
	note = find_note(&log, MLOG_NOTE_CLOCK, 0);
	assert_true(note && llabs(note->value - offset - 3600 * S) < 50 * MS);
	note = find_note(&log, MLOG_NOTE_CLOCK, 1);
	assert_true(note && llabs(note->value - offset + 2 * S) < 50 * MS);
	log_close(&log);
}

static void processes_are_there_once_a_second_where_proc_is_read(void **state)
{
	struct bench *b = *state;
	const struct process_list *list;
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim,proc", 100 * MS, false);
	r = start(b);
	wait_ms(2600);
	stop(r, &end);
	read_log(&log, b->path);
	assert_true(log.n_lists >= 2 && log.n_lists <= 4);
	list = mlog_reader_processes(log.reader);
	assert_non_null(list);
	assert_non_null(process_find(list, getpid()));
	log_close(&log);
}

static void without_proc_there_are_none(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim", 100 * MS, false);
	r = start(b);
	wait_ms(900);
	stop(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_lists, 0);
	log_close(&log);
}

/* ---- disks ---- */

static void get_stuck(struct bench *b, int64_t ns)
{
	pthread_mutex_lock(&b->disk.lock);
	b->disk.stuck_ns = ns;
	pthread_mutex_unlock(&b->disk.lock);
}

/* Both at once, as a disk that is stuck takes its time. */
static void a_disk_that_is_stuck_for_5_s_costs_nothing_at_100_ms_and_is_told_at_1_ms(void **state)
{
	struct bench *slow = *state, *fast;
	struct recorder *slow_recorder, *fast_recorder;
	struct recorder_state slow_end, fast_end;
	struct log log;

	bench_init((void **)&fast);
	bench_open(slow, "sim", 100 * MS, false);
	bench_open(fast, "sim", MS, false);
	slow_recorder = start(slow);
	fast_recorder = start(fast);
	wait_ms(100);
	get_stuck(slow, 5 * S);
	get_stuck(fast, 5 * S);
	wait_ms(6600);
	stop(slow_recorder, &slow_end);
	stop(fast_recorder, &fast_end);
	read_log(&log, slow->path);
	assert_int_equal(slow_end.lost, 0);
	assert_int_equal(log_lost(&log, 0), 0);
	assert_true(log.n >= 60);
	log_close(&log);
	read_log(&log, fast->path);
	assert_true(fast_end.lost > 0);
	assert_int_equal(log_lost(&log, 0), fast_end.lost);
	assert_int_equal(log.n, fast_end.rows);
	assert_true(log.samples[log.n - 1]->seq - log.samples[0]->seq + 1 == log.n + fast_end.lost);
	log_close(&log);
	bench_fini((void **)&fast);
}

static void a_full_disk_ends_the_log_and_nothing_else(void **state)
{
	struct bench *b = *state;
	struct recorder_state now = {0}, end;
	struct recorder *r;
	struct ring *ring;
	struct stat st;
	struct log log;

	bench_open(b, "sim", MS, true);
	b->disk.room = 1000000;
	r = start(b);
	for (int i = 0; i < 100 && !now.failed; i++) {
		wait_ms(50);
		recorder_look(r, &now);
	}
	assert_true(now.failed);
	ring = session_ring(&b->session, false);
	wait_ms(50);
	assert_non_null(ring_peek(ring)); /* sampling goes on */
	sampler_detach(b->session.sampler, ring);
	ring_free(ring);
	assert_false(recorder_stop(r, &end));
	assert_string_equal(now.err.text, end.err.text);
	assert_non_null(strstr(end.err.text, "run.mlog: No space left on device: logging stopped after "));
	assert_non_null(strstr(end.err.text, " MB; everything before is whole"));
	assert_int_equal(stat(b->path, &st), 0);
	assert_int_equal(st.st_size, end.bytes);
	read_log(&log, b->path);
	assert_false(log.state.ended);
	assert_int_equal(log.n, end.rows);
	assert_int_equal(log_lost(&log, 0), 0);
	log_close(&log);
}

/* Ended while the disk is stuck, or does not want to keep the file: nobody waits, and what came of it is known in the end. */
static void nobody_waits_for_a_log_that_ends(void **state)
{
	static const struct {
		int64_t stuck_ns;
		unsigned fail;
		const char *says;
	} cases[] = {
		{0, 0, NULL},
		{2 * S, 0, NULL},
		{2 * S, DISK_SYNC, "run.mlog: Input/output error: logging stopped after "},
		{0, DISK_CLOSE, "run.mlog: Input/output error: logging stopped after "},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = *state;
		struct recorder_state now, end;
		struct recorder *r;
		int64_t before;
		struct log log;

		bench_open(b, "sim", 10 * MS, false);
		b->options.force = true;
		r = start(b);
		wait_ms(300);
		pthread_mutex_lock(&b->disk.lock);
		b->disk.stuck_ns = cases[i].stuck_ns;
		b->disk.fail = cases[i].fail;
		b->disk.code = EIO;
		b->disk.at = 1;
		pthread_mutex_unlock(&b->disk.lock);
		before = b->disk.sys.monotonic_ns(&b->disk.sys);
		recorder_end(r);
		recorder_end(r); /* once more is the same */
		recorder_look(r, &now);
		assert_true(b->disk.sys.monotonic_ns(&b->disk.sys) - before < 1 * S);
		assert_false(cases[i].stuck_ns && now.ended);
		assert_int_equal(recorder_await(r), !cases[i].stuck_ns);
		assert_int_equal(recorder_stop(r, &end), !cases[i].says);
		assert_true(end.ended && end.failed == (cases[i].says != NULL));
		if (cases[i].says)
			assert_non_null(strstr(end.err.text, cases[i].says));
		read_log(&log, b->path);
		assert_true(log.state.ended && log.n >= 25);
		assert_int_equal(log.n, end.rows);
		log_close(&log);
		session_close(&b->session);
	}
}

static void a_log_that_should_not_have_begun_leaves_no_file(void **state)
{
	struct bench *b = *state;
	struct recorder *r;

	bench_open(b, "sim", 10 * MS, false);
	r = start(b);
	wait_ms(900);
	assert_int_equal(access(b->path, F_OK), 0);
	recorder_drop(r);
	assert_int_equal(access(b->path, F_OK), -1);
}

static void a_log_that_rotates_is_whole_in_every_file_and_loses_nothing(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	uint64_t before = 0, samples = 0, bytes = 0;
	unsigned files = 0;
	struct log log;

	bench_open(b, "sim,proc", 2 * MS, false);
	b->options.rotate_bytes = 16000;
	r = start(b);
	wait_ms(3500);
	stop(r, &end);
	for (; access(b->path, F_OK) == 0; files++) {
		read_log(&log, b->path);
		assert_true(log.state.ended);
		assert_int_equal(log_lost(&log, 0), 0);
		for (unsigned i = 0; i < log.n; i++)
			if (log.samples[i]->source == 0) {
				assert_true(!before || log.samples[i]->seq == before + 1);
				before = log.samples[i]->seq;
			}
		samples += log.n;
		bytes += (uint64_t)file_size(log.file);
		log_close(&log);
		snprintf(b->path, sizeof(b->path), "%s/run.%u.mlog", b->dir, files + 1);
	}
	assert_true(files >= 3);
	assert_int_equal(samples, end.rows);
	assert_int_equal(bytes, end.bytes);
}

static void a_next_file_begins_with_the_wall_clock_as_it_is_by_then(void **state)
{
	struct bench *b = *state;
	const struct mlog_about *about;
	struct recorder_state end;
	struct recorder *r;
	int64_t offset[2];
	struct log log;

	bench_open(b, "sim", 2 * MS, false);
	b->options.rotate_bytes = 16000;
	r = start(b);
	set_clock(b, 3600 * S);
	wait_ms(1000);
	stop(r, &end);
	for (unsigned i = 0; i < 2; i++) {
		read_log(&log, b->path);
		about = mlog_reader_about(log.reader);
		offset[i] = about->realtime_ns - about->monotonic_ns;
		log_close(&log);
		snprintf(b->path, sizeof(b->path), "%s/run.1.mlog", b->dir);
	}
	assert_true(llabs(offset[1] - offset[0] - 3600 * S) < 50 * MS);
}

static void a_start_that_does_not_fit_leaves_no_file_behind(void **state)
{
	struct bench *b = *state;
	struct err err;

	bench_open(b, "sim", 10 * MS, false);
	b->disk.room = 100;
	assert_null(recorder_start(&b->session, b->path, &err));
	assert_non_null(strstr(err.text, "run.mlog: No space left on device: logging stopped after 0.0 MB"));
	assert_int_equal(access(b->path, F_OK), -1);
}

static void it_is_synced_as_often_as_asked_for(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct recorder *r;

	bench_open(b, "sim", 10 * MS, false);
	b->options.sync_ns = 500 * MS;
	r = start(b);
	wait_ms(2500);
	stop(r, &end);
	/* The directory, after every block, and at the end. */
	assert_true(b->disk.syncs >= 4 && b->disk.syncs <= 6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_init, bench_fini)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_read_back_is_what_was_sampled),
		TEST(the_start_says_what_is_measured),
		TEST(blocks_reach_the_file_every_second),
		TEST(marks_and_messages_come_back),
		TEST(a_source_that_goes_and_comes_back_is_noted),
		TEST(a_source_that_is_away_at_the_start_is_noted),
		TEST(what_sits_down_in_a_seat_is_not_taken_for_the_one_before),
		TEST(a_wall_clock_that_was_set_is_noted),
		TEST(processes_are_there_once_a_second_where_proc_is_read),
		TEST(without_proc_there_are_none),
		TEST(a_disk_that_is_stuck_for_5_s_costs_nothing_at_100_ms_and_is_told_at_1_ms),
		TEST(a_full_disk_ends_the_log_and_nothing_else),
		TEST(nobody_waits_for_a_log_that_ends),
		TEST(a_log_that_should_not_have_begun_leaves_no_file),
		TEST(a_log_that_rotates_is_whole_in_every_file_and_loses_nothing),
		TEST(a_next_file_begins_with_the_wall_clock_as_it_is_by_then),
		TEST(a_start_that_does_not_fit_leaves_no_file_behind),
		TEST(it_is_synced_as_often_as_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
