#include "tui/process_pane.h"

#include "base/alloc.h"
#include "base/real.h"
#include "model/sample.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns that a machine may not have. */
#define GPU_QUEUES (1u << PROCESS_BY_GPU_FRAGMENT | 1u << PROCESS_BY_GPU_VERTEX)
#define OPTIONAL                                                                                             \
	(1u << PROCESS_BY_GPU | 1u << PROCESS_BY_GPU_MEMORY | 1u << PROCESS_BY_IPC | 1u << PROCESS_BY_WAIT | \
	 1u << PROCESS_BY_MISSES | GPU_QUEUES)

void process_pane_init(struct process_pane *pane, const struct sys *sys, const char *user)
{
	*pane = (struct process_pane){.sys = sys};
	pane->table = (struct process_table){.first = &pane->first,
					     .page = &pane->page,
					     .order.filter = pane->filter,
					     .commands = true,
					     .unknown = OPTIONAL};
	pane->busiest = (struct process_table){
		.first = &pane->busiest_first, .page = &pane->busiest_page, .selected = UINT_MAX};
	if (!user)
		return;
	str_printable(pane->user, sizeof(pane->user), user);
	pane->table.order.user = pane->user;
}

void process_pane_fini(struct process_pane *pane)
{
	process_kept_fini(&pane->kept);
	free(pane->rows);
	free(pane->busiest_rows);
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

void process_pane_arrange(struct process_pane *pane)
{
	struct process_table *t = &pane->table;

	if (!pane->list)
		return;
	pane->table.order.processes = !pane->threads; /* another panel may have requested threads */
	pane->table.n = process_arrange(pane->list, &pane->table.order, pane->rows);
	assert(pane->table.n <= pane->list->n);
	if (!pane->selected.pid || !t->n) {
		t->selected = 0;
		return;
	}
	for (unsigned i = 0; i < t->n; i++) /* find the new place of the selected process */
		if (process_is(t->rows[i].process, pane->selected)) {
			t->selected = i;
			return;
		}
	process_pane_select(pane, t->selected);
}

/* Columns that threads lack, or that are the same for all threads. */
#define OF_PROCESSES                                                                                         \
	(1u << PROCESS_BY_USER | 1u << PROCESS_BY_THREADS | 1u << PROCESS_BY_MEMORY | 1u << PROCESS_BY_GPU | \
	 1u << PROCESS_BY_GPU_MEMORY | 1u << PROCESS_BY_TIME | GPU_QUEUES)

static void arrange_busiest(struct process_pane *pane)
{
	struct process_table *t = &pane->busiest;

	if (!pane->wants_busiest || !pane->list) {
		t->list = NULL;
		t->n = 0;
		return;
	}
	t->list = pane->list;
	t->rows = pane->busiest_rows =
		xreallocarray(pane->busiest_rows, pane->list->n + 1, sizeof(*pane->busiest_rows));
	t->order.tasks = pane->wants_busiest == BUSIEST_THREADS;
	t->unknown = pane->table.unknown | (t->order.tasks ? OF_PROCESSES : 0);
	t->n_processes = pane->table.n_processes;
	t->n_threads = pane->table.n_threads;
	t->n_running = pane->table.n_running;
	t->cpu_most = pane->table.cpu_most;
	t->n = process_arrange(pane->list, &t->order, pane->busiest_rows);
}

void process_pane_filter_busiest(struct process_pane *pane, const char *text)
{
	pane->busiest.order.filter = text;
	arrange_busiest(pane);
}

void process_pane_want_busiest(struct process_pane *pane, enum pane_busiest wanted)
{
	if (pane->wants_busiest == wanted)
		return;
	pane->wants_busiest = wanted;
	arrange_busiest(pane);
}

/* Count the totals of the list. A column that appeared once stays, so that nothing moves when a
 * program ends. */
static void count_totals(const struct process_list *list, struct process_table *t)
{
	t->n_processes = t->n_threads = t->n_running = t->n_kernel = 0;
	t->cpu_most = 0;
	for (unsigned i = 0; i < list->n; i++) {
		const struct process *p = &list->processes[i];

		t->unknown &= ~((unsigned)!isnan(p->gpu_percent) << PROCESS_BY_GPU |
				(unsigned)(p->gpu_bytes != SAMPLE_UNKNOWN) << PROCESS_BY_GPU_MEMORY |
				(unsigned)!isnan(p->ipc) << PROCESS_BY_IPC |
				(unsigned)!isnan(p->misses) << PROCESS_BY_MISSES |
				(unsigned)!isnan(p->wait_percent) << PROCESS_BY_WAIT |
				(p->gpu_queues ? GPU_QUEUES : 0));
		t->cpu_most = real_max(t->cpu_most, (double)p->cpu_percent); /* real_max ignores NaN */
		if (p->is_thread)
			continue;
		t->n_kernel += p->kernel;
		t->n_processes++;
		t->n_threads += p->threads;
		t->n_running += p->state == 'R';
	}
}

/* Show one of the kept lists; NULL: none. */
static void show_list(struct process_pane *pane, struct process_list *list)
{
	pane->table.list = pane->list = list;
	pane->table.n = 0;
	if (list) {
		pane->rows = xreallocarray(pane->rows, list->n + 1, sizeof(*pane->rows));
		pane->table.rows = pane->rows;
		count_totals(list, &pane->table);
	}
	process_pane_arrange(pane);
	arrange_busiest(pane);
}

void process_pane_take(struct process_pane *pane, struct process_list *list)
{
	const struct process_list *newest = process_kept_newest(&pane->kept);

	if (newest && newest->begin_ns && !list->begin_ns) {
		process_list_free(list);
		return;
	}
	process_kept_add(&pane->kept, list);
	show_list(pane, list);
}

static void query_command(struct process_query *query, const struct process *p)
{
	if (p && !p->is_thread && query->n_commands < PROCESS_WISH_COMMANDS)
		query->commands[query->n_commands++] = p->pid;
}

void process_pane_query(const struct process_pane *pane, struct process_query *query)
{
	const struct process_table *t = &pane->table;

	query->all_commands = pane->filter[0] || pane->mode == PANE_FILTER || pane->mode == PANE_SEARCH;
	query_command(query, process_pane_selected(pane));
	for (unsigned i = pane->first; t->commands && i < t->n && i < pane->first + pane->page; i++)
		query_command(query, t->rows[i].process);
}

void process_pane_pause(struct process_pane *pane, int64_t moment_ns)
{
	if (pane->paused_ns == moment_ns)
		return;
	pane->paused_ns = moment_ns;
	pane->busiest.missing = pane->table.missing =
		moment_ns ? "no processes are kept from this moment: space resumes" : NULL;
	show_list(pane,
		  moment_ns ? process_kept_at(&pane->kept, moment_ns) : process_kept_newest(&pane->kept));
}

void process_pane_forget(struct process_pane *pane)
{
	show_list(pane, NULL);
	process_kept_fini(&pane->kept);
}

/* ---- the kept lists ---- */

void process_kept_fini(struct process_kept *kept)
{
	for (unsigned i = 0; i < kept->n; i++)
		process_list_free(kept->lists[i]);
	kept->n = 0;
}

struct process_list *process_kept_newest(const struct process_kept *kept)
{
	return kept->n ? kept->lists[kept->n - 1] : NULL;
}

static size_t bytes_of(const struct process_list *list)
{
	return list->n * sizeof(*list->processes) + list->commands_size;
}

/* The history of older lists is computed again when they are shown. */
static void drop_excess(struct process_kept *kept)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < kept->n; i++) {
		free(kept->lists[i]->past);
		kept->lists[i]->past = NULL;
		bytes += bytes_of(kept->lists[i]);
	}
	while (kept->n && (bytes > PROCESS_KEPT_BYTES || kept->n == PROCESS_KEPT)) {
		bytes -= bytes_of(kept->lists[0]);
		process_list_free(kept->lists[0]);
		memmove(kept->lists, kept->lists + 1, --kept->n * sizeof(*kept->lists));
	}
}

void process_kept_add(struct process_kept *kept, struct process_list *list)
{
	struct process_list *newest = process_kept_newest(kept);

	process_list_follow(list, newest);
	if (newest && (!newest->begin_ns || newest->end_ns == list->end_ns)) {
		process_list_free(newest);
		kept->n--;
	}
	drop_excess(kept);
	kept->lists[kept->n++] = list;
}

struct process_list *process_kept_at(struct process_kept *kept, int64_t ns)
{
	struct process_list *newest = process_kept_newest(kept);
	unsigned at = 0;

	while (at < kept->n && kept->lists[at]->end_ns < ns)
		at++;
	if (at == kept->n) /* the newest list may also apply after its interval */
		return newest && (!newest->begin_ns ||
				  ns - newest->end_ns <= 2 * (newest->end_ns - newest->begin_ns))
			       ? newest
			       : NULL;
	if (kept->lists[at]->begin_ns > ns)
		return NULL;
	for (unsigned i = 0; i <= at; i++)
		if (!kept->lists[i]->past)
			process_list_follow(kept->lists[i], i ? kept->lists[i - 1] : NULL);
	return kept->lists[at];
}
