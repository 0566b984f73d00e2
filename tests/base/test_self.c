/* What malitop knows of itself, and what it gives back. */
#include "base/self.h"
#include "tests/support/test.h"

#include <sys/mman.h>

#define PAGE 65536 /* the largest page of Linux */
#define BYTES (16 * PAGE)

/* Not all zero: it lies in the read-only data of this program. */
static const char constants[BYTES] __attribute__((aligned(PAGE))) = {[BYTES - 1] = 7};

static unsigned sum_of_constants(void)
{
	const volatile char *p = constants;
	unsigned sum = 0;

	for (size_t i = 0; i < BYTES; i += 4096)
		sum += (unsigned)p[i];
	return sum + (unsigned)p[BYTES - 1];
}

TEST(constants_leave_memory_and_come_back_unchanged)
{
	struct err err = {0};
	struct sys sys;
	double before;

	assert_true(sys_init(&sys, NULL, &err));
	assert_int_equal(sum_of_constants(), 7);
	before = self_read(&sys).resident_bytes;
	self_unload();
	assert_true(self_read(&sys).resident_bytes < before - BYTES / 2);
	assert_int_equal(sum_of_constants(), 7);
	sys_fini(&sys);
}

/* As by a debugger that sets a breakpoint. */
TEST(what_was_changed_stays)
{
	char *page = (char *)(uintptr_t)&constants[PAGE];

	assert_int_equal(mprotect(page, PAGE, PROT_READ | PROT_WRITE), 0);
	page[1] = 5;
	assert_int_equal(mprotect(page, PAGE, PROT_READ), 0);
	self_unload();
	assert_int_equal(*(volatile char *)&page[1], 5);
}
