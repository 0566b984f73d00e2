#include "record/measure.h"

#include "session/process_signal.h"
#include "base/alloc.h"
#include "base/units.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define INTERVAL_LEAST 1000000ll
#define INTERVAL_MOST 10000000000ll

struct asked_one {
	struct requests *of;
	struct session *session;
	struct span rest; /* of its text */
	struct strbuf *said;
};

static bool refuse_request(struct asked_one *r, const char *why)
{
	strbuf_str(r->said, why);
	return false;
}

/* The last word of the text. */
static bool take_last(struct asked_one *r, const char *word)
{
	return span_is(span_trim(r->rest), word);
}

static bool do_mark(struct asked_one *r)
{
	char text[CONTROL_LINE + 1];

	snprintf(text, sizeof(text), "%.*s", SPAN_ARG(r->rest));
	strbuf_printf(r->said, "mark %u", recorder_mark(r->of->recorder, 0, text));
	return true;
}

static bool do_nothing(struct asked_one *r)
{
	(void)r;
	return true;
}

static bool set_interval(struct asked_one *r)
{
	struct session_source *gpu = r->session->gpu;
	char text[UNITS_TEXT];
	uint64_t ns;

	if (!span_u64(span_trim(r->rest), &ns) || ns < INTERVAL_LEAST || ns > INTERVAL_MOST)
		return refuse_request(r, "interval: expected 1000000 to 10000000000 ns");
	if (!gpu)
		return refuse_request(r, "interval: there is no GPU to sample");
	session_set_interval(r->session, gpu, (int64_t)ns);
	strbuf_printf(r->said, "interval: %s", time_format(text, (int64_t)ns));
	r->of->restarts = true;
	return true;
}

static bool pause_gpu(struct asked_one *r)
{
	bool pause = take_last(r, "pause");

	if (!pause && !take_last(r, "measure"))
		return refuse_request(r, "gpu: expected pause or measure");
	if (!r->session->gpu)
		return refuse_request(r, "counting: there is no GPU");
	session_pause_gpu(r->session, pause);
	strbuf_printf(r->said, "counting: %s", pause ? "stopped; C goes on" : "goes on");
	return true;
}

static bool choose_frames(struct asked_one *r)
{
	if (!take_last(r, "next"))
		return refuse_request(r, "frames: expected next");
	session_choose_frames(r->session, SOURCE_NEXT_PROCESS);
	return true;
}

static bool sample_functions(struct asked_one *r)
{
	struct session_source *hot = session_shown(r->session, SOURCE_HOT);
	struct source_priority wanted = {.n = take_last(r, "on")};

	if (!wanted.n && !take_last(r, "off"))
		return refuse_request(r, "hot: expected on or off");
	if (!hot)
		return refuse_request(r, "hot: functions are not sampled there");
	session_prefer(r->session, hot, &wanted);
	return true;
}

static bool set_lean(struct asked_one *r)
{
	bool lean = take_last(r, "lean");

	if (!lean && !take_last(r, "full"))
		return refuse_request(r, "send: expected full or lean");
	r->of->options->lean = lean; /* also of a recording that begins again */
	recorder_lean(r->of->recorder, lean);
	return true;
}

static bool take_ack(struct asked_one *r)
{
	uint64_t bytes;

	if (!span_u64(span_trim(r->rest), &bytes))
		return refuse_request(r, "ack: expected a number of bytes");
	if (bytes >= r->of->before)
		recorder_acked(r->of->recorder, bytes - r->of->before);
	return true;
}

static bool send_signal(struct asked_one *r)
{
	struct span pid = span_word(&r->rest), start = span_word(&r->rest), name = span_word(&r->rest);
	const struct process_signal *signal = NULL;
	struct process process = {.name = "process"};
	uint64_t number;
	struct err err;

	for (unsigned i = 0; i < process_signals_n; i++)
		if (span_is(name, process_signals[i].name))
			signal = &process_signals[i];
	if (!span_u64(pid, &number) || number > INT_MAX || !span_u64(start, &process.start) || !signal)
		return refuse_request(r, "signal: expected a pid, its start and the name of a signal");
	process.pid = (int)number;
	for (unsigned i = 0; i < r->session->n; i++)
		process.simulated |=
			r->session->sources[i].kind == SOURCE_CPU && r->session->sources[i].simulated;
	if (!process_signal_send(r->session->sys, &process, signal, &err))
		return refuse_request(r, err.text);
	strbuf_printf(r->said, "%d: %s sent", process.pid, signal->name);
	return true;
}

bool request_do(struct requests *requests, enum control_word word, const char *text, struct strbuf *said)
{
	static bool (*const actions[])(struct asked_one * r) = {
		[CONTROL_MARK] = do_mark,          [CONTROL_PING] = do_nothing,
		[CONTROL_INTERVAL] = set_interval, [CONTROL_GPU] = pause_gpu,
		[CONTROL_FRAMES] = choose_frames,  [CONTROL_SEND] = set_lean,
		[CONTROL_HOT] = sample_functions,  [CONTROL_SIGNAL] = send_signal,
		[CONTROL_ACK] = take_ack,
	};
	struct asked_one r = {
		.of = requests, .session = requests->session, .rest = span_of(text), .said = said};
	char shown[40];

	strbuf_clear(said);
	if (word >= ARRAY_LEN(actions) || !actions[word]) {
		strbuf_printf(said, "'%s': an unknown request: this malitop is " CONTROL_VERSION,
			      str_printable(shown, sizeof(shown), text));
		return false;
	}
	return actions[word](&r);
}
