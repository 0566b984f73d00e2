/* Lists of processes: the pane's table, and the foot of the CPU view. */
#include "tui/screen.h"
#include "tui/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS_LEAST 8  /* the least GPU columns in the interval of a list */
#define STEADY_LEAST 0.8 /* of the time; samples with a clock change do not count */

void screen_fill_ipc(struct process_list *list, struct process_id who, double ipc)
{
	for (unsigned i = 0; i < list->n && isfinite(ipc); i++)
		if (process_is(&list->processes[i], who))
			list->processes[i].ipc = (float)ipc;
}

/* The GPU that a thread may wait for: both belong to this machine, or both to a simulated
 * device. */
static const struct session_source *gpu_of_threads(const struct screen *screen)
{
	const struct session_source *gpu = session_shown(screen->session, SOURCE_GPU);
	const struct session_source *cpu = session_shown(screen->session, SOURCE_CPU);

	return gpu && !gpu->away && gpu->simulated == (cpu && cpu->simulated) ? gpu : NULL;
}

/* The least columns of history in the interval of a list, for a mean that is near enough. */
#define COLUMNS_FEW 2

/* How long the GPU was active in the list's interval, in percent; NaN: unknown. */
static double active_percent(const struct screen *screen, const struct process_list *list)
{
	const struct session_source *gpu = gpu_of_threads(screen);
	int64_t least_ns = gpu && gpu->period_ns > HISTORY_FINE_NS ? gpu->period_ns : HISTORY_FINE_NS;
	unsigned number;

	if (!gpu || session_gpus(screen->session, &number) > 1 || !list->begin_ns ||
	    list->end_ns - list->begin_ns < COLUMNS_FEW * least_ns)
		return NAN;
	return feeds_over(screen->feeds, SOURCE_GPU, "GPUBusy", list->begin_ns, list->end_ns);
}

static void take_into_pane(struct screen *screen, struct process_list *list)
{
	if (list->begin_ns && screen->session->counting)
		screen_fill_ipc(
			list, screen->pane.table.counted,
			feeds_over(screen->feeds, SOURCE_PERF, "CPUIPC", list->begin_ns, list->end_ns));
	process_list_bound(list, active_percent(screen, list));
	process_pane_take(&screen->pane, list);
}

/* The share of the list's interval that the GPU was active, in percent; NaN if its samples do not
 * show it. */
static double gpu_percent(const struct screen *screen, const struct process_list *list)
{
	const struct session_source *gpu = gpu_of_threads(screen);
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

/* "thread 44 %, GPU 63 %: Frame rate limited": one screen has one judgement. Without a verdict the
 * two numbers tell by themselves. */
static void judged_text(const struct screen *screen, char *out, size_t size, double thread, double gpu)
{
	const struct judge *judge = screen->judge.judge;

	if (!judge || !judge->verdict.why || isnan(thread) || isnan(gpu))
		turns_text(out, size, thread, gpu);
	else
		snprintf(out, size, "thread %.0f %%, GPU %.0f %%: %s", thread, gpu,
			 judge_verdict_title(&judge->verdict));
}

static bool fill_foot(struct screen *screen, const struct process_list *list)
{
	const struct process *busiest = process_busiest(list);
	double thread = busiest ? bounded_percent((double)busiest->cpu_percent) : (double)NAN;
	double gpu = bounded_percent(gpu_percent(screen, list));

	busiest_text(screen->foot[1], sizeof(screen->foot[1]), list, busiest, thread);
	judged_text(screen, screen->foot[2], sizeof(screen->foot[2]), thread, gpu);
	return busiest && (!isnan(gpu) || !gpu_of_threads(screen));
}

/* The threads that were read to find the busiest one are rows only if threads are shown. */
static void drop_threads(struct process_list *list)
{
	unsigned n = 0;

	for (unsigned i = 0; i < list->n; i++)
		if (!list->processes[i].is_thread)
			list->processes[n++] = list->processes[i];
	list->n = n;
	list->threads = false;
}

bool screen_take_processes(struct screen *screen, struct process_list *list)
{
	bool whole = screen->view->foot == FOOT_CPU ? fill_foot(screen, list) : list->begin_ns != 0;

	screen_judge_processes(&screen->judge, list);
	if (!screen->pane.threads && screen->pane.wants_busiest != BUSIEST_THREADS)
		drop_threads(list);
	take_into_pane(screen, list);
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
