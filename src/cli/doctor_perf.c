/* CPU counters: what the perf backend can count, and what limits it. */
#include "cli/doctor.h"

#include "backends/registry.h"

void doctor_starved(struct doctor *d, enum doctor_area area, const char *thing, const struct source *source,
		    const struct sample *sample)
{
	unsigned n = 0, starved = 0;

	for (unsigned i = 0; i < source->n_sums; i++) {
		const struct slot *slot = &source->slots[i];
		uint64_t enabled = sample->value[slot->enabled];

		if (slot->running == slot->enabled || slot->instance != INSTANCE_ALL)
			continue;
		n++;
		starved += enabled && enabled != SAMPLE_UNKNOWN && !sample->value[slot->running];
	}
	if (starved)
		doctor_add(d, area, DOCTOR_LIMITED, thing,
			   "stop other programs that count events (perf, a debugger), or sudo sysctl "
			   "kernel.nmi_watchdog=0",
			   "%u of %u events had no counter for %lld ms: other programs or the kernel use the "
			   "counters",
			   starved, n, (long long)(sample->end_ns - sample->begin_ns) / 1000000);
}

void doctor_perf(struct doctor *d)
{
	const struct backend *perf = registry_find(span_of("perf"));
	char paranoid[16];
	unsigned before = d->n;

	if (perf)
		doctor_backend(d, DOCTOR_PERF, perf);
	else
		doctor_add(d, DOCTOR_PERF, DOCTOR_UNSUPPORTED, "perf", NULL,
			   "this build does not count CPU events");
	if (d->n == before)
		doctor_add(d, DOCTOR_PERF, DOCTOR_MISSING, "perf", "use a kernel with CONFIG_PERF_EVENTS",
			   "the kernel was built without perf events");
	if (doctor_read(d, "proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid)))
		doctor_add(d, DOCTOR_PERF, DOCTOR_NOTE, "perf_event_paranoid", NULL, "%s", paranoid);
}
