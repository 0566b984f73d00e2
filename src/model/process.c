#include "model/process.h"

#include <stdlib.h>

void process_list_free(struct process_list *list)
{
	if (!list)
		return;
	free(list->processes);
	free(list);
}

const struct process *process_find(const struct process_list *list, int32_t pid)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->processes[i].pid == pid)
			return &list->processes[i];
	return NULL;
}
