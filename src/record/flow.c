#include "record/recorder_sink.h"

#include "base/real.h"

#include <string.h>

#define WAY_NS 300000000ll  /* of a long way there and back, which is not slow */
#define LATE_NS 600000000ll /* bytes that take longer than this are late */
#define LEAST_NS 5000000ll  /* less than this cannot be measured */
#define QUICK_S 1.2         /* of what is not slow: a burst is not cut by an old rate */
#define QUICK_BYTES 32768
#define PIECE_S 0.4 /* what one write may take on a slow connection */
#define AHEAD_S 0.2 /* what may be on its way when the next write begins */

static void drop_write(struct flow *f)
{
	memmove(f->writes, f->writes + 1, --f->n * sizeof(f->writes[0]));
}

void flow_wrote(struct flow *f, size_t n, int64_t now_ns)
{
	f->written += n;
	if (f->n == FLOW_WRITES)
		drop_write(f);
	f->writes[f->n].end = f->written;
	f->writes[f->n++].at_ns = now_ns;
}

/* The rate follows a connection that gets better as fast as one that gets worse. */
static void measure_write(struct flow *f, size_t bytes, int64_t took_ns)
{
	int64_t sent_ns = took_ns > 2 * WAY_NS ? took_ns - WAY_NS : took_ns < LEAST_NS ? LEAST_NS : took_ns;
	double rate = (double)bytes / ((double)sent_ns * 1e-9);

	f->slow = took_ns > LATE_NS || (f->slow && took_ns > 2 * WAY_NS);
	f->rate = f->rate > 0 ? (f->rate + rate) / 2 : rate;
}

void flow_acked(struct flow *f, uint64_t bytes, int64_t now_ns)
{
	uint64_t begin = f->acked;

	f->on = true;
	if (bytes > f->written)
		bytes = f->written; /* a greeting arrived before the stream */
	if (bytes <= f->acked)
		return;
	f->acked = bytes;
	for (; f->n && f->writes[0].end <= bytes; drop_write(f)) {
		measure_write(f, (size_t)(f->writes[0].end - begin), now_ns - f->writes[0].at_ns);
		begin = f->writes[0].end;
	}
}

size_t flow_room(const struct flow *f, int64_t now_ns)
{
	double under_way = (double)(f->written - f->acked);
	bool late = f->n && now_ns - f->writes[0].at_ns > LATE_NS;

	if (f->on && f->n && !(f->rate > 0))
		return 0; /* the start block shows it */
	if (!f->on)
		return SIZE_MAX;
	if (!f->slow && !late) {
		double most = real_max(f->rate * QUICK_S, QUICK_BYTES);

		return under_way < most ? (size_t)(most - under_way) : 0;
	}
	if (f->n == FLOW_WRITES || under_way > f->rate * AHEAD_S)
		return 0;
	return (size_t)(f->rate * PIECE_S) + 1;
}
