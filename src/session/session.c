/* The sources of a session: taken over, shown, compared. */
#include "session/session_priv.h"

#include "base/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RING_NS 4000000000ll
#define RING_SAMPLES_MIN 64
#define RING_MORE 16 /* samples with all words that they can have: short ones have few */

struct metric_set *session_set(const struct session *session, const struct gpudb *db,
			       const struct session_source *source, const struct gpu_layout *layout,
			       const struct slot *slots, struct err *err)
{
	return metric_set_new(db,
			      &(struct metric_source){
				      .product = source->product,
				      .layout = layout,
				      .slots = slots,
				      .n_slots = source->n_slots,
				      .constants = source->constants,
				      .frames_per_second = session->fps,
				      .screen_pixels = (double)session->resolution.w * session->resolution.h,
				      .definitions = session->options->definitions,
			      },
			      err);
}

bool session_take_source(struct session *session, const struct source *source, struct err *err)
{
	struct session_source *mine = &session->sources[session->n];

	if (session->n == SESSION_SOURCES_MAX)
		return err_set(err, 0, "more than %d devices: choose with --backend or --device",
			       SESSION_SOURCES_MAX);
	if (session->options->definitions == DEFINITIONS_GUIDE && source->product &&
	    !template_guide_of(session->db, source->product))
		return err_set(
			err, ERR_USAGE,
			"--definitions guide: %s has no guide: Mali-G52, Mali-G715 and Mali-G625 have one",
			source->product->name);
	*mine = (struct session_source){
		.backend = source->backend,
		.kind = source->kind,
		.simulated = source->simulated,
		.keeps_powered = source->keeps_powered,
		.n_slots = source->n_slots,
		.n_sums = source->n_sums,
		.n_more = source->n_more,
		.constants = source->constants,
		.product = source->product,
		.asked_ns = session->options->interval_ns,
		.requested = session->options->interval_given,
	};
	snprintf(mine->device, sizeof(mine->device), "%s", source->device);
	snprintf(mine->interface, sizeof(mine->interface), "%s", source->interface);
	str_printable(mine->title, sizeof(mine->title), source->title);
	str_printable(mine->driver, sizeof(mine->driver), source->driver);
	str_printable(mine->note, sizeof(mine->note), source->note);
	if (source->note[0])
		strbuf_printf(&session->notes, "%s\n", source->note);
	session->has_past |= source->simulated && session->what.history_ns;
	mine->set = session_set(session, session->db, mine, source->layout, source->slots, err);
	session->n += mine->set != NULL;
	return mine->set != NULL;
}

void session_show_gpu(struct session *session, struct session_source *gpu)
{
	template_view_fini(&session->templ);
	session->gpu = gpu;
	if (gpu)
		template_view_init(&session->templ, session->db, gpu->set);
}

void session_show_first(struct session *session)
{
	for (unsigned i = session->n; i-- > 0;)
		if (source_is_device(session->sources[i].kind, session->sources[i].device,
				     session->options->device))
			session->gpu = &session->sources[i];
	session_show_gpu(session, session->gpu);
}

struct session_source *session_shown(struct session *session, enum source_kind kind)
{
	if (kind == SOURCE_GPU)
		return session->gpu;
	if (kind == SOURCE_MIX)
		return session->mix ? &session->mixed : NULL;
	if (kind == SOURCE_PERF && session->counting)
		return session->picked;
	for (unsigned i = 0; i < session->n; i++)
		if (session->sources[i].kind == kind && &session->sources[i] != session->picked)
			return &session->sources[i];
	return NULL;
}

unsigned session_gpus(const struct session *session, unsigned *shown)
{
	unsigned n = 0;

	*shown = 0;
	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];

		n += s->kind == SOURCE_GPU && s->away != AWAY_TURNED;
		if (s == session->gpu)
			*shown = n;
	}
	return n;
}

bool session_is_same(const struct session_source *mine, const struct source *source)
{
	const struct source_constants *a = &mine->constants, *b = &source->constants;
	const struct slot *x = mine->set->slots, *y = source->slots;

	if (source->product != mine->product || source->n_slots != mine->n_slots ||
	    source->n_sums != mine->n_sums || a->core_mask != b->core_mask ||
	    a->core_count != b->core_count || a->l2_slice_count != b->l2_slice_count ||
	    a->bus_width_bits != b->bus_width_bits)
		return false;
	for (unsigned i = 0; i < mine->n_slots; i++, x++, y++)
		if (strcmp(x->name, y->name) != 0 || x->kind != y->kind || x->instance != y->instance ||
		    x->number != y->number || x->scale != y->scale)
			return false;
	return true;
}

bool session_is_missing(const struct err *err)
{
	return err->code == ENOENT || err->code == ENODEV || err->code == ENXIO;
}

struct subscriber *session_subscriber(struct session *session, unsigned parts)
{
	size_t bytes[SESSION_SOURCES_MAX] = {0};

	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];
		int64_t samples = s->kind != SOURCE_CPU ? RING_NS / s->asked_ns + 1 : 0;

		samples = samples > RING_SAMPLES_MIN ? samples : RING_SAMPLES_MIN;
		if (s->simulated && session->has_past)
			samples += session->what.history_ns / SOURCE_HISTORY_STEP_NS + 1;
		bytes[s->index] =
			ring_bytes((size_t)samples, subscriber_values(parts, s->n_sums, s->n_slots));
		if (parts & SUBSCRIBER_MORE)
			bytes[s->index] += ring_bytes(RING_MORE, s->n_more);
	}
	return sampler_attach(session->sampler, bytes, SESSION_SOURCES_MAX, parts);
}

void session_report_notes(const struct session *session, const char *about)
{
	struct span rest = {session->notes.p, session->notes.n};

	while (rest.n) {
		struct span line = span_until(&rest, '\n');

		message("%s%s%.*s", about ? about : "", about ? ": " : "", SPAN_ARG(line));
	}
}

/* The verdict stands at the end of every table of one run, in the objects of jsonl, in a trace, at
 * the end of a recording, and in what serve shows, if there is a GPU. Other formats have no place
 * for it. */
static bool is_judged(const struct session *session)
{
	const struct options *o = session->options;
	bool names =
		o->command == COMMAND_RECORD || o->command == COMMAND_SERVE ||
		((o->command == COMMAND_STAT || o->command == COMMAND_EXPORT) && !o->repeat &&
		 (o->format == FORMAT_TABLE || o->format == FORMAT_JSONL || o->format == FORMAT_PERFETTO));

	return o->findings || o->tables || (names && session->gpu);
}

struct watch *session_watch(const struct session *session)
{
	struct watch_source sources[SESSION_SOURCES_MAX];

	for (unsigned i = 0; i < session->n; i++)
		sources[i] = (struct watch_source){.index = session->sources[i].index,
						   .kind = session->sources[i].kind,
						   .set = session->sources[i].set};
	return is_judged(session) ? watch_new(session->db, sources, session->n, session->mix) : NULL;
}
