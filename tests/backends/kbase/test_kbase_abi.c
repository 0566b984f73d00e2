/* The numbers that the driver and we must agree on, against tables that were computed from its
 * headers. */
#include "backends/kbase/kbase_abi.h"
#include "tests/support/reference.h"

/* Our structs under the names that they have in the driver. */
#define MEMBER(name, type, member)                                        \
	{                                                                 \
		name, offsetof(type, member), sizeof(((type *)0)->member) \
	}
#define WHOLE(name, type)                    \
	{                                    \
		name, SIZE_MAX, sizeof(type) \
	}
static const struct {
	const char *name;
	size_t offset, size;
} members[] = {
	WHOLE("kbase_ioctl_version_check", struct kbase_abi_version),
	MEMBER("kbase_ioctl_version_check.major", struct kbase_abi_version, major),
	MEMBER("kbase_ioctl_version_check.minor", struct kbase_abi_version, minor),
	WHOLE("kbase_ioctl_get_gpuprops", struct kbase_abi_buffer),
	MEMBER("kbase_ioctl_get_gpuprops.buffer", struct kbase_abi_buffer, address),
	MEMBER("kbase_ioctl_get_gpuprops.size", struct kbase_abi_buffer, size),
	MEMBER("kbase_ioctl_get_gpuprops.flags", struct kbase_abi_buffer, flags),
	WHOLE("kbase_ioctl_get_ddk_version", struct kbase_abi_buffer),
	MEMBER("kbase_ioctl_get_ddk_version.version_buffer", struct kbase_abi_buffer, address),
	MEMBER("kbase_ioctl_get_ddk_version.size", struct kbase_abi_buffer, size),
	WHOLE("kbase_ioctl_hwcnt_reader_setup", struct kbase_abi_hwcnt_setup),
	MEMBER("kbase_ioctl_hwcnt_reader_setup.buffer_count", struct kbase_abi_hwcnt_setup, buffer_count),
	MEMBER("kbase_ioctl_hwcnt_reader_setup.fe_bm", struct kbase_abi_hwcnt_setup, fe_mask),
	MEMBER("kbase_ioctl_hwcnt_reader_setup.shader_bm", struct kbase_abi_hwcnt_setup, shader_mask),
	MEMBER("kbase_ioctl_hwcnt_reader_setup.tiler_bm", struct kbase_abi_hwcnt_setup, tiler_mask),
	MEMBER("kbase_ioctl_hwcnt_reader_setup.mmu_l2_bm", struct kbase_abi_hwcnt_setup, memory_mask),
	WHOLE("uku_version_check_args", struct uk_version),
	MEMBER("uku_version_check_args.header.id", struct uk_version, header.id),
	MEMBER("uku_version_check_args.major", struct uk_version, major),
	MEMBER("uku_version_check_args.minor", struct uk_version, minor),
	WHOLE("kbase_uk_set_flags", struct uk_flags),
	MEMBER("kbase_uk_set_flags.create_flags", struct uk_flags, create_flags),
	WHOLE("kbase_uk_hwcnt_reader_setup", struct uk_hwcnt_setup),
	MEMBER("kbase_uk_hwcnt_reader_setup.buffer_count", struct uk_hwcnt_setup, setup.buffer_count),
	MEMBER("kbase_uk_hwcnt_reader_setup.jm_bm", struct uk_hwcnt_setup, setup.fe_mask),
	MEMBER("kbase_uk_hwcnt_reader_setup.shader_bm", struct uk_hwcnt_setup, setup.shader_mask),
	MEMBER("kbase_uk_hwcnt_reader_setup.tiler_bm", struct uk_hwcnt_setup, setup.tiler_mask),
	MEMBER("kbase_uk_hwcnt_reader_setup.mmu_l2_bm", struct uk_hwcnt_setup, setup.memory_mask),
	MEMBER("kbase_uk_hwcnt_reader_setup.fd", struct uk_hwcnt_setup, fd),
	WHOLE("kbase_hwcnt_reader_api_version", struct vinstr_api),
	MEMBER("kbase_hwcnt_reader_api_version.features", struct vinstr_api, features),
	MEMBER("kbase_hwcnt_reader_metadata.timestamp", struct vinstr_metadata, timestamp_ns),
	MEMBER("kbase_hwcnt_reader_metadata.event_id", struct vinstr_metadata, event),
	MEMBER("kbase_hwcnt_reader_metadata.buffer_idx", struct vinstr_metadata, buffer),
	MEMBER("kbase_hwcnt_reader_metadata.cycles.top", struct vinstr_metadata, cycles_top),
	MEMBER("kbase_hwcnt_reader_metadata.cycles.shader_cores", struct vinstr_metadata, cycles_shader),
	WHOLE("kbase_ioctl_kinstr_prfcnt_enum_info", struct prfcnt_enum_info),
	MEMBER("kbase_ioctl_kinstr_prfcnt_enum_info.info_item_size", struct prfcnt_enum_info, item_size),
	MEMBER("kbase_ioctl_kinstr_prfcnt_enum_info.info_item_count", struct prfcnt_enum_info, item_count),
	MEMBER("kbase_ioctl_kinstr_prfcnt_enum_info.info_list_ptr", struct prfcnt_enum_info, list),
	WHOLE("kbase_ioctl_kinstr_prfcnt_setup", union prfcnt_setup),
	MEMBER("kbase_ioctl_kinstr_prfcnt_setup.in.request_item_count", union prfcnt_setup, in.item_count),
	MEMBER("kbase_ioctl_kinstr_prfcnt_setup.in.request_item_size", union prfcnt_setup, in.item_size),
	MEMBER("kbase_ioctl_kinstr_prfcnt_setup.in.requests_ptr", union prfcnt_setup, in.requests),
	MEMBER("kbase_ioctl_kinstr_prfcnt_setup.out.prfcnt_metadata_item_size", union prfcnt_setup,
	       out.metadata_item_size),
	MEMBER("kbase_ioctl_kinstr_prfcnt_setup.out.prfcnt_mmap_size_bytes", union prfcnt_setup,
	       out.mmap_size),
	WHOLE("prfcnt_enum_item", struct prfcnt_enum_item),
	MEMBER("prfcnt_enum_item.u.block_counter.block_type", struct prfcnt_enum_item, block.type),
	MEMBER("prfcnt_enum_item.u.block_counter.set", struct prfcnt_enum_item, block.set),
	MEMBER("prfcnt_enum_item.u.block_counter.num_instances", struct prfcnt_enum_item,
	       block.num_instances),
	MEMBER("prfcnt_enum_item.u.block_counter.num_values", struct prfcnt_enum_item, block.num_values),
	MEMBER("prfcnt_enum_item.u.block_counter.counter_mask", struct prfcnt_enum_item, block.counter_mask),
	WHOLE("prfcnt_request_item", struct prfcnt_request),
	MEMBER("prfcnt_request_item.u.req_mode.mode", struct prfcnt_request, mode.mode),
	MEMBER("prfcnt_request_item.u.req_mode.mode_config.periodic.period_ns", struct prfcnt_request,
	       mode.period_ns),
	MEMBER("prfcnt_request_item.u.req_enable.block_type", struct prfcnt_request, enable.block_type),
	MEMBER("prfcnt_request_item.u.req_enable.set", struct prfcnt_request, enable.set),
	MEMBER("prfcnt_request_item.u.req_enable.enable_mask", struct prfcnt_request, enable.mask),
	MEMBER("prfcnt_request_item.u.req_scope.scope", struct prfcnt_request, scope),
	WHOLE("prfcnt_control_cmd", struct prfcnt_control),
	MEMBER("prfcnt_control_cmd.cmd", struct prfcnt_control, command),
	MEMBER("prfcnt_control_cmd.user_data", struct prfcnt_control, user_data),
	WHOLE("prfcnt_sample_access", struct prfcnt_access),
	MEMBER("prfcnt_sample_access.sequence", struct prfcnt_access, sequence),
	MEMBER("prfcnt_sample_access.sample_offset_bytes", struct prfcnt_access, offset),
	WHOLE("prfcnt_metadata", struct prfcnt_metadata),
	MEMBER("prfcnt_metadata.u.sample_md.timestamp_start", struct prfcnt_metadata, sample.start_ns),
	MEMBER("prfcnt_metadata.u.sample_md.timestamp_end", struct prfcnt_metadata, sample.end_ns),
	MEMBER("prfcnt_metadata.u.sample_md.seq", struct prfcnt_metadata, sample.sequence),
	MEMBER("prfcnt_metadata.u.sample_md.user_data", struct prfcnt_metadata, sample.user_data),
	MEMBER("prfcnt_metadata.u.sample_md.flags", struct prfcnt_metadata, sample.flags),
	MEMBER("prfcnt_metadata.u.clock_md.num_domains", struct prfcnt_metadata, clock.num_domains),
	MEMBER("prfcnt_metadata.u.clock_md.cycles", struct prfcnt_metadata, clock.cycles),
	MEMBER("prfcnt_metadata.u.block_md.block_type", struct prfcnt_metadata, block.type),
	MEMBER("prfcnt_metadata.u.block_md.block_idx", struct prfcnt_metadata, block.index),
	MEMBER("prfcnt_metadata.u.block_md.set", struct prfcnt_metadata, block.set),
	MEMBER("prfcnt_metadata.u.block_md.block_state", struct prfcnt_metadata, block.state),
	MEMBER("prfcnt_metadata.u.block_md.values_offset", struct prfcnt_metadata, block.values_offset),
	{"kbase_uk_gpuprops.props.core_props.product_id", UK_PROPS_PRODUCT_ID, 4},
	{"kbase_uk_gpuprops.props.core_props.gpu_freq_khz_max", UK_PROPS_FREQ_KHZ_MAX, 4},
	{"kbase_uk_gpuprops.props.l2_props.num_l2_slices", UK_PROPS_L2_SLICES, 1},
	{"kbase_uk_gpuprops.props.raw_props.shader_present", UK_PROPS_SHADER_PRESENT, 8},
	{"kbase_uk_gpuprops.props.raw_props.l2_features", UK_PROPS_L2_FEATURES, 4},
	{"kbase_uk_gpuprops.props.raw_props.mem_features", UK_PROPS_MEM_FEATURES, 4},
	{"kbase_uk_gpuprops.props.raw_props.gpu_id", UK_PROPS_GPU_ID, 4},
	{"kbase_uk_gpuprops.props.raw_props.thread_features", UK_PROPS_THREAD_FEATURES, 4},
	{"kbase_uk_gpuprops.props.coherency_info.num_core_groups", UK_PROPS_NUM_CORE_GROUPS, 4},
	{"kbase_uk_gpuprops.props.coherency_info.group[0].core_mask", UK_PROPS_GROUP_MASK, 8},
	{"kbase_uk_gpuprops.props.coherency_info.group[1].core_mask",
	 UK_PROPS_GROUP_MASK + UK_PROPS_GROUP_STRIDE, 8},
	{"kbase_uk_gpuprops", SIZE_MAX, UK_PROPS_SIZE},
};

