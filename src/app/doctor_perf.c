/* CPU counters: what the kernel lets us open, from all of the machine down to one process. */
#include "app/doctor.h"

#include "base/alloc.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The steps, the best first. */
static const struct step {
	const char *words;
	uint32_t type;
	uint64_t config;
	int pid, cpu;
	bool user_only;
	enum doctor_state state;
} steps[] = {
	{"cycles of the whole machine, kernel and user", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, 0, false, DOCTOR_OK},
	{"cycles of the whole machine, user only", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, 0, true, DOCTOR_LIMITED},
	{"cycles of our own processes, kernel and user", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, false,
	 DOCTOR_LIMITED},
	{"cycles of our own processes, user only", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, true, DOCTOR_LIMITED},
	{"software events of the whole machine, no hardware counters", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, -1, 0, false,
	 DOCTOR_LIMITED},
	{"software events of our own processes, no hardware counters", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1, true,
	 DOCTOR_LIMITED},
};

static const char *help_of(int code)
{
	static const struct {
		int code;
		const char *help;
	} helps[] = {
		{EACCES,
		 "sudo sysctl kernel.perf_event_paranoid=0 (until the next start), or sudo setcap cap_perfmon+ep on malitop; on "
		 "Android: setprop security.perf_harden 0"},
		{EPERM,
		 "a container or a security module filters it: allow perf_event_open in its seccomp profile, or run outside"},
		{ENOENT, "the CPU has no counters for this kernel: a virtual machine without a virtual PMU, or a device tree "
			 "without pmu"},
		{EOPNOTSUPP, "the CPU has no counters for this kernel: a virtual machine without a virtual PMU, or a device tree "
			     "without pmu"},
		{ENODEV, "the CPU has no counters for this kernel: a virtual machine without a virtual PMU, or a device tree "
			 "without pmu"},
		{ENOSYS, "the kernel was built without perf events (CONFIG_PERF_EVENTS)"},
		{EMFILE, "ulimit -n 4096"},
	};

	for (size_t i = 0; i < ARRAY_LEN(helps); i++)
		if (helps[i].code == code)
			return helps[i].help;
	return NULL;
}

static int try_step(const struct doctor *d, const struct step *step)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .type = step->type, .config = step->config, .disabled = 1};
	int fd;

	attr.exclude_kernel = attr.exclude_hv = step->user_only;
	fd = d->sys->perf_event_open(d->sys, &attr, step->pid, step->cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	d->sys->close(d->sys, fd);
	return 0;
}

static void add_pmus(struct doctor *d)
{
	char **names;
	int n = d->sys->list(d->sys, "sys/bus/event_source/devices", &names);
	unsigned cpus = 0;

	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = xasprintf("sys/bus/event_source/devices/%s/cpus", names[i]);
		bool is_cpu =
			strncmp(names[i], "armv", 4) == 0 || strcmp(names[i], "cpu") == 0 || strncmp(names[i], "cpu_", 4) == 0;
		char text[128];

		if (!is_cpu)
			continue;
		cpus++;
		if (doctor_read(d, path, text, sizeof(text)))
			doctor_add(d, DOCTOR_PERF, DOCTOR_NOTE, names[i], NULL, "the counters of the CPUs %s", text);
		else
			doctor_add(d, DOCTOR_PERF, DOCTOR_NOTE, names[i], NULL, "the counters of all CPUs");
	}
	if (n >= 0)
		sys_names_free(names, n);
	if (!cpus)
		doctor_add(d, DOCTOR_PERF, DOCTOR_MISSING, "PMU", NULL, "the kernel knows no hardware counters of the CPUs");
}

void doctor_perf(struct doctor *d)
{
	int first = 0, code = 0;
	char paranoid[16];
	size_t i = 0;

	while (i < ARRAY_LEN(steps) && (code = try_step(d, &steps[i]))) {
		first = first ? first : code;
		i++;
	}
	if (i == ARRAY_LEN(steps))
		doctor_add(d, DOCTOR_PERF, doctor_state_of(first), "perf_event_open", help_of(first),
			   "nothing can be counted: %s", strerror(first));
	else if (i)
		doctor_add(d, DOCTOR_PERF, steps[i].state, "perf_event_open", help_of(first), "%s; more is refused: %s",
			   steps[i].words, strerror(first));
	else
		doctor_add(d, DOCTOR_PERF, steps[i].state, "perf_event_open", NULL, "%s", steps[i].words);
	if (doctor_read(d, "proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid)))
		doctor_add(d, DOCTOR_PERF, DOCTOR_NOTE, "perf_event_paranoid", NULL, "%s", paranoid);
	add_pmus(d);
	doctor_add(d, DOCTOR_PERF, DOCTOR_UNSUPPORTED, "malitop", NULL,
		   "this version does not count CPU events yet; load and clocks come from /proc and /sys");
}
