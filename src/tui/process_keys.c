#include "tui/process_pane.h"
#include "tui/process_signal.h"
#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- the rows ---- */

/* Each takes what its row in the table says as its number. */

static void do_move(struct process_pane *pane, int rows, struct strbuf *said)
{
	(void)said;
	process_pane_select(pane, (int64_t)pane->table.selected + rows);
}

static void do_page(struct process_pane *pane, int pages, struct strbuf *said)
{
	do_move(pane, pages * (pane->page > 1 ? (int)pane->page - 1 : 1), said);
}

static void do_top(struct process_pane *pane, int unused, struct strbuf *said)
{
	(void)unused, (void)said;
	pane->selected = (struct process_id){0};
	pane->table.selected = 0;
}

static void do_bottom(struct process_pane *pane, int unused, struct strbuf *said)
{
	(void)unused, (void)said;
	process_pane_select(pane, pane->table.n);
}

static void do_sort(struct process_pane *pane, int key, struct strbuf *said)
{
	(void)said;
	pane->table.order.key = (enum process_key)key;
	pane->table.order.reversed = false;
	process_pane_arrange(pane);
}

static void do_next_sort(struct process_pane *pane, int unused, struct strbuf *said)
{
	unsigned key = pane->table.order.key;

	(void)unused;
	do
		key = (key + 1) % PROCESS_KEYS;
	while (pane->table.unknown >> key & 1);
	do_sort(pane, (int)key, said);
}

static void do_reverse(struct process_pane *pane, int unused, struct strbuf *said)
{
	(void)unused, (void)said;
	pane->table.order.reversed = !pane->table.order.reversed;
	process_pane_arrange(pane);
}

static void do_tree(struct process_pane *pane, int unused, struct strbuf *said)
{
	(void)unused, (void)said;
	pane->table.order.tree = !pane->table.order.tree;
	process_pane_arrange(pane);
}

static void do_threads(struct process_pane *pane, int unused, struct strbuf *said)
{
	(void)unused, (void)said;
	pane->threads = !pane->threads;
}

static void do_type(struct process_pane *pane, int mode, struct strbuf *said)
{
	(void)said;
	pane->mode = (enum pane_mode)mode;
	memcpy(pane->typed, mode == PANE_FILTER ? pane->filter : pane->user, sizeof(pane->typed));
}

static void do_count(struct process_pane *pane, int unused, struct strbuf *said)
{
	const struct process *p = process_pane_selected(pane);
	struct process_id *counted = &pane->table.counted;

	(void)unused, (void)said;
	if (!p || !pane->count)
		return;
	if (process_is(p, *counted))
		p = NULL;
	*counted = p ? process_id_of(p) : (struct process_id){0};
	pane->count(pane->count_ctx, p);
}

static void signal_item(unsigned i, const char **name, const char **text)
{
	*name = process_signals[i].name;
	*text = process_signals[i].what;
}

/* Signals go to processes: that of a thread stands in for it. */
static void do_signal(struct process_pane *pane, int unused, struct strbuf *said)
{
	const struct process *p = process_pane_selected(pane);
	struct err err;

	(void)unused;
	if (p && p->is_thread)
		p = process_find(pane->list, p->parent);
	if (!p)
		return;
	if (!process_signal_allowed(p, &err)) {
		strbuf_str(said, err.text);
		return;
	}
	pane->target = *p;
	pane->mode = PANE_SIGNAL;
	snprintf(pane->title, sizeof(pane->title), " %d %s ", p->pid, p->name);
	pane->choice = (struct process_choice){.title = pane->title, .n = process_signals_n, .item = signal_item};
	pane->table.choice = &pane->choice;
}

static const struct {
	uint32_t key;
	void (*run)(struct process_pane *pane, int number, struct strbuf *said);
	int number;
	unsigned needs; /* NEEDS_LIVE */
} keys[] = {
	{K_UP, do_move, -1, 0},
	{K_DOWN, do_move, 1, 0},
	{K_WHEEL_UP, do_move, -1, 0},
	{K_WHEEL_DOWN, do_move, 1, 0},
	{K_PAGE_UP, do_page, -1, 0},
	{K_PAGE_DOWN, do_page, 1, 0},
	{K_HOME, do_top, 0, 0},
	{K_END, do_bottom, 0, 0},
	{'P', do_sort, PROCESS_BY_CPU, 0},
	{'M', do_sort, PROCESS_BY_MEMORY, 0},
	{'T', do_sort, PROCESS_BY_TIME, 0},
	{'N', do_sort, PROCESS_BY_PID, 0},
	{'s', do_next_sort, 0, 0},
	{'R', do_reverse, 0, 0},
	{'I', do_reverse, 0, 0},
	{'H', do_threads, 0, NEEDS_LIVE},
	{'t', do_tree, 0, 0},
	{'/', do_type, PANE_FILTER, 0},
	{'u', do_type, PANE_USER, 0},
	{'k', do_signal, 0, NEEDS_LIVE},
	{K_ENTER, do_count, 0, 0},
};

static bool key_in_rows(struct process_pane *pane, uint32_t key, struct strbuf *said)
{
	if (key == K_ESCAPE && (pane->filter[0] || pane->table.order.user)) {
		pane->filter[0] = 0;
		pane->table.order.user = NULL;
		pane->user[0] = 0;
		process_pane_arrange(pane);
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].key == key && (key != K_ENTER || pane->count) && !(keys[i].needs && pane->past)) {
			keys[i].run(pane, keys[i].number, said);
			return true;
		}
	return false;
}

/* ---- typing: every key belongs to the text ---- */

