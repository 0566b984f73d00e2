/* Mali GPUs through Arm's driver, every generation of it: what is scripted into the fake is what
 * comes out. */
#include "base/alloc.h"
#include "tests/support/kbase_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLES 0x5b3ull /* seven cores: 0 1 4 5 7 8 10 */

/* A driver, and a GPU of its time. */
static const struct generation {
	const char *driver;
	uint64_t id;
	const char *interface; /* --backend kbase:... */
	bool v4;
	unsigned n_values;
	const char *shown, *title; /* parts of what the header says */
} generations[] = {
	{"r16p0", 0x07200000, NULL, true, 0, "kbase API 10.6", "Mali-T720 7 cores"},
	{"r16p0", 0x08600000, NULL, false, 0, "kbase API 10.6", "Mali-T860 7 cores"},
	{"r21p0", 0x07500000, NULL, false, 0, "kbase r21p0", "Mali-T760 7 cores"},
	{"r9p0", 0x60000000, NULL, false, 0, "kbase r9p0", "Mali-G71 7 cores"},
	{"r25p0", 0x74021000, NULL, false, 0, "kbase r25p0", "Mali-G52 7 cores"},
	{"r32p1", 0x90820000, NULL, false, 0, "kbase r32p1", "Mali-G78 7 cores"},
	{"r32p1-csf", 0xa8620000, NULL, false, 0, "kbase r32p1", "Mali-G710 7 cores"},
	{"r38p1", 0x90820000, NULL, false, 0, "kbase r38p1", "Mali-G78 7 cores"},
	{"r38p1", 0x90820000, "kinstr", false, 0, "kbase r38p1", "Mali-G78 7 cores"},
	{"r38p1-csf", 0xa8670000, "kinstr", false, 0, "kbase r38p1", "Mali-G610 7 cores"},
	{"r38p1-csf", 0xb8520000, NULL, false, 128, "kbase r38p1", "Mali-G715 7 cores"},
	{"r42p0", 0x90820000, "kinstr", false, 0, "kbase r42p0", "Mali-G78 7 cores"},
	{"r44p0", 0x74021000, NULL, false, 0, "kbase r44p0", "Mali-G52 7 cores"},
	{"r44p0", 0x74021000, "kinstr", false, 0, "kbase r44p0", "Mali-G52 7 cores"},
	{"r44p0-csf", 0xb8520000, NULL, false, 128, "kbase r44p0", "Mali-G715 7 cores"},
	{"r46p0", 0x90820000, NULL, false, 0, "kbase r46p0", "Mali-G78 7 cores"},
	{"r54p1", 0xb8520000, NULL, false, 128, "kbase r54p1", "Mali-G715 7 cores"},
	{"r54p1", 0xc8700000, NULL, false, 69, "kbase r54p1", "Mali-G720 7 cores"},
	{"r54p1", 0x0e010000f0000000, NULL, false, 128, "kbase r54p1", "Mali G1-Ultra 7 cores"},
};

static struct fake_gpu *add_gpu(struct kbase_run *r, const struct generation *g)
{
	struct fake_gpu *gpu = fake_sys_add_gpu(&r->fake, g->driver, g->id, g->v4 ? 0x7f : HOLES);

	gpu->v4 = g->v4;
	gpu->n_values = g->n_values;
	r->options.interface = g->interface;
	return gpu;
}

static unsigned values_of(const struct fake_gpu *gpu)
{
	return gpu->n_values ? gpu->n_values : 64;
}

/* ---- what a slot must hold ---- */

/* Instances of a block by the fake's numbers. */
static unsigned instances(const struct fake_gpu *gpu, enum gpu_block block, unsigned number[64])
{
	unsigned n = 0;

	if (block == BLOCK_CORE) {
		for (unsigned core = 0; core < 64; core++)
			if (gpu->core_mask >> core & 1)
				number[n++] = core;
	} else if (block == BLOCK_MEMORY) {
		for (unsigned i = 0; i < gpu->slices; i++)
			number[n++] = i;
	} else if (block == BLOCK_TILER && gpu->v4) {
		number[n++] = 0; /* one for each of the two core groups */
		number[n++] = 1;
	} else {
		number[n++] = 0;
	}
	return n;
}

static uint64_t counted(const struct fake_gpu *gpu, enum gpu_block block, unsigned number, unsigned index,
			int64_t from, int64_t to)
{
	return fake_count(gpu, (enum fake_block)block, number, index, to) -
	       fake_count(gpu, (enum fake_block)block, number, index, from);
}

static const struct gpu_counter *counter_named(const struct source *source, const char *name)
{
	for (unsigned i = 0; i < source->layout->n_counters; i++) {
		const struct gpu_counter *c = &source->layout->counters[i];

		if (strcmp(c->name ? c->name : c->hw_name, name) == 0)
			return c;
	}
	return NULL;
}

