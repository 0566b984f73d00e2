/* Logs of raw counters, from a simulated machine: what is read back is what was sampled. */
#include "record/recorder.h"
#include "tests/support/await.h"
#include "tests/support/disk.h"
#include "tests/support/log_reader.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS 1000000ll
#define S 1000000000ll

struct recorder_mlog_bench {
	struct disk disk;
	struct options options;
	struct session session;
	char dir[32], path[64];
	struct recorder_mlog_bench *ended;
};

static struct recorder_mlog_bench *ended; /* kept: a thread that a session left may still use sys */

static void bench_open(struct recorder_mlog_bench *b, const char *backends, int64_t interval_ns,
		       bool per_core)
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
	if (!session_open(&b->session, &b->disk.sys, &b->options, 0, per_core, &err))
		fail_msg("%s", err.text);
	session_settle(&b->session);
}

FIXTURE(bench_init)
{
	struct recorder_mlog_bench *b = xcalloc(1, sizeof(*b));

	disk_init(&b->disk);
	strcpy(b->dir, "/tmp/malitop-test-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	snprintf(b->path, sizeof(b->path), "%s/run.mlog", b->dir);
	*state = b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct recorder_mlog_bench *b = *state;
	AUTOFREE char *remove = xasprintf("rm -rf %s", b->dir);

	session_close(&b->session);
	assert_int_equal(system(remove), 0);
	disk_fini(&b->disk);
	b->ended = ended;
	ended = b;
	return 0;
}

TEST_EACH(bench_init, bench_fini)

static struct recorder *start_recorder(struct recorder_mlog_bench *b)
{
	struct err err;
	struct recorder *r = recorder_start(&b->session, b->path, &err);

	if (!r)
		fail_msg("%s", err.text);
	return r;
}

/* Samples that are in the file. */
static uint64_t rows_now(struct recorder *r)
{
	struct recorder_state now;

	recorder_look(r, &now);
	return now.rows;
}

static uint64_t lost_now(struct recorder *r)
{
	struct recorder_state now;

	recorder_look(r, &now);
	return now.lost;
}

static uint64_t bytes_now(struct recorder *r)
{
	struct recorder_state now;

	recorder_look(r, &now);
	return now.bytes;
}

/* The next block is in the file. */
static void await_block(struct recorder *r)
{
	uint64_t before = bytes_now(r);

	AWAIT(bytes_now(r) > before);
}

static void stop_recorder(struct recorder *r, struct recorder_state *end)
{
	if (!recorder_stop(r, end))
		fail_msg("%s", end->err.text);
}

/* The log while it is written. A write becomes visible page by page, so the last block may not be
 * complete yet: it is not read. */
static void read_running_log(struct log *log, const char *path)
{
	if (!log_open(log, path))
		fail_msg("%s: no log", path);
	assert_int_equal(log->state.damaged, 0);
}

static void read_log(struct log *log, const char *path)
{
	read_running_log(log, path);
	assert_int_equal(log->state.cut, 0);
}

static const struct sample *find_sample(const struct log *log, uint32_t source, uint64_t seq)
{
	for (unsigned i = 0; i < log->n; i++)
		if (log->samples[i]->source == source && log->samples[i]->seq == seq)
			return log->samples[i];
	return NULL;
}

/* What is in the log is what is in the subscriber, which was attached before. Returns how many
 * are the same. */
static unsigned compare_both(const struct log *log, struct subscriber *subscriber)
{
	const struct sample *s;
	unsigned n = 0;

	for (; (s = subscriber_peek(subscriber)); subscriber_release(subscriber)) {
		const struct sample *mine = find_sample(log, s->source, s->seq);

		if (!mine)
			continue;
		assert_int_equal(s->n_values, mine->n_values);
		assert_memory_equal(s, mine, sample_size(s));
		n++;
	}
	return n;
}

/* ---- what is in it ---- */

TEST(what_is_read_back_is_what_was_sampled)
{
	static const struct {
		const char *backends;
		bool per_core;
	} cases[] = {{"sim:gpu", false}, {"sim:gpu", true}, {"sim,proc", false}, {"sim,proc", true}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct recorder_mlog_bench *b = *state;
		struct recorder_state end;
		struct recorder *r;
		struct subscriber *subscriber;
		struct log log;

		bench_open(b, cases[i].backends, 10 * MS, cases[i].per_core);
		b->options.force = true;
		subscriber = session_subscriber(&b->session, cases[i].per_core);
		r = start_recorder(b);
		AWAIT(rows_now(r) >= 40);
		stop_recorder(r, &end);
		read_log(&log, b->path);
		assert_true(log.state.ended);
		assert_int_equal(end.rows, log.n);
		assert_int_equal(end.lost, 0);
		assert_int_equal(compare_both(&log, subscriber), log.n);
		log_close(&log);
		sampler_detach(b->session.sampler, subscriber);
		subscriber_free(subscriber);
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

TEST(the_start_says_what_is_measured)
{
	struct recorder_mlog_bench *b = *state;
	const struct session_source *s;
	const struct mlog_source *log_source;
	const struct mlog_about *about;
	struct recorder_state end;
	struct log log;

	bench_open(b, "sim,proc", 10 * MS, false);
	stop_recorder(start_recorder(b), &end);
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
		assert_int_equal(log_source->constants.core_mask, s->constants.core_mask);
		for (unsigned at = 0; at < log_source->n_slots; at++)
			assert_same_slot(&log_source->slots[at], &s->set->slots[at]);
	}
	log_close(&log);
}

/* What is in the file so far: the end of the newest sample, and the number of notes. */
static int64_t end_in_file(const struct recorder_mlog_bench *b, unsigned *n_notes)
{
	struct log log;
	int64_t end_ns;

	read_running_log(&log, b->path);
	assert_false(log.state.ended);
	end_ns = log.state.end_ns;
	*n_notes = log.n_notes;
	log_close(&log);
	return end_ns;
}

TEST(blocks_reach_the_file_while_it_is_written)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	int64_t before = 0, now;
	unsigned n_notes;

	bench_open(b, "sim:gpu", 10 * MS, false);
	r = start_recorder(b);
	for (int i = 0; i < 4; i++) {
		AWAIT((now = end_in_file(b, &n_notes)) > before);
		before = now;
	}
	stop_recorder(r, &end);
}

/* ---- what happens meanwhile ---- */

static const struct mlog_note *find_note(const struct log *log, enum mlog_note_kind kind, unsigned nth)
{
	for (unsigned i = 0; i < log->n_notes; i++)
		if (log->notes[i].kind == kind && nth-- == 0)
			return &log->notes[i];
	return NULL;
}

static void assert_note(const struct log *log, enum mlog_note_kind kind, unsigned nth, int source,
			int64_t value, const char *text)
{
	const struct mlog_note *note = find_note(log, kind, nth);

	assert_non_null(note);
	assert_int_equal(note->source, source);
	assert_int_equal(note->value, value);
	assert_string_equal(note->text, text);
}

TEST(marks_and_messages_come_back)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	struct log log;
	int64_t before, between;
	unsigned n_notes;

	bench_open(b, "sim:gpu", 10 * MS, false);
	r = start_recorder(b);
	before = b->disk.sys.monotonic_ns(&b->disk.sys);
	recorder_mark(r, 0, "");
	between = b->disk.sys.monotonic_ns(&b->disk.sys);
	AWAIT((end_in_file(b, &n_notes), n_notes == 1));
	recorder_mark(r, 0, "level 2\033[2J");
	recorder_follow(r, "something happened");
	recorder_follow(r, "");
	b->session.mark = (struct source_mark){before + 1, "of a program"}; /* its samples are written */
	recorder_follow(r, "mark: of a program");
	b->session.mark = (struct source_mark){1, "from before the log"};
	recorder_follow(r, "mark: from before the log");
	b->session.mark.time_ns = 0;
	stop_recorder(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 5);
	assert_note(&log, MLOG_NOTE_MARK, 0, -1, 1, "");
	assert_note(&log, MLOG_NOTE_MARK, 1, -1, 4, "from before the log");
	assert_note(&log, MLOG_NOTE_MARK, 2, -1, 3, "of a program");
	assert_note(&log, MLOG_NOTE_MARK, 3, -1, 2, "level 2?[2J");
	assert_in_range(find_note(&log, MLOG_NOTE_MARK, 0)->time_ns, before, between);
	assert_in_range(find_note(&log, MLOG_NOTE_MARK, 1)->time_ns, 2, before);
	assert_true(find_note(&log, MLOG_NOTE_MARK, 2)->time_ns == before + 1);
	assert_true(find_note(&log, MLOG_NOTE_MARK, 3)->time_ns > between);
	assert_note(&log, MLOG_NOTE_MESSAGE, 0, -1, 0, "something happened");
	log_close(&log);
}

