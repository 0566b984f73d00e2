#include "tests/support/kbase_run.h"

#include "session/devices.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

void kbase_run_init(struct kbase_run *r)
{
	*r = (struct kbase_run){.db = NULL};
	fake_sys_init(&r->fake, NULL);
	r->db = fixture_db();
	r->options = (struct source_options){.db = r->db, .interval_ns = 100 * MS, .per_instance = true};
}

bool kbase_run_open(struct kbase_run *r)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->backend = &backend_kbase;
	s->sys = &r->fake.sys;
	s->options = r->options;
	s->priv = xcalloc(1, backend_kbase.priv_size);
	r->err = (struct err){0};
	if (!backend_kbase.open(s, "/dev/mali0", &r->err)) {
		source_free(s);
		assert_true(r->err.text[0]);
		return false;
	}
	r->source = s;
	r->sample = xcalloc(1, sizeof(*r->sample) + s->n_slots * sizeof(uint64_t));
	return true;
}

bool kbase_run_start(struct kbase_run *r, int64_t period_ns)
{
	r->err = (struct err){0};
	return backend_kbase.start(r->source, period_ns, r->fake.now_ns, &r->err);
}

void kbase_run_close(struct kbase_run *r)
{
	if (!r->source)
		return;
	backend_kbase.stop(r->source);
	backend_kbase.close(r->source);
	source_free(r->source);
	free(r->sample);
	r->source = NULL;
}

void kbase_run_fini(struct kbase_run *r)
{
	const char *leaks;

	kbase_run_close(r);
	leaks = fake_sys_leaks(&r->fake);
	if (leaks)
		fail_msg("%s", leaks);
	fake_sys_fini(&r->fake);
}

enum read_result kbase_run_read(struct kbase_run *r, int64_t most_ns)
{
	int64_t end = r->fake.now_ns + most_ns;

	for (;;) {
		enum read_result got;

		r->sample->flags = r->sample->lost = 0;
		got = backend_kbase.read(r->source, r->fake.now_ns, r->sample);
		if (got != READ_NONE || r->fake.now_ns >= end)
			return got;
		fake_sys_run(&r->fake, MS);
	}
}

unsigned kbase_run_slot(const struct kbase_run *r, const char *name, enum instance_kind kind, unsigned number)
{
	for (unsigned i = 0; i < r->source->n_slots; i++) {
		const struct slot *s = &r->source->slots[i];

		if (strcmp(s->name, name) == 0 && s->instance == kind && s->number == number)
			return i;
	}
	fail_msg("there is no slot %s %s %u", name, instance_names[kind], number);
	return 0;
}

const struct kbase_way kbase_ways[KBASE_WAYS] = {
	{"r16p0", "vinstr", 0x08600000}, {"r25p0", "vinstr", 0x74021000}, {"r44p0", "vinstr", 0x74021000},
	{"r38p1", "kinstr", 0x90820000}, {"r44p0", "kinstr", 0x74021000}, {"r54p1", "kinstr", 0xb8520000},
};

struct fake_gpu *kbase_run_begin(struct kbase_run *r, const struct kbase_way *way, int64_t period_ns)
{
	struct fake_gpu *gpu;

	kbase_run_init(r);
	gpu = fake_sys_add_gpu(&r->fake, way->driver, way->id, 0x5b3);
	r->options.interface = way->interface;
	r->options.interval_ns = period_ns;
	if (!kbase_run_open(r) || !kbase_run_start(r, period_ns))
		fail_msg("%s: %s", way->driver, r->err.text);
	return gpu;
}

void kbase_run_next(struct kbase_run *r)
{
	if (kbase_run_read(r, 12000 * MS) != READ_GOT)
		fail_msg("%s: no sample", r->fake.kbase.gpus[0].driver->name);
}

static const struct gpu_counter *core_counter(const struct kbase_run *r)
{
	const struct gpu_counter *c = r->source->layout->counters;

	while (c->block != BLOCK_CORE)
		c++;
	return c;
}

uint64_t kbase_run_sum(const struct kbase_run *r, const char *name)
{
	return r->sample->value[kbase_run_slot(r, name, INSTANCE_ALL, 0)];
}

uint64_t kbase_run_value(const struct kbase_run *r)
{
	const struct gpu_counter *c = core_counter(r);

	return kbase_run_sum(r, c->name ? c->name : c->hw_name);
}

uint64_t kbase_run_counted(const struct kbase_run *r, const struct fake_gpu *gpu, int64_t begin_ns,
			   int64_t end_ns)
{
	int64_t zero = gpu->since_ns - r->fake.raw_ahead_ns;
	unsigned index = core_counter(r)->index;
	uint64_t sum = 0;

	for (unsigned core = 0; core < 64; core++)
		if (gpu->core_mask >> core & 1)
			sum += fake_count(gpu, FAKE_SHADER, core, index, end_ns - zero) -
			       fake_count(gpu, FAKE_SHADER, core, index, begin_ns - zero);
	return sum;
}
