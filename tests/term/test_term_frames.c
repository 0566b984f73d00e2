/* term: the cost of a frame, and frames on a slow or resized terminal. */
#include "base/alloc.h"
#include "tests/support/test.h"
#include "tests/term/mini.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- frames ---- */

static int draws_scattered_frames(struct term *term)
{
	struct canvas canvas;
	struct term_stats stats;
	unsigned frames = 0, before = mini_tty_writes;

	canvas_init(&canvas, 100, 30, false);
	while (frames < 20) {
		mini_draw_scattered(&canvas, frames);
		if (term_draw(term, &canvas))
			frames++;
		usleep(1000);
		term_next(term, &(struct term_input){0});
	}
	stats = term_stats(term);
	pty_note("writes %u stats %llu\n", mini_tty_writes - before,
		 (unsigned long long)stats.writes - before);
	term_close(term);
	canvas_fini(&canvas);
	return 0;
}

TEST(a_frame_is_one_write)
{
	struct mini mini = {.instead = draws_scattered_frames};
	struct pty pty;

	mini_start(&pty, &mini, "xterm-256color", 100, 30);
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	assert_true(pty_wait_note(&pty, "writes 20 stats 20\n"));
	assert_true(pty_wrote(&pty, 0, SYNC_ON));
	pty_stop(&pty);
}

static void settle_screen(struct term *term)
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
	mini_draw_styles(&canvas, 0);
	term_draw(term, &canvas);
	settle_screen(term);
	first = term_stats(term);
	for (int i = 0; i < 5; i++) {
		canvas_clear(&canvas);
		mini_draw_styles(&canvas, 0);
		if (!term_draw(term, &canvas))
			return 1;
	}
	same = term_stats(term);
	canvas.cells[80 * 20 + 40].ch = 'x';
	term_draw(term, &canvas);
	one = term_stats(term);
	pty_note("same %llu bytes %llu frames, one cell %llu\n",
		 (unsigned long long)(same.bytes - first.bytes),
		 (unsigned long long)(same.frames - first.frames),
		 (unsigned long long)(one.bytes - same.bytes));
	pty_note("cheap %d\n", one.bytes - same.bytes > 0 && one.bytes - same.bytes < 60);
	term_close(term);
	canvas_fini(&canvas);
	return 0;
}

TEST(an_unchanged_frame_writes_nothing_and_one_cell_little)
{
	struct mini mini = {.instead = draws_the_same_twice};
	struct pty pty;

	mini_start(&pty, &mini, "xterm-256color", 80, 24);
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	assert_true(pty_wait_note(&pty, "same 0 bytes 0 frames, "));
	assert_true(pty_wait_note(&pty, "cheap 1\n"));
	pty_stop(&pty);
}

static int draws_with_a_slow_clock(struct term *term)
{
	struct canvas canvas;
	bool drawn;

	canvas_init(&canvas, 80, 24, false);
	mini_draw_scattered(&canvas, 1);
	term_draw(term, &canvas);
	pty_note("flush %lld\n", (long long)term_stats(term).last_flush_ns);
	mini_draw_scattered(&canvas, 2);
	mini_fake_ns += 399999999;
	drawn = term_draw(term, &canvas);
	pty_note("soon %d wait %d\n", drawn, term_wait_ms(term));
	mini_fake_ns += 1;
	drawn = term_draw(term, &canvas);
	pty_note("later %d wait %d\n", drawn, term_wait_ms(term));
	term_close(term);
	canvas_fini(&canvas);
	return 0;
}

TEST(the_next_frame_comes_after_four_flushes)
{
	struct mini mini = {.instead = draws_with_a_slow_clock};
	struct pty pty;

	mini_write_takes_ns = 100000000;
	mini_start(&pty, &mini, "xterm-256color", 80, 24);
	mini_write_takes_ns = 0;
	assert_true(pty_wait_report(&pty, 0));
	assert_true(pty_wait_note(&pty, "flush 100000000\nsoon 0 wait 1\nlater 1 wait -1\n"));
	pty_stop(&pty);
}

