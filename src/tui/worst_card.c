/* The longest frames. Thread: ui. */
#include "tui/live_priv.h"

#include "base/alloc.h"
#include "base/real.h"
#include "tui/keys.h"
#include "views/widget.h"
#include "mlog/moment.h"

#include <math.h>
#include <stdio.h>

#define GAP 2
#define BAR_MIN 8

/* The columns and their widths; the last ones are omitted first. */
enum worst_column { WHEN, NUMBER, MS, BAR, CPU, GPU, CAUSE, PRESENT, WAITS, PASS, PASS_MS, OVER, COLUMNS };

static const struct {
	const char *head;
	int cols;
	bool left;
} columns[COLUMNS] = {
	[WHEN] = {"when", 8, true},    [NUMBER] = {"frame", 8, false},
	[MS] = {"ms", 8, false},       [BAR] = {"", 12, true},
	[CPU] = {"CPU", 7, false},     [GPU] = {"GPU", 7, false},
	[CAUSE] = {"cause", 34, true}, [PRESENT] = {"present", 8, false},
	[WAITS] = {"waits", 7, false}, [PASS] = {"longest pass", 22, true},
	[PASS_MS] = {"ms", 7, false},  [OVER] = {"over median", 11, false},
};

/* Cut the columns that fit, in their order; the others get no width. */
static void cut_columns(struct rect row, struct rect at[COLUMNS])
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		at[i] = row.w >= columns[i].cols ? rect_left(&row, columns[i].cols) : (struct rect){.w = 0};
		rect_left(&row, at[i].w ? GAP : row.w);
	}
}

static void draw_frame(const struct frame_stats *stats, const struct frame_facts *f, int64_t wall_ns,
		       bool selected, struct canvas *canvas, struct rect row)
{
	const double values[COLUMNS] = {[MS] = f->ms,
					[CPU] = f->cpu_ms,
					[GPU] = f->gpu_ms,
					[PRESENT] = f->present_ms,
					[WAITS] = f->wait_ms,
					[PASS_MS] = f->pass_ms,
					[OVER] = f->pass_over_ms};
	struct rect at[COLUMNS];
	char clock[16], cause[FRAME_CAUSE_TEXT];

	cut_columns(row, at);
	moment_clock(wall_ns + f->end_ns, clock, sizeof(clock));
	canvas_text(canvas, at[WHEN], STYLE_TEXT, clock);
	canvas_printf(canvas, at[NUMBER], STYLE_TEXT, "%*.0f", at[NUMBER].w, f->number);
	for (unsigned i = 0; i < COLUMNS; i++) {
		char text[32];

		if (columns[i].left || i == NUMBER || !at[i].w)
			continue;
		snprintf(text, sizeof(text), i == OVER ? "%+.1f" : "%.1f",
			 fabs(values[i]) < 0.05 ? 0 : values[i]); /* not -0.0 */
		if (isfinite(values[i]))
			canvas_text_right(canvas, at[i], STYLE_TEXT, text);
		else
			canvas_text_right(canvas, at[i], STYLE_DIM, "\u2013");
	}
	if (at[BAR].w)
		canvas_meter(canvas, at[BAR], f->idle ? STYLE_DIM : STYLE_BUSY,
			     real_min(f->ms / stats->worst[0].ms, 1), NAN);
	canvas_text_cut(canvas, at[CAUSE], f->idle ? STYLE_DIM : STYLE_VALUE, frame_cause(stats, f, cause));
	canvas_text_cut(canvas, at[PASS], STYLE_TEXT, f->pass);
	if (selected)
		canvas_restyle(canvas, row, STYLE_SELECTED);
}

