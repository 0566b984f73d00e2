/* The shown time: pause, steps and jumps through the kept history or a log, the timeline, marks,
 * the selected range, and comparisons. */
#include "tui/live_priv.h"

#include "mlog/moment.h"
#include "base/alloc.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define LEAPS 10 /* pages of a timeline */

/* Report that there is no data before (by < 0) or after the shown time. */
static void show_end(struct live *l, int by)
{
	if (l->player)
		live_hint(l, by < 0 ? "this is where the log begins" : "this is where the log ends");
	else
		live_hint(l, by < 0 ? "history: nothing older is kept"
				    : "history: this is the newest; space resumes");
}

static int64_t realtime_of(struct live *l, int64_t at_ns)
{
	return l->sys->realtime_ns(l->sys) - l->sys->monotonic_ns(l->sys) + at_ns;
}

/* ---- the selected range ---- */

static int64_t shown_ns(const struct live *l)
{
	return l->screen.paused_ns ? l->screen.paused_ns : feeds_shown_ns(&l->feeds);
}

/* Whether a phase begins there: not where the recorder noted another verdict. */
static bool begins_phase(const struct timeline_place *mark)
{
	return strncmp(mark->text, JUDGE_NEWS, strlen(JUDGE_NEWS)) != 0;
}

/* Both sides of a comparison with a log are means: of the phase of that name, or of the whole log
 * and the whole kept history. Return the start of this side; 0: nothing is kept. */
static int64_t baseline_from(struct live *l)
{
	const struct timeline_place *mark = NULL; /* the last one up to the shown moment */
	struct compare *c = &l->screen.compare;
	int64_t oldest, newest;
	const char *name; /* name of the phase in a report */

	if (!feeds_reach(&l->feeds, &oldest, &newest))
		return 0;
	for (unsigned i = 0; i < l->screen.n_marks && l->screen.marks[i].at_ns <= shown_ns(l); i++)
		mark = begins_phase(&l->screen.marks[i]) ? &l->screen.marks[i] : mark;
	name = mark ? mark->text : l->screen.n_marks ? "start" : "";
	if (strcmp(c->asked, name) != 0)
		screen_compare_phase(&l->screen, name);
	return c->phase && mark && mark->at_ns > oldest ? mark->at_ns : oldest;
}

/* A range without an end reaches to the shown time. */
void live_follow_range(struct live *l)
{
	int64_t from = l->range_from_ns, to = l->range_to_ns ? l->range_to_ns : shown_ns(l);

	if (!from && l->screen.compare.with_log)
		from = baseline_from(l);
	if (!from || from == to)
		from = to = 0;
	if (l->feeds.range_from_ns == (from < to ? from : to) &&
	    l->feeds.range_to_ns == (from < to ? to : from))
		return;
	feeds_range(&l->feeds, from < to ? from : to, from < to ? to : from);
	if (l->player && (l->range_from_ns || l->player->paused))
		player_show_again(l->player);
	l->dirty = true;
}

static void forget_range(struct live *l)
{
	l->range_from_ns = l->range_to_ns = 0;
	live_follow_range(l);
}

/* ---- live: the kept history ---- */

/* Show a moment of the kept history, or the one nearest to it. Histories end at window_ns; 0: they
 * move only if the moment is outside of them. */
static void show_within(struct live *l, int64_t at_ns, int64_t window_ns)
{
	struct live_past *past = &l->past;
	int64_t oldest, newest;

	if (!feeds_reach(&l->feeds, &oldest, &newest))
		return;
	if (at_ns < oldest + l->feeds.refresh_ns)
		at_ns = oldest + l->feeds.refresh_ns;
	if (at_ns > newest)
		at_ns = newest;
	past->window_ns =
		window_ns ? window_ns : feeds_window_ns(&l->feeds, past->window_ns, at_ns, oldest, newest);
	l->screen.paused_ns = at_ns;
	l->feeds.paused = true;
	past->line = (struct timeline){.begin_ns = oldest, .end_ns = newest};
	live_follow_range(l);
	feeds_show(&l->feeds, past->window_ns, at_ns);
}

/* Before the first refresh there is no screen to pause. Keep the events of the judge, which
 * discards them when it judges another time. */
bool live_pause_screen(struct live *l)
{
	const struct judge *judge = l->screen.judge.judge;
	int64_t shown = feeds_shown_ns(&l->feeds);
	struct live_past *past = &l->past;

	past->wanted = !shown;
	if (!shown || l->screen.paused_ns)
		return shown != 0;
	l->paused_since_ns = l->sys->monotonic_ns(l->sys);
	past->window_ns = shown;
	past->n_events = judge ? judge->n_events : 0;
	for (unsigned i = 0; i < past->n_events; i++) {
		const struct judge_event *event = &judge->events[i];

		past->events[i].at_ns = event->at_ns;
		snprintf(past->events[i].text, sizeof(past->events[i].text), "%s%s",
			 event->ended ? "gone: " : "",
			 event->what ? event->what->def->title : "the verdict is not clear");
	}
	show_within(l, shown, 0);
	return true;
}

