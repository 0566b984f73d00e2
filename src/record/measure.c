#include "record/measure.h"

#include "base/alloc.h"
#include "base/message.h"
#include "base/units.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#define TICK_NS 1000000000ll
#define COMMANDS_AT_ONCE 64 /* of --control, however many wait */

bool measure_open(struct measure *m, const struct sys *sys, struct options *options, struct err *err)
{
	*m = (struct measure){.sys = sys,
			      .options = options,
			      .status = EXIT_FAILED,
			      .signals_fd = -1,
			      .control = {.fd = -1, .ack_fd = -1}};
	if (options->passes && options->cmd && !options->noted &&
	    !layer_environment_set(sys, options->cmd[0], err))
		return false;
	if (options->control && !control_open(&m->control, sys, options->control, err))
		return false;
	if ((options->cmd && !command_hold(&m->command, options->cmd, err)) ||
	    !session_open(&m->session, sys, options, m->command.pid, options->per_core, err)) {
		command_drop(&m->command);
		control_close(&m->control);
		return false;
	}
	if (options->control && !m->control.is_input)
		m->session.filter = sample_filter_new(m->session.n);
	session_settle(&m->session); /* the log records the true intervals */
	if (!options->noted)
		session_report_notes(&m->session, NULL);
	options->noted = true;
	return true;
}

/* If we were started with SIGHUP ignored (nohup), keep that: once blocked, sigtimedwait would
 * return it. */
static bool block_signals(struct measure *m, struct err *err)
{
	sigset_t *signals = &m->signals;
	struct sigaction hangup;

	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
		sigaddset(signals, SIGHUP);
	sigaddset(signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, signals, NULL);
	m->signals_fd = sys_signals_new(signals);
	return m->signals_fd >= 0 || err_set(err, errno, "cannot wait for signals: %s", strerror(errno));
}

/* The session reports this for GPUs. That the default is too short for a CPU is no news. */
static void report_interval(const struct measure *m)
{
	const struct options *o = m->options;
	int64_t have_ns = recorder_interval_ns(m->recorder);
	char have[UNITS_TEXT], asked[UNITS_TEXT];

	for (unsigned i = 0; i < m->session.n; i++)
		if (m->session.sources[i].kind == SOURCE_GPU)
			return;
	if (o->interval_given && have_ns != INT64_MAX && have_ns > o->interval_ns &&
	    (o->rows || o->command == COMMAND_RECORD))
		message("CPU: samples every %s, not every %s as requested", time_format(have, have_ns),
			time_format(asked, o->interval_ns));
}

/* Sleep until a signal, a command of --control or the deadline. Returns whether we were asked to
 * end. CMD gets SIGINT from the terminal itself, so pass on only other signals. */
static bool wait_for_signal(struct measure *m, int64_t ns)
{
	const struct timespec wait = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	struct pollfd fds[] = {{.fd = m->signals_fd, .events = POLLIN},
			       {.fd = m->control.fd, .events = POLLIN}};
	int got;

	ppoll(fds, ARRAY_LEN(fds), &wait, NULL);
	got = sigtimedwait(&m->signals, NULL, &(struct timespec){0});
	if (got != SIGINT && got != SIGTERM && got != SIGHUP)
		return false;
	if (m->command.pid && got != SIGINT && !command_reap(&m->command, m->sys->monotonic_ns(m->sys)))
		kill(m->command.pid, got);
	return true;
}

static void close_all(struct measure *m)
{
	struct sample_filter *filter = m->session.filter;

	command_gpu_fini(&m->gpu);
	session_close(&m->session);
	sample_filter_free(filter);
	control_close(&m->control);
	sys_cleanup_close(&m->signals_fd);
}

/* Say something to both logs: a message, or with `mark` a mark. */
static void note_in_logs(struct measure *m, const char *text, bool mark)
{
	struct recorder *const logs[] = {m->recorder, m->raw};

	for (size_t i = 0; i < ARRAY_LEN(logs); i++)
		if (logs[i] && mark)
			recorder_mark(logs[i], 0, text);
		else if (logs[i])
			recorder_follow(logs[i], text);
}

