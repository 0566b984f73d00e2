/* The loop of Boards, its keys, and the board that is open. */
#include "tui/boards.h"

#include "base/alloc.h"
#include "term/term.h"
#include "tui/alerts.h"
#include "tui/live.h"
#include "tui/page.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#define PAGE 10
#define WAIT_MS 250 /* ages are shown in tenths of a second */
#define KEY_COLS 14

struct boards_live {
	const struct sys *sys;
	const struct options *options;
	struct boards *boards;
	struct term *term;
	struct canvas canvas;
	struct alerts alerts;
	bool types, helps, dirty, end; /* types: a filter is typed; helps: the keys are listed */
	char typed[32], question[48];
	struct foot_ask ask;
	int64_t start_ns;
	int signal;
};

/* ---- keys ---- */

static const struct key_code characters[] = {
	{'/', ACTION_FILTER, 0}, {'s', ACTION_NEXT_SORT, 0}, {'r', ACTION_RETRY, 0},
	{'l', ACTION_LOG, 0},    {'m', ACTION_MARK, 0},      {'?', ACTION_HELP, 0},
	{'h', ACTION_HELP, 0},   {'q', ACTION_QUIT, 0},      {K_SPECIAL, ACTION_NONE, 0}};

static const struct key_code specials[] = {
	{K_UP, ACTION_SELECT, -1},        {K_DOWN, ACTION_SELECT, 1},   {K_WHEEL_UP, ACTION_SELECT, -1},
	{K_WHEEL_DOWN, ACTION_SELECT, 1}, {K_PAGE_UP, ACTION_PAGE, -1}, {K_PAGE_DOWN, ACTION_PAGE, 1},
	{K_HOME, ACTION_EDGE, -1},        {K_END, ACTION_EDGE, 1},      {K_ENTER, ACTION_ZOOM, 0},
	{K_F1, ACTION_HELP, 0},           {K_CTRL_C, ACTION_QUIT, 0},   {K_F10, ACTION_QUIT, 0},
	{K_SPECIAL, ACTION_NONE, 0}};

static const struct key_row boards_rows[] = {
	{ACTION_SELECT, 0, GROUP_MOVE, "\u2191 \u2193", "Up Down", "select", 3, "select a board", NULL},
	{ACTION_PAGE, 0, GROUP_MOVE, "PgUp PgDn", NULL, NULL, 0, "ten boards up, down", NULL},
	{ACTION_EDGE, 0, GROUP_MOVE, "Home End", NULL, NULL, 0, "first, last board", NULL},
	{ACTION_ZOOM, 0, GROUP_MOVE, "Enter", NULL, "open the board", 1,
	 "its views; B returns here, [ ] show the previous or next board", NULL},
	{ACTION_FILTER, 0, GROUP_LOOK, "/", NULL, "filter", 5, "only boards with a text in their name or GPU",
	 NULL},
	{ACTION_NEXT_SORT, 0, GROUP_LOOK, "s", NULL, "sort", 4, "worst first, by name, fps, GPU, heat", NULL},
	{ACTION_RETRY, 0, GROUP_ACT, "r", NULL, "reconnect", 4, "connect at once to those that are away",
	 NULL},
	{ACTION_LOG, 0, GROUP_ACT, "l", NULL, "log all", 5, "start or stop keeping all streams in files",
	 NULL},
	{ACTION_MARK, 0, GROUP_ACT, "m", NULL, "mark all", 5, "a mark on every board", NULL},
	{ACTION_HELP, 0, GROUP_ACT, "?", NULL, "help", 1, "these keys", NULL},
	{ACTION_QUIT, 0, GROUP_ACT, "q", NULL, "quit", 0, "quit malitop", NULL},
	{.action = ACTION_NONE},
};

const struct key_table boards_keys[1] = {{{characters, specials}, boards_rows}};

static void show_hint(struct boards_live *l, const char *text)
{
	alerts_hint(&l->alerts, l->sys->monotonic_ns(l->sys), text);
}