TEST(a_source_that_goes_and_comes_back_is_noted)
{
	struct recorder_mlog_bench *b = *state;
	struct session_source *gpu = &b->session.sources[0];
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim:gpu", 10 * MS, false);
	r = start_recorder(b);
	recorder_follow(r, "");
	gpu->away = AWAY_GONE;
	strcpy(gpu->reported, "sim: the device is gone");
	recorder_follow(r, "");
	recorder_follow(r, ""); /* no news */
	gpu->away = AWAY_NOT;
	recorder_follow(r, "");
	gpu->away = AWAY_ASIDE;
	gpu->reported[0] = 0;
	recorder_follow(r, "");
	gpu->away = AWAY_NOT;
	stop_recorder(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 3);
	assert_note(&log, MLOG_NOTE_AWAY, 0, 0, 0, "sim: the device is gone");
	assert_note(&log, MLOG_NOTE_BACK, 0, 0, 0, "");
	assert_note(&log, MLOG_NOTE_AWAY, 1, 0, 0, "paused while one process is counted");
	log_close(&log);
}

TEST(a_source_that_is_away_at_the_start_is_noted)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state end;
	struct log log;

	bench_open(b, "sim:gpu", 10 * MS, false);
	b->session.sources[0].away = AWAY_ASIDE;
	stop_recorder(start_recorder(b), &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 1);
	assert_note(&log, MLOG_NOTE_AWAY, 0, 0, 0, "paused while one process is counted");
	log_close(&log);
}

