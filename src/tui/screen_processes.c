/* Lists of processes: the pane's table, and the foot of the CPU view. */
#include "tui/screen.h"

#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_FEW 2    /* least columns of GPU history in a list's interval for a mean */
#define COLUMNS_LEAST 8  /* likewise for a mean that can be compared with that of a thread */
#define STEADY_LEAST 0.8 /* share of the time; samples with a clock change do not count */

void screen_fill_ipc(struct process_list *list, struct process_id who, double ipc)
{
	for (unsigned i = 0; i < list->n && isfinite(ipc); i++)
		if (process_is(&list->processes[i], who))
			list->processes[i].ipc = (float)ipc;
}

/* Return the GPU that a thread may wait for: both belong to this machine, or both to a simulated
 * device. */
static const struct session_source *gpu_of_threads(const struct screen *screen)
{
	const struct session_source *gpu = session_shown(screen->session, SOURCE_GPU);
	const struct session_source *cpu = session_shown(screen->session, SOURCE_CPU);

	return gpu && !gpu->away && gpu->simulated == (cpu && cpu->simulated) ? gpu : NULL;
}

/* Return the GPU's active time in the list's interval, in percent; NaN: unknown. */
static double active_percent(const struct screen *screen, const struct process_list *list, int columns)
{
	const struct session_source *gpu = gpu_of_threads(screen);
	int64_t least_ns = gpu && gpu->period_ns > HISTORY_FINE_NS ? gpu->period_ns : HISTORY_FINE_NS;

	if (!gpu || !list->begin_ns || list->end_ns - list->begin_ns < columns * least_ns)
		return NAN;
	return feeds_over(screen->feeds, SOURCE_GPU, "GPUBusy", list->begin_ns, list->end_ns);
}

/* Return it unless its samples are too few or its clock changed in that time. */
static double steady_percent(const struct screen *screen, const struct process_list *list)
{
	double active = active_percent(screen, list, COLUMNS_LEAST);

	if (isnan(active) ||
	    !(feeds_over(screen->feeds, SOURCE_GPU, "GPUSteadyTime", list->begin_ns, list->end_ns) >=
	      STEADY_LEAST * (double)(list->end_ns - list->begin_ns)))
		return NAN;
	return active;
}

/* Limit rounding errors of ticks and cycles to 100 %. */
static double bounded_percent(double percent)
{
	return percent > 100 ? 100 : percent;
}

/* "busiest thread   62 % of the time, waits for a CPU 31 %  RenderThread of com.studio.game (4711)"
 * */
static void busiest_text(char *out, size_t size, const struct process_list *list,
			 const struct process *busiest, double percent)
{
	const struct process *process =
		busiest && busiest->is_thread ? process_find(list, busiest->parent) : busiest;
	char waits[48] = "";

	if (busiest && busiest->wait_percent >= 1)
		snprintf(waits, sizeof(waits), ", waits for a CPU %.0f %%", (double)busiest->wait_percent);
	if (!process)
		snprintf(out, size, "busiest thread    \u2013");
	else
		snprintf(out, size, "busiest thread  %3.0f %% of the time%s  %s%s%s (%d)", percent, waits,
			 busiest->is_thread ? busiest->name : "", busiest->is_thread ? " of " : "",
			 process->name, process->pid);
}

/* ---- whether the busiest thread and the GPU take turns ----
 *
 * One works while the other waits, so that neither is busy all the time, and making only one of
 * them faster does not shorten a frame by much (Arm's guides call this scheduling bound). It is
 * inferred from the shares of one window. If they take turns, the shares add up to the whole time;
 * but a thread and a GPU that work in parallel may do so by chance, so the text is cautious.
 * History would not help: its columns are as long as several frames.
 *
 * The guides give no numbers; these are ours. Above 90 % something is busy "all the time": the rest
 * is the cost of waking up and handing over. Below 15 % it is a helper of another thread. The sum
 * of two that take turns is 100 %, less the cost of handing over (down to 85 %), plus their overlap
 * and the error of CPU time in 10 ms ticks and of the window edges (up to 110 %). */
#define BUSY 90
#define IDLE 15
#define ANY 0, 1000

