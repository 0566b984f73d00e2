/* What is done to the GPU on the screen, rather than to the screen: leave it alone for a while, and
 * let the kernel time its queues. */
#include "tui/live_priv.h"

#include <stdio.h>

/* A screen that has been paused for this long is taken as unwatched. */
#define REST_NS 10000000000ll

static void show_hint(struct live *l, const char *text)
{
	alerts_hint(&l->alerts, l->sys->monotonic_ns(l->sys), text);
}

void live_pause_gpu(struct live *l, int unused)
{
	bool pause = !session_gpu_is_paused(&l->session);

	(void)unused;
	if (!l->session.gpu)
		show_hint(l, "counting: there is no GPU");
	else if (l->session.gpu->away == AWAY_RESTS)
		show_hint(l, "counting: rests while the screen is paused; space goes on");
	else if (pause && l->recorder)
		show_hint(l, "counting: not while logging; l ends the log");
	else
		session_pause_gpu(&l->session, pause);
}

void live_rest(struct live *l, int64_t now)
{
	bool rest = l->paused_since_ns && !l->recorder && now - l->paused_since_ns >= REST_NS;

	l->dirty |= rest != l->session.rests;
	l->session.keeps_sources = l->recorder != NULL;
	session_rest(&l->session, rest);
}

void live_profile(struct live *l, int unused)
{
	const struct session_source *gpu = l->session.gpu;

	(void)unused;
	if (!gpu || !gpu->backend->profiles)
		show_hint(l, "profiling: only Panfrost and Panthor have this switch");
	else if (l->recorder)
		show_hint(l, "profiling: not while logging; l ends the log");
	else if (l->session.what.profiling)
		session_profile(&l->session, false);
	else
		l->confirms = true;
}

const struct foot_ask *live_gpu_asked(struct live *l)
{
	static const struct foot_ask ask = {
		.text = "have the kernel time all jobs of the GPU until malitop ends? needs root",
		.answers = "y/n"};

	return l->confirms ? &ask : NULL;
}

bool live_gpu_key(struct live *l, uint32_t key)
{
	if (!l->confirms || key == 0x03)
		return false;
	if (key == 'n' || key == 'N' || key == 'q' || key == K_ESCAPE)
		l->confirms = false;
	if (key != 'y' && key != 'Y')
		return true;
	l->confirms = false;
	session_profile(&l->session, true);
	return true;
}
