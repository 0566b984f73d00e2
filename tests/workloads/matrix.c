/* matrix: the product of two matrices as in a textbook, which walks down columns, and with its
 * inner loops exchanged, which walks along rows: the same result, from the same reads, in another
 * order. */
#include "tests/workloads/workload.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The inner loops, pinned as those of loops.h, with instructions per turn.
 * add_products: the sum of a[i] x b[i x stride], stride in bytes: two reads per turn.
 * add_row: c[i] += a x b[i]: two reads and a write per turn. */
#if defined(__x86_64__)

#define DOT_INSTRUCTIONS 7
#define ADD_INSTRUCTIONS 8

static double add_products(const double *a, const double *b, size_t stride, uint64_t n)
{
	double sum = 0, product;

	__asm__ volatile("1:\n\t"
			 "movsd (%[a]), %[product]\n\t"
			 "mulsd (%[b]), %[product]\n\t"
			 "addsd %[product], %[sum]\n\t"
			 "add $8, %[a]\n\t"
			 "add %[stride], %[b]\n\t"
			 "dec %[n]\n\t"
			 "jnz 1b"
			 : [a] "+r"(a), [b] "+r"(b), [n] "+r"(n), [sum] "+x"(sum), [product] "=&x"(product)
			 : [stride] "r"(stride)
			 : "cc", "memory");
	return sum;
}

static void add_row(double *c, double a, const double *b, uint64_t n)
{
	double sum;

	__asm__ volatile("1:\n\t"
			 "movsd (%[b]), %[sum]\n\t"
			 "mulsd %[a], %[sum]\n\t"
			 "addsd (%[c]), %[sum]\n\t"
			 "movsd %[sum], (%[c])\n\t"
			 "add $8, %[b]\n\t"
			 "add $8, %[c]\n\t"
			 "dec %[n]\n\t"
			 "jnz 1b"
			 : [b] "+r"(b), [c] "+r"(c), [n] "+r"(n), [sum] "=&x"(sum)
			 : [a] "x"(a)
			 : "cc", "memory");
}

#elif defined(__aarch64__)

#define DOT_INSTRUCTIONS 7
#define ADD_INSTRUCTIONS 7

static double add_products(const double *a, const double *b, size_t stride, uint64_t n)
{
	double sum = 0, x, y;

	__asm__ volatile("1:\n\t"
			 "ldr %d[x], [%[a]], #8\n\t"
			 "ldr %d[y], [%[b]]\n\t"
			 "fmul %d[x], %d[x], %d[y]\n\t"
			 "fadd %d[sum], %d[sum], %d[x]\n\t"
			 "add %[b], %[b], %[stride]\n\t"
			 "subs %[n], %[n], #1\n\t"
			 "b.ne 1b"
			 : [a] "+r"(a), [b] "+r"(b), [n] "+r"(n), [sum] "+w"(sum), [x] "=&w"(x), [y] "=&w"(y)
			 : [stride] "r"(stride)
			 : "cc", "memory");
	return sum;
}

static void add_row(double *c, double a, const double *b, uint64_t n)
{
	double x, y;

	__asm__ volatile("1:\n\t"
			 "ldr %d[x], [%[b]], #8\n\t"
			 "ldr %d[y], [%[c]]\n\t"
			 "fmul %d[x], %d[x], %d[a]\n\t"
			 "fadd %d[y], %d[y], %d[x]\n\t"
			 "str %d[y], [%[c]], #8\n\t"
			 "subs %[n], %[n], #1\n\t"
			 "b.ne 1b"
			 : [b] "+r"(b), [c] "+r"(c), [n] "+r"(n), [x] "=&w"(x), [y] "=&w"(y)
			 : [a] "w"(a)
			 : "cc", "memory");
}

#else

#define DOT_INSTRUCTIONS 0
#define ADD_INSTRUCTIONS 0

static double add_products(const double *a, const double *b, size_t stride, uint64_t n)
{
	double sum = 0;

	for (; n--; b = (const double *)((uintptr_t)b + stride))
		sum += *a++ * *b;
	return sum;
}

static void add_row(double *c, double a, const double *b, uint64_t n)
{
	while (n--)
		*c++ += a * *b++;
}

#endif

struct product {
	const double *a, *b;
	double *c;
	uint64_t n, times;
};

static void textbook(void *arg)
{
	struct product *p = arg;

	for (uint64_t t = 0; t < p->times; t++)
		for (uint64_t i = 0; i < p->n; i++)
			for (uint64_t j = 0; j < p->n; j++)
				p->c[i * p->n + j] =
					add_products(p->a + i * p->n, p->b + j, p->n * sizeof(*p->b), p->n);
}

static void interchanged(void *arg)
{
	struct product *p = arg;

	for (uint64_t t = 0; t < p->times; t++) {
		memset(p->c, 0, p->n * p->n * sizeof(*p->c));
		for (uint64_t i = 0; i < p->n; i++)
			for (uint64_t k = 0; k < p->n; k++)
				add_row(p->c + i * p->n, p->a[i * p->n + k], p->b + k * p->n, p->n);
	}
}

/* Of the inner loop, which has all but one of n parts of the work. */
static struct workload_counts predict_counts(const struct product *p, uint64_t instructions)
{
	struct workload_counts counts = workload_nothing();
	uint64_t turns = p->n * p->n * p->n * p->times;

	if (instructions) {
		counts.count[WORKLOAD_INSTRUCTIONS] = instructions * turns;
		counts.count[WORKLOAD_BRANCHES] = turns;
	}
	counts.count[WORKLOAD_L1D_READS] = 2 * turns;
	return counts;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*loop)(void *);
		uint64_t instructions;
	} cases[] = {{"textbook", textbook, DOT_INSTRUCTIONS},
		     {"interchanged", interchanged, ADD_INSTRUCTIONS}};
	AUTOFREE double *a = NULL, *b = NULL;
	double *c[2];
	struct workload w;
	uint64_t state = 1;
	size_t n2;

	workload_init(&w, "matrix", 400, 2, argc, argv);
	n2 = w.size * w.size;
	a = xcalloc(w.size, w.size * sizeof(*a));
	b = xcalloc(w.size, w.size * sizeof(*b));
	/* Small whole numbers: sums are exact in any order. */
	for (size_t i = 0; i < n2; i++) {
		a[i] = (double)(workload_random(&state) >> 56);
		b[i] = (double)(workload_random(&state) >> 56);
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct product p = {.a = a,
				    .b = b,
				    .c = c[i] = xcalloc(n2, sizeof(double)),
				    .n = w.size,
				    .times = w.iterations};
		struct workload_counts predicted = predict_counts(&p, cases[i].instructions);
		char title[64];

		snprintf(title, sizeof(title), "%s: %llu rows", cases[i].name, (unsigned long long)p.n);
		workload_run(&w, title, &predicted, cases[i].loop, &p);
		printf("\n");
	}
	workload_check(&w, memcmp(c[0], c[1], n2 * sizeof(double)) == 0, "the two products differ");
	free(c[0]);
	free(c[1]);
	return workload_end(&w);
}
