#include "backends/panfrost/panfrost.h"

#include "backends/gpu/gpu_identity.h"

#include <inttypes.h>

void panfrost_describe(const struct source *source, struct strbuf *text)
{
	static const char *const counters[] = {
		[PANFROST_COUNTERS] = "counters  by the unstable ioctls, all blocks, one dump a sample\n"
				      "power     the GPU stays powered while malitop counts\n",
		[PANFROST_OFF] = "limited: counters: the kernel keeps them behind its unstable ioctls, or "
				 "panfrost.unstable_ioctls=1 at boot: they give all views, and the kernel "
				 "then calls itself tainted -> echo Y | sudo tee "
				 "/sys/module/panfrost/parameters/unstable_ioctls\n",
		[PANFROST_UNASKED] = "counters  not used, because of -b panfrost:fdinfo\n",
		[PANFROST_TAKEN] = "limited: counters: another program has them, and only one can: they give "
				   "all views -> stop that program\n",
	};
	const struct panfrost *p = source->priv;

	strbuf_printf(text, "\ndevice    %s, GPU id 0x%" PRIx64 "\n", p->path, panfrost_gpu_id(&p->props));
	strbuf_printf(text, "driver    panfrost %d.%d\n", p->version.major, p->version.minor);
	drm_usage_describe_gives(&p->usage, text);
	strbuf_str(text, counters[p->counters]);
	gpu_identity_describe(&source->constants, p->n_engines, text);
	drm_usage_describe(&p->usage, text);
}
