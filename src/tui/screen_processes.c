/* What the views make of a list of processes: the pane's table, the foot of the CPU view. */
#include "tui/screen.h"
#include "tui/turns.h"

#include <math.h>
#include <stdio.h>

#define COLUMNS_LEAST 8  /* of the GPU's history in the list's interval: either end of it is told by one of them */
#define STEADY_LEAST 0.8 /* of the time: a sample in which the clock changed does not tell how long the GPU was active */

void screen_fill_ipc(struct process_list *list, struct process_id who, double ipc)
{
	for (unsigned i = 0; i < list->n && isfinite(ipc); i++)
		if (process_is(&list->processes[i], who))
			list->processes[i].ipc = (float)ipc;
}

static bool take_into_pane(struct screen *screen, struct process_list *list)
{
	bool whole = list->begin_ns != 0;

	if (whole && screen->session->counting)
		screen_fill_ipc(list, screen->pane.table.counted,
				feeds_over(screen->feeds, SOURCE_PERF, "CPUIPC", list->begin_ns, list->end_ns));
	process_pane_take(&screen->pane, list);
	return whole;
}

/* The GPU that a thread of this machine may wait for: a simulated one waits for nobody. */
static const struct session_source *real_gpu(const struct screen *screen)
{
	const struct session_source *gpu = session_shown(screen->session, SOURCE_GPU);

	return gpu && !gpu->simulated && !gpu->away ? gpu : NULL;
}

/* How much of the list's interval the GPU was active, in percent; NaN where its samples do not tell. */
static double gpu_percent(const struct screen *screen, const struct process_list *list)
{
	const struct session_source *gpu = real_gpu(screen);
	int64_t begin_ns = list->begin_ns, end_ns = list->end_ns, least_ns = HISTORY_FINE_NS;

	if (gpu && gpu->period_ns > least_ns)
		least_ns = gpu->period_ns;
	if (!gpu || !begin_ns || end_ns - begin_ns < COLUMNS_LEAST * least_ns)
		return NAN;
	if (!(feeds_over(screen->feeds, SOURCE_GPU, "GPUSteadyTime", begin_ns, end_ns) >=
	      STEADY_LEAST * (double)(end_ns - begin_ns)))
		return NAN;
	return feeds_over(screen->feeds, SOURCE_GPU, "GPUBusy", begin_ns, end_ns);
}

/* Of all the time, however the ticks and cycles were rounded. */
static double bounded(double percent)
{
	return percent > 100 ? 100 : percent;
}

/* "busiest thread   62 % of the time  RenderThread of com.studio.game (4711)" */
static void busiest_text(char *out, size_t size, const struct process_list *list, const struct process *busiest, double percent)
{
	const struct process *process = busiest && busiest->is_thread ? process_find(list, busiest->parent) : busiest;

	if (!process)
		snprintf(out, size, "busiest thread    \u2013");
	else
		snprintf(out, size, "busiest thread  %3.0f %% of the time  %s%s%s (%d)", percent,
			 busiest->is_thread ? busiest->name : "", busiest->is_thread ? " of " : "", process->name, process->pid);
}

static bool take_into_foot(struct screen *screen, struct process_list *list)
{
	const struct process *busiest = process_busiest(list);
	double thread = busiest ? bounded((double)busiest->cpu_percent) : (double)NAN;
	double gpu = bounded(gpu_percent(screen, list));

	busiest_text(screen->foot[1], sizeof(screen->foot[1]), list, busiest, thread);
	turns_text(screen->foot[2], sizeof(screen->foot[2]), thread, gpu);
	process_list_free(list);
	return busiest && (!isnan(gpu) || !real_gpu(screen));
}

bool screen_take_processes(struct screen *screen, struct process_list *list)
{
	return screen_pane(screen) ? take_into_pane(screen, list) : take_into_foot(screen, list);
}

void screen_forget_processes(struct screen *screen)
{
	process_pane_forget(&screen->pane);
	screen->foot[1][0] = screen->foot[2][0] = 0;
}
