/* The mouse: a click does what stands under it. */
#include "tui/live_priv.h"

#include "base/alloc.h"

static void click_tab(struct live *l, const struct hit *hit)
{
	l->findings.shown = false;
	screen_show(&l->screen, views_find(&l->screen.views, (char[]){(char)hit->number, 0}));
}

static void click_key(struct live *l, const struct hit *hit)
{
	live_key(l, (uint32_t)hit->number);
}

static void click_timeline(struct live *l, const struct hit *hit, int x)
{
	const struct timeline *line = live_timeline(l);

	if (line)
		live_go(l, timeline_moment(line, &hit->at, x));
}

/* The title alone: the rest of a panel is for its rows. */
static void click_panel(struct live *l, const struct hit *hit, int y)
{
	if (y < hit->at.y + hit->number)
		screen_zoom(&l->screen, hit->subject.chart);
}

/* A second click on the same row is Enter. */
static void click_row(struct live *l, const struct hit *hit)
{
	const struct row_subject *selected = screen_selected(&l->screen);

	if (selected && subject_same(selected, &hit->subject))
		live_key(l, K_ENTER);
	else
		screen_select(&l->screen, &hit->subject);
}

void live_click(struct live *l, int x, int y)
{
	const struct hit *found = hits_at(&l->screen.hits, x, y);
	struct hit hit = found ? *found : (struct hit){0};

	l->dirty = true;
	l->held = hit;
	switch (hit.kind) {
	case HIT_TAB:
		click_tab(l, &hit);
		break;
	case HIT_KEY:
		click_key(l, &hit);
		break;
	case HIT_PANEL:
		click_panel(l, &hit, y);
		break;
	case HIT_ROW:
		click_row(l, &hit);
		break;
	case HIT_PROCESS:
		process_pane_click_row(&l->screen.pane, (unsigned)hit.number);
		break;
	case HIT_COLUMN:
		process_pane_click_title(&l->screen.pane, (enum process_key)hit.number);
		break;
	case HIT_TIMELINE:
		click_timeline(l, &hit, x);
		break;
	default:
		break;
	}
}

void live_drag(struct live *l, int x)
{
	if (l->held.kind != HIT_TIMELINE)
		return;
	click_timeline(l, &l->held, x);
	l->dirty = true;
}

void live_wheel(struct live *l, uint32_t key, int x, int y)
{
	const struct hit *hit = hits_at(&l->screen.hits, x, y);
	const struct timeline *line = hit && hit->kind == HIT_TIMELINE ? live_timeline(l) : NULL;
	int by = key == K_WHEEL_UP ? -1 : 1;

	if (!line) {
		live_key(l, key);
		return;
	}
	live_go(l, line->at_ns + by * ((line->end_ns - line->begin_ns) / line->n_cells + 1));
	l->dirty = true;
}
