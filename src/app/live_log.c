/* The log beside the live screen: -o begins one, the key l begins and ends one, the key m marks a moment in it. */
#include "app/live_priv.h"

#include <stdio.h>
#include <time.h>

static void say(struct live *l, const char *text)
{
	alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), text);
	l->dirty = true;
}

/* "malitop-20260131-140211.mlog", in the directory where we are. */
static void choose_name(const struct sys *sys, char *name, size_t size)
{
	time_t now = (time_t)(sys->realtime_ns(sys) / 1000000000);
	struct tm tm;

	if (!localtime_r(&now, &tm) || !strftime(name, size, "malitop-%Y%m%d-%H%M%S.mlog", &tm))
		snprintf(name, size, "malitop-%lld.mlog", (long long)now);
}

static void say_end(struct live *l, const struct recorder_state *state)
{
	char text[200];

	snprintf(text, sizeof(text), "log: %s is whole: %llu samples, %.2f MB, %llu lost", recorder_name(l->recorder),
		 (unsigned long long)state->rows, (double)state->bytes / 1e6, (unsigned long long)state->lost);
	say(l, text);
}

void live_look_at_log(struct live *l)
{
	struct recorder_state state;

	l->screen.recording[0] = 0;
	if (!l->recorder)
		return;
	recorder_look(l->recorder, &state);
	if (!state.ended && !state.failed) {
		snprintf(l->screen.recording, sizeof(l->screen.recording), "%s %.32s %.1f MB", l->log_ends ? "END" : "REC",
			 recorder_name(l->recorder), (double)state.bytes / 1e6);
		return;
	}
	if (!state.failed)
		say_end(l, &state);
	if (!recorder_stop(l->recorder, &state))
		say(l, state.err.text);
	l->recorder = NULL;
	l->log_ends = false;
}

void live_log(struct live *l)
{
	char name[64];
	struct err err;

	if (l->recorder) {
		recorder_end(l->recorder); /* the disk may take its time: live_look_at_log says when it is over */
		l->log_ends = true;
		return;
	}
	choose_name(l->sys, name, sizeof(name));
	l->recorder = recorder_start_mlog(&l->session, name, &err);
	say(l, l->recorder ? "log: raw counters from now on; m marks a moment, l ends it" : err.text);
}

void live_mark(struct live *l)
{
	char text[64] = "mark: no log to set it in: l begins one";
	int64_t now = l->sys->monotonic_ns(l->sys);

	if (l->recorder && !l->log_ends)
		snprintf(text, sizeof(text), "mark %u in %.32s", recorder_mark(l->recorder, now, ""), recorder_name(l->recorder));
	say(l, text);
}
