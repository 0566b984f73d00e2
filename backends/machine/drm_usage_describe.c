/* Called in the ui thread while the sampler reads, so every file is opened anew. */
#include "backends/machine/drm_usage.h"

#include <string.h>

void drm_usage_note(const struct drm_usage *u, const char *path, struct strbuf *text)
{
	unsigned before;

	if (u->refused)
		strbuf_printf(text, "%s: --profiling: cannot turn it on: %s: run as root", path,
			      strerror(u->refused));
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

void drm_usage_describe_gives(bool counts, struct strbuf *text)
{
	strbuf_str(text, counts ? "gives     the counters of every block, and queues and memory of programs\n"
				: "gives     clock, powered share, queues and memory, of the GPU and of "
				  "programs\n");
}

void drm_usage_describe(const struct drm_usage *u, struct strbuf *text)
{
	static const char *const states[] = {
		[DRM_PROFILING_ABSENT] = "this kernel has no switch for it that can be seen",
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
	else
		strbuf_printf(text, "profiling: %s\n", states[profiling]);
	gpu_system_describe(&u->system, text);
}
