/* A kbase source over a fake driver: opened, started, read until samples come. */
#ifndef MALITOP_TEST_KBASE_RUN_H
#define MALITOP_TEST_KBASE_RUN_H

#include "backends/backends.h"
#include "tests/fake/fake_sys.h"

#define MS 1000000ll

struct kbase_run {
	struct fake_sys fake;
	struct gpudb *db;
	struct source_options options; /* change before kbase_run_open */
	struct source *source;
	struct sample *sample;
	struct err err;
};

void kbase_run_init(struct kbase_run *r);
void kbase_run_fini(struct kbase_run *r); /* fails the test if anything is left open, or a rule was broken */
/* false with r->err; nothing is left behind then. */
bool kbase_run_open(struct kbase_run *r);
bool kbase_run_start(struct kbase_run *r, int64_t period_ns);
void kbase_run_close(struct kbase_run *r);
/* Let time pass until a sample is there, at most so long; each period a read as the sampler does it. */
enum read_result kbase_run_read(struct kbase_run *r, int64_t most_ns);
/* Position of a slot; fails the test if there is none. */
unsigned kbase_run_slot(const struct kbase_run *r, const char *name, enum instance_kind kind, unsigned number);

#endif
