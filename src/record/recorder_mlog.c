/* A recorder's sink for raw counters: .mlog. What happens beside the samples is its own business: the wall clock, processes, the size of
 * a file. */
#include "record/recorder_sink.h"

#include "session/scanner.h"
#include "base/alloc.h"
#include "config.h"
#include "mlog/mlog_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define CLOCK_STEP_NS 10000000 /* more than the wall clock's own hand moves it */
#define PROCESSES_NS 1000000000ll
#define PROCESSES_SHARE 50 /* the 50th part of a CPU at most: where reading them takes longer, they come every so many seconds */

struct raw {
	struct recorder_sink sink;
	const struct session *session;
	struct mlog_about about; /* the slots of its sources are owned, all else is not */
	struct mlog_source sources[SESSION_SOURCES_MAX];
	struct utsname machine;
	char kernel[200], scope[256];
	struct mlog_writer *writer;
	struct scanner *scanner; /* NULL: /proc is not read */
	int64_t offset_ns;       /* of the wall clock, as the log tells */
	uint64_t n;              /* samples */
};

static struct raw *of(struct recorder_sink *sink)
{
	return (struct raw *)sink;
}

/* ---- what is measured ---- */

/* The slots' own titles go with the source; its metrics keep copies. */
static const char *title_of(const struct metric_set *set, const struct slot *slot)
{
	for (unsigned i = 0; i < set->n_instances; i++) {
		const struct metric_instance *in = &set->instances[i];

		if (in->kind == slot->instance && in->number == slot->number)
			return strcmp(in->title, in->label) == 0 ? NULL : in->title;
	}
	return NULL;
}

static void describe_source(struct mlog_source *log, const struct session_source *s, bool per_core)
{
	unsigned n = per_core ? s->n_slots : s->n_sums;

	*log = (struct mlog_source){
		.kind = s->kind,
		.backend = s->backend ? s->backend->name : "",
		.device = s->device,
		.title = s->title,
		.driver = s->driver,
		.note = s->note,
		.product = s->product ? s->product->name : "",
		.period_ns = s->period_ns ? s->period_ns : s->asked_ns,
		.asked_ns = s->asked_ns,
		.simulated = s->simulated,
		.top_hz = s->top_hz,
		.core_count = s->constants.core_count,
		.l2_slice_count = s->constants.l2_slice_count,
		.bus_width_bits = s->constants.bus_width_bits,
		.block_values = s->constants.block_values,
		.core_mask = s->constants.core_mask,
		.slots = xcalloc(n, sizeof(*log->slots)),
		.n_slots = n,
		.n_sums = s->n_sums,
	};
	memcpy(log->slots, s->set->slots, n * sizeof(*log->slots));
	for (unsigned i = 0; i < n; i++)
		log->slots[i].title = title_of(s->set, &log->slots[i]);
}

static void describe_scope(char *text, size_t size, const struct scope *scope)
{
	static const char *const words[] = {[SCOPE_MACHINE] = "machine",
					    [SCOPE_CPUS] = "cpus",
					    [SCOPE_PROCESS] = "process",
					    [SCOPE_THREAD] = "thread",
					    [SCOPE_COMMAND] = "command"};

	if (scope->kind == SCOPE_CPUS)
		snprintf(text, size, "%s %s", words[scope->kind], scope->cpus);
	else if (scope->kind == SCOPE_PROCESS || scope->kind == SCOPE_THREAD)
		snprintf(text, size, "%s %d", words[scope->kind], (int)scope->pid);
	else
		snprintf(text, size, "%s", words[scope->kind]);
}

static void describe(struct raw *r, const struct session *session)
{
	const struct options *o = session->options;
	struct utsname *m = &r->machine;

	uname(m); /* which cannot fail */
	snprintf(r->kernel, sizeof(r->kernel), "%s %s %s", m->sysname, m->release, m->machine);
	describe_scope(r->scope, sizeof(r->scope), &session->what.scope);
	r->about = (struct mlog_about){.program = "malitop " PACKAGE_VERSION,
				       .host = m->nodename,
				       .kernel = r->kernel,
				       .scope = r->scope,
				       .fps = session->fps,
				       .width = session->resolution.w,
				       .height = session->resolution.h,
				       .sources = r->sources,
				       .n_sources = session->n};
	for (unsigned i = 0; i < session->n; i++)
		describe_source(&r->sources[i], &session->sources[i], o->per_core);
}

/* ---- the wall clock ---- */

/* A moment by both clocks; returns how long it took to ask, by which they may be apart. */
static int64_t read_clocks(const struct sys *sys, int64_t *monotonic_ns, int64_t *realtime_ns)
{
	*monotonic_ns = sys->monotonic_ns(sys);
	*realtime_ns = sys->realtime_ns(sys);
	return sys->monotonic_ns(sys) - *monotonic_ns;
}

