/* kbase_abi: the interface of Arm's kernel driver at /dev/maliN, in all its generations. Structs
 * and request numbers are the same on 32-bit and 64-bit machines; assertions below check the sizes
 * and offsets that matter.
 *
 * Source: the UAPI headers of the driver releases r16p0 (UK 10.6), r44p0 (JM 11.39, CSF 1.20) and
 * r54p1 (CSF 1.38).
 */
#ifndef MALITOP_KBASE_ABI_H
#define MALITOP_KBASE_ABI_H

#include <stddef.h>
#include <stdint.h>

/* ---- the device ---- */

#define KBASE_VERSION_CHECK_JM 0xC0048000u
#define KBASE_VERSION_CHECK_CSF 0xC0048034u
#define KBASE_SET_FLAGS 0x40048001u
#define KBASE_GET_GPUPROPS 0x40108003u
#define KBASE_HWCNT_READER_SETUP 0x40148008u
#define KBASE_GET_DDK_VERSION 0x4010800Du
#define KBASE_PRFCNT_ENUM_INFO 0xC0108038u
#define KBASE_PRFCNT_SETUP 0xC0108039u

/* A context that only monitors; it submits no jobs. */
#define KBASE_FLAG_MONITOR 0x2u

struct kbase_abi_version {
	uint16_t major, minor;
};

struct kbase_abi_buffer { /* GET_GPUPROPS and GET_DDK_VERSION */
	uint64_t address;
	uint32_t size, flags;
};

struct kbase_abi_hwcnt_setup {
	uint32_t buffer_count, fe_mask, shader_mask, tiler_mask, memory_mask;
};

/* ---- UK 10.x ---- */

/* One dispatcher for 64-bit headers. It reads the size from the request number and the function
 * from the header, which it overwrites with its result. */

#define UK_VERSION_CHECK 0xC0108000u
#define UK_SET_FLAGS 0xC0108212u
#define UK_GPU_PROPS 0xC218820Eu
#define UK_HWCNT_READER_SETUP 0xC0208224u

enum uk_function {
	UK_ID_VERSION_CHECK = 0,
	UK_ID_GPU_PROPS = 526,
	UK_ID_SET_FLAGS = 530,
	UK_ID_HWCNT_READER_SETUP = 548
};

struct uk_header {
	uint32_t id; /* returns the result: 0, or 3 for a failure */
	uint32_t padding;
};

struct uk_version {
	struct uk_header header;
	uint16_t major, minor;
	uint32_t padding;
};

struct uk_flags {
	struct uk_header header;
	uint32_t create_flags, padding;
};

struct uk_hwcnt_setup {
	struct uk_header header;
	struct kbase_abi_hwcnt_setup setup;
	int32_t fd; /* out */
};

#define UK_PROPS_SIZE 536
/* Offsets of the fields that we read, header included. */
enum uk_props {
	UK_PROPS_PRODUCT_ID = 8,
	UK_PROPS_FREQ_KHZ_MAX = 24,
	UK_PROPS_L2_SLICES = 58, /* u8 */
	UK_PROPS_SHADER_PRESENT = 104,
	UK_PROPS_L2_FEATURES = 136,
	UK_PROPS_MEM_FEATURES = 144,
	UK_PROPS_GPU_ID = 240,
	UK_PROPS_THREAD_FEATURES = 256,
	UK_PROPS_NUM_CORE_GROUPS = 268,
	UK_PROPS_GROUP_MASK = 280,
	UK_PROPS_GROUP_STRIDE = 16,
	UK_PROPS_GROUPS = 16,
};

/* ---- vinstr: the reader's own requests ---- */

#define VINSTR_GET_HWVER 0x8004BE00u
#define VINSTR_GET_BUFFER_SIZE 0x8004BE01u
#define VINSTR_DUMP 0x4004BE10u
#define VINSTR_CLEAR 0x4004BE11u
#define VINSTR_GET_BUFFER 0x8010BE20u
#define VINSTR_GET_BUFFER_CYCLES 0x8020BE20u
#define VINSTR_PUT_BUFFER 0x4010BE21u
#define VINSTR_PUT_BUFFER_CYCLES 0x4020BE21u
#define VINSTR_SET_INTERVAL 0x4004BE30u /* the argument is ns, not a pointer; 0: manual */
#define VINSTR_GET_API_VERSION_FEATURES 0x4008BEFFu

#define VINSTR_FEATURE_CYCLES_TOP 1u
#define VINSTR_FEATURE_CYCLES_SHADER 2u

struct vinstr_api {
	uint32_t version, features;
};

struct vinstr_metadata {
	uint64_t timestamp_ns; /* CLOCK_MONOTONIC_RAW */
	uint32_t event, buffer;
	uint64_t cycles_top, cycles_shader; /* only in the 32 byte form */
};

/* ---- kinstr_prfcnt ---- */