void live_pause(struct live *l)
{
	forget_range(l);
	if (l->player) {
		player_pause(l->player, l->sys->monotonic_ns(l->sys));
	} else if (l->screen.paused_ns || l->past.wanted) {
		l->screen.paused_ns = l->paused_since_ns = 0;
		l->feeds.paused = l->past.wanted = false;
		feeds_show(&l->feeds, 0, 0);
	} else {
		live_pause_screen(l);
	}
}

void live_show_again(struct live *l)
{
	if (l->screen.paused_ns)
		show_within(l, l->screen.paused_ns, l->past.window_ns);
}

void live_step(struct live *l, int by)
{
	int64_t at = l->screen.paused_ns;

	if (l->player) {
		if (!player_step(l->player, by, l->sys->monotonic_ns(l->sys)))
			show_end(l, by);
		return;
	}
	if (!live_pause_screen(l))
		return;
	at = l->screen.paused_ns;
	show_within(l, at + by * feeds_point_ns(&l->feeds), 0);
	if (at == l->screen.paused_ns)
		show_end(l, by);
}

/* ---- both: the scale of graphs ---- */

void live_scale(struct live *l, int by)
{
	int64_t cell_ns = feeds_next_cell(&l->feeds, by);
	bool minutes = cell_ns >= 60000000000;
	char text[64];

	if (!cell_ns) {
		live_hint(l, by < 0 ? "time: a cell of graphs is not shorter" : "time: a cell is not longer");
		return;
	}
	feeds_set_cell(&l->feeds, cell_ns);
	if (l->player)
		player_seek(l->player, l->player->sought_ns);
	else if (l->screen.paused_ns)
		show_within(l, l->screen.paused_ns, 0);
	else
		feeds_show(&l->feeds, 0, 0);
	snprintf(text, sizeof(text), "time: a cell of graphs is %g %s",
		 (double)cell_ns * (minutes ? 1e-9 / 60 : 1e-9), minutes ? "min" : "s");
	live_hint(l, text);
}

/* ---- both: times on the timeline ---- */

void live_go(struct live *l, int64_t at_ns)
{
	if (l->player)
		player_go_to(l->player, at_ns);
	else if (live_pause_screen(l))
		show_within(l, at_ns, 0);
}

void live_point(struct live *l, int64_t at_ns, int64_t from_ns)
{
	if (l->player) {
		l->player->paused = true;
		player_go_within(l->player, at_ns, l->player->window_ns);
	} else if (live_pause_screen(l)) {
		show_within(l, at_ns, l->past.window_ns);
	} else {
		return;
	}
	l->range_from_ns = from_ns == at_ns ? 0 : from_ns;
	l->range_to_ns = from_ns == at_ns ? 0 : at_ns;
	live_follow_range(l);
	live_show_again(l);
}

void live_leap(struct live *l, int by)
{
	const struct timeline *line = live_timeline(l);

	if (line)
		live_go(l, line->at_ns + by * (line->end_ns - line->begin_ns) / LEAPS);
}

void live_go_to_end(struct live *l, int way)
{
	const struct timeline *line = live_timeline(l);

	if (line) /* a live history has grown since the timeline was drawn */
		live_go(l, way < 0 ? line->begin_ns : l->player ? line->end_ns : INT64_MAX);
}

/* Parse "14:01:54" as the last time that had this time of day. */
static bool parse_clock(struct live *l, const char *text, int64_t *at_ns)
{
	time_t now = (time_t)(l->sys->realtime_ns(l->sys) / 1000000000), then;
	unsigned h, m, s;
	struct tm tm;
	char rest;

	if (sscanf(text, "%2u:%2u:%2u%c", &h, &m, &s, &rest) != 3 || !localtime_r(&now, &tm))
		return false;
	tm.tm_hour = (int)h;
	tm.tm_min = (int)m;
	tm.tm_sec = (int)s;
	then = mktime(&tm);
	if (then > now)
		then -= 24 * 60 * 60;
	*at_ns = (int64_t)then * 1000000000 - realtime_of(l, 0);
	return true;
}

static bool jump_in_history(struct live *l, const char *text, int64_t *at, struct err *err)
{
	int64_t oldest, newest;

	if (!live_pause_screen(l) || !feeds_reach(&l->feeds, &oldest, &newest))
		return err_set(err, 0, "nothing was measured yet");
	if (!parse_clock(l, text, at)) {
		if (!moment_parse(text, l->screen.paused_ns - oldest, newest - oldest, at, err))
			return err_set(err, 0, "go to '%.40s': not a time: try 14:02:11, -30s, +10s or 50%%",
				       text);
		*at += oldest;
	}
	show_within(l, *at, 0);
	return true;
}

