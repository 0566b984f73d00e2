/* The selected range of time, and what the numbers are compared with. */
#include "tui/live_priv.h"
#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

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
		player_show_again(l->player);
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
			 str_printable(name, sizeof(name),
				       l->options->where ? l->options->where : l->options->operand),
			 (double)(from - begin) * 1e-9, (double)(to - begin) * 1e-9);
	else
		snprintf(text, sizeof(text), "range of %.1f s: S saves its means",
			 (double)(to - from) * 1e-9);
	alerts_news(&l->alerts, l->sys->monotonic_ns(l->sys), text);
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

/* at_ns 0: with what is shown now. */
static void begin_compare(struct live *l, int64_t at_ns, const char *with)
{
	feeds_compare(&l->feeds, true, at_ns);
	snprintf(l->screen.compared, sizeof(l->screen.compared), "COMPARED with %s", with);
	show_hint(l, "compare: changes since then stand in place of the units; = ends it");
}

static const struct timeline_mark *find_mark(const struct live *l, const char *number)
{
	char text[sizeof(l->screen.marks[0].text)];

	snprintf(text, sizeof(text), "mark %.16s", number);
	for (unsigned i = 0; i < l->screen.n_marks; i++)
		if (!strcmp(l->screen.marks[i].text, text))
			return &l->screen.marks[i];
	return NULL;
}

void live_compare_with(struct live *l, const char *number)
{
	const struct timeline_mark *mark = number[0] ? find_mark(l, number) : NULL;
	int64_t oldest, newest;
	char with[64], clock[16];

	if (!number[0]) {
		screen_clock(l->screen.realtime_ns, clock, sizeof(clock));
		snprintf(with, sizeof(with), "%s%s", l->feeds.range_to_ns ? "the range at " : "", clock);
		begin_compare(l, 0, with);
	} else if (!mark) {
		snprintf(with, sizeof(with), "compare: there is no mark %.16s", number);
		show_hint(l, with);
	} else if (!feeds_reach(&l->feeds, &oldest, &newest) || mark->at_ns < oldest ||
		   (l->player && mark->at_ns > newest)) {
		show_hint(l, "compare: the history does not reach that mark: go there and press =");
	} else {
		begin_compare(l, mark->at_ns < newest ? mark->at_ns : newest, mark->text);
	}
}

void live_compare(struct live *l)
{
	if (l->screen.compared[0]) {
		l->screen.compared[0] = 0;
		feeds_compare(&l->feeds, false, 0);
	} else if (l->screen.n_marks) {
		live_ask_compare(l);
	} else {
		live_compare_with(l, "");
	}
}