/* Show the views of the open board, and step to the next or previous one as the user asks. */
static void open_board(struct boards_live *l)
{
	enum live_leave leave = LIVE_NEXT;
	struct err err = {0};

	while (leave == LIVE_NEXT || leave == LIVE_PREVIOUS) {
		struct board_row *board = boards_selected(l->boards);

		if (!board || !board->watch || !board->remote) {
			show_hint(l, "open: this board has sent nothing yet");
			break;
		}
		boards_prefer(l->boards, board);
		if (!live_run_board(l->sys, l->options, l->term, l->boards, board->remote, &leave, &l->signal,
				    &err)) {
			alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), err.text);
			break;
		}
		if (leave == LIVE_NEXT || leave == LIVE_PREVIOUS)
			boards_move(l->boards, leave == LIVE_NEXT ? 1 : -1, l->sys->monotonic_ns(l->sys));
	}
	boards_prefer(l->boards, NULL);
	l->end |= leave == LIVE_QUIT;
}

static void do_key(struct boards_live *l, uint32_t key, int64_t now)
{
	struct boards *b = l->boards;
	char text[64];
	struct key_action does = keys_action(boards_keys, key, 0);
	unsigned marked = 0;
	int64_t number;
	struct err err;

	switch (does.action) {
	case ACTION_SELECT:
		boards_move(b, does.number, now);
		break;
	case ACTION_PAGE:
		boards_move(b, does.number * PAGE, now);
		break;
	case ACTION_EDGE:
		boards_move(b, does.number * BOARDS_MOST, now);
		break;
	case ACTION_ZOOM:
		open_board(l);
		break;
	case ACTION_NEXT_SORT:
		b->sort = (b->sort + 1) % BOARDS_SORTS;
		boards_arrange(b, now, true);
		break;
	case ACTION_FILTER:
		l->types = true;
		break;
	case ACTION_RETRY:
		for (unsigned i = 0; i < b->n; i++)
			if (b->boards[i]->remote)
				remote_retry(b->boards[i]->remote);
		break;
	case ACTION_LOG:
		boards_log(b, l->options->log ? l->options->log : ".", &err);
		break;
	case ACTION_MARK:
		for (unsigned i = 0; i < b->n; i++)
			marked += b->boards[i]->remote &&
				  remote_ask(b->boards[i]->remote, "mark", "", &number, &err);
		snprintf(text, sizeof(text), "mark: set on %u board%s", marked, plural_ending(marked));
		show_hint(l, text);
		break;
	case ACTION_HELP:
		l->helps = true;
		break;
	case ACTION_QUIT:
		l->end = true;
		break;
	default:
		show_hint(l, key == K_ESCAPE
				     ? "Esc: nothing to close; q quits"
				     : "a key of a board's views: Enter opens one; ? lists the keys here");
	}
}

static void take_key(struct boards_live *l, uint32_t key, int64_t now)
{
	l->alerts.hint = (struct alert){0};
	l->dirty = true;
	if (l->types && key != K_CTRL_C) {
		if (key == K_ESCAPE)
			l->typed[0] = 0;
		if (key == K_ESCAPE || key == K_ENTER)
			l->types = false;
		else
			term_key_type(l->typed, sizeof(l->typed), key);
		snprintf(l->boards->filter, sizeof(l->boards->filter), "%s", l->typed);
		boards_arrange(l->boards, now, true);
		return;
	}
	if (l->helps) {
		l->helps = false;
		return;
	}
	if (key == K_ESCAPE && l->boards->filter[0]) {
		l->typed[0] = l->boards->filter[0] = 0;
		boards_arrange(l->boards, now, true);
		return;
	}
	do_key(l, options_key(l->options, key), now);
}

static void resize_canvas(struct boards_live *l)
{
	int cols, rows;

	term_size(l->term, &cols, &rows);
	canvas_resize(&l->canvas, cols, rows);
	l->dirty = true;
}

static void take_input(struct boards_live *l, int64_t now)
{
	struct term_input in;
	enum term_event event;

	while (!l->end && (event = term_next(l->term, &in)) != TERM_NONE) {
		if (event == TERM_KEY)
			take_key(l, in.key, now);
		else if (event == TERM_QUIT)
			l->signal = in.signal;
		if (event == TERM_QUIT || event == TERM_GONE)
			l->end = true;
		else if (event != TERM_KEY)
			resize_canvas(l);
	}
}

/* ---- drawing ---- */

