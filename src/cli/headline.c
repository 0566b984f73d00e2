#include "cli/commands.h"

#include "base/alloc.h"

/* The most important first. Names in a row mean the same on different machines: the first that
 * exists is used. */
#define ALTERNATIVES 3
static const char *const headlines[][ALTERNATIVES] = {
	{"frame.fps"},
	{"frame.cpu_ms"},
	{"frame.gpu_ms"},
	{"CPUActivityUser"},
	{"CPUCycles", "CPUFrequency"},
	{"CPUIPC"},
	{"CPUBranchMispredictsPTI"},
	{"CPUL1DMissRatio"},
	{"CPULLMissesPTI", "CPUContextSwitches"},
	{"MaliGPUActiveCy"},
	{"MaliFragQueueUtil", "MaliMainQueueUtil"},
	{"MaliNonFragQueueUtil", "MaliVertQueueUtil", "MaliBinningQueueUtil"},
	{"MaliCompQueueUtil"},
	{"MaliExtBusRdBy"},
	{"MaliExtBusWrBy"},
	{"GPUBusy"},
	{"GPUClock"},
	{"CPUTaskActivity"},
	{"CPUContextSwitches"},
	{"CPUUserShare"},
	{"CPUSystemShare"},
	{"CPUFrequency"},
	{"TemperatureMax"},
	{"MemoryUsed"},
	{"CPUIOWaitShare"},
	{"CPUIRQShare"},
	{"CPUPageFaults"},
	{"LoadAverage1"},
	{"CPUOnline"},
};

/* Add a name to those with commas, once. */
static void choose_metric(struct strbuf *names, struct span name)
{
	struct span rest = {names->p, names->n};

	while (rest.n)
		if (span_eq(span_item(&rest), name))
			return;
	strbuf_printf(names, "%s%.*s", names->n ? "," : "", SPAN_ARG(name));
}

char *headline_all(void)
{
	AUTO_STRBUF struct strbuf names = {0};

	for (size_t i = 0; i < ARRAY_LEN(headlines); i++)
		for (unsigned a = 0; a < ALTERNATIVES && headlines[i][a]; a++)
			strbuf_printf(&names, "%s%s", names.n ? "," : "", headlines[i][a]);
	return xstrdup(names.p);
}

char *headline_of_groups(const struct gpudb *db, const char *groups, const char *const *events,
			 unsigned n_events)
{
	struct strbuf chosen = {0};
	struct span rest = span_of(groups), item, word;

	strbuf_str(&chosen, "");
	for (unsigned i = 0; i < n_events; i++)
		choose_metric(&chosen, span_of(events[i]));
	while ((item = span_item(&rest)).n)
		for (struct span names = cpu_group_find(db, item)->metrics; (word = span_word(&names)).n;)
			choose_metric(&chosen, word);
	return chosen.p;
}

char *headline_choose(const struct metric_set *const *sets, unsigned n_sets, const char *const *events,
		      unsigned n_events)
{
	struct strbuf chosen = {0};
	unsigned n = 0;

	strbuf_str(&chosen, "");
	for (unsigned i = 0; i < n_events; i++)
		choose_metric(&chosen, span_of(events[i]));
	for (struct span rest = {chosen.p, chosen.n}; rest.n; n++)
		span_item(&rest);
	for (size_t i = 0; i < ARRAY_LEN(headlines) && n < HEADLINE_METRICS; i++) {
		const char *const *name = headlines[i];
		size_t before = chosen.n;
		const struct metric *found = NULL;

		for (unsigned a = 0; a < ALTERNATIVES && name[a] && !found; a++) {
			for (unsigned k = 0; k < n_sets && !found; k++)
				found = metric_find(sets[k], span_of(name[a]));
			if (found)
				choose_metric(&chosen, span_of(name[a]));
		}
		n += chosen.n > before;
	}
	return chosen.p;
}
