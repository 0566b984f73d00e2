/* The screen of Boards: a row per board, and details of the selected one below. */
#include "tui/boards.h"

#include "base/alloc.h"
#include "model/watch.h"
#include "tui/screen.h"
#include "views/widget.h"
#include "mlog/moment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CARD_LEAST 8 /* least rows of the details below the table */
#define VERDICT_LEAST 20
#define FINDINGS_COLS 62
#define YELLOW_NS 2000000000ll

struct row_text;

/* A column. If columns do not fit, those with the highest `drop` are omitted first. */
struct column_def {
	const char *title;
	int width, drop; /* width 0: the rest of the row */
	bool right;
	void (*draw)(const struct row_text *t, struct rect r);
	enum board_number number;
	double scale;
	int digits;
};

struct row_text {
	const struct board_row *board; /* NULL: the headings */
	const struct column_def *column;
	int64_t now_ns;
	enum style style; /* of the numbers in this row */
	struct canvas *canvas;
};

static void draw_number(const struct row_text *t, struct rect r)
{
	double value = t->board->now[t->column->number] * t->column->scale;
	char text[24];

	snprintf(text, sizeof(text), "%.*f", t->column->digits, value);
	if (isnan(value))
		canvas_text_right(t->canvas, r, STYLE_DIM, "\u2013");
	else
		canvas_text_right(t->canvas, r, t->style, text);
}

static void draw_mark(const struct row_text *t, struct rect r)
{
	const struct board_row *board = t->board;
	bool bad = board->state == BOARD_SILENT || board->state == BOARD_REFUSED || board->is_critical,
	     warns = board->state == BOARD_AWAY || board->warns;
	bool idle = board->state == BOARD_CONNECTING || (board->now[BOARD_BUSY] < 1);

	canvas_text(t->canvas, r,
		    bad     ? STYLE_HOT
		    : warns ? STYLE_BUSY
		    : idle  ? STYLE_DIM
			    : STYLE_CALM,
		    bad     ? "!!"
		    : warns ? "!"
		    : idle  ? "-"
			    : "ok");
}

static void draw_name(const struct row_text *t, struct rect r)
{
	canvas_text_cut(t->canvas, r, STYLE_VALUE, t->board->name);
}

static void draw_gpu(const struct row_text *t, struct rect r)
{
	canvas_text_cut(t->canvas, r, STYLE_DIM, t->board->gpu);
}

static void draw_verdict(const struct row_text *t, struct rect r)
{
	AUTO_STRBUF struct strbuf evidence = {0};
	char title[80];
	int used;

	board_words(t->board, t->now_ns, title, sizeof(title), &evidence);
	used = canvas_text_cut(t->canvas, r,
			       t->board->state == BOARD_LIVE ? STYLE_TEXT
			       : t->board->state == BOARD_AWAY || t->board->state == BOARD_CONNECTING
				       ? STYLE_BUSY
				       : STYLE_HOT,
			       title);
	rect_left(&r, used + 1);
	if (evidence.n && r.w > 8)
		canvas_text_parts(t->canvas, r, STYLE_DIM, evidence.p);
}

/* Draw the history of fps, or of GPU activity. */
static void draw_past(const struct row_text *t, struct rect r)
{
	double points[2 * BOARDS_PAST];
	uint8_t styles[BOARDS_PAST];
	int cells = r.w < BOARDS_PAST / 2 ? r.w : BOARDS_PAST / 2;

	for (int i = 0; i < 2 * cells; i++) {
		int at = (int)t->board->n_past - 2 * cells + i;

		points[i] = at >= 0 ? (double)t->board->past[t->column->number][at] : (double)NAN;
		styles[i / 2] = STYLE_CALM;
	}
	canvas_history(t->canvas, r, points, styles, cells);
}

static void draw_found(const struct row_text *t, struct rect r)
{
	if (!t->board->watch)
		canvas_text_right(t->canvas, r, STYLE_DIM, "\u2013");
	else
		canvas_printf(t->canvas, rect_right(&r, 2),
			      t->board->is_critical ? STYLE_HOT
			      : t->board->warns     ? STYLE_BUSY
						    : STYLE_DIM,
			      "%2u", t->board->n_findings);
}

