/* The passes source and the layer's channel while one of them is killed at any moment, many times,
 * and while many applications come and go. MALITOP_TEST_KILLS=200 tries more often than `make
 * check` has time for. */
#include "backends/backends.h"
#include "backends/passes/passes.h"
#include "base/alloc.h"
#include "layer/channel.h"
#include "tests/support/test.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ll
#define SECOND 1000000000ll
#define PATIENCE_NS (60 * SECOND)
#define APPS 24 /* more than the source takes at once */

struct kill_bench {
	char directory[64];
	struct sys sys;
	struct source source;
	struct sample *sample;
	uint64_t frames; /* of all samples */
	int64_t now_ns;
};

static unsigned n_kills(void)
{
	const char *text = getenv("MALITOP_TEST_KILLS");

	return text ? (unsigned)atoi(text) : 20;
}

FIXTURE(make_directory)
{
	static char directory[] = "/tmp/malitop-kills-XXXXXX";

	assert_non_null(mkdtemp(directory));
	setenv("XDG_RUNTIME_DIR", directory, 1);
	*state = directory;
	return 0;
}

FIXTURE(remove_directory)
{
	char path[128];

	passes_socket_path(path, sizeof(path), 0);
	unlink(path); /* a killed malitop leaves it */
	passes_directory(path, sizeof(path));
	rmdir(path);
	return rmdir(*state);
}

static void kill_bench_init(struct kill_bench *b)
{
	struct err err = {0};

	*b = (struct kill_bench){.now_ns = passes_now_ns()};
	assert_true(sys_init(&b->sys, NULL, &err));
	b->source = (struct source){.backend = &backend_passes,
				    .sys = &b->sys,
				    .options.frames_per_second = 60,
				    .priv = xcalloc(1, backend_passes.priv_size)};
	assert_true(backend_passes.open(&b->source, "", &err));
	b->sample = xcalloc(1, sizeof(*b->sample) + b->source.n_slots * sizeof(uint64_t));
	assert_true(backend_passes.start(&b->source, 1 * MS, b->now_ns, &err));
}

static void kill_bench_fini(struct kill_bench *b)
{
	backend_passes.close(&b->source);
	free(b->source.priv);
	free(b->source.slots);
	free(b->sample);
	sys_fini(&b->sys);
}

static const struct passes *passes_of(const struct kill_bench *b)
{
	return b->source.priv;
}

/* Read one sample; returns how many applications there are. */
static unsigned read_apps(struct kill_bench *b)
{
	b->now_ns = passes_now_ns();
	if (backend_passes.read(&b->source, b->now_ns, b->sample) == READ_GOT &&
	    b->sample->value[FRAME_COUNT] != SAMPLE_UNKNOWN)
		b->frames += b->sample->value[FRAME_COUNT];
	for (unsigned i = 0; i < APPS_MOST; i++)
		assert_int_equal(passes_of(b)->apps[i].reader.invalid, 0);
	return (unsigned)b->sample->value[FRAME_APPS];
}

static void write_frame(uint64_t frame)
{
	int64_t now_ns = passes_now_ns();

	channel_write(&(struct passes_event){.type = PASSES_PASS,
					     .name = channel_name("main"),
					     .frame = frame,
					     .begin_ns = now_ns - 2,
					     .end_ns = now_ns - 1},
		      1);
	channel_write(&(struct passes_event){.type = PASSES_FRAME,
					     .frame = frame,
					     .begin_ns = now_ns - 10,
					     .end_ns = now_ns,
					     .passes = 1},
		      1);
	channel_tend(now_ns);
}

/* A process that renders until it is killed, or `frames` frames. */
static pid_t fork_app(uint64_t frames)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"))
		_exit(1);
	for (uint64_t f = 0; f < frames; f++)
		write_frame(f);
	channel_close();
	_exit(0);
}

