#include "base/sys_privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif
#define BIT(capability) (UINT64_C(1) << (capability))

/* A device that comes back is opened again, so what opens it has to stay. */
static uint64_t kept_capabilities(void)
{
	uint64_t kept = BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYS_PTRACE);

	return kept | (prctl(PR_CAPBSET_READ, CAP_PERFMON) < 0 ? BIT(CAP_SYS_ADMIN) : BIT(CAP_PERFMON));
}

bool sys_drop_privileges(struct err *err)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	uint64_t kept = kept_capabilities();
	bool ok = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capget, &header, data) == 0,
	     excess = false;

	/* Only root may shrink the bounding set. Others gain nothing by exec anyway. */
	for (int c = 0; ok && prctl(PR_CAPBSET_READ, c) >= 0; c++)
		if (!(kept & BIT(c)))
			prctl(PR_CAPBSET_DROP, c);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t mask = (uint32_t)(kept >> 32 * i);

		excess = excess || (data[i].permitted | data[i].inheritable) & ~mask;
		data[i].effective &= mask;
		data[i].permitted &= mask;
		data[i].inheritable &= mask;
	}
	/* A sandbox may forbid the call, and has then left nothing to give up. */
	ok = ok && (!excess || syscall(SYS_capset, &header, data) == 0);
	return ok || err_set(err, errno, "privileges: cannot be given up: %s", strerror(errno));
}
