/* Every key in any order, with sizes, reloads, own files that change, and processes that end, on
 * the real program over real and simulated sources: it must end as it was told to, whatever came
 * before.
 * A build with a sanitizer makes this a search for memory errors and races.
 * MALITOP_STORM_S: its length in seconds, 10 by default; MALITOP_RANDOM_SEED: a seed that was
 * printed; by default each run has a new one. */
#include "base/alloc.h"
#include "tests/support/log_bench.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"
#include "tui/keys.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUND_KEYS 400  /* then the next program */
#define SHOWN_BYTES 500 /* of its last output, if it failed */
#define ALARM_S 600

static uint64_t random_state;
static char dir[] = "/tmp/malitop-storm-XXXXXX";

static unsigned random_below(unsigned n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(random_state >> 33) % n;
}

#define ARGS 6
#define OWN_FILES 5
#define FRAME_MS 400 /* in which there is a frame with values */

static const struct storm {
	const char *name;
	const char *args[ARGS];
	const char *env; /* of the fake machine; NULL: the real one */
	bool replay;
} storms[] = {
	{"a demo", {"--demo"}, NULL, false},
	{"a demo of one core, and this machine", {"--demo", "--gpu=G31", "-bsim,proc,perf"}, NULL, false},
	{"no GPU", {"-bproc,perf"}, NULL, false},
	{"no GPU, each CPU", {"-bproc,perf", "--per-core"}, NULL, false},
	{"a demo, each core", {"--demo", "--per-core", "-bsim,proc,perf"}, NULL, false},
	{"a log", {"--speed=10"}, NULL, true},
	{"a machine of three clusters", {"-bproc,perf", "--per-core"}, "FAKEPERF=machine=rk3588", false},
	{"two GPUs", {"-bkbase,proc,perf"}, "FAKEPERF=machine=tiny2", false},
};

/* What a terminal sends for keys that are no characters. */
static const struct {
	uint32_t key;
	const char *bytes;
} sent[] = {{K_UP, "\x1b[A"},
	    {K_DOWN, "\x1b[B"},
	    {K_RIGHT, "\x1b[C"},
	    {K_LEFT, "\x1b[D"},
	    {K_HOME, "\x1b[H"},
	    {K_END, "\x1b[F"},
	    {K_PAGE_UP, "\x1b[5~"},
	    {K_PAGE_DOWN, "\x1b[6~"},
	    {K_TAB, "\t"},
	    {K_BACK_TAB, "\x1b[Z"},
	    {K_ENTER, "\r"},
	    {K_ESCAPE, "\x1b"},
	    {K_F1, "\x1bOP"},
	    {K_F2, "\x1bOQ"},
	    {K_F3, "\x1bOR"},
	    {K_F4, "\x1bOS"},
	    {K_F5, "\x1b[15~"},
	    {K_F6, "\x1b[17~"},
	    {K_REDRAW, "\x0c"},
	    {K_WHEEL_UP, "\x1b[<64;9;9M"},
	    {K_WHEEL_DOWN, "\x1b[<65;9;9M"}};

/* Keys that make sense one after the other, typed texts, and what is no key. */
static const char *const more[] = {
	"j50%\r", "j-3s\r", "/r\r",    "0\r", "0\x1b[B\r", "c=", "ie",
	"iU",     "!i",     "i\x1b[B", "x",   "\x7f",      "y",  "\x1b[200~U\x1b[201~"};

/* Every key of the tables, but nothing that quits, or signals a process. */
static char words[256][16];
static unsigned n_words;

static void add_word(const char *bytes)
{
	assert_true(n_words < ARRAY_LEN(words) && strlen(bytes) < sizeof(words[0]));
	strcpy(words[n_words++], bytes);
}

static void add_key(uint32_t key)
{
	size_t i = 0;

	while (i < ARRAY_LEN(sent) && sent[i].key != key)
		i++;
	if (i == ARRAY_LEN(sent) && key >= ' ' && key <= '~')
		add_word((char[]){(char)key, 0});
	else if (i < ARRAY_LEN(sent))
		add_word(sent[i].bytes);
	else
		fail_msg("what does a terminal send for key %#x?", key);
}

static void add_keys(const struct key_table *table)
{
	for (size_t i = 0; i < ARRAY_LEN(table->codes); i++)
		for (const struct key_code *c = table->codes[i]; c->action; c++)
			if (c->action != ACTION_QUIT && c->action != ACTION_SIGNAL)
				add_key(c->key);
}

static void send_word(struct pty *pty)
{
	pty_send(pty, words[random_below(n_words)]);
}

static void send_mouse(struct pty *pty)
{
	static const int buttons[] = {0, 0, 0, 32, 64, 65};
	char text[48];

	snprintf(text, sizeof(text), "\x1b[<%d;%u;%uM", buttons[random_below(ARRAY_LEN(buttons))],
		 1 + random_below(165), 1 + random_below(65));
	pty_send(pty, text);
}

