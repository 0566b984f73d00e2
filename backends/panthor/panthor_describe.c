#include "backends/panthor/panthor.h"

#include "backends/gpu/gpu_identity.h"

#include <inttypes.h>

void panthor_describe(const struct source *source, struct strbuf *text)
{
	const struct panthor *p = source->priv;

	strbuf_printf(text, "\ndevice    %s, GPU id 0x%" PRIx64 "\n", p->path, panthor_gpu_id(p));
	strbuf_printf(text, "driver    panthor %d.%d\n", p->version.major, p->version.minor);
	drm_usage_describe_gives(&p->usage, text);
	if (p->counters == PANTHOR_COUNTERS)
		strbuf_printf(text,
			      "counters  by the interface %s, which mainline Linux does not have\n"
			      "power     the GPU stays powered while malitop counts\n",
			      p->interface->name);
	else if (p->counters == PANTHOR_NONE)
		strbuf_str(text, "limited: counters: mainline Linux has none for Panthor, so no command gets "
				 "them: a kernel with Arm's driver (kbase) does\n");
	else
		strbuf_str(text, "counters  not used, because of -b panthor:fdinfo\n");
	gpu_identity_describe(&source->constants, p->n_engines, text);
	drm_usage_describe(&p->usage, text);
}
