/* The selected range of time, and what the numbers are compared with. */
#include "tui/live_priv.h"
#include "base/alloc.h"

#include <stdio.h>

static int64_t shown_ns(const struct live *l)
{
	return l->screen.paused_ns ? l->screen.paused_ns : feeds_shown_ns(&l->feeds);
}

static void show_hint(struct live *l, const char *text)
{
	alerts_hint(&l->alerts, l->sys->monotonic_ns(l->sys), text);
}

/* Until its end is set, a range reaches to the moment that is shown. */
void live_follow_range(struct live *l)
{
	int64_t from = l->range_from_ns, to = l->range_to_ns ? l->range_to_ns : shown_ns(l);

	if (!from || from == to)
		from = to = 0;
	if (l->feeds.range_from_ns == (from < to ? from : to) &&
	    l->feeds.range_to_ns == (from < to ? to : from))
		return;
	feeds_range(&l->feeds, from < to ? from : to, from < to ? to : from);
	if (l->player)
		feeds_show(&l->feeds, 0, 0);
	l->dirty = true;
}

void live_forget_range(struct live *l)
{
	l->range_from_ns = l->range_to_ns = 0;
	live_follow_range(l);
}

/* Of a log, with the command that exports the range. */
static void report_range(struct live *l)
{
	const struct timeline *line = live_timeline(l);
	int64_t from = l->feeds.range_from_ns, to = l->feeds.range_to_ns, begin = line ? line->begin_ns : 0;
	char text[256], name[128];

	if (l->player)
		snprintf(text, sizeof(text), "range: malitop export %s --from %.3fs --to %.3fs",
			 str_printable(name, sizeof(name), l->options->operand),
			 (double)(from - begin) * 1e-9, (double)(to - begin) * 1e-9);
	else
		snprintf(text, sizeof(text), "range of %.1f s: S saves its means",
			 (double)(to - from) * 1e-9);
	alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), text);
}

void live_range(struct live *l)
{
	int64_t at = shown_ns(l);

	if (l->player && !player_is_paused(l->player))
		player_pause(l->player, l->sys->monotonic_ns(l->sys));
	if (!l->range_from_ns) {
		l->range_from_ns = at;
		show_hint(l, "range: it begins here; go to its end, then v again");
	} else if (!l->range_to_ns && at == l->range_from_ns) {
		show_hint(l, "range: it is empty: first go to another moment");
	} else if (!l->range_to_ns) {
		l->range_to_ns = at;
		report_range(l);
	} else {
		live_forget_range(l);
		show_hint(l, "range: none any more");
	}
	live_follow_range(l);
	live_show_again(l);
}

void live_compare(struct live *l)
{
	char clock[16];
	bool on = !l->screen.compared[0];

	feeds_compare(&l->feeds, on);
	l->screen.compared[0] = 0;
	if (!on)
		return;
	screen_clock(l->screen.realtime_ns, clock, sizeof(clock));
	snprintf(l->screen.compared, sizeof(l->screen.compared), "COMPARED with %s%s",
		 l->feeds.range_to_ns ? "the range at " : "", clock);
	show_hint(l, "compare: changes since now stand in place of the units; = ends it");
}
