/* loops: the inner loops of the workloads, fixed instruction by instruction, so that their events
 * are known before they are counted.
 *
 * loops_chase: follow n pointers: a read per turn, which waits for the one before it.
 * loops_ones: count the '1' among n characters: a read per turn, a second branch, and one more
 * instruction for each '1'.
 *
 * LOOPS_* are instructions per turn. Every loop has one branch per turn, besides the named ones. If
 * the compiler writes the loop (other architectures), LOOPS_* is 0: the number of instructions and
 * branches is unknown. n is at least 1. */
#ifndef MALITOP_LOOPS_H
#define MALITOP_LOOPS_H

#include <stdint.h>

#if defined(__x86_64__)

#define LOOPS_CHASE 3
#define LOOPS_ONES 5

static inline void *loops_chase(void *p, uint64_t n)
{
	__asm__ volatile("1:\n\t"
			 "mov (%[p]), %[p]\n\t"
			 "dec %[n]\n\t"
			 "jnz 1b"
			 : [p] "+r"(p), [n] "+r"(n)
			 :
			 : "cc", "memory");
	return p;
}

static inline uint64_t loops_ones(const char *text, uint64_t n)
{
	uint64_t ones = 0;

	__asm__ volatile("1:\n\t"
			 "cmpb $'1', (%[text])\n\t"
			 "jne 2f\n\t" /* random text makes the CPU mispredict it */
			 "inc %[ones]\n\t"
			 "2:\n\t"
			 "inc %[text]\n\t"
			 "dec %[n]\n\t"
			 "jnz 1b"
			 : [text] "+r"(text), [n] "+r"(n), [ones] "+r"(ones)
			 :
			 : "cc", "memory");
	return ones;
}

#elif defined(__aarch64__)

#define LOOPS_CHASE 3
#define LOOPS_ONES 5

static inline void *loops_chase(void *p, uint64_t n)
{
	__asm__ volatile("1:\n\t"
			 "ldr %[p], [%[p]]\n\t"
			 "subs %[n], %[n], #1\n\t"
			 "b.ne 1b"
			 : [p] "+r"(p), [n] "+r"(n)
			 :
			 : "cc", "memory");
	return p;
}

static inline uint64_t loops_ones(const char *text, uint64_t n)
{
	uint64_t ones = 0;
	uint32_t c;

	__asm__ volatile("1:\n\t"
			 "ldrb %w[c], [%[text]], #1\n\t"
			 "cmp %w[c], #49\n\t"
			 "b.ne 2f\n\t" /* random text makes the CPU mispredict it */
			 "add %[ones], %[ones], #1\n\t"
			 "2:\n\t"
			 "subs %[n], %[n], #1\n\t"
			 "b.ne 1b"
			 : [text] "+r"(text), [n] "+r"(n), [ones] "+r"(ones), [c] "=&r"(c)
			 :
			 : "cc", "memory");
	return ones;
}

#else

#define LOOPS_CHASE 0
#define LOOPS_ONES 0

static inline void *loops_chase(void *p, uint64_t n)
{
	while (n--)
		p = *(void *volatile *)p;
	return p;
}

static inline uint64_t loops_ones(const char *text, uint64_t n)
{
	uint64_t ones = 0;

	for (; n--; text++)
		if (*text == '1') {
			ones++;
			__asm__ volatile("" : "+r"(ones)); /* prevents a conditional move */
		}
	return ones;
}

#endif

#endif
