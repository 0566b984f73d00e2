#include "tui/process_pane.h"
#include "session/process_signal.h"
#include "base/alloc.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* ---- the rows ---- */

static bool has_rows(const struct process_pane *pane)
{
	if (!pane->table.n)
		strbuf_str(pane->said,
			   pane->list ? "no process in the list to select" : "no processes were read yet");
	return pane->table.n > 0;
}

static void move_selection(struct process_pane *pane, int rows)
{
	if (!has_rows(pane))
		return;
	process_pane_select(pane, (int64_t)pane->table.selected + rows);
}

static void move_by_pages(struct process_pane *pane, int pages)
{
	move_selection(pane, pages * (pane->page > 1 ? (int)pane->page - 1 : 1));
}

static void select_edge_row(struct process_pane *pane, int way)
{
	if (!has_rows(pane))
		return;
	if (way > 0) {
		process_pane_select(pane, pane->table.n);
		return;
	}
	pane->selected = (struct process_id){0};
	pane->table.selected = 0;
}

static void sort_rows(struct process_pane *pane, int key)
{
	pane->table.order.key = (enum process_key)key;
	pane->table.order.reversed = false;
	process_pane_arrange(pane);
}

static void sort_by_next_key(struct process_pane *pane)
{
	unsigned key = pane->table.order.key;

	do
		key = (key + 1) % PROCESS_KEYS;
	while (pane->table.unknown >> key & 1);
	sort_rows(pane, (int)key);
}

static void sort_item(unsigned key, const char **name, const char **text)
{
	static const char *const words[PROCESS_KEYS] = {
		[PROCESS_BY_CPU] = "time on the CPUs now",
		[PROCESS_BY_MEMORY] = "memory in RAM",
		[PROCESS_BY_GPU] = "time on the GPU now",
		[PROCESS_BY_GPU_MEMORY] = "GPU memory",
		[PROCESS_BY_TIME] = "CPU time since the start",
		[PROCESS_BY_PID] = "process number",
		[PROCESS_BY_NAME] = "name of the program",
		[PROCESS_BY_USER] = "owner",
		[PROCESS_BY_THREADS] = "number of threads",
		[PROCESS_BY_STATE] = "running, waiting, sleeping",
		[PROCESS_BY_IPC] = "instructions per cycle",
		[PROCESS_BY_GPU_FRAGMENT] = "time on the GPU's fragment queue",
		[PROCESS_BY_GPU_VERTEX] = "time on the GPU's vertex and tiler queue",
		[PROCESS_BY_WAIT] = "time ready, without a CPU",
		[PROCESS_BY_MISSES] = "reads that no cache had, per 1000 instructions",
	};

	*name = process_key_title(key);
	*text = words[key];
}

static void choose_sort(struct process_pane *pane)
{
	struct process_choice *c = &pane->choice;

	*c = (struct process_choice){.title = " sort by ", .ids = pane->sort_keys, .item = sort_item};
	for (unsigned key = 0; key < PROCESS_KEYS; key++) {
		if (pane->table.unknown >> key & 1)
			continue;
		if (key == pane->table.order.key)
			c->at = c->n;
		pane->sort_keys[c->n++] = key;
	}
	pane->mode = PANE_SORT;
	pane->table.choice = c;
}

static void toggle_kernel(struct process_pane *pane)
{
	char count[UNITS_TEXT];

	pane->table.order.no_kernel = !pane->table.order.no_kernel;
	strbuf_printf(pane->said, "kernel threads: %s %s", count_format(count, pane->table.n_kernel),
		      pane->table.order.no_kernel ? "hidden" : "shown");
	process_pane_arrange(pane);
}

static void toggle_commands(struct process_pane *pane)
{
	pane->table.commands = !pane->table.commands;
}

static void reverse_order(struct process_pane *pane)
{
	pane->table.order.reversed = !pane->table.order.reversed;
	process_pane_arrange(pane);
}

static void toggle_tree(struct process_pane *pane)
{
	pane->table.order.tree = !pane->table.order.tree;
	process_pane_arrange(pane);
}

static void toggle_threads(struct process_pane *pane)
{
	pane->threads = !pane->threads;
	if (pane->paused_ns)
		strbuf_printf(pane->said, "threads: %s when the screen resumes (space)",
			      pane->threads ? "listed" : "hidden");
}

static void type_text(struct process_pane *pane, int mode)
{
	const char *const texts[PANE_MODES] = {
		[PANE_FILTER] = pane->filter, [PANE_SEARCH] = pane->search, [PANE_USER] = pane->user};

	pane->mode = (enum pane_mode)mode;
	memcpy(pane->typed, texts[mode], sizeof(pane->typed));
}

