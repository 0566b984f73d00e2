#include "record/measure.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define TICK_NS 1000000000ll

bool measure_open(struct measure *m, const struct sys *sys, struct options *options, struct err *err)
{
	*m = (struct measure){.sys = sys, .options = options, .status = EXIT_FAILED};
	if (options->cmd && !command_hold(&m->command, options->cmd, err))
		return false;
	options->held = m->command.pid;
	if (!session_open(&m->session, sys, options, options->per_core, err)) {
		command_drop(&m->command);
		return false;
	}
	session_settle(&m->session); /* the log tells the true intervals */
	session_tell_notes(&m->session, NULL);
	return true;
}

/* Who started us with SIGHUP ignored (nohup) wants that; blocked, it would come all the same. */
static void block_signals(sigset_t *signals)
{
	struct sigaction hangup;

	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
		sigaddset(signals, SIGHUP);
	sigaddset(signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, signals, NULL);
}

bool measure_begin(struct measure *m, const struct recorder_form *form, struct err *err)
{
	const struct sys *sys = m->sys;
	const char *path = m->options->log;

	block_signals(&m->signals);
	m->recorder = form ? recorder_start_as(&m->session, path, form, err) : recorder_start(&m->session, path, err);
	if (m->recorder && command_release(&m->command, m->options->cmd, sys->monotonic_ns(sys), err))
		return true;
	if (m->recorder)
		recorder_drop(m->recorder);
	if (m->command.ended)
		m->status = m->command.status;
	command_drop(&m->command);
	session_close(&m->session);
	return false;
}

/* Sleep until a signal or the deadline. Returns whether we were asked to end. CMD has got SIGINT from the terminal by itself. */
static bool wait_for_signal(struct measure *m, int64_t ns)
{
	const struct timespec wait = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	int got = sigtimedwait(&m->signals, NULL, &wait);

	if (got != SIGINT && got != SIGTERM && got != SIGHUP)
		return false;
	if (m->command.pid && got != SIGINT && !command_reap(&m->command, m->sys->monotonic_ns(m->sys)))
		kill(m->command.pid, got);
	return true;
}

static void take_events(struct measure *m, int64_t now_ns)
{
	char text[512];

	while (session_event(&m->session, now_ns, text, sizeof(text))) {
		if (text[0])
			fprintf(stderr, "%smalitop: %s\n", m->clears_line ? MEASURE_CLEAR : "", text);
		recorder_follow(m->recorder, text);
	}
}

void measure_wait(struct measure *m, void (*tick)(const struct measure *m, double seconds))
{
	const struct sys *sys = m->sys;
	int64_t begin = sys->monotonic_ns(sys), end = m->options->duration_ns ? begin + m->options->duration_ns : INT64_MAX;
	struct recorder_state state = {0};

	for (int64_t now = begin; !command_reap(&m->command, now) && !state.failed; now = sys->monotonic_ns(sys)) {
		int64_t left = end - now < TICK_NS ? end - now : TICK_NS;

		if (tick)
			tick(m, (double)(now - begin) * 1e-9);
		take_events(m, now);
		if (left <= 0) {
			if (!m->command.pid)
				return;
			kill(m->command.pid, SIGTERM);
			end = INT64_MAX;
			left = TICK_NS;
		}
		if (wait_for_signal(m, left) && !m->command.pid)
			return;
		recorder_look(m->recorder, &state);
	}
}

/* From now on a signal ends us at once; one that came with the one before does not. */
static void let_signals_end_us(const struct measure *m)
{
	while (sigtimedwait(&m->signals, NULL, &(struct timespec){0}) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &m->signals, NULL);
}

int measure_end(struct measure *m, struct recorder_state *state, struct err *err)
{
	bool ok;

	if (!recorder_await(m->recorder))
		let_signals_end_us(m);
	ok = recorder_stop(m->recorder, state);
	if (!ok)
		*err = state->err;
	session_close(&m->session);
	return !ok ? EXIT_FAILED : m->command.pid ? m->command.status : EXIT_DONE;
}
