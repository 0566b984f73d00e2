#include "backends/panfrost/panfrost.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>

#define BLOCK_BYTES (64 * 4)
#define T60X 0x6956      /* in the register of the T60x */
#define T60X_TOLD 0x0600 /* what the driver makes of it */

static const struct {
	enum panfrost_param param;
	size_t offset;
	const char *name;
} members[] = {
	{PANFROST_GPU_PROD_ID, offsetof(struct panfrost_props, product), "product"},
	{PANFROST_GPU_REVISION, offsetof(struct panfrost_props, revision), "revision"},
	{PANFROST_SHADER_PRESENT, offsetof(struct panfrost_props, cores), "shader cores"},
	{PANFROST_L2_PRESENT, offsetof(struct panfrost_props, l2_present), "L2 caches"},
	{PANFROST_L2_FEATURES, offsetof(struct panfrost_props, l2_features), "L2 features"},
	{PANFROST_CORE_FEATURES, offsetof(struct panfrost_props, core_features), "core features"},
	{PANFROST_MEM_FEATURES, offsetof(struct panfrost_props, mem_features), "memory features"},
	{PANFROST_THREAD_FEATURES, offsetof(struct panfrost_props, thread_features), "thread features"},
};

bool panfrost_read_props(struct panfrost *p, struct err *err)
{
	struct panfrost_props *props = &p->props;

	*props = (struct panfrost_props){0};
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct panfrost_get_param request = {.param = members[i].param};

		if (!drm_gpu_ask(&p->gpu, PANFROST_GET_PARAM, &request))
			return err_set(err, errno, "%s: cannot ask for the GPU's %s: %s", p->gpu.path,
				       members[i].name, strerror(errno));
		*(uint64_t *)(void *)((char *)props + members[i].offset) = request.value;
	}
	if (props->product == T60X_TOLD)
		props->product = T60X;
	return (props->product && props->product <= UINT16_MAX && props->cores) ||
	       err_set(err, EPROTO, "%s: the driver reports no GPU id or no shader cores", p->gpu.path);
}

uint64_t panfrost_gpu_id(const struct panfrost_props *props)
{
	return props->product << 16 | (props->revision & 0xffff);
}

/* Each core group has an L2 cache, with the number of the group's first core. Of several groups the
 * driver powers only the first (panfrost_get_core_mask). */
static uint64_t powered_group(const struct panfrost_props *props)
{
	uint64_t l2 = props->l2_present, group = ~(l2 - 1) & (l2 - 2);

	return l2 != 1 && props->cores & group ? group : UINT64_MAX;
}

uint64_t panfrost_used_cores(const struct panfrost_props *props)
{
	return props->cores & powered_group(props);
}

unsigned panfrost_slices(const struct panfrost_props *props)
{
	/* The old layout has a memory block per core group. */
	if (panfrost_is_v4(props))
		return (unsigned)__builtin_popcountll(props->l2_present & powered_group(props));
	return (unsigned)(props->mem_features >> 8 & 15) + 1;
}

unsigned panfrost_bus_bits(const struct panfrost_props *props)
{
	unsigned log2_bits = props->l2_features >> 24 & 255;

	return log2_bits >= 3 && log2_bits <= 12 ? 1u << log2_bits : 0;
}

bool panfrost_is_v4(const struct panfrost_props *props)
{
	static const uint64_t products[] = {T60X, 0x0620, 0x0720};

	for (size_t i = 0; i < ARRAY_LEN(products); i++)
		if (props->product == products[i])
			return true;
	return false;
}

size_t panfrost_dump_bytes(const struct panfrost_props *props)
{
	unsigned top = 64 - (unsigned)__builtin_clzll(props->cores | 1);

	if (panfrost_is_v4(props))
		return (size_t)__builtin_popcountll(props->l2_present) * 8 * BLOCK_BYTES;
	return (size_t)(2 + panfrost_slices(props) + top) * BLOCK_BYTES;
}
