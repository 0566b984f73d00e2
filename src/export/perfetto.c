#include "export/perfetto.h"

enum { TRACE_PACKET = 1 };
enum { PACKET_SEQUENCE = 10, PACKET_SEQUENCE_FLAGS = 13 };
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

size_t perfetto_packet(struct strbuf *out, unsigned sequence, unsigned state)
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
	size_t packet = perfetto_packet(out, SEQUENCE_TRACKS, STATE_CLEARED), part;

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
	size_t packet = perfetto_packet(out, SEQUENCE_TRACKS, 0),
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
	size_t packet = perfetto_packet(out, SEQUENCE_TRACKS, 0), part;

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