/* n samples that come from now on. */
static void await_samples(struct recorder_mlog_bench *b, int n)
{
	struct subscriber *subscriber = session_subscriber(&b->session, false);

	for (; n; n--) {
		AWAIT(subscriber_peek(subscriber));
		subscriber_release(subscriber);
	}
	sampler_detach(b->session.sampler, subscriber);
	subscriber_free(subscriber);
}

/* As the next process does that is counted alone. */
TEST(what_sits_down_in_a_seat_is_not_taken_for_the_one_before)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim:gpu", 10 * MS, false);
	r = start_recorder(b);
	AWAIT(rows_now(r) >= 40);
	b->session.sources[0].epoch++;
	recorder_follow(r, "counting another one");
	await_samples(b, 40); /* of another one, which are not in it */
	recorder_follow(r, "");
	await_samples(b, 40);
	stop_recorder(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 2);
	assert_note(&log, MLOG_NOTE_AWAY, 0, 0, 0, "no longer counted");
	assert_true(log.n >= 40);
	assert_true(log.samples[log.n - 1]->begin_ns < find_note(&log, MLOG_NOTE_AWAY, 0)->time_ns + 10 * MS);
	assert_int_equal(end.rows, log.n);
	assert_int_equal(end.lost, 0);
	log_close(&log);
}

static void set_clock(struct recorder_mlog_bench *b, struct recorder *r, int64_t ahead_ns)
{
	pthread_mutex_lock(&b->disk.lock);
	b->disk.ahead_ns = ahead_ns;
	pthread_mutex_unlock(&b->disk.lock);
	await_block(r);
	await_block(r); /* the one before may have begun earlier */
}

