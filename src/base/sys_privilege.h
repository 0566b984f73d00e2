/* sys_privilege: giving up what a program that others can reach does not need. */
#ifndef MALITOP_SYS_PRIVILEGE_H
#define MALITOP_SYS_PRIVILEGE_H

#include "base/err.h"

/* Give up for good all capabilities but those to open devices, count CPU events and read other
 * users' /proc, and to gain any by starting a program. Threads that run already keep theirs, so
 * call this before there are any. */
bool sys_drop_privileges(struct err *err);

#endif
