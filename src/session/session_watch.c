#include "session/session.h"

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