/* The running intervals are cut first, so that the region begins or ends now. */
static void set_counting(struct measure *m, bool on)
{
	sampler_cut(m->session.sampler);
	if (sample_filter_set(m->session.filter, m->sys, on))
		note_in_logs(m, on ? "--control: counting" : "--control: not counting", false);
}

/* Requests of the reader of a stream, which gets each answer in it. */
static void answer_request(struct measure *m, enum control_word word, const char *text)
{
	AUTO_STRBUF struct strbuf said = {0};
	bool done;

	if (!m->recorder)
		return;
	m->requests.session = &m->session;
	m->requests.options = m->options;
	m->requests.recorder = m->recorder;
	done = request_do(&m->requests, word, text, &said);
	if (m->control.number)
		recorder_answer(m->recorder, m->control.number, done, said.n ? said.p : "");
}

/* Begin the stream again, with rings and a start block for the intervals of now. */
static void restart_stream(struct measure *m)
{
	struct recorder_state state;
	struct recorder *next;
	struct err err;

	m->requests.restarts = false;
	session_settle(&m->session);
	next = recorder_await(m->recorder) ? recorder_start(&m->session, m->options->log, &err) : NULL;
	m->control.ended |= !next; /* the reader connects again */
	if (!next)
		return;
	recorder_stop(m->recorder, &state);
	m->requests.before += state.bytes;
	m->recorder = next;
}

/* Carry out the commands that wait. Before the recorder has started, only `enable` does
 * something; returns whether it came. */
static bool follow_control(struct measure *m)
{
	enum control_word word = CONTROL_NONE;
	bool enabled = false;
	const char *text;

	for (unsigned n = 0; n < COMMANDS_AT_ONCE; n++) {
		word = control_next(&m->control, &text);
		if (word == CONTROL_NONE)
			break;
		if (m->control.is_input) {
			answer_request(m, word, text);
			continue;
		}
		enabled |= word == CONTROL_ENABLE;
		if (m->session.filter && m->recorder && (word == CONTROL_ENABLE || word == CONTROL_DISABLE))
			set_counting(m, word == CONTROL_ENABLE);
		else if (m->recorder && word == CONTROL_MARK)
			note_in_logs(m, text, true);
		control_answer(&m->control, word);
	}
	if (m->requests.restarts)
		restart_stream(m);
	return enabled;
}

/* Let CMD run, or time pass, until --delay is over, CMD has ended or a signal asks us to end. */
static void wait_delay(struct measure *m)
{
	int64_t now = m->sys->monotonic_ns(m->sys), end = now + m->options->delay_ns;

	for (; now < end && !m->interrupted && !follow_control(m) && !command_reap(&m->command, now);
	     now = m->sys->monotonic_ns(m->sys))
		m->interrupted =
			wait_for_signal(m, end - now < TICK_NS ? end - now : TICK_NS) && !m->command.pid;
}

static bool start_recorders(struct measure *m, const struct recorder_form *form, struct err *err)
{
	const struct options *o = m->options;

	m->recorder = form ? recorder_start_as(&m->session, o->log, form, err)
			   : recorder_start(&m->session, o->log, err);
	if (m->recorder && o->report_log)
		m->raw = recorder_start_mlog(&m->session, o->report_log, err);
	return m->recorder && (m->raw || !o->report_log);
}