TEST(a_wall_clock_that_was_set_is_noted)
{
	struct recorder_mlog_bench *b = *state;
	const struct mlog_note *note;
	const struct mlog_about *about;
	struct recorder_state end;
	struct recorder *r;
	struct log log;
	int64_t offset;

	bench_open(b, "sim:gpu", 10 * MS, false);
	r = start_recorder(b);
	set_clock(b, r, 3600 * S);
	set_clock(b, r, 3600 * S + 5 * MS); /* too little */
	set_clock(b, r, -7200 * S);
	stop_recorder(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 2);
	about = mlog_reader_about(log.reader);
	offset = about->realtime_ns - about->monotonic_ns;
	note = find_note(&log, MLOG_NOTE_CLOCK, 0);
	assert_true(note && llabs(note->value - offset - 10800 * S) < 60 * S);
	note = find_note(&log, MLOG_NOTE_CLOCK, 1);
	assert_true(note && llabs(note->value - offset) < 60 * S); /* what its reader goes by */
	assert_string_equal(note->text, "");
	log_close(&log);
}

/* CLOCK_MONOTONIC stands still meanwhile, so the wall clock seems to be set. */
TEST(a_suspend_is_noted_and_moves_no_time_before_it)
{
	struct recorder_mlog_bench *b = *state;
	const struct mlog_note *note;
	struct recorder_state end;
	struct recorder *r;
	AUTO_STRBUF struct strbuf text = {0};
	struct log log;

	bench_open(b, "sim:gpu", 10 * MS, false);
	r = start_recorder(b);
	pthread_mutex_lock(&b->disk.lock);
	b->disk.slept_ns = 3600 * S;
	pthread_mutex_unlock(&b->disk.lock);
	set_clock(b, r, 3600 * S);
	stop_recorder(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_notes, 1);
	note = find_note(&log, MLOG_NOTE_CLOCK, 0);
	assert_true(note && strcmp(note->text, MLOG_SUSPENDED) == 0);
	mlog_reader_tell_clock(log.reader, &text);
	assert_int_equal(text.n, 0);
	log_close(&log);
}

static unsigned lists_now(const struct recorder_mlog_bench *b)
{
	struct log log;
	unsigned n;

	read_running_log(&log, b->path);
	n = log.n_lists;
	log_close(&log);
	return n;
}

TEST(processes_are_there_once_a_second_where_proc_is_read)
{
	struct recorder_mlog_bench *b = *state;
	const struct process_list *list;
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim,proc", 100 * MS, false);
	r = start_recorder(b);
	AWAIT(lists_now(b) >= 2);
	stop_recorder(r, &end);
	read_log(&log, b->path);
	assert_true(log.n_lists >= 2 && log.n_lists <= 2 + (log.state.end_ns - log.state.begin_ns) / S);
	list = mlog_reader_processes(log.reader);
	assert_non_null(list);
	assert_non_null(process_find(list, getpid()));
	log_close(&log);
}

TEST(without_proc_there_are_none)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim:gpu", 100 * MS, false);
	r = start_recorder(b);
	await_block(r);
	stop_recorder(r, &end);
	read_log(&log, b->path);
	assert_int_equal(log.n_lists, 0);
	log_close(&log);
}

/* ---- disks ---- */

/* The samples in the subscriber, which is freed, go on for 5 s. */
static void await_5_s(struct recorder_mlog_bench *b, struct subscriber *subscriber)
{
	int64_t begin_ns = 0, end_ns = 0;
	const struct sample *s;

	while (end_ns - begin_ns < 5 * S) {
		AWAIT(subscriber_peek(subscriber));
		for (; (s = subscriber_peek(subscriber)); subscriber_release(subscriber)) {
			begin_ns = begin_ns ? begin_ns : s->begin_ns;
			end_ns = s->end_ns;
		}
	}
	sampler_detach(b->session.sampler, subscriber);
	subscriber_free(subscriber);
}

