/* A kbase source over a fake driver: opened, started, read until samples come. */
#ifndef MALITOP_TEST_KBASE_RUN_H
#define MALITOP_TEST_KBASE_RUN_H

#include "backends/backends.h"
#include "tests/fake/fake_sys.h"
#include "tests/support/fixture.h"

#define MS 1000000ll

struct kbase_run {
	struct fake_sys fake;
	const struct gpudb *db;
	struct source_options options; /* change before kbase_run_open */
	struct source *source;
	struct sample *sample;
	struct err err;
};

/* A driver and an interface to it, of every generation: the first KBASE_WAYS_VINSTR are vinstr. */
#define KBASE_WAYS 6
#define KBASE_WAYS_VINSTR 3
extern const struct kbase_way {
	const char *driver, *interface;
	uint64_t id;
} kbase_ways[KBASE_WAYS];

void kbase_run_init(struct kbase_run *r);
void kbase_run_fini(struct kbase_run *r); /* fails the test if anything is left open, or a rule was broken */
/* false with r->err; nothing is left behind then. */
bool kbase_run_open(struct kbase_run *r);
bool kbase_run_start(struct kbase_run *r, int64_t period_ns);
void kbase_run_close(struct kbase_run *r);
/* Let time pass until a sample is there, at most so long; each period a read as the sampler does
 * it. */
enum read_result kbase_run_read(struct kbase_run *r, int64_t most_ns);
/* Everything up to a source that counts 7 cores with holes between them. */
struct fake_gpu *kbase_run_begin(struct kbase_run *r, const struct kbase_way *way, int64_t period_ns);
/* The next sample; fails the test if none comes. */
void kbase_run_next(struct kbase_run *r);
/* The sum of the first counter of the cores, on any GPU: of the sample, and as counted between two
 * moments. */
uint64_t kbase_run_value(const struct kbase_run *r);
uint64_t kbase_run_counted(const struct kbase_run *r, const struct fake_gpu *gpu, int64_t begin_ns,
			   int64_t end_ns);
uint64_t kbase_run_sum(const struct kbase_run *r, const char *name);
/* Position of a slot; fails the test if there is none. */
unsigned kbase_run_slot(const struct kbase_run *r, const char *name, enum instance_kind kind,
			unsigned number);

#endif
