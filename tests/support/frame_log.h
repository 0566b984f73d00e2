/* frame_log: a log of an application that shows a frame every 16 ms, all alike but a late one or
 * three. */
#ifndef FRAME_LOG_H
#define FRAME_LOG_H

#include "base/alloc.h"
#include "mlog/mlog_writer.h"
#include "passes/pass_fold.h"

#include <stdio.h>

#define FRAME_LOG_NS 16000000ll
#define FRAME_LOG_STEP_NS 100000000ll /* a sample */
#define FRAME_LOG_BEGIN_NS 5000000000ll

struct frame_log {
	unsigned frames, late;           /* the number of the late one */
	int64_t late_ns;                 /* how long it takes, with its pass `scene` */
	unsigned cpu_late, present_late; /* others, likewise: 0 for none; their pass is as always */
	int64_t cpu_ns, present_ns;
	unsigned passes; /* of each frame, 0 for one: the n-th takes n parts of the time, `scene` the most */
	bool cut;        /* the recording crashed: there is no index */
};

static bool frame_log_bytes(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	return fwrite(bytes, 1, n, ctx) == n;
}

static void frame_log_name(const void *names, unsigned name, unsigned ordinal, char *text, size_t size)
{
	(void)names, (void)ordinal;
	snprintf(text, size, name ? "group/part %u" : "scene", name);
}

static bool frame_log_sample(struct mlog_writer *writer, struct pass_fold *fold, struct sample *sample,
			     int64_t end_ns)
{
	const struct pass_fold_app app = {.apps = 1,
					  .pid = 4711,
					  .writer = PASSES_VULKAN,
					  .stamp = PASSES_STAMP_BOTTOM,
					  .title = "game",
					  .driver = "",
					  .name = frame_log_name};
	struct err err;

	sample->seq++;
	sample->begin_ns = end_ns - FRAME_LOG_STEP_NS;
	sample->end_ns = end_ns;
	sample->n_values = PASS_FOLD_SLOTS;
	sample->n_more = PASS_MORE_WORDS;
	pass_fold_sample(fold, &app, sample->value);
	pass_fold_records(fold, end_ns, PASS_FOLD_SLOTS, sample);
	return mlog_writer_sample(writer, sample, &err) &&
	       (sample->seq % 10 || mlog_writer_flush(writer, &err));
}

static void frame_log_passes(const struct frame_log *log, struct pass_fold *fold, unsigned frame,
			     int64_t begin_ns, int64_t end_ns)
{
	unsigned n = log->passes ? log->passes : 1, parts = n * (n + 1) / 2;
	int64_t at = begin_ns;

	for (unsigned i = 1; i <= n; i++) {
		struct passes_event e = {.type = PASSES_PASS,
					 .frame = frame,
					 .name = (uint16_t)(i < n ? i : 0),
					 .begin_ns = at,
					 .end_ns = i < n ? at + (end_ns - begin_ns) / parts * i : end_ns};

		pass_fold_event(fold, &e, e.end_ns);
		at = e.end_ns;
	}
}

/* Frame 0 is the first one, which does not count. */
static bool frame_log_frames(const struct frame_log *log, struct mlog_writer *writer, struct pass_fold *fold,
			     struct sample *sample)
{
	int64_t at = FRAME_LOG_BEGIN_NS, due = at + FRAME_LOG_STEP_NS;

	for (unsigned i = 0; i <= log->frames; i++) {
		bool of_pass = i && i == log->late, of_cpu = i && i == log->cpu_late,
		     of_present = i && i == log->present_late;
		int64_t begin = at, ns = of_pass      ? log->late_ns
					 : of_cpu     ? log->cpu_ns
					 : of_present ? log->present_ns
						      : FRAME_LOG_NS;
		struct passes_event e;

		frame_log_passes(log, fold, i, begin + 1000000,
				 begin + (of_pass ? ns : FRAME_LOG_NS) - 5000000);
		at += ns;
		e = (struct passes_event){.type = PASSES_FRAME,
					  .frame = i,
					  .begin_ns = begin,
					  .end_ns = at,
					  .present_ns = of_present ? (uint32_t)(ns - FRAME_LOG_NS) : 0,
					  .wait_ns = (uint32_t)(of_pass ? ns : FRAME_LOG_NS) - 8000000,
					  .thread_ns = of_cpu ? (uint32_t)ns - 8000000 : 8000000,
					  .process_ns = 9000000,
					  .passes = (uint16_t)(log->passes ? log->passes : 1)};
		pass_fold_event(fold, &e, at);
		for (; at >= due; due += FRAME_LOG_STEP_NS)
			if (!frame_log_sample(writer, fold, sample, due))
				return false;
	}
	return frame_log_sample(writer, fold, sample, due);
}

/* Returns whether it was written. */
static bool frame_log_write(const struct frame_log *log, const char *path)
{
	AUTOFREE struct pass_fold *fold = xcalloc(1, sizeof(*fold));
	AUTOFREE struct sample *sample =
		xcalloc(1, sizeof(*sample) + (PASS_FOLD_SLOTS + PASS_MORE_WORDS) * sizeof(uint64_t));
	struct slot slots[PASS_FOLD_SLOTS];
	struct mlog_source source = {.kind = SOURCE_PASSES,
				     .backend = "passes",
				     .device = "",
				     .title = "Frames and passes",
				     .driver = "malitop's layer",
				     .note = "",
				     .product = "",
				     .period_ns = FRAME_LOG_STEP_NS,
				     .asked_ns = FRAME_LOG_STEP_NS,
				     .slots = slots,
				     .n_slots = PASS_FOLD_SLOTS,
				     .n_sums = PASS_FOLD_SLOTS};
	const struct mlog_about about = {.program = "malitop",
					 .host = "board",
					 .kernel = "Linux",
					 .scope = "machine",
					 .monotonic_ns = FRAME_LOG_BEGIN_NS,
					 .realtime_ns = 1700000000000000000ll,
					 .fps = 60,
					 .width = 1920,
					 .height = 1080,
					 .sources = &source,
					 .n_sources = 1};
	FILE *file = fopen(path, "we");
	struct mlog_writer *writer;
	struct err err;
	bool ok;

	if (!file)
		return false;
	pass_fold_slots(fold, slots);
	pass_fold_start(fold, 60);
	writer = mlog_writer_new(&about, frame_log_bytes, file, &err);
	ok = writer && frame_log_frames(log, writer, fold, sample) &&
	     (log->cut ? mlog_writer_flush(writer, &err) : mlog_writer_end(writer, &err));
	mlog_writer_free(writer);
	return fclose(file) == 0 && ok;
}

#endif
