/* panthor_abi: the interface of the kernel driver Panthor, as far as a monitor needs it, and two
 * interfaces for counters that are not in mainline Linux: the sixth version of the proposed one
 * (--enable-panthor-perf), and that of Arm's own kernels. */
#ifndef MALITOP_PANTHOR_ABI_H
#define MALITOP_PANTHOR_ABI_H

#include <stddef.h>
#include <stdint.h>

#define PANTHOR_DEV_QUERY 0xC0106440
#define PANTHOR_BO_CREATE 0xC0186445
#define PANTHOR_BO_MMAP_OFFSET 0xC0106446
#define PANTHOR_GEM_CLOSE 0x40086409
#define PANTHOR_PERF_CONTROL_V6 0xC0186451
#define PANTHOR_PERF_CONTROL_ARM 0xC018649E

enum panthor_query {
	PANTHOR_GPU_INFO = 0,
	PANTHOR_PERF_INFO_V6 = 4, /* in mainline this is MMU_INFO, of 8 bytes */
	PANTHOR_PERF_INFO_ARM = 0x3ffffffe,
};

/* The kernel copies as much of a struct as it has, and says how much that was. */
struct panthor_dev_query {
	uint32_t type;
	uint32_t size;
	uint64_t pointer; /* 0: ask for the size */
};

struct panthor_gpu_info {
	uint32_t gpu_id, gpu_rev, csf_id, l2_features, tiler_features, mem_features, mmu_features,
		thread_features, max_threads, thread_max_workgroup_size, thread_max_barrier_size,
		coherency_features, texture_features[4], as_present, selected_coherency;
	uint64_t shader_present, l2_present, tiler_present;
	uint32_t core_features, pad;
	uint64_t gpu_features;
	uint32_t pad1[19];
	uint32_t gpu_id_hi; /* from here on only in Arm's kernels */
	uint32_t tail[8];
};
_Static_assert(offsetof(struct panthor_gpu_info, shader_present) == 72, "as the kernel has it");
_Static_assert(offsetof(struct panthor_gpu_info, core_features) == 96, "as the kernel has it");
_Static_assert(offsetof(struct panthor_gpu_info, gpu_id_hi) == 188, "as Arm's kernel has it");
_Static_assert(sizeof(struct panthor_gpu_info) == 224, "as Arm's kernel has it");

struct panthor_bo_create {
	uint64_t size;
	uint32_t flags, exclusive_vm_id, handle, pad;
};

struct panthor_bo_mmap_offset {
	uint32_t handle, pad;
	uint64_t offset;
};

struct panthor_gem_close {
	uint32_t handle, pad;
};

enum panthor_perf_block {
	PANTHOR_BLOCK_FW = 1,
	PANTHOR_BLOCK_CSHW = 2,
	PANTHOR_BLOCK_TILER = 3,
	PANTHOR_BLOCK_MEMSYS = 4,
	PANTHOR_BLOCK_SHADER = 5,
};

struct panthor_perf_info {
	uint32_t counters_per_block, sample_header_size, block_header_size, sample_size, flags,
		supported_clocks, fw_blocks, cshw_blocks, tiler_blocks, memsys_blocks, shader_blocks;
	uint32_t neural_blocks; /* Arm's kernels only */
};
#define PANTHOR_PERF_INFO_V6_SIZE 44
#define PANTHOR_PERF_INFO_ARM_SIZE 48
_Static_assert(sizeof(struct panthor_perf_info) == PANTHOR_PERF_INFO_ARM_SIZE, "as Arm's kernel has it");

enum panthor_perf_command {
	PANTHOR_PERF_SETUP = 0,
	PANTHOR_PERF_TEARDOWN = 1,
	PANTHOR_PERF_START = 2,
	PANTHOR_PERF_STOP = 3,
	PANTHOR_PERF_SAMPLE = 4,
};

struct panthor_perf_control {
	uint32_t cmd, handle;
	uint64_t size, pointer;
};

/* Masks of counters, by block. The session's handle is the result of the call. */
struct panthor_perf_setup {
	uint8_t block_set; /* 0: primary */
	uint8_t pad[7];
	uint32_t fd, ringbuf_handle, control_handle, sample_slots;
	uint64_t control_offset, sample_freq_ns; /* 0: samples are requested */
	uint64_t masks[5][2];                    /* firmware, command stream, tiler, memory, shader */
	uint64_t neural_mask[2];                 /* Arm's kernels only */
};
#define PANTHOR_PERF_SETUP_V6_SIZE 120
#define PANTHOR_PERF_SETUP_ARM_SIZE 136
_Static_assert(sizeof(struct panthor_perf_setup) == PANTHOR_PERF_SETUP_ARM_SIZE, "as Arm's kernel has it");

struct panthor_perf_user_data {
	uint64_t user_data;
};

/* In memory that is shared with the kernel: samples extract .. insert - 1 wait, by number. */
struct panthor_perf_ring {
	uint64_t extract_idx; /* ours */
	uint64_t insert_idx;
};

/* The kernel says how large these are; newer ones may be longer. */
struct panthor_sample_header {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC_RAW */
	uint8_t block_set, pad[3];
	uint32_t flags;
	uint64_t user_data;
	uint64_t top_cycles, coregroup_cycles, shader_cycles;
};
_Static_assert(sizeof(struct panthor_sample_header) == 56, "as the kernel has it");

enum panthor_sample_flag {
	PANTHOR_SAMPLE_OVERFLOW = 1 << 0,
	PANTHOR_SAMPLE_ERROR = 1 << 1,     /* in the proposed interface */
	PANTHOR_SAMPLE_STRETCHED = 1 << 1, /* in Arm's */
};

struct panthor_block_header {
	uint8_t type, index, states, clock, pad[4];
	uint64_t enable_mask[2];
};
_Static_assert(sizeof(struct panthor_block_header) == 24, "as the kernel has it");

#endif