TEST(structs_are_those_of_the_headers)
{
	bool seen[ARRAY_LEN(members)] = {false};
	struct reference r;

	for (reference_open(&r, "kbase-structs.tsv"); reference_next(&r);) {
		bool uk = span_is(r.cell[0], "kbase_uk10_r16p0");
		uint64_t offset = SIZE_MAX, size;

		if (!span_is(r.cell[2], "-"))
			assert_true(span_u64(r.cell[2], &offset));
		assert_true(span_u64(r.cell[3], &size));
		for (unsigned i = 0; i < ARRAY_LEN(members); i++) {
			if (!span_is(r.cell[1], members[i].name))
				continue;
			seen[i] = true;
			if (members[i].offset != offset || members[i].size != size)
				fail_msg("line %u: %s%s: at %zu, %zu bytes", r.line, members[i].name,
					 uk ? " (UK)" : "", members[i].offset, members[i].size);
		}
	}
	for (unsigned i = 0; i < ARRAY_LEN(members); i++)
		if (!seen[i])
			fail_msg("no such row: %s", members[i].name);
}

static const struct {
	const char *set, *name;
	unsigned request;
} requests[] = {
	{"kbase_r44_jm", "KBASE_IOCTL_VERSION_CHECK", KBASE_VERSION_CHECK_JM},
	{"kbase_r54_csf", "KBASE_IOCTL_VERSION_CHECK", KBASE_VERSION_CHECK_CSF},
	{"kbase_r44_jm", "KBASE_IOCTL_SET_FLAGS", KBASE_SET_FLAGS},
	{"kbase_r54_csf", "KBASE_IOCTL_SET_FLAGS", KBASE_SET_FLAGS},
	{"kbase_r44_jm", "KBASE_IOCTL_GET_GPUPROPS", KBASE_GET_GPUPROPS},
	{"kbase_r54_csf", "KBASE_IOCTL_GET_GPUPROPS", KBASE_GET_GPUPROPS},
	{"kbase_r44_jm", "KBASE_IOCTL_GET_DDK_VERSION", KBASE_GET_DDK_VERSION},
	{"kbase_r44_jm", "KBASE_IOCTL_HWCNT_READER_SETUP", KBASE_HWCNT_READER_SETUP},
	{"kbase_r44_jm", "KBASE_IOCTL_KINSTR_PRFCNT_ENUM_INFO", KBASE_PRFCNT_ENUM_INFO},
	{"kbase_r54_csf", "KBASE_IOCTL_KINSTR_PRFCNT_ENUM_INFO", KBASE_PRFCNT_ENUM_INFO},
	{"kbase_r44_jm", "KBASE_IOCTL_KINSTR_PRFCNT_SETUP", KBASE_PRFCNT_SETUP},
	{"kbase_r54_csf", "KBASE_IOCTL_KINSTR_PRFCNT_SETUP", KBASE_PRFCNT_SETUP},
	{"kbase_r54_csf", "KBASE_IOCTL_KINSTR_PRFCNT_CMD", PRFCNT_CMD},
	{"kbase_r54_csf", "KBASE_IOCTL_KINSTR_PRFCNT_GET_SAMPLE", PRFCNT_GET_SAMPLE},
	{"kbase_r54_csf", "KBASE_IOCTL_KINSTR_PRFCNT_PUT_SAMPLE", PRFCNT_PUT_SAMPLE},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_GET_HWVER", VINSTR_GET_HWVER},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_GET_BUFFER_SIZE", VINSTR_GET_BUFFER_SIZE},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_DUMP", VINSTR_DUMP},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_CLEAR", VINSTR_CLEAR},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_GET_BUFFER", VINSTR_GET_BUFFER},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_GET_BUFFER_WITH_CYCLES", VINSTR_GET_BUFFER_CYCLES},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_PUT_BUFFER", VINSTR_PUT_BUFFER},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_PUT_BUFFER_WITH_CYCLES", VINSTR_PUT_BUFFER_CYCLES},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_SET_INTERVAL", VINSTR_SET_INTERVAL},
	{"kbase_r44_jm", "KBASE_HWCNT_READER_GET_API_VERSION_WITH_FEATURES", VINSTR_GET_API_VERSION_FEATURES},
	{"kbase_uk10", "UK_CHECK_VERSION", UK_VERSION_CHECK},
	{"kbase_uk10", "UK_SET_FLAGS", UK_SET_FLAGS},
	{"kbase_uk10", "UK_GPU_PROPS_REG_DUMP", UK_GPU_PROPS},
	{"kbase_uk10", "UK_HWCNT_READER_SETUP", UK_HWCNT_READER_SETUP},
};

TEST(requests_are_those_of_the_headers)
{
	bool seen[ARRAY_LEN(requests)] = {false};
	struct reference r;
	uint64_t request;

	for (reference_open(&r, "kbase-ioctls.tsv"); reference_next(&r);) {
		assert_true(span_u64(r.cell[2], &request));
		for (unsigned i = 0; i < ARRAY_LEN(requests); i++) {
			if (!span_is(r.cell[0], requests[i].set) || !span_is(r.cell[1], requests[i].name))
				continue;
			seen[i] = true;
			if (requests[i].request != request)
				fail_msg("line %u: %s is 0x%08x", r.line, requests[i].name,
					 requests[i].request);
		}
	}
	for (unsigned i = 0; i < ARRAY_LEN(requests); i++)
		if (!seen[i])
			fail_msg("no such row: %s", requests[i].name);
}
