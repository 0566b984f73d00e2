/* The live screen when it shows a log. */
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
	int64_t period_ns;

	player_want_processes(l->player, screen_wants_processes(&l->screen, &wish, &period_ns));
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
	live_follow_range(l);
	rest = (struct span){said->p, said->n};
	while (rest.n)
		alerts_add(&l->alerts, now, span_until(&rest, '\n').p);
	strbuf_clear(said);
	take_processes(l);
	if (now >= l->next_step_ns) { /* alerts expire, and the log may grow */
		l->next_step_ns = now + l->feeds.refresh_ns;
		l->dirty = true;
	}
	if (l->options->duration_ns && now - l->start_ns >= l->options->duration_ns)
		l->end = true;
}

/* ---- "go to", "filter" and "compare with": a typed line, live as well ---- */

void live_ask(struct live *l)
{
	l->typed[0] = 0;
	l->asks = ASK_TIME;
}

void live_ask_filter(struct live *l)
{
	snprintf(l->typed, sizeof(l->typed), "%s", l->screen.filter);
	l->asks = ASK_FILTER;
}

void live_ask_compare(struct live *l)
{
	l->typed[0] = 0;
	l->asks = ASK_COMPARE;
}

const struct foot_ask *live_asked(struct live *l)
{
	static const struct {
		const char *question, *answers, *of_log; /* of_log: its answers, if they differ */
	} asks[] = {
		[ASK_TIME] = {"go to", "14:02:11 -30s 50%, Enter, Esc", "90s 1:30 +10s 50%, Enter, Esc"},
		[ASK_FILTER] = {"filter", "part of a name, Enter, Esc: all", NULL},
		[ASK_COMPARE] = {"compare with mark", "its number, Enter: this moment, Esc", NULL},
	};

	if (!l->asks)
		return live_gpu_asked(l);
	snprintf(l->question, sizeof(l->question), "%s: %s", asks[l->asks].question, l->typed);
	l->ask = (struct foot_ask){.text = l->question,
				   .answers = l->player && asks[l->asks].of_log ? asks[l->asks].of_log
										: asks[l->asks].answers,
				   .typed = true};
	return &l->ask;
}

/* The view follows while one types. */
static void set_filter(struct live *l, uint32_t key)
{
	snprintf(l->screen.filter, sizeof(l->screen.filter), "%s", key == K_ESCAPE ? "" : l->typed);
	l->screen.scroll.at = 0;
	screen_select(&l->screen, NULL);
}

bool live_key_typed(struct live *l, uint32_t key, int64_t now)
{
	bool ends = key == K_ENTER || key == K_ESCAPE, filters = l->asks == ASK_FILTER,
	     compares = l->asks == ASK_COMPARE;
	struct err err;

	if (!l->asks || key == 0x03)
		return false;
	if (!ends)
		term_key_type(l->typed, sizeof(l->typed), key);
	else
		l->asks = ASK_NOTHING;
	if (filters)
		set_filter(l, key);
	else if (compares && key == K_ENTER)
		live_compare_with(l, l->typed);
	else if (!compares && key == K_ENTER && l->typed[0] && !live_jump(l, l->typed, &err))
		alerts_add(&l->alerts, now, err.text);
	return true;
}
