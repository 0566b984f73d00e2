/* Lines for doctor and the help screen, from what is constant after open only. */
#include "backends/perf/perf.h"

#include <string.h>

static void describe_unit(const struct perf *p, const struct perf_unit *unit, struct strbuf *text)
{
	if (unit->kind == PERF_SOFTWARE) {
		strbuf_printf(text, "kernel    %u software events\n", unit->n_events);
		return;
	}
	strbuf_printf(text, "PMU       %s (", unit->name);
	if (unit->cluster >= 0)
		strbuf_printf(text, "%s", p->cpus.clusters[unit->cluster].title);
	else
		strbuf_printf(text, "%u CPUs", unit->n_cpus);
	if (unit->n_events)
		strbuf_printf(text, "): %u events\n", unit->n_events);
	else
		strbuf_str(text, "): no hardware events: a virtual machine without a virtual PMU?\n");
}

void perf_describe(const struct source *source, struct strbuf *text)
{
	const struct perf *p = source->priv;
	const char *help = p->refused ? perf_rights_help(p->refused) : NULL;

	strbuf_printf(text, "\ncounts    %s, %s\n", p->about,
		      p->level->user_only ? "user only" : "kernel and user");
	if (p->refused)
		strbuf_printf(text, "limited   rights: %s: %s\n", p->level->words,
			      help ? help : strerror(p->refused));
	if (p->n_left_out)
		strbuf_printf(text, "omitted   %u threads: over the limit of open files (ulimit -n)\n",
			      p->n_left_out);
	for (unsigned i = 0; i < p->n_units; i++)
		describe_unit(p, &p->units[i], text);
}
