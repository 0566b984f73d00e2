/* Files that the screen writes: the log that -o or the key l starts and l ends; and the screen as
 * text and as a picture, with all its numbers, under new names. */
#include "tui/live_priv.h"

#include "base/alloc.h"
#include "base/file.h"
#include "export/export.h"
#include "record/log_file.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define NAMES_MAX 100

static void alert_user(struct live *l, const char *text, bool news)
{
	(news ? alerts_news : alerts_add)(&l->alerts, l->sys->monotonic_ns(l->sys), text);
	l->dirty = true;
}

/* Make a name in the working directory: "malitop-20260131-140211.mlog"; for the second in a second
 * "malitop-20260131-140211-2.mlog". */
static void make_name(const struct sys *sys, unsigned number, const char *ending, char name[64])
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

void live_look_at_log(struct live *l)
{
	struct remote *remote = l->player ? l->player->remote : NULL;
	struct recorder_state state;
	const char *name = NULL;
	struct err failed, err;
	char text[200] = "";
	uint64_t bytes;
	double mb;

	l->screen.recording[0] = 0;
	if (remote) /* of a stream that is kept; a failure is reported once */
		name = remote_log_state(remote, &bytes, &failed);
	if (name)
		snprintf(l->screen.recording, sizeof(l->screen.recording), "REC %.32s %.1f MB", name,
			 (double)bytes / 1e6);
	else if (remote && failed.text[0] && !remote_log_end(remote, &err))
		alert_user(l, err.text, false);
	if (!l->recorder)
		return;
	recorder_look(l->recorder, &state);
	mb = (double)state.bytes / 1e6;
	if (state.failed && l->log != LOG_FAILED) {
		alert_user(l, state.err.text, false);
		recorder_end(l->recorder);
		l->log = LOG_FAILED;
	}
	if (!state.ended) { /* closing may take the disk some time, even after a failure */
		if (state.lost)
			snprintf(text, sizeof(text), ", %llu lost", (unsigned long long)state.lost);
		snprintf(l->screen.recording, sizeof(l->screen.recording), "%s %.32s %.1f MB%.31s",
			 l->log == LOG_RUNS ? "REC" : "END", recorder_name(l->recorder), mb, text);
		return;
	}
	if (!state.failed) {
		snprintf(text, sizeof(text), "log: %s is complete: %llu sample%s, %.2f MB, %llu lost",
			 recorder_name(l->recorder), (unsigned long long)state.rows,
			 plural_ending(state.rows), mb, (unsigned long long)state.lost);
		alert_user(l, text, !state.lost);
	}
	recorder_stop(take_ptr(&l->recorder), &state);
}

/* Keep the stream of another machine in a file, including the data received so far. */
static void log_stream(struct live *l)
{
	struct remote *remote = l->player->remote;
	struct err err = {.code = EEXIST};
	char name[64], text[200];
	uint64_t bytes;
	bool ok = false;

	if (remote_log_state(remote, &bytes, &err)) {
		snprintf(text, sizeof(text), "log: %s is complete: %.2f MB",
			 remote_log_state(remote, &bytes, &err), (double)bytes / 1e6);
		ok = remote_log_end(remote, &err);
		alert_user(l, ok ? text : err.text, ok);
		return;
	}
	err.code = EEXIST;
	for (unsigned n = 1; !ok && n <= NAMES_MAX && err.code == EEXIST; n++) {
		make_name(l->sys, n, "mlog", name);
		ok = remote_log(remote, name, false, &err);
	}
	alert_user(l, ok ? "log: the stream is kept, from its start; l ends it" : err.text, ok);
}

void live_log(struct live *l)
{
	struct err err;
	char name[64];

	if (l->player) {
		log_stream(l);
		return;
	}
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
	for (unsigned n = 1; !l->recorder && n <= NAMES_MAX && (n == 1 || err.code == EEXIST); n++) {
		make_name(l->sys, n, "mlog", name); /* a file of the same second may exist already */
		l->recorder = recorder_start_mlog(&l->session, name, &err);
	}
	l->log = LOG_RUNS;
	alert_user(l, l->recorder ? "log: recording raw counters; m sets a mark, l ends it" : err.text,
		   l->recorder != NULL);
}

/* ---- a snapshot ---- */

/* Append a number, per second if it grows with time. */
static void put_value(struct strbuf *out, const struct metric *metric, const double *vector)
{
	double value = vector ? metric_value(metric, vector) : (double)NAN;
	char text[NUMBER_TEXT];

	if (metric->grows && vector)
		value /= vector[VECTOR_SECONDS];
	strbuf_printf(out, ",%s", isfinite(value) ? number_shortest(text, value) : "");
}

