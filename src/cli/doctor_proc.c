/* The files in /proc and /sys, as the proc backend reads them. */
#include "cli/doctor.h"

#include "backends/registry.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *path, *words, *help;
} files[] = {
	{"proc/stat", "CPU load", "on Android, only adb shell and root may read it"},
	{"proc/meminfo", "memory", NULL},
	{"proc/pressure/cpu", "pressure", "boot with psi=1 on a kernel with CONFIG_PSI"},
};

void doctor_proc(struct doctor *d)
{
	const struct backend *proc = registry_find(span_of("proc"));
	char text[64];

	if (proc)
		doctor_backend(d, DOCTOR_PROC, proc);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!doctor_read(d, files[i].path, text, sizeof(text)))
			doctor_add(d, DOCTOR_PROC, doctor_state_of(errno), files[i].words, files[i].help,
				   "/%s: %s", files[i].path, strerror(errno));
}