enum prfcnt_enum_type { PRFCNT_ENUM_BLOCK };
enum prfcnt_block_type { PRFCNT_BLOCK_FE, PRFCNT_BLOCK_TILER, PRFCNT_BLOCK_MEMORY, PRFCNT_BLOCK_SHADER };
enum prfcnt_request_type {
	PRFCNT_REQUEST_END = 0,
	PRFCNT_REQUEST_MODE = 0x1000,
	PRFCNT_REQUEST_ENABLE,
	PRFCNT_REQUEST_SCOPE
};
enum prfcnt_mode { PRFCNT_MODE_MANUAL, PRFCNT_MODE_PERIODIC };
enum prfcnt_command { PRFCNT_START = 1, PRFCNT_STOP, PRFCNT_SAMPLE_SYNC, PRFCNT_DISCARD = 5 };
enum prfcnt_metadata_type {
	PRFCNT_META_END = 0,
	PRFCNT_META_SAMPLE = 0x2000,
	PRFCNT_META_CLOCK,
	PRFCNT_META_BLOCK
};

#define PRFCNT_CMD 0x4010BF00u
#define PRFCNT_GET_SAMPLE 0x8010BF01u
#define PRFCNT_PUT_SAMPLE 0x4010BF10u

#define PRFCNT_FLAG_STRETCHED (1u << 0)
#define PRFCNT_FLAG_ERROR (1u << 30)
#define PRFCNT_CLOCKS_MAX 4

/* What a block was in during a sample; several bits of a pair if it changed. A core that is not
 * available counts nevertheless as long as it is on. */
enum prfcnt_block_state {
	PRFCNT_STATE_ON = 1 << 0,
	PRFCNT_STATE_OFF = 1 << 1,
	PRFCNT_STATE_AVAILABLE = 1 << 2,
	PRFCNT_STATE_UNAVAILABLE = 1 << 3,
	PRFCNT_STATE_NORMAL = 1 << 4,
	PRFCNT_STATE_PROTECTED = 1 << 5
};

struct prfcnt_enum_info {
	uint32_t item_size, item_count;
	uint64_t list;
};

struct prfcnt_header {
	uint16_t type, version;
	uint32_t padding;
};

struct prfcnt_enum_item { /* of a block; other items are skipped */
	struct prfcnt_header header;
	struct {
		uint8_t type, set;
		uint16_t padding, num_instances, num_values;
		uint64_t counter_mask[2];
	} block;
};

union prfcnt_setup {
	struct {
		uint32_t item_count, item_size;
		uint64_t requests;
	} in;
	struct {
		uint32_t metadata_item_size, mmap_size;
	} out;
};

struct prfcnt_request {
	struct prfcnt_header header;
	union {
		struct {
			uint8_t mode, padding[7];
			uint64_t period_ns;
		} mode;
		struct {
			uint8_t block_type, set, padding[6];
			uint64_t mask[2];
		} enable;
		uint8_t scope; /* 0: global */
	};
};

struct prfcnt_control {
	uint16_t command, padding[3];
	uint64_t user_data;
};

struct prfcnt_access {
	uint64_t sequence, offset;
};

struct prfcnt_metadata {
	struct prfcnt_header header;
	union {
		struct {
			uint64_t start_ns, end_ns, sequence, user_data; /* CLOCK_MONOTONIC_RAW */
			uint32_t flags, padding;
		} sample;
		struct {
			uint32_t num_domains, padding;
			uint64_t cycles[PRFCNT_CLOCKS_MAX]; /* top, shader cores */
		} clock;
		struct {
			uint8_t type, index, set, padding;
			uint32_t state, values_offset, padding2; /* from the start of the mapping */
		} block;
	};
};

#define ABI_AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member)
#define ABI_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)

ABI_SIZE(struct kbase_abi_version, 4);
ABI_SIZE(struct kbase_abi_buffer, 16);
ABI_SIZE(struct kbase_abi_hwcnt_setup, 20);
ABI_SIZE(struct uk_version, 16);
ABI_AT(struct uk_version, major, 8);
ABI_SIZE(struct uk_flags, 16);
ABI_SIZE(struct uk_hwcnt_setup, 32);
ABI_AT(struct uk_hwcnt_setup, fd, 28);
ABI_SIZE(struct vinstr_metadata, 32);
ABI_AT(struct vinstr_metadata, cycles_top, 16);
ABI_SIZE(struct prfcnt_enum_info, 16);
ABI_SIZE(struct prfcnt_enum_item, 32);
ABI_AT(struct prfcnt_enum_item, block.num_instances, 12);
ABI_AT(struct prfcnt_enum_item, block.num_values, 14);
ABI_AT(struct prfcnt_enum_item, block.counter_mask, 16);
ABI_SIZE(union prfcnt_setup, 16);
ABI_SIZE(struct prfcnt_request, 32);
ABI_AT(struct prfcnt_request, mode.period_ns, 16);
ABI_AT(struct prfcnt_request, enable.mask, 16);
ABI_SIZE(struct prfcnt_control, 16);
ABI_AT(struct prfcnt_control, user_data, 8);
ABI_SIZE(struct prfcnt_access, 16);
ABI_SIZE(struct prfcnt_metadata, 48);
ABI_AT(struct prfcnt_metadata, sample.flags, 40);
ABI_AT(struct prfcnt_metadata, clock.cycles, 16);
ABI_AT(struct prfcnt_metadata, block.state, 12);
ABI_AT(struct prfcnt_metadata, block.values_offset, 16);

#endif
