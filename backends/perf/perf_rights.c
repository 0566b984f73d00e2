#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <errno.h>

const char *perf_rights_help(int code)
{
	static const char hidden[] = "the CPU has no counters for this kernel: a virtual machine without a "
				     "virtual PMU, or a device tree without pmu";
	static const struct {
		int code;
		const char *help;
	} helps[] = {
		{EACCES, "sudo sysctl kernel.perf_event_paranoid=0 (until the next boot), or sudo setcap "
			 "cap_perfmon+ep on malitop; on "
			 "Android: setprop security.perf_harden 0"},
		{EPERM, "a container or a security module blocks it: allow perf_event_open in its seccomp "
			"profile, or run outside it"},
		{ENOENT, hidden},
		{EOPNOTSUPP, hidden},
		{ENODEV, hidden},
		{ENOSYS, "the kernel was built without perf events (CONFIG_PERF_EVENTS)"},
		{EMFILE, "ulimit -n 4096"},
	};

	for (size_t i = 0; i < ARRAY_LEN(helps); i++)
		if (helps[i].code == code)
			return helps[i].help;
	return NULL;
}