static void end_app(pid_t pid, int sig)
{
	int status;

	if (sig)
		kill(pid, sig);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(sig ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool is_late(const struct kill_bench *b, int64_t since_ns)
{
	return b->now_ns - since_ns > PATIENCE_NS;
}

TEST(an_application_killed_while_it_writes_leaves_valid_events)
{
	struct kill_bench b;

	kill_bench_init(&b);
	for (unsigned i = 0; i < n_kills(); i++) {
		pid_t pid = fork_app(UINT64_MAX);
		int64_t since_ns = b.now_ns;

		b.frames = 0;
		while (b.frames <= 100 * i && !is_late(&b, since_ns))
			read_apps(&b);
		assert_true(b.frames > 100 * i);
		end_app(pid, SIGKILL);
		while (read_apps(&b) > 0 && !is_late(&b, since_ns))
			;
		assert_int_equal(b.sample->value[FRAME_APPS], 0);
	}
	kill_bench_fini(&b);
}

/* Read until frames have come, say so, and go on until killed. */
static _Noreturn void play_malitop(int told)
{
	struct kill_bench b;

	kill_bench_init(&b);
	while (!b.frames)
		read_apps(&b);
	if (write(told, "!", 1) != 1)
		_exit(1);
	for (;;)
		read_apps(&b);
}

/* The application's connections are made once a second, so its clock runs faster here. */
TEST(an_application_renders_on_while_malitops_are_killed)
{
	int64_t ahead_ns = 0;
	uint64_t frame = 0;

	assert_true(channel_open(PASSES_VULKAN, PASSES_STAMP_BOTTOM, "a driver"));
	for (unsigned i = 0; i < n_kills(); i++) {
		int64_t since_ns = passes_now_ns();
		struct pollfd told = {.events = POLLIN};
		int fds[2];
		pid_t pid;

		assert_int_equal(pipe(fds), 0);
		told.fd = fds[0];
		pid = fork();
		if (!pid)
			play_malitop(fds[1]);
		while (poll(&told, 1, 0) == 0 && passes_now_ns() - since_ns < PATIENCE_NS) {
			write_frame(frame++);
			channel_tend(passes_now_ns() + (ahead_ns += 2 * SECOND));
		}
		assert_true(told.revents & POLLIN);
		end_app(pid, SIGKILL);
		for (unsigned f = 0; f < 100; f++)
			write_frame(frame++);
		close(fds[0]);
		close(fds[1]);
	}
	channel_close();
}

/* The application of the next sample that shows frames. */
static pid_t shown_next(struct kill_bench *b)
{
	int64_t since_ns = b->now_ns;

	b->frames = 0;
	while (!b->frames && !is_late(b, since_ns))
		read_apps(b);
	assert_true(b->frames);
	return (pid_t)b->sample->value[FRAME_PID];
}

static void await_apps(struct kill_bench *b, unsigned n)
{
	int64_t since_ns = b->now_ns;

	while (read_apps(b) != n && !is_late(b, since_ns))
		;
	assert_int_equal(b->sample->value[FRAME_APPS], n);
}

TEST(the_user_chooses_one_of_several_applications)
{
	struct kill_bench b;
	pid_t pids[3], before;

	kill_bench_init(&b);
	for (unsigned i = 0; i < 3; i++)
		pids[i] = fork_app(UINT64_MAX);
	await_apps(&b, 3);
	before = shown_next(&b);
	backend_passes.extras->choose(&b.source, SOURCE_NEXT_PROCESS);
	assert_int_not_equal(shown_next(&b), before);
	for (unsigned i = 0; i < 3; i++) {
		backend_passes.extras->choose(&b.source, pids[i]);
		assert_int_equal(shown_next(&b), pids[i]);
	}
	end_app(pids[2], SIGKILL); /* gives way to another one */
	await_apps(&b, 2);
	before = shown_next(&b);
	assert_true(before == pids[0] || before == pids[1]);
	backend_passes.extras->choose(&b.source, 1); /* has no layer: nothing changes */
	assert_int_equal(shown_next(&b), before);
	end_app(pids[0], SIGKILL);
	end_app(pids[1], SIGKILL);
	kill_bench_fini(&b);
}

TEST(many_applications_come_and_go)
{
	struct kill_bench b;
	pid_t pids[APPS];
	unsigned most = 0;

	kill_bench_init(&b);
	for (unsigned round = 0; round < 3; round++) {
		int64_t since_ns = b.now_ns;

		for (unsigned i = 0; i < APPS; i++)
			pids[i] = fork_app(i % 2 ? UINT64_MAX : 300);
		b.frames = 0;
		while ((most < APPS / 2 || !b.frames) && !is_late(&b, since_ns)) {
			unsigned apps = read_apps(&b);

			most = apps > most ? apps : most;
		}
		assert_in_range(most, APPS / 2, APPS_MOST);
		for (unsigned i = 0; i < APPS; i++)
			end_app(pids[i], i % 2 ? SIGKILL : 0);
		while (read_apps(&b) > 0 && !is_late(&b, since_ns))
			;
		assert_int_equal(b.sample->value[FRAME_APPS], 0);
		assert_null(passes_of(&b)->shown);
	}
	kill_bench_fini(&b);
}

TEST_GROUP(make_directory, remove_directory)
