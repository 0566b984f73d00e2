/* CPU counters: what the backend that counts them may count, and why not more. */
#include "cli/doctor.h"

#include "backends/registry.h"

void doctor_perf(struct doctor *d)
{
	const struct backend *perf = registry_find(span_of("perf"));
	char paranoid[16];
	unsigned before = d->n;

	if (perf)
		doctor_backend(d, DOCTOR_PERF, perf);
	else
		doctor_add(d, DOCTOR_PERF, DOCTOR_UNSUPPORTED, "perf", NULL, "this build does not count CPU events");
	if (d->n == before)
		doctor_add(d, DOCTOR_PERF, DOCTOR_MISSING, "perf", "a kernel with CONFIG_PERF_EVENTS",
			   "the kernel was built without perf events");
	if (doctor_read(d, "proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid)))
		doctor_add(d, DOCTOR_PERF, DOCTOR_NOTE, "perf_event_paranoid", NULL, "%s", paranoid);
}
