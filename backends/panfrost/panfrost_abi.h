/* panfrost_abi: the interface of the kernel driver Panfrost, as far as a monitor needs it, from the
 * kernel's uapi of Panfrost; written here, because headers may be older than the kernel. */
#ifndef MALITOP_PANFROST_ABI_H
#define MALITOP_PANFROST_ABI_H

#include <stdint.h>

#define PANFROST_GET_PARAM 0xC0106444
#define PANFROST_PERFCNT_ENABLE 0x40086446
#define PANFROST_PERFCNT_DUMP 0x40086447

/* Of these none wakes the GPU: the driver keeps the values. */
enum panfrost_param {
	PANFROST_GPU_PROD_ID = 0,
	PANFROST_GPU_REVISION = 1,
	PANFROST_SHADER_PRESENT = 2,
	PANFROST_L2_PRESENT = 4,
	PANFROST_L2_FEATURES = 8,
	PANFROST_CORE_FEATURES = 9,
	PANFROST_MEM_FEATURES = 11,
	PANFROST_THREAD_FEATURES = 13,
};

struct panfrost_get_param {
	uint32_t param;
	uint32_t pad; /* must be 0 */
	uint64_t value;
};

struct panfrost_perfcnt_enable {
	uint32_t enable;
	uint32_t counterset; /* 0: primary */
};

struct panfrost_perfcnt_dump {
	uint64_t buf_ptr;
};

_Static_assert(sizeof(struct panfrost_get_param) == 16, "as the kernel has it");
_Static_assert(sizeof(struct panfrost_perfcnt_enable) == 8, "as the kernel has it");
_Static_assert(sizeof(struct panfrost_perfcnt_dump) == 8, "as the kernel has it");

#endif