static bool key_in_filter(struct process_pane *pane, uint32_t key, struct strbuf *said)
{
	(void)said;
	if (key == K_ESCAPE)
		pane->typed[0] = 0;
	if (key == K_ESCAPE || key == K_ENTER)
		pane->mode = PANE_ROWS;
	else
		keys_type(pane->typed, sizeof(pane->typed), key);
	memcpy(pane->filter, pane->typed, sizeof(pane->filter));
	process_pane_arrange(pane);
	return true;
}

/* Half a name is nobody's: it counts when it is complete. */
static bool key_in_user(struct process_pane *pane, uint32_t key, struct strbuf *said)
{
	if (key == K_ESCAPE)
		pane->typed[0] = 0;
	if (key != K_ESCAPE && key != K_ENTER) {
		keys_type(pane->typed, sizeof(pane->typed), key);
		return true;
	}
	pane->mode = PANE_ROWS;
	memcpy(pane->user, pane->typed, sizeof(pane->user));
	pane->table.order.user = pane->user[0] ? pane->user : NULL;
	process_pane_arrange(pane);
	if (pane->list && !pane->table.n && !pane->filter[0])
		strbuf_printf(said, "user %s: has no process; Escape shows everybody's", pane->user);
	return true;
}

/* ---- signals ---- */

static bool key_in_signal(struct process_pane *pane, uint32_t key, struct strbuf *said)
{
	struct process_choice *c = &pane->choice;

	(void)said;
	switch (key) {
	case K_UP:
	case K_WHEEL_UP:
		c->at -= c->at > 0;
		break;
	case K_DOWN:
	case K_WHEEL_DOWN:
		c->at += c->at + 1 < c->n;
		break;
	case K_HOME:
		c->at = 0;
		break;
	case K_END:
		c->at = c->n - 1;
		break;
	case K_ENTER:
		pane->mode = PANE_CONFIRM;
		snprintf(pane->question, sizeof(pane->question), "send %s to %d %s?", process_signals[c->at].name,
			 pane->target.pid, pane->target.name);
		break;
	case K_ESCAPE:
	case 'q':
		process_pane_leave(pane);
		break;
	default:
		break;
	}
	return true;
}

/* Only a clear answer is one. */
static bool key_in_confirm(struct process_pane *pane, uint32_t key, struct strbuf *said)
{
	const struct process_signal *signal = &process_signals[pane->choice.at];
	struct err err;

	if (key == 'n' || key == 'N' || key == 'q' || key == K_ESCAPE)
		process_pane_leave(pane);
	if (key != 'y' && key != 'Y')
		return true;
	process_pane_leave(pane);
	if (process_signal_send(pane->sys, &pane->target, signal, &err))
		strbuf_printf(said, "%d %s: %s sent", pane->target.pid, pane->target.name, signal->name);
	else
		strbuf_str(said, err.text);
	return true;
}

void process_pane_leave(struct process_pane *pane)
{
	pane->mode = PANE_ROWS;
	pane->table.choice = NULL;
}

bool process_pane_key(struct process_pane *pane, uint32_t key, struct strbuf *said)
{
	static bool (*const modes[PANE_MODES])(struct process_pane * pane, uint32_t key, struct strbuf * said) = {
		[PANE_ROWS] = key_in_rows,     [PANE_FILTER] = key_in_filter,   [PANE_USER] = key_in_user,
		[PANE_SIGNAL] = key_in_signal, [PANE_CONFIRM] = key_in_confirm,
	};

	return key != 0x03 && modes[pane->mode](pane, key, said); /* Ctrl-C always quits */
}

/* ---- words ---- */

const struct foot_ask *process_pane_ask(struct process_pane *pane)
{
	static const struct foot_ask asks[PANE_MODES] = {
		[PANE_FILTER] = {"filter: ", "Enter keeps, Esc clears", true},
		[PANE_USER] = {"user: ", "Enter keeps, Esc clears", true},
		[PANE_SIGNAL] = {"which signal?", "Enter, Esc", false},
		[PANE_CONFIRM] = {"", "y/n", false},
	};

	pane->ask = asks[pane->mode];
	if (!pane->ask.text)
		return NULL;
	if (pane->mode != PANE_CONFIRM)
		snprintf(pane->question, sizeof(pane->question), "%s%s", pane->ask.text, pane->ask.typed ? pane->typed : "");
	pane->ask.text = pane->question;
	return &pane->ask;
}

/* What needs pane->count stands first. */
static const struct foot_key foot_keys[] = {
	{"Enter", "Enter", "count", 3, 0},
	{"/", "/", "filter", 2, 0},
	{"s", "s", "sort", 2, 0},
	{"t", "t", "tree", 3, 0},
	{"H", "H", "threads", 3, NEEDS_LIVE},
	{"k", "k", "signal", 2, NEEDS_LIVE},
	{.keys = NULL},
};

static const struct key_help helps[] = {
	{"Enter", NULL, "The CPU view counts the selected one alone; again: the whole machine", 0},
	{"Up, Down", NULL, "Select; so do PgUp, PgDn, End; Home: the first, whoever that is", 0},
	{"P, M, T, N", NULL, "Sort by CPU, memory, CPU time, pid", 0},
	{"s", NULL, "Sort by the next key", 0},
	{"R, I", NULL, "Turn the order round", 0},
	{"t, H", NULL, "The tree of parents and children; threads", NEEDS_LIVE},
	{"t", NULL, "The tree of parents and children", NEEDS_REPLAY},
	{"/, u", NULL, "Filter by name, pid or user; one user only. Escape: all again", 0},
	{"k", NULL, "Send a signal, after a question", NEEDS_LIVE},
	{NULL, NULL, NULL, 0},
};

const struct foot_key *process_pane_foot_keys(const struct process_pane *pane)
{
	return &foot_keys[!pane->count];
}

const struct key_help *process_pane_helps(const struct process_pane *pane)
{
	return &helps[!pane->count];
}
