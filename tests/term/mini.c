#include "tests/support/test.h"
#include "tests/term/mini.h"

#include "base/alloc.h"
#include "base/charset.h"
#include "base/sys.h"
#include "base/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned mini_tty_writes;
int64_t mini_write_takes_ns;
int64_t mini_fake_ns;
bool mini_stop_in_frame;

ssize_t write(int fd, const void *buf, size_t n)
{
	if (mini_stop_in_frame && n > 7 && memmem(buf, n, "frame-1", 7)) {
		mini_stop_in_frame = false;
		raise(SIGTSTP);
	}
	if (isatty(fd)) {
		mini_tty_writes++;
		mini_fake_ns += mini_write_takes_ns;
	}
	return syscall(SYS_write, fd, buf, n);
}

/* AddressSanitizer would otherwise end the program itself when it runs out of memory. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static int64_t fake_monotonic(const struct sys *sys)
{
	(void)sys;
	return mini_fake_ns;
}

/* ---- the small user interface ---- */

void mini_draw_size(struct canvas *c, unsigned frame)
{
	canvas_clear(c);
	canvas_printf(c, canvas_rect(c), STYLE_TEXT, "frame-%u-%dx%d", frame, c->cols, c->rows);
}

void mini_draw_styles(struct canvas *c, unsigned frame)
{
	struct rect r = canvas_rect(c);

	(void)frame;
	for (int i = 0; i < STYLE_COUNT; i++)
		canvas_printf(c, rect_top(&r, 1), (enum style)i, "style%d", i);
}

void mini_draw_noise(struct canvas *c, unsigned frame)
{
	for (int i = 0; i < c->cols * c->rows; i++)
		c->cells[i] = (struct cell){33 + ((unsigned)i * 7919 + frame * 104729) % 90,
					    (uint8_t)((unsigned)i % STYLE_COUNT)};
}

/* Changes far apart, between which the cursor jumps. */
void mini_draw_scattered(struct canvas *c, unsigned frame)
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

static void *bad_pointer(void *unused)
{
	*(volatile char *)mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
	return unused;
}

static void crash_here(uint32_t key)
{
	pthread_t thread;

	if (key == 'o')
		exit(overflow(0));
	if (key == 'n')
		bad_pointer(NULL);
	if (key == 't' && thread_new(&thread, bad_pointer, NULL) == 0)
		pthread_join(thread, NULL);
	if (key == 'm')
		free(xmalloc(SIZE_MAX / 2));
}

static int end_by(struct term *term, enum term_event event, int signo)
{
	struct term_stats stats = term_stats(term);

	term_close(term);
	pty_note("closed bytes=%llu frames=%llu\n", (unsigned long long)stats.bytes,
		 (unsigned long long)stats.frames);
	if (event == TERM_GONE)
		return MINI_GONE;
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
	if (event == TERM_PASTE)
		pty_note("paste\n");
	if (event == TERM_RESIZE)
		pty_note("resize %dx%d\n", cols, rows);
	if (event == TERM_RESUMED)
		pty_note("resumed %dx%d\n", cols, rows);
}

static int run_loop(struct term *term, const struct mini *mini)
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
			crash_here(in.key);
			term_size(term, &cols, &rows);
			canvas_resize(&canvas, cols, rows);
			dirty = true;
		}
		if (dirty || mini->flood) {
			mini->draw(&canvas, frame + 1);
			dirty = !term_draw(term, &canvas);
			frame += !dirty || mini->flood;
			if (dirty && !refused)
				pty_note("refused\n");
			if (!dirty && !mini->flood)
				pty_note("drawn %u %dx%d\n", frame, cols, rows);
			refused = dirty;
		}
		poll(fds, (nfds_t)term_fds(term, fds), mini->flood ? 5 : term_wait_ms(term));
	}
}

int mini_ui(void *arg)
{
	const struct mini *mini = arg;
	struct err err;
	struct sys sys;
	struct term *term;

	charset_init();
	if (!sys_init(&sys, NULL, &err))
		return 1;
	if (mini_write_takes_ns)
		sys.monotonic_ns = fake_monotonic;
	mini_tty_writes = 0;
	term = term_open(&sys, &mini->options, &err);
	if (!term) {
		pty_note("error %s\n", err.text);
		return MINI_REFUSED;
	}
	return mini->instead ? mini->instead(term) : run_loop(term, mini);
}

/* ---- helpers ---- */

struct mini mini_plain = {.draw = mini_draw_size};

void mini_start(struct pty *pty, struct mini *mini, const char *term, int cols, int rows)
{
	static const char *const utf8[] = {"LC_ALL=C.UTF-8", NULL};
	struct pty_options options = {.cols = cols,
				      .rows = rows,
				      .term = term,
				      .env = utf8,
				      .body = mini_ui,
				      .arg = mini,
				      .limit_core = true};

	pty_start(pty, &options);
}

void mini_start_shown(struct pty *pty)
{
	mini_start(pty, &mini_plain, "xterm-256color", 80, 24);
	assert_true(pty_wait_output(pty, 0, "frame-1-80x24"));
	assert_true(pty_wait_note(pty, "drawn 1 "));
}

size_t mini_after(const struct pty *pty, const char *bytes)
{
	const char *found = memmem(pty->out.p, pty->out.n, bytes, strlen(bytes));

	assert_non_null(found);
	return (size_t)(found - pty->out.p) + strlen(bytes);
}

void mini_assert_restored(const struct pty *pty)
{
	size_t from = mini_after(pty, "frame-1");

	assert_true(pty_wrote(pty, from, LEAVE));
	assert_true(pty_wrote(pty, from, SHOW));
	assert_true(pty_wrote(pty, from, MOUSE_OFF));
	assert_true(pty_wrote(pty, from, PASTE_OFF));
	assert_true(pty_wrote(pty, from, KEYPAD_OFF));
	assert_true(pty_wrote(pty, from, "\x1b(B\x1b[m"));
	/* nothing is undone after it */
	from = mini_after(pty, LEAVE);
	assert_false(pty_wrote(pty, from, ENTER));
	assert_false(pty_wrote(pty, from, HIDE));
	assert_false(pty_wrote(pty, from, "\x1b[?1002h"));
	assert_true(pty_same_modes(&pty->before, &pty->report.modes));
}

void mini_assert_exit(const struct pty *pty, int status)
{
	assert_true(WIFEXITED(pty->report.status));
	assert_int_equal(WEXITSTATUS(pty->report.status), status);
}

void mini_assert_killed(const struct pty *pty, int signo)
{
	assert_true(WIFSIGNALED(pty->report.status));
	assert_int_equal(WTERMSIG(pty->report.status), signo);
}