static void draw_age(const struct row_text *t, struct rect r)
{
	int64_t age = board_age_ns(t->board, t->now_ns);
	char text[24];

	if (age == INT64_MAX) {
		canvas_text_right(t->canvas, r, STYLE_DIM, "\u2013");
		return;
	}
	snprintf(text, sizeof(text), "%.*f", age < BOARDS_GONE_NS, (double)age * 1e-9);
	canvas_text_right(t->canvas, r,
			  age > BOARDS_GONE_NS ? STYLE_HOT
			  : age > YELLOW_NS    ? STYLE_BUSY
					       : STYLE_DIM,
			  text);
}

static const struct column_def columns[] = {
	{"", 3, 0, false, draw_mark, 0, 0, 0},
	{"board", 12, 0, false, draw_name, 0, 0, 0},
	{"GPU", 13, 9, false, draw_gpu, 0, 0, 0},
	{"verdict", 0, 0, false, draw_verdict, 0, 0, 0},
	{"fps", 7, 0, true, draw_number, BOARD_FPS, 1, 1},
	{"", 15, 5, false, draw_past, BOARD_FPS, 0, 0},
	{"GPU %", 7, 0, true, draw_number, BOARD_BUSY, 1, 1},
	{"", 15, 6, false, draw_past, BOARD_BUSY, 0, 0},
	{"MHz", 6, 3, true, draw_number, BOARD_CLOCK, 1e-6, 0},
	{"of", 6, 4, true, draw_number, BOARD_TOP_CLOCK, 1e-6, 0},
	{"C", 7, 0, true, draw_number, BOARD_HEAT, 1, 1},
	{"GB/s", 7, 7, true, draw_number, BOARD_TRAFFIC, 1e-9, 2},
	{"W", 7, 8, true, draw_number, BOARD_POWER, 1, 1},
	{"found", 6, 2, true, draw_found, 0, 0, 0},
	{"age s", 6, 0, true, draw_age, 0, 0, 0},
};

/* Select the columns that fit, as bits; *rest is the width of the verdict. */
static unsigned fit_columns(int width, int *rest)
{
	unsigned bits = (1u << ARRAY_LEN(columns)) - 1;

	for (int drop = 10;; drop--) {
		int used = 0;

		for (size_t i = 0; i < ARRAY_LEN(columns); i++)
			if (columns[i].drop && columns[i].drop >= drop)
				bits &= ~(1u << i);
		for (size_t i = 0; i < ARRAY_LEN(columns); i++)
			used += bits >> i & 1 ? columns[i].width : 0;
		*rest = width - used;
		if (*rest >= VERDICT_LEAST + 14 || (drop <= 8 && *rest >= VERDICT_LEAST) || !drop)
			return bits;
	}
}

static void draw_row(struct row_text *t, struct rect row, unsigned bits, int rest)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		struct rect r;

		if (!(bits >> i & 1))
			continue;
		r = rect_left(&row, columns[i].width ? columns[i].width : rest);
		rect_right(&r, columns[i].draw != draw_age);
		t->column = &columns[i];
		if (t->board)
			columns[i].draw(t, r);
		else
			(columns[i].right ? canvas_text_right : canvas_text)(t->canvas, r, STYLE_DIM,
									     columns[i].title);
	}
}

/* "10 live, 1 reconnecting" */
static void put_states(const struct boards *b, struct strbuf *out)
{
	static const enum board_state order[] = {BOARD_LIVE, BOARD_AWAY, BOARD_SILENT, BOARD_CONNECTING,
						 BOARD_REFUSED};

	for (size_t k = 0; k < ARRAY_LEN(order); k++) {
		unsigned n = 0;

		for (unsigned i = 0; i < b->n; i++)
			n += b->boards[i]->state == order[k];
		if (n || !k)
			strbuf_printf(out, "%s%u %s", out->n ? ", " : "", n, board_state_words[order[k]]);
	}
}

