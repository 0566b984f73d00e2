#include "tui/feeds_log.h"

#include "base/alloc.h"
#include "base/real.h"
#include "mlog/mlog_writer.h"
#include "record/log_about.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS_MOST 3000

struct past_log {
	const struct feeds *feeds;
	struct mlog_writer *writer;
	struct log_about log;
	struct sample *sample;
	struct column *columns[SESSION_SOURCES_MAX];
	uint64_t seq[SESSION_SOURCES_MAX];
};

static bool add_bytes(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	strbuf_add(ctx, bytes, n);
	return true;
}

/* What a source measured in a step, as one sample. */
static bool write_step(struct past_log *p, unsigned source, int64_t from_ns, int64_t to_ns, struct err *err)
{
	const struct feed_state *feed = &p->feeds->feeds[source];
	struct column *column = p->columns[source];
	struct sample *s = p->sample;

	history_span(feed->history, from_ns, to_ns, column);
	if (!column->n_samples)
		return true;
	*s = (struct sample){.source = source,
			     .n_values = feed->source->n_sums,
			     .flags = column->flags,
			     .lost = column->lost,
			     .seq = ++p->seq[source],
			     .begin_ns = column->begin_ns,
			     .end_ns = column->end_ns};
	for (unsigned i = 0; i < s->n_values; i++)
		s->value[i] =
			isnan(column->value[i]) ? SAMPLE_UNKNOWN : (uint64_t)real_round(column->value[i]);
	return mlog_writer_sample(p->writer, s, err);
}

static bool write_steps(struct past_log *p, int64_t from_ns, int64_t to_ns, const struct timeline_mark *marks,
			unsigned n_marks, struct err *err)
{
	int64_t step_ns = (to_ns - from_ns) / STEPS_MOST;
	unsigned mark = 0;

	if (step_ns < p->feeds->refresh_ns)
		step_ns = p->feeds->refresh_ns;
	for (int64_t at = from_ns; at < to_ns; at += step_ns) {
		for (unsigned i = 0; i < p->feeds->n; i++)
			if (!write_step(p, i, at, at + step_ns, err))
				return false;
		for (; mark < n_marks && marks[mark].at_ns <= at + step_ns; mark++) {
			struct mlog_note note = {
				.kind = MLOG_NOTE_MARK, .time_ns = marks[mark].at_ns, .source = -1};

			snprintf(note.text, sizeof(note.text), "%s", marks[mark].text);
			if (marks[mark].at_ns > from_ns && !mlog_writer_note(p->writer, &note, err))
				return false;
		}
		if (!mlog_writer_flush(p->writer, err))
			return false;
	}
	return true;
}

bool feeds_log(const struct feeds *feeds, const struct timeline_mark *marks, unsigned n_marks,
	       struct strbuf *out, struct err *err)
{
	const struct sys *sys = feeds->session->sys;
	struct past_log p = {.feeds = feeds};
	int64_t oldest, newest;
	unsigned most = 0;
	bool ok;

	if (!feeds_reach(feeds, &oldest, &newest))
		return err_set(err, 0, "nothing was measured yet");
	log_about_init(&p.log, feeds->session);
	p.log.about.monotonic_ns = sys->monotonic_ns(sys);
	p.log.about.realtime_ns = sys->realtime_ns(sys);
	for (unsigned i = 0; i < feeds->n; i++) {
		p.columns[i] = history_column_new(feeds->feeds[i].history);
		most = feeds->feeds[i].source->n_slots > most ? feeds->feeds[i].source->n_slots : most;
	}
	p.sample = xcalloc(1, sizeof(*p.sample) + most * sizeof(uint64_t));
	p.writer = mlog_writer_new(&p.log.about, add_bytes, out, err);
	ok = p.writer && write_steps(&p, oldest, newest, marks, n_marks, err) &&
	     mlog_writer_end(p.writer, err);
	mlog_writer_free(p.writer);
	for (unsigned i = 0; i < feeds->n; i++)
		free(p.columns[i]);
	free(p.sample);
	log_about_fini(&p.log);
	return ok;
}