/* With --delay, CMD runs before the recorders start. */
static bool start_all(struct measure *m, const struct recorder_form *form, struct err *err)
{
	struct command *c = &m->command;
	const struct sys *sys = m->sys;

	if (!block_signals(m, err))
		return false;
	if (m->options->delay_ns) {
		if (!command_release(c, m->options->cmd, sys->monotonic_ns(sys), err))
			return false;
		wait_delay(m);
	}
	if (!start_recorders(m, form, err))
		return false;
	if (!(form && form->cuts))
		report_interval(m);
	if (m->session.filter) {
		if (m->options->delay_ns && !c->ended) /* it is over, or `enable` came */
			set_counting(m, true);
		follow_control(m); /* what was sent before the start counts from the start */
	}
	m->options->recorded = true;
	if (!c->released) {
		m->options->recorded = command_release(c, m->options->cmd, sys->monotonic_ns(sys), err);
		return m->options->recorded;
	}
	if (c->ended)
		message("--delay: the command ended before the delay did: nothing was counted");
	c->begin_ns = c->ended ? c->end_ns : sys->monotonic_ns(sys);
	return true;
}

bool measure_begin(struct measure *m, const struct recorder_form *form, struct err *err)
{
	if (start_all(m, form, err))
		return true;
	if (m->raw)
		recorder_drop(m->raw);
	if (m->recorder)
		recorder_drop(m->recorder);
	if (m->command.ended)
		m->status = m->command.status;
	command_drop(&m->command);
	close_all(m);
	return false;
}

static void take_events(struct measure *m, int64_t now_ns)
{
	char text[512];

	while (session_event(&m->session, now_ns, text, sizeof(text))) {
		if (text[0])
			message("%s", text);
		note_in_logs(m, text, false);
	}
}

/* The reader of a report or of a stream may close the pipe when it has seen enough; a file must be
 * complete. */
static bool is_failure(const struct measure *m, const struct recorder_state *state)
{
	return state->failed && !(state->err.code == EPIPE &&
				  (m->options->command == COMMAND_STAT || strcmp(m->options->log, "-") == 0));
}

/* Returns whether recording has to stop. Failures and losses are reported once, at once if CMD
 * keeps us from ending. */
static bool look_at_log(struct measure *m)
{
	struct recorder_state state;

	recorder_look(m->recorder, &state);
	if (is_failure(m, &state) && m->command.pid && !m->failure_reported) {
		message("%s", state.err.text);
		m->failure_reported = true;
	}
	if (state.lost && !state.failed && !m->loss_reported && !m->shows_progress) {
		message("log: %s: samples are being lost, %llu so far", recorder_name(m->recorder),
			(unsigned long long)state.lost);
		m->loss_reported = true;
	}
	return state.failed && !m->command.pid;
}

void measure_wait(struct measure *m, void (*tick)(const struct measure *m, double seconds))
{
	const struct sys *sys = m->sys;
	int64_t begin = sys->monotonic_ns(sys),
		end = m->options->duration_ns ? begin + m->options->duration_ns : INT64_MAX;

	for (int64_t now = begin; !m->interrupted && !command_reap(&m->command, now) && !look_at_log(m);
	     now = sys->monotonic_ns(sys)) {
		int64_t left = end - now < TICK_NS ? end - now : TICK_NS;

		if (m->command.pid && m->options->command == COMMAND_STAT) {
			command_gpu_look(&m->gpu, sys, m->command.pid, now);
			left = left < m->gpu.next_ns - now ? left : m->gpu.next_ns - now;
		}
		follow_control(m);
		if (m->control.is_input && m->control.ended) {
			if (!m->command.pid)
				return;
			kill(m->command.pid, SIGTERM);
			m->control.is_input = false;
		}
		if (tick)
			tick(m, (double)(now - begin) * 1e-9);
		take_events(m, now);
		if (session_has_ended(&m->session) && !m->command.pid)
			return;
		if (now >= end) {
			if (!m->command.pid)
				return;
			kill(m->command.pid, SIGTERM);
			m->timed_out = true;
			end = INT64_MAX;
			left = COMMAND_GPU_NS;
		}
		if (wait_for_signal(m, left) && !m->command.pid)
			return;
	}
}

/* Let signals end the program from now on, except one that is already pending. */
static void let_signals_end_us(const struct measure *m)
{
	while (sigtimedwait(&m->signals, NULL, &(struct timespec){0}) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &m->signals, NULL);
}