static void draw_table(struct boards *b, int64_t now_ns, struct canvas *canvas, struct rect r)
{
	static const char *const sorts[] = {"worst", "name", "fps", "GPU %", "C"};
	AUTO_STRBUF struct strbuf corner = {0};
	struct rect inner = r, row;
	int rest, rows, at = 0;
	unsigned bits;
	char title[64];

	put_states(b, &corner);
	strbuf_printf(&corner, "  by %s%s", sorts[b->sort], canvas->ascii ? "" : "\u25bc");
	snprintf(title, sizeof(title), "Boards%s%s", b->filter[0] ? " with " : "", b->filter);
	panel_box(&(struct panel_texts){.title = title,
					.base = b->sort == BOARDS_WORST ? "worst first" : "",
					.corner = corner.p,
					.style = STYLE_TEXT},
		  canvas, r);
	rect_top(&inner, 1);
	rect_bottom(&inner, 1);
	rect_left(&inner, 1);
	rect_right(&inner, 2);
	bits = fit_columns(inner.w - 1, &rest);
	row = rect_top(&inner, 1);
	rect_left(&row, 1);
	draw_row(&(struct row_text){.canvas = canvas}, row, bits, rest);
	rows = inner.h;
	for (unsigned i = 0; i < b->n_shown; i++)
		at = b->order[i] == b->selected ? (int)i : at;
	b->first = at < b->first ? at : at >= b->first + rows ? at - rows + 1 : b->first;
	b->first = b->first < 0 || (int)b->n_shown <= rows ? 0 : b->first;
	for (unsigned i = (unsigned)b->first; i < b->n_shown && inner.h > 0; i++) {
		const struct board_row *board = b->boards[b->order[i]];
		bool old = board_age_ns(board, now_ns) > BOARDS_DIM_NS;
		struct rect line = rect_top(&inner, 1), whole = line;

		canvas_text(canvas, rect_left(&line, 1), STYLE_KEY, b->order[i] == b->selected ? ">" : " ");
		draw_row(&(struct row_text){.board = board,
					    .now_ns = now_ns,
					    .style = old ? STYLE_DIM : STYLE_TEXT,
					    .canvas = canvas},
			 line, bits, rest);
		if (b->order[i] == b->selected)
			canvas_restyle(canvas, whole, STYLE_SELECTED);
	}
}

/* ---- the selected board ---- */

static void draw_busy_graph(const struct board_row *board, struct canvas *canvas, struct rect r)
{
	static const struct column_def busy = {.number = BOARD_BUSY};
	char title[96], corner[64] = "";

	snprintf(title, sizeof(title), "%s GPU active", board->name);
	if (!isnan(board->now[BOARD_BUSY]))
		snprintf(corner, sizeof(corner), "%.1f %%", board->now[BOARD_BUSY]);
	panel_box(&(struct panel_texts){.title = title,
					.base = "% of time, 1 s a point",
					.corner = corner,
					.style = STYLE_TEXT},
		  canvas, r);
	rect_top(&r, 1);
	rect_bottom(&r, 1);
	rect_left(&r, 2);
	rect_right(&r, 2);
	canvas_text_right(canvas, (struct rect){r.x, r.y, 3, 1}, STYLE_AXIS, "100");
	canvas_text_right(canvas, (struct rect){r.x, r.y + r.h - 1, 3, 1}, STYLE_AXIS, "0");
	rect_left(&r, 4);
	draw_past(&(struct row_text){.board = board, .column = &busy, .canvas = canvas}, r);
}

static void draw_findings(const struct board_row *board, struct canvas *canvas, struct rect r)
{
	const struct judge *judge = board->watch ? watch_judge(board->watch) : NULL;
	struct mlog_arrival arrival;
	uint64_t bytes = 0;
	struct err failed;
	const char *log;

	panel_box(
		&(struct panel_texts){
			.title = "Findings", .base = "worst first", .corner = "", .style = STYLE_TEXT},
		canvas, r);
	rect_top(&r, 1);
	rect_bottom(&r, 1);
	rect_left(&r, 2);
	rect_right(&r, 2);
	for (int severity = SEVERITY_CRITICAL; judge && severity > SEVERITY_NOTE; severity--)
		for (unsigned i = 0; i < judge->n_findings && r.h > 2; i++) {
			const struct judged *f = &judge->findings[i];
			char number[UNITS_TEXT];
			struct rect row;

			if (!f->holds ||
			    (int)judge_rank(judge, judge->verdict.why, false, f).severity != severity)
				continue;
			row = rect_top(&r, 1);
			canvas_text(canvas, rect_left(&row, 3),
				    severity == SEVERITY_CRITICAL ? STYLE_HOT : STYLE_BUSY,
				    severity == SEVERITY_CRITICAL ? "!!" : "!");
			if (!isnan(f->number.value))
				canvas_text_right(
					canvas, rect_right(&row, 14), STYLE_VALUE,
					unit_format(number, f->number.value, f->number.unit, false, false));
			canvas_text_cut(canvas, row, STYLE_TEXT, f->def->title);
		}
	if (!board->n_findings && r.h > 2)
		canvas_text(canvas, rect_top(&r, 1), STYLE_DIM,
			    board->watch ? "none" : "nothing is known yet");
	if (!board->remote)
		return;
	mlog_arrival(remote_feed(board->remote), &arrival);
	log = remote_log_state(board->remote, &bytes, &failed);
	canvas_printf(canvas, rect_bottom(&r, 1), STYLE_DIM,
		      "stream %.2f MB  damaged %llu  log %.40s %.1f MB", (double)arrival.stream.bytes / 1e6,
		      (unsigned long long)arrival.stream.skipped, log ? log : "none", (double)bytes / 1e6);
}

