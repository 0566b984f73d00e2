#include "tui/process_pane.h"

#include <stdlib.h>
#include <string.h>

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

/* The history of older lists is calculated again when they are shown. */
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
	if (at == kept->n) /* the newest list may stand for a time after its interval */
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
