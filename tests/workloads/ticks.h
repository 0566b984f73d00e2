/* ticks: a clock that is as fine as there is, read after all that stands before it is done. */
#ifndef MALITOP_TICKS_H
#define MALITOP_TICKS_H

#include <stdint.h>

#if defined(__x86_64__)

static inline uint64_t loops_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)

static inline uint64_t loops_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
	return ticks;
}

#else

#include <time.h>

static inline uint64_t loops_ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif

#endif
