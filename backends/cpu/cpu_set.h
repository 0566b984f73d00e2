/* cpu_set: sets of CPU numbers, as in the lists of sysfs. */
#ifndef MALITOP_CPU_SET_H
#define MALITOP_CPU_SET_H

#include "base/sys.h"

#define CPU_NUMBER_MAX 4096 /* numbers may have holes */

struct cpu_set {
	uint64_t bits[CPU_NUMBER_MAX / 64];
};

/* Parse "0-3,6" or "0 1 2 3". Numbers out of range are ignored. Returns false if the text is not a
 * list or contains no CPU. */
bool cpu_set_parse(struct cpu_set *set, const char *text);
/* Parse a file; also returns false if it cannot be read. */
bool cpu_set_read(const struct sys *sys, struct cpu_set *set, const char *path);

static inline void cpu_set_add(struct cpu_set *set, unsigned number)
{
	if (number < CPU_NUMBER_MAX)
		set->bits[number / 64] |= (uint64_t)1 << number % 64;
}
static inline bool cpu_set_has(const struct cpu_set *set, unsigned number)
{
	return number < CPU_NUMBER_MAX && (set->bits[number / 64] >> number % 64 & 1);
}

#endif