/* Append every metric of the shown sources as on the screen: of a refresh, or of the range. */
static bool put_numbers(struct live *l, struct strbuf *out, struct err *err)
{
	struct view_data data;
	bool compared = false;

	(void)err;
	screen_fill_data(&l->screen, &data);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		compared |= data.feeds[kind].mark != NULL;
	strbuf_printf(out, "name,unit,value%s" CSV_EOL, compared ? ",compared_with" : "");
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++)
		for (unsigned i = 0; data.feeds[kind].set && i < data.feeds[kind].set->n_metrics; i++) {
			const struct feed *feed = &data.feeds[kind];
			const struct metric *m = &feed->set->metrics[i];

			csv_field(out, m->def->name);
			strbuf_printf(out, ",%s%s", m->unit->name, m->grows ? " per second" : "");
			put_value(out, m, feed->now);
			if (feed->mark)
				put_value(out, m, feed->mark);
			strbuf_str(out, CSV_EOL);
		}
	return true;
}

static bool put_screen(struct live *l, struct strbuf *out, struct err *err)
{
	(void)err;
	canvas_dump(&l->canvas, out);
	return true;
}

static bool put_past(struct live *l, struct strbuf *out, struct err *err)
{
	const struct live_past *past = &l->past;
	AUTOFREE struct mlog_note *marks = xcalloc(past->n_marks + 1, sizeof(*marks));
	struct history_log what = {.session = &l->session,
				   .step_ns = l->feeds.refresh_ns,
				   .marks = marks,
				   .n_marks = past->n_marks};
	char name[64];

	for (unsigned i = 0; i < past->n_marks; i++) {
		marks[i] = (struct mlog_note){
			.kind = MLOG_NOTE_MARK, .time_ns = past->marks[i].at_ns, .source = -1};
		snprintf(marks[i].text, sizeof(marks[i].text), "%s", past->marks[i].text);
	}
	for (unsigned i = 0; i < l->feeds.n; i++)
		what.histories[i] = l->feeds.feeds[i].history;
	snprintf(name, sizeof(name), "screen of %.32s", l->session.gpu ? l->session.gpu->title : "the CPUs");
	return report_page_of_history(l->options, &what, name, out, err);
}

/* Append the page of malitop report about the played log, or about the kept history. */
static bool put_page(struct live *l, struct strbuf *out, struct err *err)
{
	struct file *log;

	if (!l->player)
		return put_past(l, out, err);
	if (l->player->remote)
		return err_set(err, 0, "snapshot: no page of a stream: keep it with l, then malitop report");
	log = file_open(l->options->operand, err);
	return log && report_page_of(l->sys, l->options, log, l->options->operand, out, err);
}

static const struct {
	const char *ending;
	bool (*put)(struct live *l, struct strbuf *out, struct err *err);
} formats[] = {{"txt", put_screen}, {"csv", put_numbers}, {"html", put_page}};

/* Save the screen in one format under the first free name from *number on. Append the name to
 * *said, or only the extension if the rest is that of the name before. */
static bool save_format(struct live *l, struct span ending, unsigned *number, struct strbuf *said,
			struct err *err)
{
	AUTO_STRBUF struct strbuf text = {0};
	unsigned before = *number;
	bool ok = false;
	char name[64];
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(formats) && !span_is(ending, formats[i].ending))
		i++;
	if (!formats[i].put(l, &text, err))
		return false;
	*number = before ? before : 1;
	for (err->code = EEXIST; !ok && *number <= NAMES_MAX && err->code == EEXIST; *number += !ok) {
		struct log_file *file;

		make_name(l->sys, *number, formats[i].ending, name);
		file = log_file_open(l->sys, name, &(struct log_file_options){0}, err);
		ok = file && log_file_write(file, text.p, text.n, err);
		ok = log_file_close(file, ok ? err : NULL) && ok;
	}
	if (ok && *number == before)
		strbuf_printf(said, ", .%s", formats[i].ending);
	else if (ok)
		strbuf_printf(said, "%s%s", said->n ? ", " : "snapshot: ", name);
	return ok;
}

void live_snapshot(struct live *l)
{
	AUTO_STRBUF struct strbuf said = {0};
	struct span rest = span_of((l->settings.begun ? &l->settings.now : l->options)->snapshot), item;
	struct err err = {0};
	unsigned number = 0;
	bool ok = true;

	live_compose(l);
	while (ok && (item = span_item(&rest)).n)
		ok = save_format(l, item, &number, &said, &err);
	(ok ? alerts_news : alerts_add)(&l->alerts, l->sys->monotonic_ns(l->sys), ok ? said.p : err.text);
}