static void toggle_counting(struct process_pane *pane)
{
	const struct process *p = process_pane_selected(pane);
	struct process_id *counted = &pane->table.counted;

	if (!has_rows(pane))
		return;
	if (!pane->count) {
		strbuf_str(pane->said,
			   pane->ask_signal ? "Enter: not over a connection: give malitop on --pid"
			   : pane->past     ? "Enter: not in a replay"
					    : "Enter: no CPU events to count here; malitop doctor says why");
		return;
	}
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

/* Signals go to processes. If a thread is selected, its process gets the signal. */
static void choose_signal(struct process_pane *pane)
{
	const struct process *p = process_pane_selected(pane);
	struct err err;

	if (!has_rows(pane))
		return;
	if (p->is_thread)
		p = process_find(pane->list, p->parent);
	if (!p) {
		strbuf_str(pane->said, "signal: the thread's process is not in the list");
		return;
	}
	if (!process_signal_allowed(p, &err)) {
		strbuf_str(pane->said, err.text);
		return;
	}
	pane->target = *p;
	pane->mode = PANE_SIGNAL;
	snprintf(pane->title, sizeof(pane->title), " %d %s ", p->pid, p->name);
	pane->choice =
		(struct process_choice){.title = pane->title, .n = process_signals_n, .item = signal_item};
	pane->table.choice = &pane->choice;
}

/* Ignore clicks while a choice or a question is open. */
void process_pane_click_title(struct process_pane *pane, enum process_key key)
{
	if (pane->mode != PANE_ROWS)
		return;
	if (pane->table.order.key == key)
		reverse_order(pane);
	else
		sort_rows(pane, (int)key);
}

void process_pane_click_row(struct process_pane *pane, unsigned row)
{
	if (pane->mode == PANE_ROWS)
		process_pane_select(pane, row);
}

unsigned process_pane_has(const struct process_pane *pane)
{
	unsigned has = pane->past ? NEEDS_REPLAY : NEEDS_LIVE;

	if (!pane->past || pane->ask_signal)
		has |= NEEDS_MACHINE;

	return pane->count ? has | NEEDS_COUNT : has;
}

/* Some actions get the number of the pressed key (enum action). */
static const struct {
	void (*act)(struct process_pane *pane);
	void (*act_by)(struct process_pane *pane, int number);
} actions[] = {
	[ACTION_SELECT] = {.act_by = move_selection}, [ACTION_PAGE] = {.act_by = move_by_pages},
	[ACTION_EDGE] = {.act_by = select_edge_row},  [ACTION_COUNT] = {.act = toggle_counting},
	[ACTION_SORT] = {.act_by = sort_rows},        [ACTION_NEXT_SORT] = {.act = sort_by_next_key},
	[ACTION_REVERSE] = {.act = reverse_order},    [ACTION_TREE] = {.act = toggle_tree},
	[ACTION_THREADS] = {.act = toggle_threads},   [ACTION_FILTER] = {.act_by = type_text},
	[ACTION_SEARCH] = {.act_by = type_text},      [ACTION_CHOOSE_SORT] = {.act = choose_sort},
	[ACTION_KERNEL] = {.act = toggle_kernel},     [ACTION_COMMANDS] = {.act = toggle_commands},
	[ACTION_USER] = {.act_by = type_text},        [ACTION_SIGNAL] = {.act = choose_signal},
};

static bool key_in_rows(struct process_pane *pane, uint32_t key)
{
	unsigned has = process_pane_has(pane);
	struct key_action does = keys_action(keys_of_processes, key, has);

	if (key == K_ESCAPE && (pane->filter[0] || pane->table.order.user)) {
		pane->filter[0] = pane->user[0] = 0;
		pane->table.order.user = NULL;
		process_pane_arrange(pane);
		return true;
	}
	if (does.action && actions[does.action].act)
		actions[does.action].act(pane);
	else if (does.action)
		actions[does.action].act_by(pane, does.number);
	else if (keys_action(keys_of_processes, key, ~0u).action)
		keys_why(keys_of_processes, key, has, pane->said);
	else
		return false;
	return true;
}

/* ---- typing: the text takes every key ---- */

/* Handle the keys that end a text. Returns whether this one does; Escape clears the text. */
static bool ends_text(struct process_pane *pane, uint32_t key)
{
	if (key == K_ESCAPE)
		pane->typed[0] = 0;
	if (key == K_ESCAPE || key == K_ENTER)
		pane->mode = PANE_ROWS;
	else
		term_key_type(pane->typed, sizeof(pane->typed), key);
	return pane->mode == PANE_ROWS;
}

static bool key_in_filter(struct process_pane *pane, uint32_t key)
{
	ends_text(pane, key);
	memcpy(pane->filter, pane->typed, sizeof(pane->filter));
	process_pane_arrange(pane);
	return true;
}

static bool key_in_search(struct process_pane *pane, uint32_t key)
{
	const struct process_table *t = &pane->table;
	unsigned from = t->selected + (key == K_F3);

	if (ends_text(pane, key))
		return true;
	memcpy(pane->search, pane->typed, sizeof(pane->search));
	for (unsigned i = 0; i < t->n && pane->search[0]; i++) { /* wraps */
		unsigned row = (from + i) % t->n;

		if (process_contains(t->rows[row].process, pane->search)) {
			process_pane_select(pane, row);
			return true;
		}
	}
	if (pane->search[0])
		strbuf_printf(pane->said, "search: no row has %s", pane->search);
	return true;
}

/* A partial user name matches no user, so the filter changes only at the end. */
static bool key_in_user(struct process_pane *pane, uint32_t key)
{
	if (!ends_text(pane, key))
		return true;
	memcpy(pane->user, pane->typed, sizeof(pane->user));
	pane->table.order.user = pane->user[0] ? pane->user : NULL;
	process_pane_arrange(pane);
	if (pane->list && !pane->table.n && !pane->filter[0])
		strbuf_printf(pane->said, "user %s: has no process; Escape shows all users", pane->user);
	return true;
}

/* ---- choices ---- */

/* Move the selection of the open choice. Returns false for a key that does something else. */
static bool move_choice(struct process_pane *pane, uint32_t key)
{
	struct key_action does = keys_action(keys_of_processes, key, 0);
	struct process_choice *c = &pane->choice;

	if (key == K_ESCAPE || key == 'q')
		process_pane_leave(pane);
	else if (does.action == ACTION_SELECT && does.number < 0)
		c->at -= c->at > 0;
	else if (does.action == ACTION_SELECT)
		c->at += c->at + 1 < c->n;
	else if (does.action == ACTION_EDGE)
		c->at = does.number > 0 ? c->n - 1 : 0;
	else
		return false;
	return true;
}

static bool key_in_sort(struct process_pane *pane, uint32_t key)
{
	if (move_choice(pane, key) || key != K_ENTER)
		return true;
	sort_rows(pane, (int)pane->sort_keys[pane->choice.at]);
	process_pane_leave(pane);
	return true;
}

static bool key_in_signal(struct process_pane *pane, uint32_t key)
{
	if (move_choice(pane, key) || key != K_ENTER)
		return true;
	pane->mode = PANE_CONFIRM;
	snprintf(pane->question, sizeof(pane->question), "send %s to %d %s?",
		 process_signals[pane->choice.at].name, pane->target.pid, pane->target.name);
	return true;
}

/* Ignore keys other than the answers. */
static bool key_in_confirm(struct process_pane *pane, uint32_t key)
{
	const struct process_signal *signal = &process_signals[pane->choice.at];
	struct err err;

	if (key == 'n' || key == 'N' || key == 'q' || key == K_ESCAPE)
		process_pane_leave(pane);
	if (key != 'y' && key != 'Y')
		return true;
	process_pane_leave(pane);
	if (pane->ask_signal)
		pane->ask_signal(pane->count_ctx, &pane->target, signal->name);
	else if (process_signal_send(pane->sys, &pane->target, signal, &err))
		strbuf_printf(pane->said, "%d %s: %s sent", pane->target.pid, pane->target.name,
			      signal->name);
	else
		strbuf_str(pane->said, err.text);
	return true;
}

void process_pane_leave(struct process_pane *pane)
{
	pane->mode = PANE_ROWS;
	pane->table.choice = NULL;
}

bool process_pane_key(struct process_pane *pane, uint32_t key, struct strbuf *said)
{
	static bool (*const modes[PANE_MODES])(struct process_pane * pane, uint32_t key) = {
		[PANE_ROWS] = key_in_rows,       [PANE_FILTER] = key_in_filter, [PANE_USER] = key_in_user,
		[PANE_SEARCH] = key_in_search,   [PANE_SORT] = key_in_sort,     [PANE_SIGNAL] = key_in_signal,
		[PANE_CONFIRM] = key_in_confirm,
	};

	pane->said = said;
	return modes[pane->mode](pane, key);
}

/* ---- words ---- */

const struct foot_ask *process_pane_ask(struct process_pane *pane)
{
	static const struct foot_ask asks[PANE_MODES] = {
		[PANE_FILTER] = {"filter: ", "Enter keeps, Esc clears", true},
		[PANE_SEARCH] = {"search: ", "F3 next, Enter", true},
		[PANE_USER] = {"user: ", "Enter keeps, Esc clears", true},
		[PANE_SORT] = {"sort by what?", "Enter, Esc", false},
		[PANE_SIGNAL] = {"which signal?", "Enter, Esc", false},
		[PANE_CONFIRM] = {"", "y/n", false},
	};

	pane->ask = asks[pane->mode];
	if (!pane->ask.text)
		return NULL;
	if (pane->mode != PANE_CONFIRM)
		snprintf(pane->question, sizeof(pane->question), "%s%s", pane->ask.text,
			 pane->ask.typed ? pane->typed : "");
	pane->ask.text = pane->question;
	return &pane->ask;
}