/* Both at once, as a disk that is stuck takes its time. */
TEST(a_disk_that_is_stuck_for_5_s_costs_nothing_at_100_ms_and_is_reported_at_1_ms)
{
	struct recorder_mlog_bench *slow = *state, *fast;
	struct recorder *slow_recorder, *fast_recorder;
	struct recorder_state slow_end, fast_end;
	struct subscriber *slow_subscriber, *fast_subscriber;
	struct log log;

	bench_init((void **)&fast);
	bench_open(slow, "sim:gpu", 100 * MS, false);
	bench_open(fast, "sim:gpu", MS, false);
	slow_recorder = start_recorder(slow);
	fast_recorder = start_recorder(fast);
	disk_set_stuck(&slow->disk, true);
	disk_set_stuck(&fast->disk, true);
	slow_subscriber = session_subscriber(&slow->session, false);
	fast_subscriber = session_subscriber(&fast->session, false);
	await_5_s(slow, slow_subscriber);
	disk_set_stuck(&slow->disk, false);
	await_block(slow_recorder);
	await_5_s(fast, fast_subscriber);
	AWAIT(lost_now(fast_recorder)); /* counted at the ring, while the disk is stuck */
	disk_set_stuck(&fast->disk, false);
	stop_recorder(slow_recorder, &slow_end);
	stop_recorder(fast_recorder, &fast_end);
	read_log(&log, slow->path);
	assert_int_equal(slow_end.lost, 0);
	assert_int_equal(log_lost(&log, 0), 0);
	assert_true(log.n >= 50);
	log_close(&log);
	read_log(&log, fast->path);
	assert_true(fast_end.lost > 0);
	assert_int_equal(log_lost(&log, 0) + log_lost_at_the_end(&log), fast_end.lost);
	assert_int_equal(log.n, fast_end.rows);
	assert_int_equal(log.samples[log.n - 1]->seq - log.samples[0]->seq + 1, log.n + log_lost(&log, 0));
	log_close(&log);
	bench_fini((void **)&fast);
}

TEST(a_full_disk_ends_the_log_and_nothing_else)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state now = {0}, end;
	struct recorder *r;
	struct stat st;
	struct log log;

	bench_open(b, "sim:gpu", MS, true);
	b->disk.room = 1000000;
	r = start_recorder(b);
	AWAIT((recorder_look(r, &now), now.failed));
	await_samples(b, 1); /* sampling goes on */
	assert_false(recorder_stop(r, &end));
	assert_string_equal(now.err.text, end.err.text);
	assert_non_null(strstr(end.err.text, "run.mlog: No space left on device: logging stopped after "));
	assert_non_null(strstr(end.err.text, " MB; everything up to there is intact"));
	assert_int_equal(stat(b->path, &st), 0);
	assert_int_equal(st.st_size, end.bytes);
	read_log(&log, b->path);
	assert_false(log.state.ended);
	assert_int_equal(log.n, end.rows);
	assert_int_equal(log_lost(&log, 0), 0);
	log_close(&log);
}

/* Ended while the disk is stuck, or refuses to keep the file: the caller does not wait, and the
 * result is known in the end. */
