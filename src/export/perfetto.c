#include "export/perfetto.h"

#include "base/proto.h"
#include "hot/hot_table.h"
#include "hot/hot_words.h"

/* Field numbers and values of Perfetto's messages. */
enum {
	PACKET_SEQUENCE = 10,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_PROCESS_TREE = 2,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_PERF_SAMPLE = 66,
};
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 }; /* of the defaults of a sequence */
enum { DEFAULTS_CLOCK = 58 };
enum { REALTIME = 1, MONOTONIC = 3, BOOTTIME = 6 };

/* Traces may be concatenated, so avoid the small numbers that Perfetto uses for its own
 * sequences. */
enum { SEQUENCE_TRACKS = 8150, SEQUENCE_HOT };
enum { TRACE_PACKET = 1 };
enum { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDERING = 11,
	TRACK_RANK = 12,
	TRACK_DESCRIPTION = 14,
	TRACK_MERGING = 15,
};
enum { ORDER_BY_RANK = 3 };
enum { MERGE_NEVER = 2 };
enum { COUNTER_UNIT_NAME = 6, COUNTER_SHARED_SCALE = 7 };
enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_VALUE = 44 };

/* Start a packet, which proto_end ends. State 0 means none. */
static size_t begin_packet(struct strbuf *out, unsigned sequence, unsigned state)
{
	size_t packet = proto_begin(out, TRACE_PACKET);

	proto_uint(out, PACKET_SEQUENCE, sequence);
	if (state)
		proto_uint(out, PACKET_SEQUENCE_FLAGS, state);
	return packet;
}

static void put_clock(struct strbuf *out, unsigned id, int64_t time_ns)
{
	size_t clock = proto_begin(out, SNAPSHOT_CLOCK);

	proto_uint(out, CLOCK_ID, id);
	proto_uint(out, CLOCK_TIMESTAMP, (uint64_t)time_ns);
	proto_end(out, clock);
}

void perfetto_clocks(const struct export_options *options, struct strbuf *out)
{
	size_t packet = begin_packet(out, SEQUENCE_TRACKS, STATE_CLEARED), part;

	part = proto_begin(out, PACKET_DEFAULTS);
	proto_uint(out, DEFAULTS_CLOCK, MONOTONIC);
	proto_end(out, part);
	part = proto_begin(out, PACKET_CLOCK_SNAPSHOT);
	put_clock(out, MONOTONIC, options->start_ns);
	put_clock(out, REALTIME, options->start_ns + options->epoch_offset_ns);
	if (options->boottime_ns)
		put_clock(out, BOOTTIME, options->boottime_ns);
	proto_uint(out, SNAPSHOT_PRIMARY, MONOTONIC);
	proto_end(out, part);
	proto_end(out, packet);
}

void perfetto_track(const struct track *track, struct strbuf *out)
{
	size_t packet = begin_packet(out, SEQUENCE_TRACKS, 0),
	       descriptor = proto_begin(out, PACKET_TRACK_DESCRIPTOR), counter;

	proto_uint(out, TRACK_UUID, track->uuid);
	proto_text(out, TRACK_NAME, track->name);
	if (track->parent)
		proto_uint(out, TRACK_PARENT, track->parent);
	if (track->description)
		proto_text(out, TRACK_DESCRIPTION, track->description);
	if (track->unit) {
		counter = proto_begin(out, TRACK_COUNTER);
		proto_text(out, COUNTER_UNIT_NAME, track->unit);
		if (track->scale)
			proto_text(out, COUNTER_SHARED_SCALE, track->scale);
		proto_end(out, counter);
	}
	proto_uint(out, TRACK_CHILD_ORDERING, ORDER_BY_RANK);
	proto_uint(out, TRACK_RANK, track->rank);
	proto_uint(out, TRACK_MERGING, MERGE_NEVER);
	proto_end(out, descriptor);
	proto_end(out, packet);
}

void perfetto_event(const struct export_table *table, const struct perfetto_event *event, struct strbuf *out)
{
	size_t packet = begin_packet(out, SEQUENCE_TRACKS, 0), part;

	proto_uint(out, PACKET_TIMESTAMP, (uint64_t)(event->time_ns - table->options->epoch_offset_ns));
	proto_uint(out, PACKET_SEQUENCE_FLAGS, STATE_NEEDED);
	part = proto_begin(out, PACKET_TRACK_EVENT);
	proto_uint(out, EVENT_TYPE, event->type);
	proto_uint(out, EVENT_TRACK, event->track);
	if (event->name)
		proto_text(out, EVENT_NAME, event->name);
	if (event->type == COUNTER)
		proto_double(out, EVENT_VALUE, event->value);
	proto_end(out, part);
	proto_end(out, packet);
}

/* ---- functions that ran, as packets for Perfetto's flame graphs ----
 *
 * Each sample of the source is a separate state, which interns its names and stacks again. */

#define DEEPEST 512

