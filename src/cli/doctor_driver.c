/* If no GPU could be measured: which drivers and GPUs the kernel knows. */
#include "cli/doctor.h"

#include "backends/registry.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *module, *words;
} modules[] = {
	{"mali_kbase", "Arm's own driver"},
	{"bifrost_kbase", "Arm's own driver, under the name that some vendors use"},
	{"mali", "Arm's own driver, or the one for the older Mali-400 series, which has no such counters"},
	{"panfrost", "Mesa's driver for Midgard, Bifrost and job-manager Valhall GPUs"},
	{"panthor", "Mesa's driver for Valhall GPUs with a command stream front end, and later ones"},
	{"lima", "a driver for the Mali-400 series, which has no such counters"},
};

/* GPUs in the device tree by their `compatible`, and the module that drives them. */
static const struct {
	const char *compatible, *help;
} compatibles[] = {
	{"arm,mali-valhall-csf", "sudo modprobe panthor (Linux 6.10 or later), or load mali_kbase, Arm's "
				 "driver, if the vendor ships it"},
	{"arm,mali-", "sudo modprobe panfrost, or load mali_kbase, Arm's driver, if the vendor ships it"},
};

static bool is_loaded(const struct doctor *d, const char *module)
{
	char path[64];
	char **names;
	int n;

	snprintf(path, sizeof(path), "sys/module/%s", module);
	n = d->sys->list(d->sys, path, &names);
	if (n >= 0)
		sys_names_free(names, n);
	return n >= 0;
}

static void check_modules(struct doctor *d, bool has_node)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(modules); i++)
		if (is_loaded(d, modules[i].module)) {
			doctor_add(d, DOCTOR_GPU, DOCTOR_NOTE, modules[i].module, NULL, "loaded: %s",
				   modules[i].words);
			n++;
		}
	if (!n && !has_node)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "driver", NULL,
			   "no driver for a Mali GPU is loaded");
}

/* A GPU in the device tree may only need a modprobe. */
static bool check_platform(struct doctor *d)
{
	char **names;
	int n = d->sys->list(d->sys, "sys/bus/platform/devices", &names);
	bool found = false;

	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = xasprintf("sys/bus/platform/devices/%s/of_node/compatible", names[i]);
		char text[128];

		if (!doctor_read(d, path, text, sizeof(text)))
			continue;
		for (size_t c = 0; c < ARRAY_LEN(compatibles); c++) {
			if (!strstr(text, compatibles[c].compatible))
				continue;
			doctor_add(d, DOCTOR_GPU, DOCTOR_NOTE, names[i], compatibles[c].help,
				   "a GPU in the device tree: %s", text);
			found = true;
			break;
		}
	}
	if (n >= 0)
		sys_names_free(names, n);
	return found;
}

/* Device nodes of Mesa's drivers, which this build has no backend for. */
static bool check_nodes(struct doctor *d, const struct registry_driver *of)
{
	char **names;
	int n = d->sys->list(d->sys, of->dir, &names);
	bool found = false;

	for (int i = 0; i < n; i++) {
		AUTOFREE char *node = xasprintf("/%s/%s", of->dir, names[i]);
		char driver[32];

		if (!registry_is_node(d->sys, of, names[i], driver, sizeof(driver)) || !driver[0] ||
		    registry_driver_backend(of, driver))
			continue;
		doctor_add(d, DOCTOR_GPU, DOCTOR_UNSUPPORTED, node, NULL,
			   "driver %s: this build has no backend for it", driver);
		found = true;
	}
	if (n >= 0)
		sys_names_free(names, n);
	return found;
}

void doctor_driver(struct doctor *d)
{
	bool any = d->n > 0; /* there is a node, and a finding why it cannot be used */

	for (const struct registry_driver *of = registry_drivers; of->driver; of++)
		any |= of->modules && check_nodes(d, of);
	if (!any)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "/dev/mali0", NULL,
			   "no device node of Arm's driver");
	check_modules(d, any);
	if (!check_platform(d) && !any)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "GPU", "malitop --demo shows a simulated one",
			   "no Mali GPU in the device tree");
}