static void change_size(struct pty *pty)
{
	static const int sizes[][2] = {{80, 24}, {100, 30}, {160, 48}, {160, 60},
				       {40, 10}, {240, 70}, {1, 1}};
	const int *size = sizes[random_below(ARRAY_LEN(sizes))];

	pty_resize(pty, size[0], size[1]);
}

/* The user's own file: none, charts and findings, fewer of them, or one with an error. */
static void write_own(unsigned which)
{
	static const char *const texts[OWN_FILES] = {
		"",
		("metric Own\n  title Own\n  unit percent\n  expr CPUActivityUser\n"
		 "finding own\n  title Own\n  severity warning\n  when Own above 0.5 until 0.1\n"
		 "  says Own.\n  do Nothing.\n  look own\n  house Ours.\n"
		 "view own\n  title Own\n"
		 "chart own\n  title Own\n  widget rows\n  series Own\n  series GPUBusy / CPUActivityUser\n"),
		("metric Own\n  title Other\n  unit count\n  expr MaliGPUActiveCy\n"
		 "view own\n  title Own\nchart own\n  title Own\n  widget area\n  series Own\n"),
		"view own\n  title Own\nchart own\n  title Own\n  widget rows\n  series CPUActivityUser\n",
		"chart\n  widget none\n",
	};
	AUTOFREE char *path = xasprintf("%s/malitop/gpudb/own.view", dir);
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(texts[which], file);
	fclose(file);
}

static void change_own(struct pty *pty)
{
	write_own(random_below(OWN_FILES));
	pty_send(pty, "U");
}

/* A process that is there for a while, to be counted alone. */
static void start_child(struct pty *pty)
{
	static const unsigned most = 4;
	static unsigned n;

	(void)pty;
	while (n && waitpid(-1, NULL, WNOHANG) > 0)
		n--;
	if (n < most) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (!child) {
			alarm(1 + random_below(3));
			signal(SIGALRM, SIG_DFL);
			for (;;)
				usleep(1000);
		}
		n++;
	}
}

static const struct {
	void (*send)(struct pty *pty);
	unsigned weight;
} events[] = {{send_word, 80}, {send_mouse, 10}, {change_size, 4}, {change_own, 3}, {start_child, 3}};

static void send_event(struct pty *pty)
{
	unsigned at = random_below(100), i = 0;

	for (; at >= events[i].weight; i++)
		at -= events[i].weight;
	events[i].send(pty);
}

static long setting(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : otherwise;
}

/* With what a sanitizer reported, and the last line that the program wrote after its screen. */
static void fail_shown(const struct pty *pty, const struct storm *storm, long seed, const char *what)
{
	size_t n = pty->out.n < SHOWN_BYTES ? pty->out.n : SHOWN_BYTES;

	if (system("cat sanitizer.*"))
		print_error("%.*s\n", (int)n, pty->out.p + pty->out.n - n);
	fail_msg("seed %ld, %s: %s: status %#x", seed, storm->name, what, (unsigned)pty->report.status);
}

/* Most keys come before the last one is drawn, some after a frame, a few after a second. */
static int pause_ms(void)
{
	static const int pauses[] = {0, 1, 1, 2, 5, 20, 60, 150};

	return random_below(100) ? pauses[random_below(ARRAY_LEN(pauses))] : 1100;
}

static void start_program(struct pty *pty, const struct storm *storm, const char *log)
{
	AUTOFREE char *config = xasprintf("XDG_CONFIG_HOME=%s", dir);
	AUTOFREE char *preload = xasprintf("LD_PRELOAD=%s", storm->env ? run_fake() : "");
	const char *env[] = {
		"LC_ALL=C.UTF-8",
		config,
		preload,
		"FAKEMALI=driver=r44p0 gpu=0x74021000 cores=0x5; driver=r54p1 gpu=0xb8520000 cores=0x5b3",
		"ASAN_OPTIONS=verify_asan_link_order=0:log_path=sanitizer",
		"UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:log_path=sanitizer",
		"TSAN_OPTIONS=halt_on_error=1:log_path=sanitizer",
		storm->env,
		NULL,
	};
	const char *first[] = {run_program(), "-r100ms", storm->replay ? log : "-i50ms"};
	char *argv[ARRAY_LEN(first) + ARGS + 1] = {NULL};

	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		argv[i] = (char *)(uintptr_t)first[i];
	for (size_t i = 0; i < ARGS && storm->args[i]; i++)
		argv[ARRAY_LEN(first) + i] = (char *)(uintptr_t)storm->args[i];
	pty_start(pty, &(struct pty_options){.cols = 100,
					     .rows = 30,
					     .term = "xterm-256color",
					     .env = env,
					     .argv = argv,
					     .limit_core = true});
}

/* Ctrl-C quits in every state, and the program then ends by the signal that it is. */
static void end_program(struct pty *pty, const struct storm *storm, long seed)
{
	unsigned n = pty->n_reports;

	pty_send(pty, "\x03");
	if (!pty_wait_report(pty, n))
		fail_shown(pty, storm, seed, "does not end");
	if (!WIFSIGNALED(pty->report.status) || WTERMSIG(pty->report.status) != SIGINT)
		fail_shown(pty, storm, seed, "ended with an error");
}