/* ---- the whole screen ---- */

/* "2 of 12 boards need a look: pixel8-2 silent, rk3588-04 ..." */
static void put_summary(struct boards *b, int64_t now_ns, struct strbuf *out, enum style *style)
{
	AUTO_STRBUF struct strbuf evidence = {0};
	unsigned live = 0;
	char title[80];

	*style = STYLE_CALM;
	for (unsigned i = 0; i < b->n; i++)
		live += b->boards[i]->state == BOARD_LIVE;
	strbuf_printf(out, "%u of %u board%s live", live, b->n, plural_ending(b->n));
	if (live < b->n)
		*style = STYLE_BUSY;
	for (unsigned i = 0, n = 0; i < b->n_shown && n < 3; i++) {
		const struct board_row *board = b->boards[b->order[i]];

		if (board->state == BOARD_LIVE && !board->is_critical)
			continue;
		board_words(board, now_ns, title, sizeof(title), &evidence);
		strbuf_printf(out, "%s%s %s", n++ ? ", " : "; worst: ", board->name, title);
		*style = STYLE_HOT;
	}
}

void boards_draw(struct boards *b, const struct alert *alert, const struct foot_ask *ask, int64_t now_ns,
		 struct canvas *canvas)
{
	static struct view tab = {.name = "boards", .title = "Boards", .key = 'B'};
	const struct views views = {.views = &tab, .n_views = 1};
	AUTO_STRBUF struct strbuf summary = {0}, next = {0};
	struct rect body = canvas_rect(canvas), card = {0};
	struct foot_keys foot = {0};
	char head[64], span[48], time[16];
	enum style style;
	unsigned findings = 0;
	int rows;

	canvas_clear(canvas);
	for (unsigned i = 0; i < b->n; i++)
		findings += b->boards[i]->n_findings;
	put_summary(b, now_ns, &summary, &style);
	if (boards_selected(b))
		strbuf_printf(&next, "Enter opens %s", boards_selected(b)->name);
	snprintf(head, sizeof(head), "%u board%s", b->n, plural_ending(b->n));
	snprintf(span, sizeof(span), "%.1f kB/s in", b->rate * 1e-3);
	moment_clock(b->sys->realtime_ns(b->sys), time, sizeof(time));
	keys_foot_add(&foot, boards_keys, 0);
	frame_draw(&(struct frame_text){.gpu = head,
					.span = span,
					.state = b->logs ? "REMOTE  REC" : "REMOTE",
					.time = time,
					.ask = ask,
					.alert = alert,
					.keys = &foot,
					.findings = findings,
					.verdict = {{.words = summary.p, .style = style, .evidence = ""},
						    {.words = next.n ? "next" : NULL,
						     .style = STYLE_DIM,
						     .evidence = next.n ? next.p : "",
						     .from = 30}}},
		   &views, &tab, canvas, &body);
	rows = (int)b->n_shown + 3;
	if (body.h - rows >= CARD_LEAST && boards_selected(b))
		card = rect_bottom(&body, body.h - rows);
	draw_table(b, now_ns, canvas, body);
	if (card.h) {
		draw_findings(boards_selected(b), canvas,
			      rect_right(&card, card.w >= 120 ? FINDINGS_COLS : card.w / 2));
		draw_busy_graph(boards_selected(b), canvas, card);
	}
}
