/* term on real pseudo-terminals. Each case runs a small user interface as the foreground job of a shell (tests/tui/pty.h). */
#include "app/keys.h"
#include "app/term.h"
#include "base/alloc.h"
#include "base/sys.h"
#include "tests/tui/pty.h"
#include "views/canvas.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ENTER "\x1b[?1049h"
#define LEAVE "\x1b[?1049l"
#define HIDE "\x1b[?25l"
#define SHOW "\x1b[?25h"
#define MOUSE_ON "\x1b[?1000h\x1b[?1006h"
#define MOUSE_OFF "\x1b[?1006l\x1b[?1000l"
#define KEYPAD_OFF "\x1b[?1l\x1b>"
#define SYNC_ON "\x1b[?2026h"

#define EXIT_REFUSED 3
#define EXIT_GONE 7

/* Every write to a terminal is counted, ncurses' own too: a shared library finds the program's function first. */
static unsigned tty_writes;
static int64_t write_takes_ns;
static bool stop_in_frame; /* SIGTSTP comes while ncurses writes one into its memory file */
static int64_t fake_ns;

ssize_t write(int fd, const void *buf, size_t n)
{
	if (stop_in_frame && n > 7 && memmem(buf, n, "frame-1", 7)) {
		stop_in_frame = false;
		raise(SIGTSTP);
	}
	if (isatty(fd)) {
		tty_writes++;
		fake_ns += write_takes_ns;
	}
	return syscall(SYS_write, fd, buf, n);
}

/* An address sanitizer would end the program itself when memory is out. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static int64_t fake_monotonic(const struct sys *sys)
{
	(void)sys;
	return fake_ns;
}

struct mini { /* what the small user interface does */
	struct term_options options;
	void (*draw)(struct canvas *canvas, unsigned frame);
	bool flood; /* draws all the time, not only when something happened */
	int (*instead)(struct term *term); /* does something else */
	bool no_memory_file;
};

/* ---- the small user interface ---- */

static void draw_size(struct canvas *c, unsigned frame)
{
	canvas_clear(c);
	canvas_printf(c, canvas_rect(c), STYLE_TEXT, "frame-%u-%dx%d", frame, c->cols, c->rows);
}

static void draw_all_styles(struct canvas *c, unsigned frame)
{
	struct rect r = canvas_rect(c);

	(void)frame;
	for (int i = 0; i < STYLE_COUNT; i++)
		canvas_printf(c, rect_top(&r, 1), (enum style)i, "style%d", i);
}

static void draw_noise(struct canvas *c, unsigned frame)
{
	for (int i = 0; i < c->cols * c->rows; i++)
		c->cells[i] = (struct cell){33 + ((unsigned)i * 7919 + frame * 104729) % 90, (uint8_t)((unsigned)i % STYLE_COUNT)};
}

/* Changes far apart, between which the cursor jumps. */
static void draw_scattered(struct canvas *c, unsigned frame)
{
	for (int y = 1; y < c->rows; y += 2)
		for (int x = y % 5; x < c->cols; x += 17)
			c->cells[y * c->cols + x] = (struct cell){'a' + frame % 26, STYLE_TEXT};
}

static volatile int endless = 1;

static int overflow(int depth)
{
	volatile char frame[4096];

	frame[depth % 4096] = 1;
	return endless ? overflow(depth + 1) + frame[depth % 7] : 0;
}

static void crash(uint32_t key)
{
	if (key == 'o')
		exit(overflow(0));
	if (key == 'n')
		*(volatile char *)mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
	if (key == 'm')
		free(xmalloc(SIZE_MAX / 2));
}

static int end_by(struct term *term, enum term_event event, int signo)
{
	struct term_stats stats = term_stats(term);

	term_close(term);
	pty_note("closed bytes=%llu frames=%llu\n", (unsigned long long)stats.bytes, (unsigned long long)stats.frames);
	if (event == TERM_GONE)
		return EXIT_GONE;
	if (event == TERM_QUIT)
		raise(signo);
	return 0;
}

static void note_event(struct term *term, enum term_event event, const struct term_input *in)
{
	int cols, rows;

	term_size(term, &cols, &rows);
	if (event == TERM_KEY)
		pty_note("key %x\n", in->key);
	if (event == TERM_MOUSE)
		pty_note("mouse %d %d\n", in->x, in->y);
	if (event == TERM_RESIZE)
		pty_note("resize %dx%d\n", cols, rows);
	if (event == TERM_RESUMED)
		pty_note("resumed %dx%d\n", cols, rows);
}