static void draw_frame(struct boards_live *l, int64_t now)
{
	struct page page = {.canvas = &l->canvas, .window = canvas_rect(&l->canvas)};
	int64_t until;

	snprintf(l->question, sizeof(l->question), "filter: %s", l->typed);
	l->ask = (struct foot_ask){
		.text = l->question, .answers = "part of a name, Enter, Esc: all", .typed = true};
	l->canvas.mono = l->term && term_mono(l->term);
	if (!l->helps) {
		boards_draw(l->boards, alerts_now(&l->alerts, now, &until), l->types ? &l->ask : NULL, now,
			    &l->canvas);
		return;
	}
	canvas_clear(&l->canvas);
	page_text(&page, 1, STYLE_TITLE, NULL, "Keys of Boards; any key closes this");
	for (const struct key_row *row = boards_rows; row->action; row++)
		page_text(&page, KEY_COLS, STYLE_TEXT, row->keys, row->brief);
}

/* ---- the loop ---- */

static void take_said(struct boards_live *l, int64_t now)
{
	struct span rest;
	struct err err;

	for (unsigned i = 0; i < l->boards->n; i++)
		if (board_log_failed(l->boards->boards[i], &err))
			strbuf_printf(&l->boards->said, "%s: %s\n", l->boards->boards[i]->name, err.text);
	rest = (struct span){l->boards->said.p, l->boards->said.n};
	while (rest.n)
		alerts_add(&l->alerts, now, span_until(&rest, '\n').p);
	strbuf_clear(&l->boards->said);
}

static void run_loop(struct boards_live *l)
{
	struct pollfd fds[TERM_FDS + BOARDS_MOST];
	int64_t drawn = 0;

	while (!l->end) {
		unsigned n = (unsigned)term_fds(l->term, fds);
		int64_t now;

		n += boards_fds(l->boards, fds + n);
		l->sys->poll(l->sys, fds, n, l->dirty && term_ready(l->term) ? 0 : WAIT_MS);
		now = l->sys->monotonic_ns(l->sys);
		take_input(l, now);
		l->dirty |= boards_run(l->boards, now) || now - drawn >= BOARDS_STEP_NS;
		take_said(l, now);
		if (l->options->duration_ns && now - l->start_ns >= l->options->duration_ns)
			l->end = true;
		if (l->end || !l->dirty || !term_ready(l->term))
			continue;
		draw_frame(l, now);
		drawn = now;
		l->dirty = !term_draw(l->term, &l->canvas);
	}
}

enum exit_status boards_live_run(const struct sys *sys, const struct options *options, int *signal,
				 struct err *err)
{
	struct boards_live l = {.sys = sys, .options = options, .start_ns = sys->monotonic_ns(sys)};
	struct err late;

	l.boards = boards_open(sys, options, err);
	if (!l.boards)
		return EXIT_FAILED;
	if (options->log)
		boards_log(l.boards, options->log, &late);
	l.term = term_open(sys,
			   &(struct term_options){
				   .color = options->color, .theme = options->theme, .ascii = options->ascii},
			   err);
	if (l.term) {
		canvas_init(&l.canvas, 1, 1, !term_utf8(l.term));
		resize_canvas(&l);
		run_loop(&l);
		term_close(l.term);
		canvas_fini(&l.canvas);
	}
	boards_close(l.boards);
	*signal = l.signal;
	return l.term ? EXIT_DONE : EXIT_FAILED;
}

enum exit_status boards_live_once(const struct sys *sys, const struct options *options, bool ascii,
				  struct strbuf *out, struct err *err)
{
	struct boards_live l = {.sys = sys, .options = options};
	struct pollfd fds[BOARDS_MOST];
	int64_t begin = sys->monotonic_ns(sys), now = begin;
	bool ok;

	l.boards = boards_open(sys, options, err);
	if (!l.boards)
		return EXIT_FAILED;
	ok = !options->log || boards_log(l.boards, options->log, err);
	while (now - begin < (int64_t)options->frames * BOARDS_STEP_NS) {
		sys->poll(sys, fds, boards_fds(l.boards, fds), WAIT_MS);
		now = sys->monotonic_ns(sys);
		boards_run(l.boards, now);
		take_said(&l, now);
	}
	boards_arrange(l.boards, now, true);
	canvas_init(&l.canvas, (int)options->once.w, (int)options->once.h, ascii);
	draw_frame(&l, now);
	l.canvas.mono = true;
	canvas_dump(&l.canvas, out);
	canvas_fini(&l.canvas);
	ok = ok && (!options->log || boards_log(l.boards, options->log, err));
	boards_close(l.boards);
	return ok ? EXIT_DONE : EXIT_FAILED;
}
