/* Page flips of the displays, where the kernel lets them be counted. */
#include "backends/proc/proc.h"

#include <errno.h>
#include <stdio.h>

#define EVENT "drm/drm_vblank_event_delivered"

bool proc_flips_open(struct proc_flips *f, const struct sys *sys, struct err *err)
{
	struct tracepoint event;
	bool ok = true;

	*f = (struct proc_flips){0};
	if (!tracepoint_find(&event, sys, EVENT, err))
		return false;
	while (ok && f->n < PROC_DISPLAYS) { /* a filter of the kernel distinguishes them */
		char filter[16];

		snprintf(filter, sizeof(filter), "crtc == %u", f->n);
		ok = tracepoint_open(&f->displays[f->n++], &event, filter, false, err);
	}
	if (ok)
		return true;
	proc_flips_close(f);
	if (err->code != EINVAL && err->code != ENOTTY)
		return false;
	f->together = true; /* a kernel without filters */
	f->n = 1;
	if (tracepoint_open(&f->displays[0], &event, "", false, err))
		return true;
	proc_flips_close(f);
	return false;
}

void proc_flips_close(struct proc_flips *f)
{
	for (unsigned i = 0; i < f->n; i++)
		tracepoint_close(&f->displays[i]);
	f->n = 0;
}

void proc_flips_read(struct proc_flips *f, uint64_t *flips)
{
	for (unsigned i = 0; i < f->n; i++) {
		uint64_t count = tracepoint_count(&f->displays[i]);

		flips[i] = count == UINT64_MAX || f->before[i] == UINT64_MAX || count < f->before[i]
				   ? SAMPLE_UNKNOWN
				   : count - f->before[i];
		f->before[i] = count;
	}
}