static int loop(struct term *term, const struct mini *mini)
{
	struct canvas canvas;
	struct pollfd fds[TERM_FDS];
	struct term_input in;
	enum term_event event;
	unsigned frame = 0;
	bool dirty = true, refused = false;
	int cols, rows;

	term_size(term, &cols, &rows);
	canvas_init(&canvas, cols, rows, !term_utf8(term));
	pty_note("open %dx%d %s\n", cols, rows, term_utf8(term) ? "utf8" : "ascii");
	for (;;) {
		while ((event = term_next(term, &in)) != TERM_NONE) {
			note_event(term, event, &in);
			if (event == TERM_QUIT || event == TERM_GONE || in.key == 'q') {
				canvas_fini(&canvas);
				return end_by(term, event, in.signal);
			}
			crash(in.key);
			term_size(term, &cols, &rows);
			canvas_resize(&canvas, cols, rows);
			dirty = true;
		}
		if (dirty || mini->flood) {
			mini->draw(&canvas, ++frame);
			dirty = !term_draw(term, &canvas);
			if (dirty && !refused)
				pty_note("refused\n");
			refused = dirty;
		}
		poll(fds, (nfds_t)term_fds(term, fds), mini->flood ? 5 : term_wait_ms(term));
	}
}

static void forbid_memory_files(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_LEN(code), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	pty_note("filter %d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static int mini_ui(void *arg)
{
	const struct mini *mini = arg;
	struct err err;
	struct sys sys;
	struct term *term;

	setlocale(LC_CTYPE, "");
	if (!sys_init(&sys, NULL, &err))
		return 1;
	if (write_takes_ns)
		sys.monotonic_ns = fake_monotonic;
	if (mini->no_memory_file)
		forbid_memory_files();
	tty_writes = 0;
	term = term_open(&sys, &mini->options, &err);
	if (!term) {
		pty_note("error %s\n", err.text);
		return EXIT_REFUSED;
	}
	return mini->instead ? mini->instead(term) : loop(term, mini);
}

/* ---- helpers ---- */

static struct mini plain = {.draw = draw_size};

static void start(struct pty *pty, struct mini *mini, const char *term, int cols, int rows)
{
	static const char *const utf8[] = {"LC_ALL=C.UTF-8", NULL};
	struct pty_options options = {.cols = cols, .rows = rows, .term = term, .env = utf8, .body = mini_ui, .arg = mini,
				      .limit_core = true};

	pty_start(pty, &options);
}

static void start_shown(struct pty *pty)
{
	start(pty, &plain, "xterm-256color", 80, 24);
	assert_true(pty_wait_output(pty, 0, "frame-1-80x24"));
}

static size_t after(const struct pty *pty, const char *bytes)
{
	const char *found = memmem(pty->out.p, pty->out.n, bytes, strlen(bytes));

	assert_non_null(found);
	return (size_t)(found - pty->out.p) + strlen(bytes);
}

static void assert_restored(const struct pty *pty)
{
	size_t from = after(pty, "frame-1");

	assert_true(pty_wrote(pty, from, LEAVE));
	assert_true(pty_wrote(pty, from, SHOW));
	assert_true(pty_wrote(pty, from, MOUSE_OFF));
	assert_true(pty_wrote(pty, from, KEYPAD_OFF));
	assert_true(pty_wrote(pty, from, "\x1b(B\x1b[m"));
	/* nothing is taken back afterwards */
	from = after(pty, LEAVE);
	assert_false(pty_wrote(pty, from, ENTER));
	assert_false(pty_wrote(pty, from, HIDE));
	assert_false(pty_wrote(pty, from, "\x1b[?1000h"));
	assert_true(pty_same_modes(&pty->before, &pty->report.modes));
}

static void assert_exit(const struct pty *pty, int status)
{
	assert_true(WIFEXITED(pty->report.status));
	assert_int_equal(WEXITSTATUS(pty->report.status), status);
}

static void assert_killed(const struct pty *pty, int signo)
{
	assert_true(WIFSIGNALED(pty->report.status));
	assert_int_equal(WTERMSIG(pty->report.status), signo);
}

/* ---- taking and giving back ---- */

static void what_was_taken_is_given_back(void **state)
{
	struct pty pty;

	(void)state;
	start_shown(&pty);
	assert_true(pty_wrote(&pty, 0, ENTER));
	assert_false(pty_wrote(&pty, after(&pty, ENTER), ENTER)); /* a second one would save what the first one changed */
	assert_true(pty_wrote(&pty, after(&pty, ENTER), HIDE));
	assert_true(pty_wrote(&pty, 0, MOUSE_ON));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	assert_restored(&pty);
	pty_stop(&pty);
}

static void every_signal_that_ends_gives_back_first(void **state)
{
	static const int cases[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty pty;

		start_shown(&pty);
		pty_signal(&pty, cases[i]);
		assert_true(pty_wait_report(&pty, 0));
		assert_killed(&pty, cases[i]);
		assert_restored(&pty);
		pty_stop(&pty);
	}
}

static void control_c_is_typed_as_a_signal(void **state)
{
	struct pty pty;

	(void)state;
	start_shown(&pty);
	pty_send(&pty, "\x03");
	assert_true(pty_wait_report(&pty, 0));
	assert_killed(&pty, SIGINT);
	assert_restored(&pty);
	pty_stop(&pty);
}

static void every_crash_gives_back_first(void **state)
{
	static const struct {
		int signo;       /* sent, or */
		const char *key; /* typed, which then happens inside */
		int killed_by;
	} cases[] = {
		{SIGSEGV, NULL, SIGSEGV}, {SIGBUS, NULL, SIGBUS},   {SIGFPE, NULL, SIGFPE}, {SIGILL, NULL, SIGILL},
		{SIGABRT, NULL, SIGABRT}, {0, "n", SIGSEGV},        {0, "o", SIGSEGV},
		{0, "m", SIGABRT},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty pty;

		start_shown(&pty);
		if (cases[i].key)
			pty_send(&pty, cases[i].key);
		else
			pty_signal(&pty, cases[i].signo);
		assert_true(pty_wait_report(&pty, 0));
		assert_killed(&pty, cases[i].killed_by);
		assert_restored(&pty);
		pty_stop(&pty);
	}
}

static void signals_ignored_from_above_stay_ignored(void **state)
{
	struct pty pty;
	struct pty_options options = {.cols = 80, .rows = 24, .term = "xterm-256color", .body = mini_ui, .arg = &plain,
				      .ignore_hup = true};

	(void)state;
	pty_start(&pty, &options);
	assert_true(pty_wait_output(&pty, 0, "frame-1"));
	pty_signal(&pty, SIGHUP);
	pty_send(&pty, "x");
	assert_true(pty_wait_note(&pty, "key 78\n"));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	pty_stop(&pty);
}

static void a_terminal_that_hung_up_ends_it_without_spinning(void **state)
{
	struct pty pty;
	struct pty_options options = {.cols = 80, .rows = 24, .term = "xterm-256color", .body = mini_ui, .arg = &plain,
				      .ignore_hup = true};

	(void)state;
	pty_start(&pty, &options);
	assert_true(pty_wait_output(&pty, 0, "frame-1"));
	pty_hang_up(&pty);
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, EXIT_GONE);
	assert_in_range(pty.report.cpu_us, 0, 50000);
	pty_stop(&pty);
}

/* ---- stop and go on ---- */

static void a_stop_gives_back_and_going_on_takes_again(void **state)
{
	struct pty pty;
	size_t from;

	(void)state;
	start_shown(&pty);
	pty_send(&pty, "\x1a");
	assert_true(pty_wait_report(&pty, 0));
	assert_true(WIFSTOPPED(pty.report.status));
	assert_restored(&pty);
	from = pty.out.n;
	pty_resize(&pty, 90, 30);
	pty_foreground(&pty);
	assert_true(pty_wait_note(&pty, "resumed 90x30\n"));
	assert_true(pty_wait_output(&pty, from, "90x30")); /* drawn without a key */
	assert_true(pty_wrote(&pty, from, ENTER));
	assert_true(pty_wrote(&pty, from, HIDE));
	assert_true(pty_wrote(&pty, from, MOUSE_ON));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 1));
	assert_exit(&pty, 0);
	assert_true(pty_wrote(&pty, from, LEAVE));
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

