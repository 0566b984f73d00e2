/* The log that the live screen records: -o or the key l begins it, l ends it. */
#include "tui/live_priv.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define NAMES_MAX 100

static void alert_user(struct live *l, const char *text, bool news)
{
	(news ? alerts_news : alerts_add)(&l->alerts, l->sys->monotonic_ns(l->sys), text);
	l->dirty = true;
}

/* In the working directory. */
void live_new_name(const struct sys *sys, unsigned number, const char *ending, char name[64])
{
	time_t now = (time_t)(sys->realtime_ns(sys) / 1000000000);
	struct tm tm;
	char day[32];

	if (!localtime_r(&now, &tm) || !strftime(day, sizeof(day), "%Y%m%d-%H%M%S", &tm))
		snprintf(day, sizeof(day), "%lld", (long long)now);
	if (number == 1)
		snprintf(name, 64, "malitop-%s.%s", day, ending);
	else
		snprintf(name, 64, "malitop-%s-%u.%s", day, number, ending);
}

static void alert_end(struct live *l, const struct recorder_state *state)
{
	char text[200];

	snprintf(text, sizeof(text), "log: %s is complete: %llu samples, %.2f MB, %llu lost",
		 recorder_name(l->recorder), (unsigned long long)state->rows, (double)state->bytes / 1e6,
		 (unsigned long long)state->lost);
	alert_user(l, text, !state->lost);
}

/* "REC run.mlog 12.4 MB", "REC run.mlog 12.4 MB, 17 lost" */
static void show_state(struct live *l, const struct recorder_state *state)
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
		alert_user(l, state.err.text, false);
		recorder_end(l->recorder);
		l->log = LOG_FAILED;
	}
	if (!state.ended) { /* closing may take the disk some time, even after a failure */
		show_state(l, &state);
		return;
	}
	if (!state.failed)
		alert_end(l, &state);
	recorder_stop(take_ptr(&l->recorder), &state);
}

/* Begin a log under a new name; one of the same second may exist already. */
static struct recorder *begin_log(struct live *l, struct err *err)
{
	struct recorder *r = NULL;
	char name[64];

	for (unsigned n = 1; !r && n <= NAMES_MAX && (n == 1 || err->code == EEXIST); n++) {
		live_new_name(l->sys, n, "mlog", name);
		r = recorder_start_mlog(&l->session, name, err);
	}
	return r;
}

void live_log(struct live *l)
{
	struct err err;

	live_look_at_log(l);
	if (l->recorder && l->log != LOG_RUNS) {
		alert_user(l, "log: the previous one is still being written", true);
		return;
	}
	if (l->recorder) {
		recorder_end(l->recorder); /* live_look_at_log reports the end */
		l->log = LOG_ENDS;
		return;
	}
	l->recorder = begin_log(l, &err);
	l->log = LOG_RUNS;
	alert_user(l, l->recorder ? "log: recording raw counters; m sets a mark, l ends it" : err.text,
		   l->recorder != NULL);
}
