#include "record/measure.h"

#include "session/process_signal.h"
#include "base/alloc.h"
#include "base/units.h"

#include <limits.h>
#include <stdio.h>

#define INTERVAL_LEAST 1000000ll
#define INTERVAL_MOST 10000000000ll

static bool refuse_request(struct strbuf *said, const char *why)
{
	strbuf_str(said, why);
	return false;
}

static bool do_mark(struct requests *r, struct span text, struct strbuf *said)
{
	char mark[CONTROL_LINE + 1];

	snprintf(mark, sizeof(mark), "%.*s", SPAN_ARG(text));
	strbuf_printf(said, "mark %u", recorder_mark(r->recorder, 0, mark));
	return true;
}

static bool do_nothing(struct requests *r, struct span text, struct strbuf *said)
{
	(void)r, (void)text, (void)said;
	return true;
}

static bool set_interval(struct requests *r, struct span text, struct strbuf *said)
{
	char shown[UNITS_TEXT];
	uint64_t ns;

	if (!span_u64(span_trim(text), &ns) || ns < INTERVAL_LEAST || ns > INTERVAL_MOST)
		return refuse_request(said, "interval: expected 1000000 to 10000000000 ns");
	if (!r->session->gpu)
		return refuse_request(said, "interval: there is no GPU to sample");
	session_set_interval(r->session, r->session->gpu, (int64_t)ns);
	strbuf_printf(said, "interval: %s", time_format(shown, (int64_t)ns));
	r->restarts = true;
	return true;
}

/* Choose one of two words. false: it is neither. */
static bool take_switch(struct span text, const char *on, const char *off, bool *is_on)
{
	*is_on = span_is(span_trim(text), on);
	return *is_on || span_is(span_trim(text), off);
}

static bool pause_gpu(struct requests *r, struct span text, struct strbuf *said)
{
	bool pause;

	if (!take_switch(text, "pause", "measure", &pause))
		return refuse_request(said, "gpu: expected pause or measure");
	if (!r->session->gpu)
		return refuse_request(said, "counting: there is no GPU");
	session_pause_gpu(r->session, pause);
	strbuf_printf(said, "counting: %s", pause ? "stopped; C resumes it" : "resumed");
	return true;
}

static bool choose_frames(struct requests *r, struct span text, struct strbuf *said)
{
	if (!span_is(span_trim(text), "next"))
		return refuse_request(said, "frames: expected next");
	session_choose_frames(r->session, SOURCE_NEXT_PROCESS);
	return true;
}

static bool sample_functions(struct requests *r, struct span text, struct strbuf *said)
{
	struct session_source *hot = session_shown(r->session, SOURCE_HOT);
	bool on;

	if (!take_switch(text, "on", "off", &on))
		return refuse_request(said, "hot: expected on or off");
	if (!hot)
		return refuse_request(said, "hot: functions are not sampled there");
	session_prefer(r->session, hot, &(struct source_priority){.n = on});
	return true;
}

static bool set_lean(struct requests *r, struct span text, struct strbuf *said)
{
	bool lean;

	if (!take_switch(text, "lean", "full", &lean))
		return refuse_request(said, "send: expected full or lean");
	r->options->lean = lean; /* also of a recording that begins again */
	recorder_lean(r->recorder, lean);
	return true;
}

static bool take_ack(struct requests *r, struct span text, struct strbuf *said)
{
	uint64_t bytes;

	if (!span_u64(span_trim(text), &bytes))
		return refuse_request(said, "ack: expected a number of bytes");
	if (bytes >= r->before)
		recorder_acked(r->recorder, bytes - r->before);
	return true;
}

static bool send_signal(struct requests *r, struct span text, struct strbuf *said)
{
	struct span pid = span_word(&text), start = span_word(&text), name = span_word(&text);
	const struct process_signal *signal = NULL;
	struct process process = {.name = "process"};
	uint64_t number;
	struct err err;

	for (unsigned i = 0; i < process_signals_n; i++)
		if (span_is(name, process_signals[i].name))
			signal = &process_signals[i];
	if (!span_u64(pid, &number) || number > INT_MAX || !span_u64(start, &process.start) || !signal)
		return refuse_request(said, "signal: expected a pid, its start and the name of a signal");
	process.pid = (int)number;
	for (unsigned i = 0; i < r->session->n; i++)
		process.simulated |=
			r->session->sources[i].kind == SOURCE_CPU && r->session->sources[i].simulated;
	if (!process_signal_send(r->session->sys, &process, signal, &err))
		return refuse_request(said, err.text);
	strbuf_printf(said, "%d: %s sent", process.pid, signal->name);
	return true;
}

bool request_do(struct requests *requests, enum control_word word, const char *text, struct strbuf *said)
{
	static bool (*const actions[])(struct requests * r, struct span text, struct strbuf * said) = {
		[CONTROL_MARK] = do_mark,          [CONTROL_PING] = do_nothing,
		[CONTROL_INTERVAL] = set_interval, [CONTROL_GPU] = pause_gpu,
		[CONTROL_FRAMES] = choose_frames,  [CONTROL_SEND] = set_lean,
		[CONTROL_HOT] = sample_functions,  [CONTROL_SIGNAL] = send_signal,
		[CONTROL_ACK] = take_ack,
	};
	char shown[40];

	strbuf_clear(said);
	if (word >= ARRAY_LEN(actions) || !actions[word]) {
		strbuf_printf(said, "'%s': an unknown request: this malitop is " CONTROL_VERSION,
			      str_printable(shown, sizeof(shown), text));
		return false;
	}
	return actions[word](requests, span_of(text), said);
}
