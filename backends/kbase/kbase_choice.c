#include "backends/kbase/kbase.h"

#include <errno.h>
#include <string.h>

/* As Arm's libGPUCounters chooses (hwcnt/backend_type.cpp): vinstr while the driver has it and the GPU is of a generation that was
 * released with it, because its samples are right in every release; kinstr_prfcnt for all newer ones. */

#define ARCH_OLD_HI 0x1000 /* below this the upper half of GPU_ID is a Midgard product */
#define ARCH_T60X_HI 0x6956
#define ARCH_LAST_VINSTR 10 /* architecture of the Mali-G710 family */

static unsigned architecture(uint64_t gpu_id)
{
	unsigned hi = (unsigned)(gpu_id >> 16 & 0xffff), arch = (unsigned)(gpu_id >> 28 & 15);

	if (gpu_id <= UINT32_MAX && (hi == ARCH_T60X_HI || hi < ARCH_OLD_HI))
		return 0;
	return arch == 15 ? (unsigned)(gpu_id >> 56) : arch;
}

static void add(struct kbase_choice *c, const struct kbase_reader *reader, const char *why)
{
	c->readers[c->n] = reader;
	c->why[c->n++] = why;
}

bool kbase_choose(const struct kbase_version *v, uint64_t gpu_id, const char *interface, struct kbase_choice *c, struct err *err)
{
	bool has_vinstr = !kbase_since(v, 40, 21), has_kinstr = kbase_since(v, 34, 10);
	bool old_gpu = architecture(gpu_id) <= ARCH_LAST_VINSTR;

	*c = (struct kbase_choice){.n = 0};
	if (interface && strcmp(interface, kbase_vinstr.interface) == 0) {
		if (!has_vinstr)
			return err_set(err, ENOTSUP, "kbase: vinstr: this driver has it no longer: try -b kbase:kinstr");
		add(c, &kbase_vinstr, "asked for by name");
	} else if (interface && strcmp(interface, kbase_kinstr.interface) == 0) {
		if (!has_kinstr)
			return err_set(err, ENOTSUP, "kbase: kinstr: this driver does not have it yet: try -b kbase:vinstr");
		add(c, &kbase_kinstr, "asked for by name");
	} else if (interface) {
		return err_set(err, ERR_USAGE, "--backend: kbase:%.40s: expected kbase:vinstr or kbase:kinstr", interface);
	} else if (has_vinstr && (old_gpu || !has_kinstr)) {
		add(c, &kbase_vinstr,
		    has_kinstr ? "the driver still has it, and the GPU is of its time" : "the driver has nothing newer");
		if (has_kinstr)
			add(c, &kbase_kinstr, "vinstr was refused");
	} else if (has_kinstr) {
		add(c, &kbase_kinstr, has_vinstr ? "the GPU has counters that vinstr does not show" : "the driver has no vinstr");
		if (has_vinstr)
			add(c, &kbase_vinstr, "kinstr_prfcnt was refused");
	}
	return c->n || err_set(err, ENOTSUP, "kbase: API %u.%u has no counter interface that malitop knows", v->major, v->minor);
}