static void take_time(struct live *l, const char *text)
{
	const struct timeline *line;
	struct err err;
	int64_t at;

	if (!text[0])
		return;
	if (l->player ? !player_go(l->player, text, &at, &err) : !jump_in_history(l, text, &at, &err)) {
		alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), err.text);
		return;
	}
	line = live_timeline(l);
	if (line && (at < line->begin_ns || at > line->end_ns))
		show_end(l, at < line->begin_ns ? -1 : 1);
}

void live_ask_time(struct live *l)
{
	static const struct question ask = {.text = "go to",
					    .answers = "14:02:11 -30s 50%, Enter, Esc",
					    .of_log = "90s 1:30 +10s 50%, Enter, Esc",
					    .typed = true,
					    .answer = take_time};

	live_ask(l, &ask, "");
}

const struct timeline *live_timeline(struct live *l)
{
	struct live_past *past = &l->past;
	struct timeline *line = &past->line;
	int n = timeline_cells(l->canvas.cols);

	if (l->player)
		return player_timeline(l->player, n);
	if (!l->screen.paused_ns)
		return NULL;
	if (line->n_cells != n) {
		feeds_activity(&l->feeds, line->begin_ns, line->end_ns, n, past->cells);
		line->cells = past->cells;
		line->n_cells = n;
		line->scenes = past->scenes;
		line->n_scenes = feeds_scenes(&l->feeds, line, past->scenes);
		moment_clock(realtime_of(l, line->begin_ns), line->begin, sizeof(line->begin));
		moment_clock(realtime_of(l, line->end_ns), line->end, sizeof(line->end));
	}
	line->at_ns = l->screen.paused_ns;
	line->marks = past->marks;
	line->n_marks = past->n_marks;
	return line;
}

/* ---- both: events ---- */

static struct timeline_place find_place(struct live *l, int64_t from_ns, int way)
{
	const struct timeline *line = live_timeline(l);
	const struct live_past *past = &l->past;
	struct timeline_place found = {0};

	if (line)
		timeline_take_scene(&found, line, from_ns, way);
	for (unsigned i = 0; i < past->n_events; i++)
		timeline_take_nearer(&found, &past->events[i], from_ns, way);
	for (unsigned i = 0; i < past->n_marks; i++)
		timeline_take_nearer(&found, &past->marks[i], from_ns, way);
	return found;
}

void live_find(struct live *l, int way)
{
	AUTO_STRBUF struct strbuf said = {0};
	struct timeline_place found;
	char clock[16];

	if (l->player) {
		player_find(l->player, way < 0, &said);
	} else if (live_pause_screen(l)) {
		found = find_place(l, l->screen.paused_ns, way);
		if (found.at_ns) {
			moment_clock(realtime_of(l, found.at_ns), clock, sizeof(clock));
			strbuf_printf(&said, "%s at %s", found.text, clock);
			show_within(l, found.at_ns, 0);
		} else {
			strbuf_printf(&said, "no mark, scene or finding %s this moment",
				      way < 0 ? "before" : "after");
		}
	}
	live_hint(l, said.n ? said.p : "");
}

/* ---- marks ---- */

/* Keep the marks in the order of time; if there are too many, drop the oldest. */
void live_keep_mark(struct live *l, int64_t at_ns, const char *text)
{
	struct live_past *past = &l->past;
	unsigned i;

	if (past->n_marks == TIMELINE_MARKS)
		memmove(past->marks, past->marks + 1, --past->n_marks * sizeof(past->marks[0]));
	for (i = past->n_marks++; i > 0 && past->marks[i - 1].at_ns > at_ns; i--)
		past->marks[i] = past->marks[i - 1];
	past->marks[i] = (struct timeline_place){.at_ns = at_ns};
	str_printable(past->marks[i].text, TIMELINE_MARK, text);
}

/* On a paused screen, mark the shown time. A log gets marks of the current time only, so that it
 * stays in the order of time. */
void live_mark(struct live *l)
{
	bool logs = l->recorder && l->log == LOG_RUNS && !l->screen.paused_ns;
	int64_t now = l->sys->monotonic_ns(l->sys);
	char text[64];

	if (l->player) { /* the stream will return the mark */
		player_ask(l->player, "mark", "");
		return;
	}
	l->past.number = logs ? recorder_mark(l->recorder, 0, "") : l->past.number + 1;
	snprintf(text, sizeof(text), "mark %u", l->past.number);
	live_keep_mark(l, l->screen.paused_ns ? l->screen.paused_ns : now, text);
	snprintf(text, sizeof(text),
		 logs ? "mark %u in %.32s" : "mark %u: on the screen only; l starts a log", l->past.number,
		 logs ? recorder_name(l->recorder) : "");
	alerts_news(&l->alerts, now, text);
	l->dirty = true;
}

