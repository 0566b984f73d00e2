/* process_users: names of users, only from etc/passwd, because the services that a libc asks may
 * hang.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_PROCESS_USERS_H
#define MALITOP_PROCESS_USERS_H

#include "base/sys.h"
#include "model/process.h"

struct process_users {
	struct process_user {
		uint32_t uid;
		char name[PROCESS_USER];
	} * users; /* by uid */
	unsigned n, cap;
	int64_t changed_ns, size; /* of the file; size -1: it does not exist */
};

/* Zero-initialize it. */
void process_users_fini(struct process_users *users);
/* Read the file again if it has changed. Returns whether it has. */
bool process_users_refresh(struct process_users *users, const struct sys *sys);
/* The user's name, or the number if there is none. */
void process_users_name(const struct process_users *users, uint32_t uid, char name[PROCESS_USER]);

#endif