/* The list changes while it is shown: keep the selected frame selected. */
static void follow_selected(struct worst_card *card, const struct frame_stats *stats)
{
	int n = stats ? (int)stats->n_worst : 0;

	for (int i = 0; i < n && card->number > 0; i++)
		if (stats->worst[i].number == card->number)
			card->at = i;
	card->at = card->at >= n ? n - 1 : card->at;
	card->at = card->at < 0 ? 0 : card->at;
	card->number = n && card->number > 0 ? stats->worst[card->at].number : card->number;
}

static void draw_list(struct worst_card *card, const struct frame_stats *stats, int64_t wall_ns,
		      struct canvas *canvas, struct rect r)
{
	struct rect head = rect_top(&r, 1), at[COLUMNS];

	cut_columns(head, at);
	for (unsigned i = 0; i < COLUMNS; i++)
		(columns[i].left ? canvas_text : canvas_text_right)(canvas, at[i], STYLE_DIM,
								    columns[i].head);
	card->page = r.h > 0 ? r.h : 1;
	if (card->at < card->first)
		card->first = card->at;
	if (card->at >= card->first + card->page)
		card->first = card->at - card->page + 1;
	for (unsigned i = (unsigned)card->first; i < stats->n_worst && r.h > 0; i++)
		draw_frame(stats, &stats->worst[i], wall_ns, (int)i == card->at, canvas, rect_top(&r, 1));
}

void worst_card_draw(struct worst_card *card, struct screen *screen, const struct frame_stats *stats,
		     int64_t wall_ns, const struct alert *alert, struct canvas *canvas)
{
	static const struct foot_keys keys = {.keys = {{"\u2191 \u2193", "Up Down", "select", 1},
						       {"Enter", NULL, "go to the frame", 0},
						       {"W Esc", NULL, "close", 0}},
					      .press = {{K_UP, K_DOWN}, {K_ENTER, K_ENTER}, {'W', K_ESCAPE}},
					      .n = 3};
	char corner[96] = "";
	struct rect r;

	screen_draw_frame(screen, NULL, &keys, alert, canvas, &r);
	follow_selected(card, stats);
	if (stats)
		snprintf(corner, sizeof(corner), "%u of %llu frame%s  median %.1f ms, p99 %.1f ms",
			 stats->n_worst, (unsigned long long)stats->times.n, plural_ending(stats->times.n),
			 times_at(&stats->times, 0.5), times_at(&stats->times, 0.99));
	panel_box(&(struct panel_texts){"Longest frames", "ms", corner, STYLE_VALUE}, canvas, r);
	r = (struct rect){r.x + PANEL_MARGIN, r.y + 1, r.w - 2 * PANEL_MARGIN, r.h - 2};
	if (stats && stats->n_worst)
		draw_list(card, stats, wall_ns, canvas, r);
	else
		widget_words(
			canvas, &r, STYLE_DIM,
			"no frames yet: run the application with malitop record --passes -o run.mlog -- CMD");
}

const struct frame_facts *worst_card_selected(const struct worst_card *card, const struct frame_stats *stats)
{
	return stats && card->at < (int)stats->n_worst ? &stats->worst[card->at] : NULL;
}

enum key_answer worst_card_key(struct worst_card *card, const struct frame_stats *stats, uint32_t key)
{
	struct key_action does = keys_action(keys_everywhere, key, NEEDS_NO_TIMELINE);
	int n = stats ? (int)stats->n_worst : 0, by = does.number;

	if (key == 'q' || key == 'W' || does.action == ACTION_BACK)
		return KEY_CLOSES;
	if (does.action == ACTION_PAGE)
		by *= card->page;
	else if (does.action == ACTION_EDGE)
		by *= n;
	else if (does.action != ACTION_SELECT && does.action != ACTION_SCROLL)
		return keys_pass_card(key) ? KEY_PASSED : KEY_UNKNOWN;
	follow_selected(card, stats);
	card->at = card->at + by >= n ? n - 1 : card->at + by;
	card->at = card->at < 0 ? 0 : card->at;
	card->number = n ? stats->worst[card->at].number : 0;
	return KEY_TAKEN;
}