static void set_clock(struct raw *r)
{
	read_clocks(r->session->sys, &r->about.monotonic_ns, &r->about.realtime_ns);
	r->offset_ns = r->about.realtime_ns - r->about.monotonic_ns;
}

/* Somebody set the wall clock, or the machine was suspended. */
static bool look_at_clock(struct raw *r, struct err *err)
{
	int64_t monotonic_ns, realtime_ns, blur_ns = read_clocks(r->session->sys, &monotonic_ns, &realtime_ns);
	int64_t moved_ns = realtime_ns - monotonic_ns - r->offset_ns;

	if (moved_ns >= -CLOCK_STEP_NS - blur_ns && moved_ns <= CLOCK_STEP_NS + blur_ns)
		return true;
	r->offset_ns += moved_ns;
	return mlog_writer_note(
		r->writer,
		&(struct mlog_note){.kind = MLOG_NOTE_CLOCK, .time_ns = monotonic_ns, .source = -1, .value = r->offset_ns}, err);
}

/* ---- the sink ---- */

static bool write_block(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct raw *r = of(ctx);

	if (!log_file_write(r->sink.file, bytes, n, err))
		return false;
	r->sink.rows = r->n; /* a block has all that came before it */
	return true;
}

static void want_processes(struct raw *r, int64_t cost_ns)
{
	int64_t period_ns = PROCESSES_NS * (1 + cost_ns * PROCESSES_SHARE / PROCESSES_NS);

	scanner_want(r->scanner, &(struct process_wish){.gpu_memory = true}, period_ns);
}

static bool start_scanner(struct raw *r, struct err *err)
{
	const struct session *session = r->session;

	for (unsigned i = 0; i < session->n && !r->scanner; i++)
		if (session->sources[i].kind == SOURCE_CPU && !(r->scanner = scanner_new(session->sys, err)))
			return err_prefix(err, "log: ");
	if (r->scanner)
		want_processes(r, 0);
	return true;
}

static bool mlog_begin(struct recorder_sink *sink, struct err *err)
{
	struct raw *r = of(sink);

	set_clock(r);
	r->writer = mlog_writer_new(&r->about, write_block, sink, err);
	return r->writer && start_scanner(r, err);
}

static bool mlog_sample(struct recorder_sink *sink, const struct sample *sample, struct err *err)
{
	of(sink)->n++;
	return mlog_writer_sample(of(sink)->writer, sample, err);
}

static bool mlog_note(struct recorder_sink *sink, const struct mlog_note *note, struct err *err)
{
	return mlog_writer_note(of(sink)->writer, note, err);
}

static bool take_processes(struct raw *r, struct err *err)
{
	struct process_list *list = r->scanner ? scanner_take(r->scanner) : NULL;
	bool ok = !list || mlog_writer_processes(r->writer, list, err);

	if (list)
		want_processes(r, list->cost_ns);
	process_list_free(list);
	return ok;
}

/* The next file begins with the wall clock as it is by then. */
static bool rotate(struct raw *r, struct err *err)
{
	uint64_t most = r->session->options->rotate_bytes;

	if (!most || mlog_writer_bytes(r->writer) < most)
		return true;
	if (!mlog_writer_end(r->writer, err) || !log_file_next(r->sink.file, err))
		return false;
	set_clock(r);
	return mlog_writer_restart(r->writer, err);
}

static bool mlog_flush(struct recorder_sink *sink, struct err *err)
{
	struct raw *r = of(sink);

	return look_at_clock(r, err) && take_processes(r, err) && mlog_writer_flush(r->writer, err) && rotate(r, err);
}

static bool mlog_end(struct recorder_sink *sink, const struct export_command *total, struct err *err)
{
	(void)total; /* of rows */
	return mlog_writer_end(of(sink)->writer, err);
}

static void mlog_free(struct recorder_sink *sink)
{
	struct raw *r = of(sink);

	scanner_free(r->scanner);
	mlog_writer_free(r->writer);
	for (unsigned i = 0; i < r->about.n_sources; i++)
		free(r->sources[i].slots);
	free(r);
}

static const struct recorder_sink_kind raw = {
	.begin = mlog_begin, .sample = mlog_sample, .note = mlog_note, .flush = mlog_flush, .end = mlog_end, .free = mlog_free};

struct recorder_sink *recorder_mlog_new(const struct session *session)
{
	struct raw *r = xcalloc(1, sizeof(*r));

	r->sink.kind = &raw;
	r->session = session;
	describe(r, session);
	return &r->sink;
}
