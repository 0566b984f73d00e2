#include "backends/kbase/kbase.h"
#include "backends/kbase/kbase_abi.h"

#include <string.h>

/* Numbers in the stream are unaligned and little-endian, as is every machine with a Mali GPU. */
static uint64_t number_at(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

enum { ID_GROUP_FIRST = 64, ID_GROUP_LAST = 79 };

/* The member for each property. The width in the stream differs between releases; a value that does
 * not fit the member is truncated. */
static const struct {
	unsigned id;
	size_t offset;
	bool wide;
} members[] = {
	{1, offsetof(struct kbase_props, product_id), false},
	{6, offsetof(struct kbase_props, max_khz), false},
	{15, offsetof(struct kbase_props, l2_slices), false},
	{25, offsetof(struct kbase_props, shader_present), true},
	{29, offsetof(struct kbase_props, l2_features), false},
	{30, offsetof(struct kbase_props, core_features), false},
	{31, offsetof(struct kbase_props, mem_features), false},
	{55, offsetof(struct kbase_props, gpu_id), true},
	{59, offsetof(struct kbase_props, thread_features), false},
	{62, offsetof(struct kbase_props, n_core_groups), false},
	{82, offsetof(struct kbase_props, n_engines), false},
};

static void take_property(struct kbase_props *props, uint32_t id, uint64_t value)
{
	if (id >= ID_GROUP_FIRST && id <= ID_GROUP_LAST)
		props->group_mask[id - ID_GROUP_FIRST] = value;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		char *to = (char *)props + members[i].offset;

		if (members[i].id == id && members[i].wide)
			*(uint64_t *)(void *)to = value;
		else if (members[i].id == id)
			*(uint32_t *)(void *)to = (uint32_t)value;
	}
}

bool kbase_props_parse(struct kbase_props *props, const uint8_t *stream, size_t n)
{
	*props = (struct kbase_props){0};
	while (n) {
		uint32_t key;
		unsigned bytes;

		if (n < 4)
			return false;
		key = (uint32_t)number_at(stream, 4);
		bytes = 1u << (key & 3);
		if (n - 4 < bytes)
			return false;
		take_property(props, key >> 2, number_at(stream + 4, bytes));
		stream += 4 + bytes;
		n -= 4 + bytes;
	}
	return true;
}

void kbase_props_parse_uk(struct kbase_props *props, const uint8_t *b)
{
	*props = (struct kbase_props){
		.product_id = (uint32_t)number_at(b + UK_PROPS_PRODUCT_ID, 4),
		.max_khz = (uint32_t)number_at(b + UK_PROPS_FREQ_KHZ_MAX, 4),
		.l2_slices = b[UK_PROPS_L2_SLICES],
		.shader_present = number_at(b + UK_PROPS_SHADER_PRESENT, 8),
		.l2_features = (uint32_t)number_at(b + UK_PROPS_L2_FEATURES, 4),
		.mem_features = (uint32_t)number_at(b + UK_PROPS_MEM_FEATURES, 4),
		.gpu_id = number_at(b + UK_PROPS_GPU_ID, 4),
		.thread_features = (uint32_t)number_at(b + UK_PROPS_THREAD_FEATURES, 4),
		.n_core_groups = (uint32_t)number_at(b + UK_PROPS_NUM_CORE_GROUPS, 4),
	};
	for (unsigned i = 0; i < UK_PROPS_GROUPS; i++)
		props->group_mask[i] = number_at(b + UK_PROPS_GROUP_MASK + i * UK_PROPS_GROUP_STRIDE, 8);
}

uint64_t kbase_props_cores(const struct kbase_props *props)
{
	uint64_t mask = 0;

	/* The groups list the counted cores; the register lists the existing ones. */
	for (unsigned i = 0; i < props->n_core_groups && i < 16; i++)
		mask |= props->group_mask[i];
	return mask ? mask : props->shader_present;
}

unsigned kbase_props_slices(const struct kbase_props *props)
{
	unsigned n = props->l2_slices || !props->mem_features ? props->l2_slices
							      : (props->mem_features >> 8 & 15) + 1;

	return n <= 64 ? n : 0;
}

unsigned kbase_props_bus_bits(const struct kbase_props *props)
{
	unsigned log2_bits = props->l2_features >> 24;

	return log2_bits >= 3 && log2_bits <= 12 ? 1u << log2_bits : 0;
}

uint64_t kbase_props_id(const struct kbase_props *props)
{
	return props->gpu_id ? props->gpu_id : (uint64_t)props->product_id << 16;
}
