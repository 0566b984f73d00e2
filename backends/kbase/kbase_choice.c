#include "backends/kbase/kbase.h"

#include <errno.h>
#include <string.h>

/* The same choice as Arm's libGPUCounters (hwcnt/backend_type.cpp): vinstr if the driver has it and
 * the GPU's generation was released with it, because its samples are right in every release;
 * otherwise kinstr_prfcnt. */

#define ARCH_OLD_HI 0x1000 /* below this, the upper half of GPU_ID is a Midgard product */
#define ARCH_T60X_HI 0x6956
#define ARCH_LAST_VINSTR 10 /* architecture of the Mali-G710 family */

void kbase_enable(const struct gpu_layout *layout, uint64_t enable[BLOCK_COUNT][2])
{
	for (unsigned b = 0; b < BLOCK_COUNT; b++) {
		enable[b][0] = layout ? 0xf : UINT64_MAX;
		enable[b][1] = layout ? 0 : UINT64_MAX;
	}
	for (unsigned i = 0; layout && i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		enable[c->block][c->index / 64] |= 0xfull << (c->index % 64 & ~3u);
	}
}

static unsigned gpu_architecture(uint64_t gpu_id)
{
	unsigned hi = (unsigned)(gpu_id >> 16 & 0xffff), arch = (unsigned)(gpu_id >> 28 & 15);

	if (gpu_id <= UINT32_MAX && (hi == ARCH_T60X_HI || hi < ARCH_OLD_HI))
		return 0;
	return arch == 15 ? (unsigned)(gpu_id >> 56) : arch;
}

static void add_reader(struct kbase_choice *c, const struct kbase_reader *reader, const char *why)
{
	c->readers[c->n] = reader;
	c->why[c->n++] = why;
}

bool kbase_choose(const struct kbase_version *v, uint64_t gpu_id, const char *interface,
		  struct kbase_choice *c, struct err *err)
{
	bool has_vinstr = !kbase_since(v, 40, 21), has_kinstr = kbase_since(v, 34, 10);
	bool old_gpu = gpu_architecture(gpu_id) <= ARCH_LAST_VINSTR;

	*c = (struct kbase_choice){.n = 0};
	if (interface && strcmp(interface, kbase_vinstr.interface) == 0) {
		if (!has_vinstr)
			return err_set(err, ENOTSUP,
				       "vinstr: this driver no longer has it: try -b kbase:kinstr");
		add_reader(c, &kbase_vinstr, "requested by name");
	} else if (interface && strcmp(interface, kbase_kinstr.interface) == 0) {
		if (!has_kinstr)
			return err_set(err, ENOTSUP,
				       "kinstr: this driver does not have it yet: try -b kbase:vinstr");
		add_reader(c, &kbase_kinstr, "requested by name");
	} else if (interface) {
		return err_set(err, ERR_USAGE,
			       "--backend: kbase:%.40s: expected kbase:vinstr or kbase:kinstr", interface);
	} else if (has_vinstr && (old_gpu || !has_kinstr)) {
		add_reader(c, &kbase_vinstr,
			   has_kinstr ? "the driver has it, and the GPU is of the same generation"
				      : "the driver has nothing newer");
		if (has_kinstr)
			add_reader(c, &kbase_kinstr, "vinstr was refused");
	} else if (has_kinstr) {
		add_reader(c, &kbase_kinstr,
			   has_vinstr ? "the GPU has counters that vinstr does not show"
				      : "the driver has no vinstr");
		if (has_vinstr)
			add_reader(c, &kbase_vinstr, "kinstr_prfcnt was refused");
	}
	return c->n || err_set(err, ENOTSUP, "API %u.%u has no counter interface that malitop supports",
			       v->major, v->minor);
}
