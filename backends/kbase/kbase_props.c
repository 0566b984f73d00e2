#include "backends/kbase/kbase.h"

#include "base/alloc.h"

/* Numbers in the stream are unaligned and little-endian, as is every machine with a Mali GPU. */
static uint64_t number_at(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

enum { ID_GROUP_FIRST = 64, ID_GROUP_LAST = 79 };

#define MEMBER(member) offsetof(struct kbase_props, member), sizeof(((struct kbase_props *)0)->member)

/* The member for each property, by its id in the stream, and by its place in the struct of UK 10.x
 * (0 bytes: not there). The width in the stream differs between releases; a value that does not fit
 * the member is truncated. */
static const struct {
	unsigned id;
	size_t offset, size;
	unsigned uk_at, uk_bytes;
} members[] = {
	{1, MEMBER(product_id), UK_PROPS_PRODUCT_ID, 4},
	{6, MEMBER(max_khz), UK_PROPS_FREQ_KHZ_MAX, 4},
	{15, MEMBER(l2_slices), UK_PROPS_L2_SLICES, 1},
	{25, MEMBER(shader_present), UK_PROPS_SHADER_PRESENT, 8},
	{29, MEMBER(l2_features), UK_PROPS_L2_FEATURES, 4},
	{30, MEMBER(core_features), 0, 0},
	{31, MEMBER(mem_features), UK_PROPS_MEM_FEATURES, 4},
	{55, MEMBER(gpu_id), UK_PROPS_GPU_ID, 4},
	{59, MEMBER(thread_features), UK_PROPS_THREAD_FEATURES, 4},
	{62, MEMBER(n_core_groups), UK_PROPS_NUM_CORE_GROUPS, 4},
	{82, MEMBER(n_engines), 0, 0},
};

static void set_member(struct kbase_props *props, size_t i, uint64_t value)
{
	char *to = (char *)props + members[i].offset;

	if (members[i].size == sizeof(uint64_t))
		*(uint64_t *)(void *)to = value;
	else
		*(uint32_t *)(void *)to = (uint32_t)value;
}

static void take_property(struct kbase_props *props, uint32_t id, uint64_t value)
{
	if (id >= ID_GROUP_FIRST && id <= ID_GROUP_LAST)
		props->group_mask[id - ID_GROUP_FIRST] = value;
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (members[i].id == id)
			set_member(props, i, value);
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
	*props = (struct kbase_props){0};
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (members[i].uk_bytes)
			set_member(props, i, number_at(b + members[i].uk_at, members[i].uk_bytes));
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
							      : gpu_identity_slices(props->mem_features);

	return n <= 64 ? n : 0;
}

uint64_t kbase_props_id(const struct kbase_props *props)
{
	return props->gpu_id ? props->gpu_id : (uint64_t)props->product_id << 16;
}
