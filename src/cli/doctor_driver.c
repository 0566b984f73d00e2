/* Where no GPU could be measured: what the kernel has of drivers and of GPUs. */
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
	{"bifrost_kbase", "Arm's own driver, as some vendors name it"},
	{"mali", "Arm's own driver, or that of the older Mali-400 series, which has no such counters"},
	{"panfrost", "Mesa's driver for Midgard, Bifrost and job-manager Valhall GPUs"},
	{"panthor", "Mesa's driver for Valhall GPUs with a command stream front end, and later ones"},
	{"lima", "a driver for the Mali-400 series, which has no such counters"},
};

/* GPUs of the device tree by what they call themselves, and the module that would serve them. */
static const struct {
	const char *compatible, *help;
} compatibles[] = {
	{"arm,mali-valhall-csf",
	 "sudo modprobe panthor (Linux 6.10 or later), or load mali_kbase, Arm's driver, if the vendor ships it"},
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
			doctor_add(d, DOCTOR_GPU, DOCTOR_NOTE, modules[i].module, NULL, "loaded: %s", modules[i].words);
			n++;
		}
	if (!n && !has_node)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "driver", NULL, "the kernel has none for a Mali GPU");
}

/* A GPU of the device tree without a driver is one modprobe away. */
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
			doctor_add(d, DOCTOR_GPU, DOCTOR_NOTE, names[i], compatibles[c].help, "a GPU of the device tree: %s",
				   text);
			found = true;
			break;
		}
	}
	if (n >= 0)
		sys_names_free(names, n);
	return found;
}

/* Nodes of Mesa's drivers: there, but this build has no backend for them. */
static bool check_render_nodes(struct doctor *d)
{
	char **names;
	int n = d->sys->list(d->sys, "dev/dri", &names);
	bool found = false;

	for (int i = 0; i < n; i++) {
		AUTOFREE char *uevent = xasprintf("sys/class/drm/%s/device/uevent", names[i]);
		AUTOFREE char *node = xasprintf("/dev/dri/%s", names[i]);
		char text[128], unstable[8] = "";

		if (strncmp(names[i], "renderD", 7) != 0 || !doctor_read(d, uevent, text, sizeof(text)))
			continue;
		if (!strstr(text, "panfrost") && !strstr(text, "panthor"))
			continue;
		doctor_add(d, DOCTOR_GPU, DOCTOR_UNSUPPORTED, node, NULL, "%s: this build has no backend for it", text);
		found = true;
		if (doctor_read(d, "sys/module/panfrost/parameters/unstable_ioctls", unstable, sizeof(unstable)) &&
		    unstable[0] != 'Y')
			doctor_add(d, DOCTOR_GPU, DOCTOR_LIMITED, "unstable_ioctls",
				   "echo Y | sudo tee /sys/module/panfrost/parameters/unstable_ioctls",
				   "%s: Panfrost gives its counters only with unstable ioctls switched on", unstable);
	}
	if (n >= 0)
		sys_names_free(names, n);
	return found;
}

void doctor_driver(struct doctor *d)
{
	bool any = d->n > 0; /* a node was there, and told why it is of no use */

	if (check_render_nodes(d))
		any = true;
	if (!any)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "/dev/mali0", NULL, "there is no node of Arm's driver");
	check_modules(d, any);
	if (!check_platform(d) && !any)
		doctor_add(d, DOCTOR_GPU, DOCTOR_MISSING, "GPU", "malitop --demo shows a simulated one",
			   "the device tree names no Mali GPU");
}