/* The first row with low <= share < high for both applies. */
static const struct {
	double thread_low, thread_high, gpu_low, gpu_high, sum_low, sum_high;
	bool adds; /* show the sum */
	const char *text;
} turns[] = {
	{BUSY, 1000, BUSY, 1000, ANY, false, ": both are busy all the time"},
	{BUSY, 1000, ANY, ANY, false, ": the thread runs all the time (CPU bound)"},
	{ANY, BUSY, 1000, ANY, false, ": the GPU is busy all the time"},
	{IDLE, BUSY, IDLE, BUSY, 85, 110, true,
	 ": they seem to take turns (scheduling bound): find waits for the GPU"},
	{ANY, ANY, ANY, false, ""},
};

void screen_turns_text(char *out, size_t size, double thread_percent, double gpu_percent)
{
	/* round as the shown numbers are, so that the text matches them */
	double thread = isfinite(thread_percent) ? (double)real_round(thread_percent) : thread_percent,
	       gpu = isfinite(gpu_percent) ? (double)real_round(gpu_percent) : gpu_percent;
	size_t i = 0;

	out[0] = 0;
	while (i < ARRAY_LEN(turns) &&
	       !(thread >= turns[i].thread_low && thread < turns[i].thread_high && gpu >= turns[i].gpu_low &&
		 gpu < turns[i].gpu_high && thread + gpu >= turns[i].sum_low &&
		 thread + gpu < turns[i].sum_high))
		i++;
	if (i < ARRAY_LEN(turns) && turns[i].adds)
		snprintf(out, size, "thread %.0f %% + GPU %.0f %% = %.0f %%%s", thread, gpu, thread + gpu,
			 turns[i].text);
	else if (i < ARRAY_LEN(turns))
		snprintf(out, size, "thread %.0f %%, GPU %.0f %%%s", thread, gpu, turns[i].text);
}

static bool fill_foot(struct screen *screen, const struct process_list *list)
{
	const struct process *busiest = process_busiest(list);
	const struct judge *judge = screen->judge.judge;
	double thread = busiest ? bounded_percent((double)busiest->cpu_percent) : (double)NAN;
	double gpu = bounded_percent(steady_percent(screen, list));

	busiest_text(screen->foot[1], sizeof(screen->foot[1]), list, busiest, thread);
	/* a screen has one judgement; without a verdict, show the two numbers alone */
	if (!judge || !judge->verdict.why || isnan(thread) || isnan(gpu))
		screen_turns_text(screen->foot[2], sizeof(screen->foot[2]), thread, gpu);
	else
		snprintf(screen->foot[2], sizeof(screen->foot[2]), "thread %.0f %%, GPU %.0f %%: %s", thread,
			 gpu, judge_verdict_title(&judge->verdict));
	return busiest && (!isnan(gpu) || !gpu_of_threads(screen));
}

bool screen_take_processes(struct screen *screen, struct process_list *list)
{
	unsigned number, n = 0;
	bool whole = screen->view->foot == FOOT_CPU ? fill_foot(screen, list) : list->begin_ns != 0;

	screen_judge_processes(&screen->judge, list);
	/* threads that were read to find the busiest one are rows only if threads are shown */
	if (!screen->pane.threads && screen->pane.wants_busiest != BUSIEST_THREADS) {
		for (unsigned i = 0; i < list->n; i++)
			if (!list->processes[i].is_thread)
				list->processes[n++] = list->processes[i];
		list->n = n;
		list->threads = false;
	}
	if (list->begin_ns && screen->session->counting)
		screen_fill_ipc(
			list, screen->pane.table.counted,
			feeds_over(screen->feeds, SOURCE_PERF, "CPUIPC", list->begin_ns, list->end_ns));
	process_list_bound(list, session_gpus(screen->session, &number) > 1
					 ? (double)NAN
					 : active_percent(screen, list, COLUMNS_FEW));
	process_pane_take(&screen->pane, list);
	return whole;
}

void screen_forget_processes(struct screen *screen)
{
	process_pane_forget(&screen->pane);
	screen->foot[1][0] = screen->foot[2][0] = 0;
}

void screen_describe(struct screen *screen, int64_t now_ns)
{
	static const enum source_kind kinds[] = {[FOOT_GPU] = SOURCE_GPU, [FOOT_CPU] = SOURCE_CPU};
	enum view_foot foot = screen->view->foot;
	struct session_source *source = foot ? session_shown(screen->session, kinds[foot]) : NULL;
	AUTO_STRBUF struct strbuf text = {0};

	if (source)
		session_describe(screen->session, source, now_ns, &text);
	if (text.n)
		text.p[strcspn(text.p, "\n")] = 0;
	str_printable(screen->foot[0], sizeof(screen->foot[0]), text.n ? text.p : "");
}