#define DOWN "\x1b[B"

/* Orders that once reached freed or foreign memory, or memory of another thread: each key after a
 * frame. */
TEST(orders_that_broke_it_do_no_harm)
{
	static const struct {
		const char *keys;
		struct storm storm;
		int cols, rows;
	} orders[] = {
		{"\x1bOQ \x1b[A \x1b[C q U \x1bOQ", {"a chosen view", {"--demo"}, NULL, false}, 100, 30},
		{"U i e", {"an own chart", {"--demo"}, NULL, false}, 100, 30},
		{"1 c =", {"a mark, each CPU", {"-bproc,perf"}, NULL, false}, 160, 60},
		{"1 = 8 =",
		 {"a mark, each core", {"--demo", "--per-core", "-bsim,proc,perf"}, NULL, false},
		 160,
		 60},
		{"0 \r U", {"one process", {"--demo", "-bsim,proc,perf"}, NULL, false}, 100, 30},
		{"0 \r U l", {"one process, a log", {"-bproc,perf"}, NULL, false}, 100, 30},
		{"l \x1bOQ " DOWN DOWN DOWN DOWN DOWN DOWN " \x1b[C", /* to "fps" */
		 {"a log, another frame rate", {"--demo"}, NULL, false},
		 100,
		 30},
	};
	struct pty pty;

	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		write_own(1);
		start_program(&pty, &orders[i].storm, NULL);
		if (!pty_wait_output(&pty, 0, "\x1b["))
			fail_shown(&pty, &orders[i].storm, 0, "no screen came");
		pty_resize(&pty, orders[i].cols, orders[i].rows);
		for (struct span rest = span_of(orders[i].keys), key; (key = span_until(&rest, ' ')).n;) {
			AUTOFREE char *bytes = span_dup(key);

			if (!pty_read_for(&pty, FRAME_MS))
				fail_shown(&pty, &orders[i].storm, 0, "ended by itself");
			pty_send(&pty, bytes);
		}
		pty_read_for(&pty, FRAME_MS);
		end_program(&pty, &orders[i].storm, 0);
		pty_stop(&pty);
	}
}

static void storm_one(const struct storm *storm, const char *log, long seed, time_t end)
{
	struct pty pty;

	random_state = (uint64_t)seed;
	write_own(0);
	unlink("malitop/gpudb/my.view");
	unlink("malitop/config"); /* Settings saved the name of a view that is gone now. */
	start_program(&pty, storm, log);
	if (!pty_wait_output(&pty, 0, "\x1b["))
		fail_shown(&pty, storm, seed, "no screen came");
	for (int i = 0; i < ROUND_KEYS && time(NULL) < end; i++) {
		send_event(&pty);
		if (!pty_read_for(&pty, pause_ms()))
			fail_shown(&pty, storm, seed, "ended by itself");
		if (pty.out.n > 1000 * SHOWN_BYTES) /* a report is long */
			strbuf_clear(&pty.out);
	}
	end_program(&pty, storm, seed);
	pty_stop(&pty);
}

TEST(no_order_of_keys_ends_the_program)
{
	const long seed = setting("MALITOP_RANDOM_SEED", (long)time(NULL) % 1000000 * 1000);
	const time_t end = time(NULL) + setting("MALITOP_STORM_S", 10);
	struct log_bench log;
	long n = 0;

	print_message("the first seed: %ld\n", seed);
	log_begin(&log, &(struct log_what){{"G715", "G52"}, {100 * MS, 50 * MS}, "mixed", true});
	log_until(&log, 20 * SECOND_NS);
	log_note(&log, MLOG_NOTE_MARK, -1, 1, "level 2");
	log_until(&log, 40 * SECOND_NS);
	log_end(&log);
	for (; time(NULL) < end; n++) {
		const struct storm *storm = &storms[(unsigned long)(seed + n) % ARRAY_LEN(storms)];

		if (!storm->env || run_has_fake())
			storm_one(storm, log.path, seed + n, end);
	}
	print_message("seeds %ld to %ld\n", seed, seed + n - 1);
	log_fini(&log);
}

FIXTURE(enter_directory)
{
	add_keys(keys_everywhere);
	add_keys(keys_of_processes);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		add_word(more[i]);
	if (!mkdtemp(dir) || chdir(dir) != 0 || mkdir("malitop", 0700) != 0 ||
	    mkdir("malitop/gpudb", 0700) != 0)
		return -1;
	return 0;
}

FIXTURE(leave_directory)
{
	AUTOFREE char *remove = xasprintf("rm -rf %s", dir);

	return chdir("/") + system(remove);
}

TEST_GROUP(enter_directory, leave_directory)

int main(void)
{
	run_has_fake(); /* before the directory changes */
	alarm((unsigned)setting("MALITOP_STORM_S", 10) + ALARM_S);

	return test_run();
}
