/* What is different where the live screen shows a log. */
#include "tui/live_priv.h"

#include <stdio.h>
#include <string.h>

bool live_open_log(struct live *l, struct err *err)
{
	l->player = player_open(&l->session, l->sys, l->options, err);
	return l->player != NULL;
}

bool live_start_log(struct live *l, int64_t now, struct err *err)
{
	AUTO_STRBUF struct strbuf complaint = {0};

	if (!player_start(l->player, &l->feeds, now, err))
		return false;
	screen_of_log(&l->screen, l->player);
	player_complain(l->player, &complaint);
	if (complaint.n)
		alerts_add(&l->alerts, now, complaint.p);
	return true;
}

static void take_processes(struct live *l)
{
	struct process_list *list;
	struct process_wish wish;

	player_want_processes(l->player, screen_wants_processes(&l->screen, &wish));
	if (l->jumps != player_jumps(l->player))
		screen_forget_processes(&l->screen);
	l->jumps = player_jumps(l->player);
	list = player_take_processes(l->player);
	if (list)
		screen_take_processes(&l->screen, list);
}

void live_run_log(struct live *l, int64_t now)
{
	struct strbuf *said = player_said(l->player);
	struct span rest;

	l->dirty |= player_run(l->player, now);
	rest = (struct span){said->p, said->n};
	while (rest.n)
		alerts_add(&l->alerts, now, span_until(&rest, '\n').p);
	strbuf_clear(said);
	take_processes(l);
	if (now >= l->next_step_ns) { /* alerts go, a log grows */
		l->next_step_ns = now + l->feeds.refresh_ns;
		l->dirty = true;
	}
	if (l->options->duration_ns && now - l->start_ns >= l->options->duration_ns)
		l->end = true;
}

/* ---- "go to": a line that is typed ---- */

void live_ask(struct live *l)
{
	l->typed[0] = 0;
	l->asks = true;
}

const struct foot_ask *live_asked(struct live *l)
{
	if (!l->asks)
		return NULL;
	snprintf(l->question, sizeof(l->question), "go to: %s", l->typed);
	l->ask = (struct foot_ask){.text = l->question, .answers = "90s 1:30 +10s 50%, Enter, Esc", .typed = true};
	return &l->ask;
}

bool live_key_typed(struct live *l, uint32_t key, int64_t now)
{
	struct err err;

	if (!l->asks || key == 0x03)
		return false;
	if (key != K_ENTER && key != K_ESCAPE) {
		keys_type(l->typed, sizeof(l->typed), key);
		return true;
	}
	l->asks = false;
	if (key == K_ENTER && l->typed[0] && !player_go(l->player, l->typed, &err))
		alerts_add(&l->alerts, now, err.text);
	return true;
}