TEST(a_stalled_terminal_blocks_neither_keys_nor_the_end)
{
	struct mini mini = {.draw = mini_draw_noise, .flood = true};
	struct pty pty;

	mini_start(&pty, &mini, "xterm-256color", 300, 100);
	assert_true(pty_wait_note_unread(&pty, "refused\n"));
	pty_send(&pty, "k");
	assert_true(pty_wait_note_unread(&pty, "key 6b\n"));
	pty_send(&pty, "q");
	assert_true(pty_wait_note_unread(&pty, "closed"));
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

TEST(a_crash_in_the_middle_of_a_frame_ends_its_sequence)
{
	struct mini mini = {.draw = mini_draw_noise, .flood = true};
	struct pty pty;

	mini_start(&pty, &mini, "xterm-256color", 300, 100);
	assert_true(pty_wait_note_unread(&pty, "refused\n"));
	pty_send(&pty, "n");
	assert_true(pty_wait_note_unread(&pty, "key 6e\n"));
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_killed(&pty, SIGSEGV);
	assert_true(pty_wrote(&pty, 0, "\x18\x1b[?2026l"));
	assert_true(pty_wrote(&pty, mini_after(&pty, "\x18"), LEAVE));
	pty_stop(&pty);
}

TEST(control_c_does_not_cut_what_is_on_its_way)
{
	struct mini mini = {
		.draw = mini_draw_noise}; /* some 7 kB: more than the reader's line discipline holds */
	struct pty pty;

	mini_start(&pty, &mini, "xterm-256color", 30, 15);
	assert_true(pty_wait_note_unread(&pty, "drawn 1 30x15\n"));
	pty_send(&pty, "\x03");
	assert_true(pty_wait_note_unread(&pty, "closed bytes="));
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_killed(&pty, SIGINT);
	assert_true(pty.out.n > strtoull(strstr(pty.notes.p, "closed bytes=") + 13, NULL, 10));
	assert_true(pty_wrote(&pty, 0, LEAVE));
	pty_stop(&pty);
}

TEST(a_terminal_that_reads_again_gets_the_newest_frame)
{
	struct mini mini = {.draw = mini_draw_noise, .flood = true};
	struct pty pty;

	mini_start(&pty, &mini, "xterm-256color", 300, 100);
	usleep(300000); /* long enough for frames to become stale */
	assert_true(pty_wait_note(&pty, "refused\n"));
	pty_read_for(&pty, 500);
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	assert_true(pty_wrote(&pty, 0, LEAVE));
	pty_stop(&pty);
}

TEST(output_held_by_control_s_does_not_hold_the_end)
{
	struct pty pty;

	mini_start_shown(&pty);
	pty_send(&pty, "\x13");
	pty_send(&pty, "x");
	assert_true(pty_wait_note(&pty, "key 78\n"));
	assert_false(pty_wrote(&pty, 0, "frame-2"));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	mini_assert_restored(&pty);
	assert_in_range(pty.report.cpu_us, 0, MINI_CPU_US);
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

TEST(cells_are_not_trusted)
{
	struct mini mini = {.instead = draws_what_a_terminal_must_not_see};
	struct pty pty;

	mini_start(&pty, &mini, "vt100", 20, 2);
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	assert_true(pty_wrote(&pty, 0, "???????"));
	assert_true(pty_wrote(&pty, 0, "zzzzzzzzzzzzzzzzz"));
	assert_false(pty_wrote(&pty, 0, "\x07"));
	assert_false(pty_wrote(&pty, 0, "\xc2\x9b"));
	pty_stop(&pty);
}

/* ---- size ---- */

TEST(any_size_is_shown)
{
	static const struct {
		int cols, rows;
		const char *note;
	} cases[] = {
		{1, 1, "open 1x1 "},         {2, 1, "open 2x1 "},         {1, 50, "open 1x50 "},
		{500, 200, "open 500x200 "}, {700, 300, "open 500x200 "}, {0, 0, "open 80x24 "},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty pty;

		mini_start(&pty, &mini_plain, "xterm-256color", cases[i].cols, cases[i].rows);
		assert_true(pty_wait_note(&pty, cases[i].note));
		assert_true(pty_wait_output(&pty, 0, "f"));
		pty_send(&pty, "q");
		assert_true(pty_wait_report(&pty, 0));
		mini_assert_exit(&pty, 0);
		pty_stop(&pty);
	}
}

TEST(a_resize_is_reported_and_drawn_at_once)
{
	struct pty pty;
	size_t from;

	mini_start_shown(&pty);
	from = pty.out.n;
	pty_resize(&pty, 120, 40);
	assert_true(pty_wait_note(&pty, "resize 120x40\n"));
	assert_true(pty_wait_output(&pty, from, "120x40"));
	assert_true(pty_wrote(&pty, from, "\x1b[H\x1b[2J")); /* no leftovers */
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	pty_stop(&pty);
}
