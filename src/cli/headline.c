#include "cli/headline.h"

#include "base/alloc.h"

#include <string.h>

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

struct choice {
	const struct metric_set *const *sets;
	unsigned n_sets, n;
	struct strbuf names;
};

static bool metric_exists(const struct choice *c, const char *name)
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

static void choose_metric(struct choice *c, const char *name)
{
	if (is_chosen(c, name))
		return;
	strbuf_printf(&c->names, "%s%s", c->n++ ? "," : "", name);
}

char *headline_all(void)
{
	AUTO_STRBUF struct strbuf names = {0};

	for (size_t i = 0; i < ARRAY_LEN(headlines); i++)
		for (unsigned a = 0; a < ALTERNATIVES && headlines[i][a]; a++)
			strbuf_printf(&names, "%s%s", names.n ? "," : "", headlines[i][a]);
	return xstrdup(names.p);
}

char *headline_of_groups(const struct gpudb *db, const char *groups, const struct metric_set *const *sets,
			 unsigned n_sets, const char *const *events, unsigned n_events)
{
	struct choice c = {.sets = sets, .n_sets = n_sets};
	struct span rest = span_of(groups), item, word;

	strbuf_str(&c.names, "");
	for (unsigned i = 0; i < n_events; i++)
		choose_metric(&c, events[i]);
	while ((item = span_item(&rest)).n)
		for (struct span names = cpu_group_find(db, item)->metrics; (word = span_word(&names)).n;) {
			AUTOFREE char *name = span_dup(word);

			choose_metric(&c, name);
		}
	return c.names.p;
}

char *headline_choose(const struct metric_set *const *sets, unsigned n_sets, const char *const *events,
		      unsigned n_events)
{
	struct choice c = {.sets = sets, .n_sets = n_sets};

	strbuf_str(&c.names, "");
	for (unsigned i = 0; i < n_events; i++)
		choose_metric(&c, events[i]);
	for (size_t i = 0; i < ARRAY_LEN(headlines) && c.n < HEADLINE_METRICS; i++) {
		unsigned a = 0;

		while (a < ALTERNATIVES && headlines[i][a] && !metric_exists(&c, headlines[i][a]))
			a++;
		if (a < ALTERNATIVES && headlines[i][a])
			choose_metric(&c, headlines[i][a]);
	}
	return c.names.p;
}
