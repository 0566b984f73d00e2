#include "app/headline.h"

#include "base/alloc.h"

#include <string.h>

/* In the order of their importance. Names in a row stand for the same thing on different machines: the first that exists is taken. */
#define ALTERNATIVES 3
static const char *const rows[][ALTERNATIVES] = {
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

static bool is_chosen(const char *const *chosen, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(chosen[i], name) == 0)
			return true;
	return false;
}

static bool exists(const struct metric_set *const *sets, unsigned n_sets, const char *name)
{
	for (unsigned s = 0; s < n_sets; s++)
		if (metric_find(sets[s], span_of(name)))
			return true;
	return false;
}

char *headline_choose(const struct metric_set *const *sets, unsigned n_sets)
{
	const char *chosen[HEADLINE_METRICS];
	struct strbuf names = {0};
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows) && n < HEADLINE_METRICS; i++) {
		unsigned a = 0;

		while (a < ALTERNATIVES && rows[i][a] && !exists(sets, n_sets, rows[i][a]))
			a++;
		if (a < ALTERNATIVES && rows[i][a] && !is_chosen(chosen, n, rows[i][a]))
			chosen[n++] = rows[i][a];
	}
	strbuf_str(&names, "");
	for (unsigned i = 0; i < n; i++)
		strbuf_printf(&names, "%s%s", i ? "," : "", chosen[i]);
	return names.p;
}
