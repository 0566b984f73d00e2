#include "tui/process_pane.h"

#include "base/alloc.h"
#include "model/sample.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of what a machine need not tell. */
#define OPTIONAL (1u << PROCESS_BY_GPU | 1u << PROCESS_BY_GPU_MEMORY | 1u << PROCESS_BY_IPC)

void process_pane_init(struct process_pane *pane, const struct sys *sys, const char *user)
{
	*pane = (struct process_pane){.sys = sys};
	pane->table = (struct process_table){
		.first = &pane->first, .page = &pane->page, .order.filter = pane->filter, .unknown = OPTIONAL};
	if (!user)
		return;
	str_printable(pane->user, sizeof(pane->user), user);
	pane->table.order.user = pane->user;
}

void process_pane_fini(struct process_pane *pane)
{
	process_list_free(pane->list);
	free(pane->rows);
	*pane = (struct process_pane){0};
}

const struct process *process_pane_selected(const struct process_pane *pane)
{
	return pane->table.n ? pane->table.rows[pane->table.selected].process : NULL;
}

void process_pane_select(struct process_pane *pane, int64_t row)
{
	struct process_table *t = &pane->table;

	if (!t->n)
		return;
	t->selected = row < 0 ? 0 : row < t->n ? (unsigned)row : t->n - 1;
	pane->selected = process_id_of(t->rows[t->selected].process);
}

/* Finds the selected process in its new place. */
static void reselect(struct process_pane *pane)
{
	struct process_table *t = &pane->table;

	if (!pane->selected.pid || !t->n) {
		t->selected = 0;
		return;
	}
	for (unsigned i = 0; i < t->n; i++)
		if (process_is(t->rows[i].process, pane->selected)) {
			t->selected = i;
			return;
		}
	process_pane_select(pane, t->selected);
}

void process_pane_arrange(struct process_pane *pane)
{
	if (!pane->list)
		return;
	pane->table.n = process_arrange(pane->list, &pane->table.order, pane->rows);
	assert(pane->table.n <= pane->list->n);
	reselect(pane);
}

/* What can be said of the list as a whole. A column that was there once stays: nothing moves when a program ends. */
static void look_through(const struct process_list *list, struct process_table *t)
{
	t->n_processes = t->n_threads = t->n_running = 0;
	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];

		t->unknown &= ~((unsigned)!isnan(p->gpu_percent) << PROCESS_BY_GPU |
				(unsigned)(p->gpu_bytes != SAMPLE_UNKNOWN) << PROCESS_BY_GPU_MEMORY |
				(unsigned)!isnan(p->ipc) << PROCESS_BY_IPC);
		if (p->is_thread)
			continue;
		t->n_processes++;
		t->n_threads += p->threads;
		t->n_running += p->state == 'R';
	}
}

void process_pane_take(struct process_pane *pane, struct process_list *list)
{
	struct process_list *old = pane->list;

	if (old && old->begin_ns && !list->begin_ns) {
		process_list_free(list);
		return;
	}
	pane->rows = xreallocarray(pane->rows, list->n + 1, sizeof(*pane->rows));
	pane->table.list = pane->list = list;
	pane->table.rows = pane->rows;
	look_through(list, &pane->table);
	process_pane_arrange(pane);
	process_list_free(old);
}

void process_pane_forget(struct process_pane *pane)
{
	process_list_free(take_ptr(&pane->list));
	pane->table.list = NULL;
	pane->table.n = 0;
}
