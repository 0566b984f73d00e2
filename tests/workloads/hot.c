/* hot: a program whose hot functions are known: of its time about 60 % is in first_loop, 30 % in
 * second_loop and 10 % in third_loop, under one caller. `hot [MILLISECONDS]` runs that long, on the
 * CPU's own clock, so that a busy machine makes it no shorter. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define UNIT 20000

/* A chain of multiplications: no compiler or CPU makes one loop faster than another. */
#define LOOP(name, factor)                                                 \
	uint64_t name(uint64_t seed, unsigned n);                          \
	__attribute__((noinline)) uint64_t name(uint64_t seed, unsigned n) \
	{                                                                  \
		for (unsigned i = 0; i < n; i++)                           \
			seed = seed * (factor) + i;                        \
		return seed;                                               \
	}
LOOP(first_loop, 6364136223846793005u)
LOOP(second_loop, 2862933555777941757u)
LOOP(third_loop, 3202034522624059733u)

uint64_t run_loops(uint64_t seed);
__attribute__((noinline)) uint64_t run_loops(uint64_t seed)
{
	unsigned unit = UNIT / 2 + (unsigned)(seed >> 33) % UNIT; /* no rhythm that sampling may fall into */

	seed = first_loop(seed, 6 * unit);
	seed = second_loop(seed, 3 * unit);
	return third_loop(seed, unit) + 1;
}

static double cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
	double end = argc > 1 ? strtod(argv[1], NULL) : 1000;
	uint64_t seed = 1;

	while (cpu_ms() < end)
		seed = run_loops(seed);
	printf("%llu\n", (unsigned long long)seed);
	return 0;
}