/* Every slot of a counter against the script, from one moment of the GPU's activity to another. */
static unsigned check_slots(const struct kbase_run *r, const struct fake_gpu *gpu, int64_t from, int64_t to)
{
	unsigned checked = 0;

	for (unsigned i = 0; i < r->source->n_slots; i++) {
		const struct slot *slot = &r->source->slots[i];
		const struct gpu_counter *c = counter_named(r->source, slot->name);
		unsigned number[64], n;
		uint64_t want = 0;

		if (!c)
			continue;
		n = instances(gpu, c->block, number);
		for (unsigned k = 0; k < n; k++)
			if (slot->instance == INSTANCE_ALL || slot->number == number[k])
				want += counted(gpu, c->block, number[k], c->index, from, to);
		if (c->index >= values_of(gpu))
			want = SAMPLE_UNKNOWN;
		if (r->sample->value[i] != want)
			fail_msg("%s: %s %s%u is %llu instead of %llu", gpu->driver->name, slot->name,
				 instance_names[slot->instance], slot->number,
				 (unsigned long long)r->sample->value[i], (unsigned long long)want);
		checked++;
	}
	return checked;
}

static int64_t since_start(const struct kbase_run *r, int64_t monotonic_ns)
{
	return monotonic_ns + r->fake.raw_ahead_ns - r->fake.kbase.gpus[0].since_ns;
}

/* ---- the tests ---- */

/* With seven cores and two slices. Midgard documents few counters. */
static unsigned slots_least(const struct gpu_product *product)
{
	return product->family == FAMILY_MIDGARD ? 150 : 500;
}

TEST(every_generation_shows_what_was_counted)
{
	for (size_t g = 0; g < ARRAY_LEN(generations); g++) {
		struct fake_gpu *gpu;
		struct kbase_run r;
		int64_t end_ns = 0;

		kbase_run_init(&r);
		gpu = add_gpu(&r, &generations[g]);
		fake_sys_run(&r.fake, 17 * MS);
		if (!kbase_run_open(&r) || !kbase_run_start(&r, 100 * MS))
			fail_msg("%s: %s", generations[g].driver, r.err.text);
		assert_non_null(strstr(r.source->driver, generations[g].shown));
		if (!strstr(r.source->title, generations[g].title))
			fail_msg("'%s' is not a %s", r.source->title, generations[g].title);
		for (int i = 0; i < 40; i++) {
			if (kbase_run_read(&r, 200 * MS) != READ_GOT)
				fail_msg("%s: sample %d did not come", generations[g].driver, i);
			assert_int_equal(r.sample->flags, 0);
			assert_int_equal(r.sample->lost, 0);
			assert_true(!end_ns || r.sample->begin_ns == end_ns);
			end_ns = r.sample->end_ns;
			if (!fake_is(gpu->driver, FROM_OPEN))
				assert_int_equal((end_ns + r.fake.raw_ahead_ns) % (100 * MS),
						 0); /* the driver's ticks */
			assert_true(check_slots(&r, gpu, since_start(&r, r.sample->begin_ns),
						since_start(&r, end_ns)) > slots_least(r.source->product));
		}
		kbase_run_fini(&r);
	}
}

/* All that the data know, each on every release of its kind of front end. */
TEST(every_product_is_recognised_and_counted_right)
{
	static const char *const releases[][4] = {{"r25p0", "r32p1", "r44p0", "r46p0"},
						  {"r32p1-csf", "r38p1-csf", "r44p0-csf", "r54p1"}};

	for (unsigned p = 0; p < 32; p++)
		for (unsigned k = 0; k < 8; k++) {
			const struct gpu_product *product;
			struct fake_gpu *gpu;
			struct kbase_run r;
			bool csf;

			kbase_run_init(&r);
			product = gpudb_product(r.db, p);
			csf = strcmp(gpu_family_front_end(product->family), "CSF") == 0;
			gpu = fake_sys_add_gpu(&r.fake, releases[csf][k % 4], (uint64_t)product->ids[0] << 16,
					       HOLES);
			gpu->v4 = product->dump_v4 && k % 4 < 2; /* later drivers know no such GPU */
			if (gpu->v4)
				gpu->core_mask = 0x7f;
			if (k >= 4 && !product->old_id) /* the 64-bit form of the id */
				gpu->id = (uint64_t)(product->ids[0] >> 12) << 56 |
					  (uint64_t)(product->ids[0] & 15) << 32 | 0xf0000000;
			gpu->n_values = product->layout->slots_per_block;
			if (!kbase_run_open(&r) || !kbase_run_start(&r, 10 * MS))
				fail_msg("%s: %s", product->name, r.err.text);
			assert_ptr_equal(r.source->product, product);
			assert_int_equal(r.source->constants.core_count, 7);
			assert_int_equal(r.source->constants.l2_slice_count, 2);
			assert_int_equal(r.source->constants.bus_width_bits, 128);
			for (int i = 0; i < 3; i++) {
				bool narrow = strstr(r.source->driver, "r32p1") &&
					      product->layout->slots_per_block > 64;

				assert_int_equal(kbase_run_read(&r, 50 * MS), READ_GOT);
				if (!narrow) /* vinstr shows no more than 64 values of a block */
					assert_true(check_slots(&r, gpu, since_start(&r, r.sample->begin_ns),
								since_start(&r, r.sample->end_ns)) >
						    slots_least(product));
			}
			kbase_run_fini(&r);
		}
}
