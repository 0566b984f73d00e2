/* What the user decides about the GPU on the screen: not to count, so that it may sleep, and to
 * have the kernel time its queues. Its source is closed, and opened again to go on. */
#include "session/session_priv.h"

static void drop_gpu(struct session *session, enum session_away why, int64_t retry_ns)
{
	sampler_drop(session->sampler, session->gpu->index);
	session->gpu->away = why;
	session->gpu->retry_ns = retry_ns;
}

bool session_gpu_is_paused(const struct session *session)
{
	return session->gpu && session->gpu->paused;
}

void session_pause_gpu(struct session *session, bool pause)
{
	session->gpu->paused = pause;
	if (pause)
		drop_gpu(session, AWAY_PAUSED, INT64_MAX);
	else if (session->gpu->away == AWAY_PAUSED)
		session->gpu->retry_ns = 0;
}

void session_profile(struct session *session, bool on)
{
	session->what.profiling = on;
	if (!session->gpu->paused)
		drop_gpu(session, AWAY_SWITCHED, 0);
}
