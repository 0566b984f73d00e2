#include "app/headline.h"

#include "base/alloc.h"

/* In the order of their importance. Names in a row stand for the same thing on different machines: the first that exists is taken. */
#define ALTERNATIVES 3
static const char *const rows[][ALTERNATIVES] = {
	{"CPUActivityUser"},
	{"GPUBusy"},
	{"MaliFragQueueUtil", "MaliMainQueueUtil"},
	{"MaliNonFragQueueUtil", "MaliVertQueueUtil", "MaliBinningQueueUtil"},
	{"MaliCompQueueUtil"},
	{"MaliExtBusRdBy"},
	{"MaliExtBusWrBy"},
	{"CPUFrequency"},
	{"GPUClock"},
	{"MaliGPUActiveCy"},
	{"MaliFragUtil"},
	{"MaliNonFragUtil"},
	{"TemperatureMax"},
	{"MemoryUsed"},
	{"CPUUserShare"},
	{"CPUSystemShare"},
	{"CPUIOWaitShare"},
	{"CPUIRQShare"},
	{"LoadAverage1"},
	{"CPUOnline"},
};

static bool exists(const struct metric_set *const *sets, unsigned n_sets, const char *name)
{
	for (unsigned s = 0; s < n_sets; s++)
		if (metric_find(sets[s], span_of(name)))
			return true;
	return false;
}

char *headline_choose(const struct metric_set *const *sets, unsigned n_sets)
{
	struct strbuf names = {0};
	unsigned n = 0;

	strbuf_str(&names, "");
	for (size_t i = 0; i < ARRAY_LEN(rows) && n < HEADLINE_METRICS; i++)
		for (unsigned a = 0; a < ALTERNATIVES && rows[i][a]; a++)
			if (exists(sets, n_sets, rows[i][a])) {
				strbuf_printf(&names, "%s%s", n++ ? "," : "", rows[i][a]);
				break;
			}
	return names.p;
}