static void a_stop_in_the_middle_of_a_frame_is_not_lost(void **state)
{
	struct pty pty;
	size_t from;

	(void)state;
	stop_in_frame = true;
	start(&pty, &plain, "xterm-256color", 80, 24);
	stop_in_frame = false;
	assert_true(pty_wait_report(&pty, 0));
	assert_true(WIFSTOPPED(pty.report.status));
	assert_restored(&pty);
	from = pty.out.n;
	pty_foreground(&pty);
	assert_true(pty_wait_output(&pty, from, "80x24"));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 1));
	assert_exit(&pty, 0);
	pty_stop(&pty);
}

static void a_stop_that_nobody_announced_is_repaired(void **state)
{
	struct pty pty;
	size_t from;

	(void)state;
	start_shown(&pty);
	pty_signal(&pty, SIGSTOP);
	assert_true(pty_wait_report(&pty, 0));
	from = pty.out.n;
	pty_foreground(&pty);
	assert_true(pty_wait_output(&pty, from, "80x24"));
	assert_true(pty_wrote(&pty, from, MOUSE_ON));
	assert_false(pty_wrote(&pty, from, ENTER)); /* would save the cursor of the wrong screen */
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 1));
	assert_exit(&pty, 0);
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

static void in_the_background_it_stays_away_and_can_be_ended(void **state)
{
	struct pty pty;
	size_t from;

	(void)state;
	start_shown(&pty);
	pty_send(&pty, "\x1a");
	assert_true(pty_wait_report(&pty, 0));
	from = pty.out.n;
	pty_background(&pty);
	assert_true(pty_wait_report(&pty, 1));
	assert_true(WIFSTOPPED(pty.report.status));
	assert_int_equal(WSTOPSIG(pty.report.status), SIGTTOU);
	pty_signal(&pty, SIGTERM);
	pty_background(&pty);
	assert_true(pty_wait_report(&pty, 2));
	assert_killed(&pty, SIGTERM);
	assert_int_equal(pty.out.n, from);
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

/* ---- frames ---- */

static int draws_scattered_frames(struct term *term)
{
	struct canvas canvas;
	struct term_stats stats;
	unsigned frames = 0, before = tty_writes;

	canvas_init(&canvas, 100, 30, false);
	while (frames < 20) {
		draw_scattered(&canvas, frames);
		if (term_draw(term, &canvas))
			frames++;
		usleep(1000);
		term_next(term, &(struct term_input){0});
	}
	stats = term_stats(term);
	pty_note("writes %u stats %llu\n", tty_writes - before, (unsigned long long)stats.writes - before);
	term_close(term);
	canvas_fini(&canvas);
	return 0;
}

static void a_frame_is_one_write(void **state)
{
	struct mini mini = {.instead = draws_scattered_frames};
	struct pty pty;

	(void)state;
	start(&pty, &mini, "xterm-256color", 100, 30);
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	assert_true(pty_wait_note(&pty, "writes 20 stats 20\n"));
	assert_true(pty_wrote(&pty, 0, SYNC_ON));
	pty_stop(&pty);
}

static void settle(struct term *term)
{
	while (!term_ready(term)) {
		usleep(1000);
		term_next(term, &(struct term_input){0});
	}
}

static int draws_the_same_twice(struct term *term)
{
	struct canvas canvas;
	struct term_stats first, same, one;

	canvas_init(&canvas, 80, 24, false);
	draw_all_styles(&canvas, 0);
	term_draw(term, &canvas);
	settle(term);
	first = term_stats(term);
	for (int i = 0; i < 5; i++) {
		canvas_clear(&canvas);
		draw_all_styles(&canvas, 0);
		if (!term_draw(term, &canvas))
			return 1;
	}
	same = term_stats(term);
	canvas.cells[80 * 20 + 40].ch = 'x';
	term_draw(term, &canvas);
	one = term_stats(term);
	pty_note("same %llu bytes %llu frames, one cell %llu\n", (unsigned long long)(same.bytes - first.bytes),
		 (unsigned long long)(same.frames - first.frames), (unsigned long long)(one.bytes - same.bytes));
	pty_note("cheap %d\n", one.bytes - same.bytes > 0 && one.bytes - same.bytes < 60);
	term_close(term);
	canvas_fini(&canvas);
	return 0;
}

static void an_unchanged_frame_writes_nothing_and_one_cell_little(void **state)
{
	struct mini mini = {.instead = draws_the_same_twice};
	struct pty pty;

	(void)state;
	start(&pty, &mini, "xterm-256color", 80, 24);
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	assert_true(pty_wait_note(&pty, "same 0 bytes 0 frames, "));
	assert_true(pty_wait_note(&pty, "cheap 1\n"));
	pty_stop(&pty);
}

static int draws_with_a_slow_clock(struct term *term)
{
	struct canvas canvas;
	bool drawn;

	canvas_init(&canvas, 80, 24, false);
	draw_scattered(&canvas, 1);
	term_draw(term, &canvas);
	pty_note("flush %lld\n", (long long)term_stats(term).last_flush_ns);
	draw_scattered(&canvas, 2);
	fake_ns += 399999999;
	drawn = term_draw(term, &canvas);
	pty_note("soon %d wait %d\n", drawn, term_wait_ms(term));
	fake_ns += 1;
	drawn = term_draw(term, &canvas);
	pty_note("later %d wait %d\n", drawn, term_wait_ms(term));
	term_close(term);
	canvas_fini(&canvas);
	return 0;
}

static void the_next_frame_comes_after_four_flushes(void **state)
{
	struct mini mini = {.instead = draws_with_a_slow_clock};
	struct pty pty;

	(void)state;
	write_takes_ns = 100000000;
	start(&pty, &mini, "xterm-256color", 80, 24);
	write_takes_ns = 0;
	assert_true(pty_wait_report(&pty, 0));
	assert_true(pty_wait_note(&pty, "flush 100000000\nsoon 0 wait 1\nlater 1 wait -1\n"));
	pty_stop(&pty);
}

static void a_stalled_terminal_blocks_neither_keys_nor_the_end(void **state)
{
	struct mini mini = {.draw = draw_noise, .flood = true};
	struct pty pty;
	char note;

	(void)state;
	start(&pty, &mini, "xterm-256color", 300, 100);
	/* only the notes are read from here on */
	while (!pty.notes.p || !strstr(pty.notes.p, "refused\n"))
		if (read(pty.notes_fd, &note, 1) == 1)
			strbuf_add(&pty.notes, &note, 1);
	pty_send(&pty, "k");
	while (!strstr(pty.notes.p, "key 6b\n"))
		if (read(pty.notes_fd, &note, 1) == 1)
			strbuf_add(&pty.notes, &note, 1);
	pty_send(&pty, "q");
	while (!strstr(pty.notes.p, "closed"))
		if (read(pty.notes_fd, &note, 1) == 1)
			strbuf_add(&pty.notes, &note, 1);
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

static void a_terminal_that_reads_again_gets_the_newest_frame(void **state)
{
	struct mini mini = {.draw = draw_noise, .flood = true};
	struct pty pty;

	(void)state;
	start(&pty, &mini, "xterm-256color", 300, 100);
	usleep(300000); /* frames that would be stale by now */
	assert_true(pty_wait_note(&pty, "refused\n"));
	pty_read_for(&pty, 500);
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	assert_true(pty_wrote(&pty, 0, LEAVE));
	pty_stop(&pty);
}

static void output_held_by_control_s_does_not_hold_the_end(void **state)
{
	struct pty pty;

	(void)state;
	start_shown(&pty);
	pty_send(&pty, "\x13");
	pty_send(&pty, "x");
	assert_true(pty_wait_note(&pty, "key 78\n"));
	assert_false(pty_wrote(&pty, 0, "frame-2"));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	assert_restored(&pty);
	assert_in_range(pty.report.cpu_us, 0, 100000); /* waited, not spun */
	pty_stop(&pty);
}

static int draws_what_a_terminal_must_not_see(struct term *term)
{
	static const uint32_t bad[] = {0x1b, 0x07, 0x7f, 0x9b, 0x0301, 0x110000, 0xffffffff, 0};
	struct canvas canvas;

	canvas_init(&canvas, 20, 2, false);
	for (unsigned i = 0; i < ARRAY_LEN(bad); i++)
		canvas.cells[i].ch = bad[i];
	canvas.cells[1].style = 200;
	for (int x = 0; x < 20; x++)
		canvas.cells[20 + x].ch = 'z';
	term_draw(term, &canvas);
	term_close(term);
	canvas_fini(&canvas);
	return 0;
}

static void cells_are_not_trusted(void **state)
{
	struct mini mini = {.instead = draws_what_a_terminal_must_not_see};
	struct pty pty;

	(void)state;
	start(&pty, &mini, "vt100", 20, 2);
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	assert_true(pty_wrote(&pty, 0, "???????"));
	assert_true(pty_wrote(&pty, 0, "zzzzzzzzzzzzzzzzz"));
	assert_false(pty_wrote(&pty, 0, "\x07"));
	assert_false(pty_wrote(&pty, 0, "\xc2\x9b"));
	pty_stop(&pty);
}

/* ---- size ---- */

static void any_size_is_shown(void **state)
{
	static const struct {
		int cols, rows;
		const char *note;
	} cases[] = {
		{1, 1, "open 1x1 "},     {2, 1, "open 2x1 "},         {1, 50, "open 1x50 "},
		{500, 200, "open 500x200 "}, {700, 300, "open 500x200 "}, {0, 0, "open 80x24 "},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty pty;

		start(&pty, &plain, "xterm-256color", cases[i].cols, cases[i].rows);
		assert_true(pty_wait_note(&pty, cases[i].note));
		assert_true(pty_wait_output(&pty, 0, "f"));
		pty_send(&pty, "q");
		assert_true(pty_wait_report(&pty, 0));
		assert_exit(&pty, 0);
		pty_stop(&pty);
	}
}

static void a_resize_is_told_and_drawn_at_once(void **state)
{
	struct pty pty;
	size_t from;

	(void)state;
	start_shown(&pty);
	from = pty.out.n;
	pty_resize(&pty, 120, 40);
	assert_true(pty_wait_note(&pty, "resize 120x40\n"));
	assert_true(pty_wait_output(&pty, from, "120x40"));
	assert_true(pty_wrote(&pty, from, "\x1b[H\x1b[2J")); /* no leftovers */
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	pty_stop(&pty);
}

/* ---- kinds of terminals ---- */

static void colour_is_used_where_it_is_wanted_and_there(void **state)
{
	static const struct {
		const char *term, *env;
		enum color_mode mode;
		const char *theme;
		const char *yes, *no; /* bytes that must, must not appear */
	} cases[] = {
		{"xterm-256color", "A=", COLOR_AUTO, NULL, "\x1b[38;5;", NULL},
		{"xterm-256color", "A=", COLOR_AUTO, "light", "\x1b[38;5;25m", "\x1b[38;5;117m"},
		{"xterm-256color", "A=", COLOR_AUTO, "mono", "7m", "8;5;"},
		{"xterm-256color", "NO_COLOR=1", COLOR_AUTO, NULL, "7m", "8;5;"},
		{"xterm-256color", "NO_COLOR=", COLOR_AUTO, NULL, "\x1b[38;5;", NULL},
		{"xterm-256color", "NO_COLOR=1", COLOR_ALWAYS, NULL, "\x1b[38;5;", NULL},
		{"xterm-256color", "A=", COLOR_NEVER, NULL, "7m", "8;5;"},
		{"xterm", "A=", COLOR_AUTO, NULL, "\x1b[36m", "\x1b[38;5;"},
		{"linux", "A=", COLOR_AUTO, NULL, "\x1b[36m", "\x1b[38;5;"},
		{"vt100", "A=", COLOR_ALWAYS, NULL, ";7", "[36m"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const char *env[] = {"LC_ALL=C.UTF-8", cases[i].env, NULL};
		struct mini mini = {.options = {.color = cases[i].mode, .theme = cases[i].theme}, .draw = draw_all_styles};
		struct pty_options options = {.cols = 80, .rows = 24, .term = cases[i].term, .env = env, .body = mini_ui,
					      .arg = &mini};
		struct pty pty;

		pty_start(&pty, &options);
		assert_true(pty_wait_output(&pty, 0, "style16"));
		if (!pty_wrote(&pty, 0, cases[i].yes) || (cases[i].no && pty_wrote(&pty, 0, cases[i].no)))
			fail_msg("case %u: %s %s", i, cases[i].term, cases[i].env);
		pty_send(&pty, "q");
		assert_true(pty_wait_report(&pty, 0));
		assert_exit(&pty, 0);
		pty_stop(&pty);
	}
}

static void old_terminals_get_nothing_they_do_not_know(void **state)
{
	static const char *const terms[] = {"vt100", "vt220", "linux"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(terms); i++) {
		struct pty pty;

		start(&pty, &plain, terms[i], 80, 24);
		assert_true(pty_wait_note(&pty, "open 80x24 ascii"));
		assert_true(pty_wait_output(&pty, 0, "frame-1"));
		pty_send(&pty, "q");
		assert_true(pty_wait_report(&pty, 0));
		assert_exit(&pty, 0);
		assert_false(pty_wrote(&pty, 0, "?2026"));
		assert_false(pty_wrote(&pty, 0, "?1000"));
		assert_false(pty_wrote(&pty, 0, "?1006"));
		assert_true(pty_wrote(&pty, after(&pty, "frame-1"), "\x1b[24;1H")); /* the shell goes on below */
		assert_true(pty_same_modes(&pty.before, &pty.report.modes));
		pty_stop(&pty);
	}
}

static void glyphs_go_by_locale_and_wish(void **state)
{
	static const struct {
		const char *locale;
		bool ascii;
		const char *note;
	} cases[] = {
		{"LC_ALL=C.UTF-8", false, " utf8\n"}, {"LC_ALL=C.UTF-8", true, " ascii\n"},
		{"LC_ALL=C", false, " ascii\n"},      {"LC_ALL=xx_XX.UTF-8", false, " ascii\n"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const char *env[] = {cases[i].locale, NULL};
		struct mini mini = {.options = {.ascii = cases[i].ascii}, .draw = draw_size};
		struct pty_options options = {.cols = 80, .rows = 24, .term = "xterm", .env = env, .body = mini_ui, .arg = &mini};
		struct pty pty;

		pty_start(&pty, &options);
		assert_true(pty_wait_note(&pty, cases[i].note));
		pty_stop(&pty);
	}
}

static void no_usable_terminal_is_refused_with_what_to_try(void **state)
{
	static const struct {
		const char *term;
		bool no_stdin, no_stdout;
		const char *note;
	} cases[] = {
		{"dumb", false, false, "TERM=dumb cannot place its cursor"},
		{NULL, false, false, "TERM is not set"},
		{"", false, false, "TERM is not set"},
		{"no-such\x1b[2Jthing", false, false, "TERM=no-such?[2Jthing has no terminfo entry"},
		{"../../etc/passwd", false, false, "has no terminfo entry"},
		{"xterm", true, false, "standard input is not one"},
		{"xterm", false, true, "standard output is not one"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty_options options = {.cols = 80, .rows = 24, .term = cases[i].term, .body = mini_ui, .arg = &plain,
					      .no_stdin = cases[i].no_stdin, .no_stdout = cases[i].no_stdout};
		struct pty pty;

		pty_start(&pty, &options);
		assert_true(pty_wait_note(&pty, cases[i].note));
		assert_true(pty_wait_note(&pty, "--once"));
		assert_true(pty_wait_report(&pty, 0));
		assert_exit(&pty, EXIT_REFUSED);
		assert_int_equal(pty.out.n, 0);
		assert_true(pty_same_modes(&pty.before, &pty.report.modes));
		pty_stop(&pty);
	}
}

static void without_memory_files_it_works_all_the_same(void **state)
{
	struct mini mini = {.draw = draw_size, .no_memory_file = true};
	struct pty pty;
	size_t from;

	(void)state;
	start(&pty, &mini, "xterm-256color", 80, 24);
	assert_true(pty_wait_note(&pty, "filter "));
	if (!strstr(pty.notes.p, "filter 0\n")) {
		pty_stop(&pty);
		skip();
	}
	assert_true(pty_wait_output(&pty, 0, "frame-1-80x24"));
	assert_false(pty_wrote(&pty, after(&pty, ENTER), ENTER));
	assert_true(pty_wrote(&pty, after(&pty, ENTER), HIDE));
	pty_send(&pty, "\x1a");
	assert_true(pty_wait_report(&pty, 0));
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	from = pty.out.n;
	pty_foreground(&pty);
	assert_true(pty_wait_output(&pty, from, "80x24"));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 1));
	assert_exit(&pty, 0);
	assert_true(pty_wrote(&pty, from, LEAVE));
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

/* ---- what else the process keeps ---- */

static int looks_at_itself(struct term *term)
{
	struct sigaction action;

	pty_note("nonblock %d\n", (fcntl(0, F_GETFL) & O_NONBLOCK) != 0);
	term_close(term);
	sigaction(SIGTERM, NULL, &action);
	pty_note("default %d\n", action.sa_handler == SIG_DFL);
	sigaction(SIGSEGV, NULL, &action);
	pty_note("default %d\n", action.sa_handler == SIG_DFL);
	pty_note("free fd %d\n", open("/dev/null", O_RDONLY));
	return 0;
}

static void the_process_is_left_as_it_was(void **state)
{
	struct mini mini = {.instead = looks_at_itself};
	struct pty pty;
	int free_fd = open("/dev/null", O_RDONLY);
	char note[32];

	(void)state;
	close(free_fd);
	start(&pty, &mini, "xterm-256color", 80, 24);
	assert_true(pty_wait_report(&pty, 0));
	assert_exit(&pty, 0);
	snprintf(note, sizeof(note), "free fd %d\n", free_fd + 1); /* one is the root directory of sys */
	assert_true(pty_wait_note(&pty, "nonblock 0\ndefault 1\ndefault 1\n"));
	assert_non_null(strstr(pty.notes.p, note));
	pty_stop(&pty);
}

static void keys_and_mouse_arrive(void **state)
{
	static const struct {
		const char *typed, *note;
	} cases[] = {
		{"1", "key 31\n"}, {"\x1bOA", "key 110002\n"}, {"\x1b[<0;5;2M", "mouse 4 1\n"}, {"\x1b", "key 1b\n"},
	};
	struct pty pty;

	(void)state;
	start_shown(&pty);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		pty_send(&pty, cases[i].typed);
		assert_true(pty_wait_note(&pty, cases[i].note));
	}
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	pty_stop(&pty);
}

static void themes_are_known_by_name(void **state)
{
	(void)state;
	assert_string_equal(term_theme_name(0), "dark");
	assert_true(term_theme_known("light"));
	assert_true(term_theme_known("mono"));
	assert_false(term_theme_known("Dark"));
	assert_null(term_theme_name(1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_taken_is_given_back),
		cmocka_unit_test(every_signal_that_ends_gives_back_first),
		cmocka_unit_test(control_c_is_typed_as_a_signal),
		cmocka_unit_test(every_crash_gives_back_first),
		cmocka_unit_test(signals_ignored_from_above_stay_ignored),
		cmocka_unit_test(a_terminal_that_hung_up_ends_it_without_spinning),
		cmocka_unit_test(a_stop_gives_back_and_going_on_takes_again),
		cmocka_unit_test(a_stop_in_the_middle_of_a_frame_is_not_lost),
		cmocka_unit_test(a_stop_that_nobody_announced_is_repaired),
		cmocka_unit_test(in_the_background_it_stays_away_and_can_be_ended),
		cmocka_unit_test(a_frame_is_one_write),
		cmocka_unit_test(an_unchanged_frame_writes_nothing_and_one_cell_little),
		cmocka_unit_test(the_next_frame_comes_after_four_flushes),
		cmocka_unit_test(a_stalled_terminal_blocks_neither_keys_nor_the_end),
		cmocka_unit_test(a_terminal_that_reads_again_gets_the_newest_frame),
		cmocka_unit_test(output_held_by_control_s_does_not_hold_the_end),
		cmocka_unit_test(cells_are_not_trusted),
		cmocka_unit_test(any_size_is_shown),
		cmocka_unit_test(a_resize_is_told_and_drawn_at_once),
		cmocka_unit_test(colour_is_used_where_it_is_wanted_and_there),
		cmocka_unit_test(old_terminals_get_nothing_they_do_not_know),
		cmocka_unit_test(glyphs_go_by_locale_and_wish),
		cmocka_unit_test(no_usable_terminal_is_refused_with_what_to_try),
		cmocka_unit_test(without_memory_files_it_works_all_the_same),
		cmocka_unit_test(the_process_is_left_as_it_was),
		cmocka_unit_test(keys_and_mouse_arrive),
		cmocka_unit_test(themes_are_known_by_name),
	};

	alarm(120); /* a test that hangs has failed */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