/* Returns whether no source delivered only failed samples. */
static bool report_failures(const struct measure *m, const struct recorder_state *state)
{
	char why[SAMPLE_FAILURES_TEXT];

	for (unsigned i = 0; i < m->session.n; i++) {
		uint64_t n = sample_failures_all(&state->failures[i]);

		sample_failures_format(&state->failures[i], why, sizeof(why));
		if (state->all_failed >> i & 1)
			message("%s: every sample failed: %s: see dmesg and `malitop doctor`",
				m->session.sources[i].title, why);
		else if (n)
			message("%s: %llu sample%s failed: %s; rows of a failed one have the flag `error` "
				"and no values",
				m->session.sources[i].title, (unsigned long long)n, plural_ending(n), why);
	}
	return !state->all_failed;
}

/* Returns whether no GPU is away at the end that was there, or wanted, at the start. */
static bool report_lost(const struct measure *m, const struct recorder_state *state)
{
	bool lost = false;

	for (unsigned i = 0; i < m->session.n; i++) {
		const struct session_source *s = &m->session.sources[i];

		if (s->kind != SOURCE_GPU || !session_is_lost(s))
			continue;
		message("%s: lost, and not recovered by the end: %s", s->title,
			state->some_good >> i & 1 ? "its earlier samples are kept" : "it has no samples");
		lost = true;
	}
	return !lost;
}

/* What the session says of an interval while it measures is of some seconds; this is of all. */
static void report_means(const struct measure *m, const struct recorder_state *state)
{
	char have[UNITS_TEXT], asked[UNITS_TEXT];

	for (unsigned i = 0; i < m->session.n; i++) {
		const struct session_source *s = &m->session.sources[i];

		if (s->kind == SOURCE_GPU && state->n_samples[i] >= SAMPLER_PACE_SAMPLES &&
		    state->mean_ns[i] > s->asked_ns && !sampler_is_pace(state->mean_ns[i], s->asked_ns))
			message("%s: %llu samples, one every %s on average, not every %s%s", s->title,
				(unsigned long long)state->n_samples[i], time_format(have, state->mean_ns[i]),
				time_format(asked, s->asked_ns), s->requested ? " as requested" : "");
	}
}

/* The recorder has cut the last intervals unless it writes rows of samples. Returns whether the raw
 * counters are there. */
static bool end_raw(struct measure *m)
{
	const struct options *o = m->options;
	struct recorder_state state;

	if (!m->raw)
		return true;
	recorder_halt(m->raw, m->command.pid && o->command == COMMAND_RECORD && o->format != FORMAT_MLOG);
	if (!recorder_await(m->raw))
		let_signals_end_us(m);
	if (!recorder_stop(m->raw, &state))
		message("%s", state.err.text);
	return !state.failed;
}

int measure_end(struct measure *m, struct recorder_state *state, struct err *err)
{
	int status = m->command.pid ? m->command.status : EXIT_DONE;
	unsigned parts = 1;
	bool failed, complete;

	follow_control(m); /* what CMD sent just before it ended */
	if (m->session.filter)
		sample_filter_open_ns(m->session.filter, m->sys, &parts);
	if (!parts)
		message("--control: counting was never enabled: nothing was counted");
	recorder_halt(m->recorder, m->command.pid && m->options->format == FORMAT_MLOG);
	take_events(m, m->sys->monotonic_ns(m->sys)); /* what the last samples brought */
	complete = end_raw(m);
	if (!recorder_await(m->recorder))
		let_signals_end_us(m);
	recorder_stop(m->recorder, state);
	failed = is_failure(m, state);
	if (failed && !m->failure_reported)
		*err = state->err;
	complete &= report_failures(m, state);
	complete &= report_lost(m, state);
	if (!complete && status == EXIT_DONE)
		status = EXIT_FAILED;
	report_means(m, state);
	close_all(m);
	if (failed && status == EXIT_DONE)
		status = EXIT_FAILED;
	return state->found && status == EXIT_DONE ? EXIT_FOUND : status;
}