enum { TREE_PROCESS = 1, TREE_THREAD = 2 };
enum { TREE_PID = 1, TREE_COMMAND = 3, THREAD_TID = 1, THREAD_NAME = 2, THREAD_PID = 3 };
enum {
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME = 6,
	INTERNED_STACK = 7,
	INTERNED_PATH = 17,
	INTERNED_MAPPING = 19
};
enum {
	IID = 1,
	STRING_TEXT = 2,
	FRAME_FUNCTION = 2,
	FRAME_MAPPING = 3,
	FRAME_PC = 4,
	STACK_FRAMES = 2,
	MAPPING_PATH = 7
};
enum { SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_STACK = 4, SAMPLE_MODE = 5 };
enum { MODE_KERNEL = 1, MODE_USER = 2 };

static void put_string(struct strbuf *out, unsigned field, uint64_t iid, const char *text)
{
	size_t part = proto_begin(out, field);

	proto_uint(out, IID, iid);
	proto_text(out, STRING_TEXT, text);
	proto_end(out, part);
}

/* Return the number of a module's mapping, which is that of its text. */
static unsigned module_number(struct hot_profile *p, const char *module)
{
	return 1 + hot_profile_text(p, module);
}

/* Intern: a function is a name and a frame, a node is a stack. Numbers count from 1. */
static void put_interned(struct hot_profile *p, struct strbuf *out)
{
	char text[HOT_NAME_TEXT];
	size_t part;

	for (unsigned i = 0; i < p->n_functions; i++) {
		unsigned module = module_number(p, p->functions[i].module);

		put_string(out, INTERNED_PATH, module, p->functions[i].module);
		part = proto_begin(out, INTERNED_MAPPING);
		proto_uint(out, IID, module);
		proto_uint(out, MAPPING_PATH, module);
		proto_end(out, part);
		hot_function_text(&p->functions[i], text, sizeof(text));
		put_string(out, INTERNED_FUNCTION, i + 1, text);
		part = proto_begin(out, INTERNED_FRAME);
		proto_uint(out, IID, i + 1);
		proto_uint(out, FRAME_FUNCTION, i + 1);
		proto_uint(out, FRAME_MAPPING, module);
		proto_uint(out, FRAME_PC, p->functions[i].start);
		proto_end(out, part);
	}
	for (unsigned i = 0; i < p->n_nodes; i++) {
		uint32_t path[DEEPEST];
		unsigned n = 0;

		for (uint32_t node = i + 1; node && n < DEEPEST; node = p->nodes[node - 1].parent)
			path[n++] = p->nodes[node - 1].function;
		part = proto_begin(out, INTERNED_STACK);
		proto_uint(out, IID, i + 1);
		while (n--)
			proto_uint(out, STACK_FRAMES, path[n] + 1);
		proto_end(out, part);
	}
}

static void put_names(const struct hot_profile *p, struct strbuf *out)
{
	for (unsigned i = 0; i < p->n_threads; i++) {
		const struct hot_thread *t = &p->threads[i];
		size_t part = proto_begin(out, TREE_PROCESS);

		proto_uint(out, TREE_PID, t->pid);
		proto_text(out, TREE_COMMAND, t->process);
		proto_end(out, part);
		part = proto_begin(out, TREE_THREAD);
		proto_uint(out, THREAD_TID, t->tid);
		proto_text(out, THREAD_NAME, t->name);
		proto_uint(out, THREAD_PID, t->pid);
		proto_end(out, part);
	}
}

static void put_sample(void *out, const struct hot_profile *p, const struct hot_hit *hit, int64_t time_ns)
{
	size_t packet = begin_packet(out, SEQUENCE_HOT, STATE_NEEDED), part;
	const struct hot_thread *thread = &p->threads[hit->thread];
	bool kernel = strcmp(p->functions[p->nodes[hit->node].function].module, "[kernel]") == 0;

	proto_uint(out, PACKET_TIMESTAMP, (uint64_t)time_ns);
	part = proto_begin(out, PACKET_PERF_SAMPLE);
	proto_uint(out, SAMPLE_PID, thread->pid);
	proto_uint(out, SAMPLE_TID, thread->tid);
	proto_uint(out, SAMPLE_STACK, hit->node + 1);
	proto_uint(out, SAMPLE_MODE, kernel ? MODE_KERNEL : MODE_USER);
	proto_end(out, part);
	proto_end(out, packet);
}

void perfetto_hot(const struct sample *sample, struct strbuf *out)
{
	AUTO_STRBUF struct strbuf samples = {0};
	struct hot_profile p = {0};
	size_t packet, part;

	hot_words_walk(&p, sample, NULL, put_sample, &samples);
	if (samples.n) {
		packet = begin_packet(out, SEQUENCE_HOT, STATE_CLEARED);
		proto_uint(out, PACKET_TIMESTAMP, (uint64_t)sample->begin_ns);
		part = proto_begin(out, PACKET_DEFAULTS);
		proto_uint(out, DEFAULTS_CLOCK, MONOTONIC);
		proto_end(out, part);
		part = proto_begin(out, PACKET_INTERNED);
		put_interned(&p, out);
		proto_end(out, part);
		proto_end(out, packet);
		packet = begin_packet(out, SEQUENCE_HOT, STATE_NEEDED);
		proto_uint(out, PACKET_TIMESTAMP, (uint64_t)sample->begin_ns);
		part = proto_begin(out, PACKET_PROCESS_TREE);
		put_names(&p, out);
		proto_end(out, part);
		proto_end(out, packet);
		strbuf_add(out, samples.p, samples.n);
	}
	hot_profile_fini(&p);
}
