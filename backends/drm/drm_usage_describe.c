/* Called in the ui thread while the sampler reads, so every file is opened anew. */
#include "backends/drm/drm_usage.h"

#include <errno.h>
#include <string.h>

/* Why --profiling could not turn it on. */
static void note_refused(const struct drm_usage *u, const char *path, struct strbuf *text)
{
	strbuf_printf(text, "%s: --profiling: ", path);
	if (!u->profiling.path[0])
		strbuf_printf(text, "this kernel has no switch for it that can be seen: %s",
			      u->driver->switch_since);
	else
		strbuf_printf(text, "cannot turn it on: %s%s", strerror(u->refused),
			      u->refused == EACCES || u->refused == EPERM ? ": run as root" : "");
}

void drm_usage_note(const struct drm_usage *u, const char *path, struct strbuf *text)
{
	unsigned before;

	if (u->refused)
		note_refused(u, path, text);
	else if (!u->profiling.set && drm_profiling_left_on(&u->profiling, &before))
		strbuf_printf(
			text,
			"%s: profiling was left on by a malitop that was killed: echo %u | sudo tee /%s",
			path, before, u->profiling.path);
	else if (drm_profiling_state(&u->profiling) == DRM_PROFILING_OFF)
		strbuf_printf(text,
			      "%s: profiling is off, so the kernel does not time the queues: run malitop "
			      "--profiling as root, or echo %u | sudo tee /%s",
			      path, u->driver->profiling_on, u->profiling.path);
}

void drm_usage_describe_gives(const struct drm_usage *u, struct strbuf *text)
{
	static const char *const gives[2][2] = {
		{"clock and powered share of the GPU",
		 "clock, powered share, queues and memory, of the GPU and of programs"},
		{"the counters of every block",
		 "the counters of every block, and queues and memory of programs"},
	};

	strbuf_printf(text, "gives     %s\n", gives[u->counts][u->reports]);
	if (!u->reports)
		strbuf_printf(
			text,
			"limited: programs: this kernel does not report who uses the GPU: no queues and "
			"memory of programs -> use %s\n",
			u->driver->reports_since);
}

void drm_usage_describe(const struct drm_usage *u, struct strbuf *text)
{
	static const char *const states[] = {
		[DRM_PROFILING_UNKNOWN] = "its state cannot be read",
		[DRM_PROFILING_ON] = "on: the kernel times the queues of each client",
	};
	enum drm_profiling profiling = drm_profiling_state(&u->profiling);
	unsigned before;

	if (profiling == DRM_PROFILING_OFF)
		strbuf_printf(
			text,
			"limited: profiling: off: no times of queues and programs; --profiling turns it "
			"on while malitop runs -> echo %u | sudo tee /%s\n",
			u->driver->profiling_on, u->profiling.path);
	else if (!u->profiling.set && drm_profiling_left_on(&u->profiling, &before))
		strbuf_printf(
			text,
			"limited: profiling: left on by a malitop that was killed, which costs a little "
			"for each job -> echo %u | sudo tee /%s\n",
			before, u->profiling.path);
	else if (profiling == DRM_PROFILING_ABSENT)
		strbuf_printf(text, "profiling: this kernel has no switch for it that can be seen: %s\n",
			      u->driver->switch_since);
	else
		strbuf_printf(text, "profiling: %s\n", states[profiling]);
	gpu_system_describe(&u->system, text);
}
