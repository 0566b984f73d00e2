/* pages: write to every page of new memory: a page fault for each. */
#include "tests/workloads/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct pages {
	size_t n, size;
	uint64_t times;
};

static void touch_pages(void *arg)
{
	const struct pages *p = arg;

	for (uint64_t t = 0; t < p->times; t++) {
		volatile char *memory = mmap(NULL, p->n * p->size, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED) {
			perror("pages: mmap");
			exit(1);
		}
		madvise((void *)(uintptr_t)memory, p->n * p->size,
			MADV_NOHUGEPAGE); /* a big page would be one fault for many */
		for (size_t i = 0; i < p->n; i++)
			memory[i * p->size] = 1;
		munmap((void *)(uintptr_t)memory, p->n * p->size);
	}
}

int main(int argc, char **argv)
{
	struct workload_counts predicted = workload_nothing();
	struct workload w;
	struct pages p;
	char title[64];

	workload_init(&w, "pages", 10000, 10, argc, argv);
	p = (struct pages){.n = w.size, .size = (size_t)sysconf(_SC_PAGESIZE), .times = w.iterations};
	predicted.count[WORKLOAD_PAGE_FAULTS] = p.n * p.times;
	snprintf(title, sizeof(title), "first write: %zu pages", p.n);
	workload_run(&w, title, &predicted, touch_pages, &p);
	return workload_end(&w);
}