/* ---- range and comparison ---- */

/* Report the range, for a log with the command that exports it. */
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

	if (l->player)
		l->player->paused = true;
	if (!l->range_from_ns) {
		l->range_from_ns = at;
		live_hint(l, "range: starts here; go to its end, then press v");
	} else if (!l->range_to_ns && at == l->range_from_ns) {
		live_hint(l, "range: it is empty: first go to another moment");
	} else if (!l->range_to_ns) {
		l->range_to_ns = at;
		report_range(l);
	} else {
		forget_range(l);
		live_hint(l, "range: cleared");
	}
	live_follow_range(l);
	live_show_again(l);
}

/* The end of the phase in a direction: a mark, a change of the scene, or the end of the data. */
static int64_t phase_end(const struct live *l, const struct timeline *line, int64_t at_ns, int way)
{
	struct timeline_place end = {0};

	timeline_take_scene(&end, line, at_ns, way);
	for (unsigned i = 0; i < l->screen.n_marks; i++)
		if (begins_phase(&l->screen.marks[i]))
			timeline_take_nearer(&end, &l->screen.marks[i], at_ns, way);
	return end.at_ns ? end.at_ns : way < 0 ? line->begin_ns : line->end_ns;
}

void live_phase(struct live *l)
{
	int64_t at_ns = shown_ns(l);
	const struct timeline *line;

	if (l->player)
		l->player->paused = true;
	if (!l->player && !live_pause_screen(l))
		return;
	line = live_timeline(l);
	if (!line) {
		live_hint(l, "phase: this screen has no room for the timeline");
		return;
	}
	l->range_from_ns = phase_end(l, line, at_ns + 1, -1); /* at a start, the phase that starts there */
	l->range_to_ns = phase_end(l, line, at_ns, 1);
	live_follow_range(l);
	report_range(l);
	live_show_again(l);
}

static void begin_compare_log(struct live *l)
{
	feeds_compare(&l->feeds, false, 0);
	screen_compare(&l->screen, NULL);
	live_follow_range(l);
	live_show_again(l);
}

/* Compare with another log from now on. */
bool live_read_baseline(struct live *l, const char *path, struct err *err)
{
	if (!compare_read(&l->screen.compare, l->sys, l->options, path, err))
		return false;
	begin_compare_log(l);
	return true;
}

static void take_baseline(struct live *l, const char *path)
{
	struct err err;

	if (path[0] && !live_read_baseline(l, path, &err))
		alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), err.text);
}

void live_ask_baseline(struct live *l)
{
	static const struct question ask = {.text = "compare with log",
					    .answers = "a .mlog file, Enter, Esc",
					    .typed = true,
					    .answer = take_baseline};

	live_ask(l, &ask, l->options->baseline ? l->options->baseline : "");
}

/* Compare with the mark of that number; "": with the shown values. */
static void compare_with(struct live *l, const char *number)
{
	const struct timeline_place *mark = NULL;
	int64_t oldest, newest;
	char with[64], clock[16];

	snprintf(with, sizeof(with), "mark %.16s", number);
	for (unsigned i = 0; i < l->screen.n_marks && !mark; i++)
		mark = strcmp(l->screen.marks[i].text, with) ? NULL : &l->screen.marks[i];
	if (!number[0]) {
		moment_clock(l->screen.realtime_ns, clock, sizeof(clock));
		snprintf(with, sizeof(with), "%s%s", l->feeds.range_to_ns ? "the range at " : "", clock);
		feeds_compare(&l->feeds, true, 0);
		screen_compare(&l->screen, with);
	} else if (!mark) {
		snprintf(with, sizeof(with), "compare: there is no mark %.16s", number);
		live_hint(l, with);
	} else if (!feeds_reach(&l->feeds, &oldest, &newest) || mark->at_ns < oldest ||
		   (l->player && mark->at_ns > newest)) {
		live_hint(l, "compare: the history does not reach that mark: go there and press =");
	} else {
		feeds_compare(&l->feeds, true, mark->at_ns < newest ? mark->at_ns : newest);
		screen_compare(&l->screen, mark->text);
	}
}

void live_compare(struct live *l)
{
	static const struct question ask = {.text = "compare with mark",
					    .answers = "its number, Enter: this moment, Esc",
					    .typed = true,
					    .answer = compare_with};

	if (l->screen.compare.on) {
		feeds_compare(&l->feeds, false, 0);
		screen_compare_end(&l->screen);
		live_follow_range(l);
		live_show_again(l);
	} else if (l->screen.compare.baseline) {
		begin_compare_log(l);
	} else if (l->screen.n_marks) {
		live_ask(l, &ask, "");
	} else {
		compare_with(l, "");
	}
}
