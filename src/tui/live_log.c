/* The log beside the live screen: -o begins one, the key l begins and ends one, the key m marks a moment in it. */
#include "tui/live_priv.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define NAMES_MAX 100

static void say(struct live *l, const char *text)
{
	alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), text);
	l->dirty = true;
}

/* "malitop-20260131-140211.mlog", the second one "malitop-20260131-140211-2.mlog", in the directory where we are. */
static void choose_name(const struct sys *sys, unsigned number, char *name, size_t size)
{
	time_t now = (time_t)(sys->realtime_ns(sys) / 1000000000);
	struct tm tm;
	char day[32];

	if (!localtime_r(&now, &tm) || !strftime(day, sizeof(day), "%Y%m%d-%H%M%S", &tm))
		snprintf(day, sizeof(day), "%lld", (long long)now);
	if (number == 1)
		snprintf(name, size, "malitop-%s.mlog", day);
	else
		snprintf(name, size, "malitop-%s-%u.mlog", day, number);
}

static void say_end(struct live *l, const struct recorder_state *state)
{
	char text[200];

	snprintf(text, sizeof(text), "log: %s is whole: %llu samples, %.2f MB, %llu lost", recorder_name(l->recorder),
		 (unsigned long long)state->rows, (double)state->bytes / 1e6, (unsigned long long)state->lost);
	say(l, text);
}

/* "REC run.mlog 12.4 MB", "REC run.mlog 12.4 MB, 17 lost" */
static void show(struct live *l, const struct recorder_state *state)
{
	static const char *const words[] = {[LOG_RUNS] = "REC", [LOG_ENDS] = "END", [LOG_FAILED] = "END"};
	char lost[32] = "";

	if (state->lost)
		snprintf(lost, sizeof(lost), ", %llu lost", (unsigned long long)state->lost);
	snprintf(l->screen.recording, sizeof(l->screen.recording), "%s %.32s %.1f MB%s", words[l->log],
		 recorder_name(l->recorder), (double)state->bytes / 1e6, lost);
}

void live_look_at_log(struct live *l)
{
	struct recorder_state state;

	l->screen.recording[0] = 0;
	if (!l->recorder)
		return;
	recorder_look(l->recorder, &state);
	if (state.failed && l->log != LOG_FAILED) {
		say(l, state.err.text);
		recorder_end(l->recorder);
		l->log = LOG_FAILED;
	}
	if (!state.ended) { /* the disk may take its time, even to close what failed */
		show(l, &state);
		return;
	}
	if (!state.failed)
		say_end(l, &state);
	recorder_stop(take_ptr(&l->recorder), &state);
}

/* There may be one of this very second already. */
static struct recorder *begin(struct live *l, struct err *err)
{
	struct recorder *r = NULL;
	char name[64];

	for (unsigned n = 1; !r && n <= NAMES_MAX && (n == 1 || err->code == EEXIST); n++) {
		choose_name(l->sys, n, name, sizeof(name));
		r = recorder_start_mlog(&l->session, name, err);
	}
	return r;
}

void live_log(struct live *l)
{
	struct err err;

	live_look_at_log(l);
	if (l->recorder && l->log != LOG_RUNS) {
		say(l, "log: the one before is still being written");
		return;
	}
	if (l->recorder) {
		recorder_end(l->recorder); /* live_look_at_log says when it is over */
		l->log = LOG_ENDS;
		return;
	}
	l->recorder = begin(l, &err);
	l->log = LOG_RUNS;
	say(l, l->recorder ? "log: raw counters from now on; m marks a moment, l ends it" : err.text);
}

void live_mark(struct live *l)
{
	char text[64] = "mark: no log to set it in: l begins one";
	int64_t now = l->sys->monotonic_ns(l->sys);

	if (l->recorder && l->log == LOG_RUNS)
		snprintf(text, sizeof(text), "mark %u in %.32s", recorder_mark(l->recorder, now, ""), recorder_name(l->recorder));
	say(l, text);
}
