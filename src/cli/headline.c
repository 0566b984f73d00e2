#include "cli/headline.h"

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

struct choice {
	const struct metric_set *const *sets;
	unsigned n_sets, n;
	struct strbuf names;
};

static bool exists(const struct choice *c, const char *name)
{
	for (unsigned s = 0; s < c->n_sets; s++)
		if (metric_find(c->sets[s], span_of(name)))
			return true;
	return false;
}

static bool is_chosen(const struct choice *c, const char *name)
{
	struct span rest = {c->names.p, c->names.n};

	while (rest.n)
		if (span_is(span_item(&rest), name))
			return true;
	return false;
}

static void choose(struct choice *c, const char *name)
{
	if (is_chosen(c, name))
		return;
	strbuf_printf(&c->names, "%s%s", c->n++ ? "," : "", name);
}

char *headline_choose(const struct metric_set *const *sets, unsigned n_sets, const char *const *events, unsigned n_events)
{
	struct choice c = {.sets = sets, .n_sets = n_sets};

	strbuf_str(&c.names, "");
	for (unsigned i = 0; i < n_events; i++)
		choose(&c, events[i]);
	for (size_t i = 0; i < ARRAY_LEN(rows) && c.n < HEADLINE_METRICS; i++) {
		unsigned a = 0;

		while (a < ALTERNATIVES && rows[i][a] && !exists(&c, rows[i][a]))
			a++;
		if (a < ALTERNATIVES && rows[i][a])
			choose(&c, rows[i][a]);
	}
	return c.names.p;
}