TEST(nobody_waits_for_a_log_that_ends)
{
	static const struct {
		bool stuck;
		unsigned fail;
		const char *says;
	} cases[] = {
		{false, 0, NULL},
		{true, 0, NULL},
		{true, DISK_SYNC, "run.mlog: Input/output error: logging stopped after "},
		{false, DISK_CLOSE, "run.mlog: Input/output error: logging stopped after "},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct recorder_mlog_bench *b = *state;
		struct recorder_state now, end;
		struct recorder *r;
		struct log log;

		bench_open(b, "sim:gpu", 10 * MS, false);
		b->options.force = true;
		r = start_recorder(b);
		AWAIT(rows_now(r) >= 25);
		disk_set_stuck(&b->disk, cases[i].stuck);
		await_samples(b, 1); /* which must be written in the end */
		pthread_mutex_lock(&b->disk.lock);
		b->disk.fail = cases[i].fail;
		b->disk.code = EIO;
		b->disk.at = 1;
		pthread_mutex_unlock(&b->disk.lock);
		recorder_end(r);
		recorder_end(r); /* once more is the same */
		recorder_look(r, &now);
		assert_false(cases[i].stuck && now.ended);
		if (cases[i].stuck)
			assert_false(recorder_await(r));
		else
			AWAIT((recorder_look(r, &now), now.ended));
		disk_set_stuck(&b->disk, false);
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

/* The reader of a pipe that does not read is such a disk, too. */
TEST(a_disk_that_is_stuck_from_the_start_does_not_hold_up_the_program)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state now, end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim:gpu", 10 * MS, false);
	disk_set_stuck(&b->disk, true);
	alarm(120); /* if it waits for the disk, which nothing frees */
	r = start_recorder(b);
	alarm(0);
	recorder_look(r, &now);
	assert_false(now.failed);
	assert_int_equal(now.bytes, 0);
	disk_set_stuck(&b->disk, false);
	AWAIT(rows_now(r) >= 25);
	assert_true(recorder_stop(r, &end));
	read_log(&log, b->path);
	assert_true(log.state.ended && log.n == end.rows);
	log_close(&log);
	session_close(&b->session);
}

TEST(a_log_that_should_not_have_begun_leaves_no_file)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder *r;

	bench_open(b, "sim:gpu", 10 * MS, false);
	r = start_recorder(b);
	await_block(r);
	assert_int_equal(access(b->path, F_OK), 0);
	recorder_drop(r);
	assert_int_equal(access(b->path, F_OK), -1);
}

/* The file of that number, which the log has come to. */
static bool file_exists(const struct recorder_mlog_bench *b, unsigned number)
{
	AUTOFREE char *path = xasprintf("%s/run.%u.mlog", b->dir, number);

	return access(path, F_OK) == 0;
}

TEST(a_log_that_rotates_is_whole_in_every_file_and_loses_nothing)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	uint64_t before = 0, samples = 0, bytes = 0;
	unsigned files = 0;
	struct log log;

	bench_open(b, "sim,proc", 2 * MS, false);
	b->options.rotate_bytes = 16000;
	r = start_recorder(b);
	AWAIT(file_exists(b, 3));
	stop_recorder(r, &end);
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

TEST(a_next_file_begins_with_the_wall_clock_as_it_is_by_then)
{
	struct recorder_mlog_bench *b = *state;
	const struct mlog_about *about;
	struct recorder_state end;
	struct recorder *r;
	int64_t offset[2];
	struct log log;

	bench_open(b, "sim:gpu", 2 * MS, false);
	b->options.rotate_bytes = 16000;
	r = start_recorder(b);
	set_clock(b, r, 3600 * S);
	AWAIT(file_exists(b, 1));
	stop_recorder(r, &end);
	for (unsigned i = 0; i < 2; i++) {
		read_log(&log, b->path);
		about = mlog_reader_about(log.reader);
		offset[i] = about->realtime_ns - about->monotonic_ns;
		assert_int_equal(find_note(&log, MLOG_NOTE_CLOCK, 0) != NULL, i == 0);
		log_close(&log);
		snprintf(b->path, sizeof(b->path), "%s/run.1.mlog", b->dir);
	}
	assert_true(llabs(offset[1] - offset[0]) < 60 * S);
}

TEST(a_start_that_does_not_fit_leaves_no_file_behind)
{
	struct recorder_mlog_bench *b = *state;
	struct err err;

	bench_open(b, "sim:gpu", 10 * MS, false);
	b->disk.room = 100;
	assert_null(recorder_start(&b->session, b->path, &err));
	assert_non_null(strstr(err.text, "run.mlog: No space left on device: logging stopped after 0.0 MB"));
	assert_int_equal(access(b->path, F_OK), -1);
}

TEST(it_is_synced_as_often_as_asked_for)
{
	struct recorder_mlog_bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	struct log log;

	bench_open(b, "sim:gpu", 10 * MS, false);
	b->options.sync_ns = 500 * MS;
	r = start_recorder(b);
	for (int i = 0; i < 4; i++)
		await_block(r);
	stop_recorder(r, &end);
	/* The directory, after every block, and at the end. */
	read_log(&log, b->path);
	assert_in_range(b->disk.syncs, 4, log.n_blocks + 2);
	log_close(&log);
}
