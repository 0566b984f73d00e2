/* export_machine: a GPU and a CPU with few slots and metrics, and what an export writes of them. */
#ifndef EXPORT_MACHINE_H
#define EXPORT_MACHINE_H

#include "export/export.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A GPU of two cores with a core counter, a GPU counter, a ratio and a constant; a CPU of two
 * clusters with ticks and a temperature. */
static const char data[] =
	"gpu Mali-Test\n  family Bifrost\n  id 0x7fff\n  layout Mali-Test\n  constant MaliGPUWarpSize 8\n"
	"layout Mali-Test\n  slots 64\n  block front_end\n    6 GPU_ACTIVE MaliGPUActiveCy\n"
	"  block shader_core\n    4 FRAG_ACTIVE MaliFragActiveCy\n"
	"slots proc\n  names CPUTicks\n"
	"metric MaliGPUActiveCy\n  title GPU active\n  unit cycles\n  group G\n"
	"metric MaliFragActiveCy\n  title Fragment \"active\"\n  unit cycles\n  group G\n"
	"metric MaliFragUtil\n  title Fragment\n  unit percent\n  group G\n"
	"  expr MaliFragActiveCy / MaliGPUActiveCy * 100\n"
	"metric MaliExtra\n  title Extra\n  unit cycles\n  group G\n  expr MaliGPUActiveCy * 2\n"
	"metric MaliBeat\n  title Beat\n  unit bytes\n  group G\n  expr MaliGPUWarpSize * 2\n"
	"metric CPULoad\n  title Load\n  unit count\n  group C\n  expr CPUTicks / 4\n"
	"metric Heat\n  title Heat\n  unit celsius\n  group C\n"
	"template Mali-Test\n  for Bifrost\nsection 1 One\nchart 1.1 Chart\n  1.1.1 MaliFragUtil\n"
	"  1.1.2 MaliGPUActiveCy\n  1.1.3 MaliFragUtil\n";

#define SLOT(n, k, i, no)                                                             \
	{                                                                             \
		.name = (n), .kind = (k), .instance = (i), .number = (no), .scale = 1 \
	}

static const struct slot gpu_slots[] = {
	SLOT("MaliGPUActiveCy", SLOT_DELTA, INSTANCE_ALL, 0),
	SLOT("MaliFragActiveCy", SLOT_DELTA, INSTANCE_ALL, 0),
	SLOT("MaliFragActiveCy", SLOT_DELTA, INSTANCE_CORE, 0),
	SLOT("MaliFragActiveCy", SLOT_DELTA, INSTANCE_CORE, 3),
};
static const struct slot cpu_slots[] = {
	SLOT("CPUTicks", SLOT_DELTA, INSTANCE_ALL, 0),     SLOT("Heat", SLOT_LEVEL, INSTANCE_ALL, 0),
	SLOT("CPUTicks", SLOT_DELTA, INSTANCE_CLUSTER, 0), SLOT("CPUTicks", SLOT_DELTA, INSTANCE_CLUSTER, 1),
	SLOT("CPUTicks", SLOT_DELTA, INSTANCE_CPU, 5),
};

enum { GPU = 0, CPU = 1, GPU1 = 2 };

struct export_machine {
	struct gpudb *db;
	struct metric_set *gpu, *cpu;
	struct export_source sources[3];
	struct export_options options;
	struct strbuf out;
	unsigned writes, fail_at; /* fail_at: the write that fails, from 1; 0: none */
	bool binary;              /* the format has no lines */
};

static inline bool collect_bytes(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct export_machine *m = ctx;

	if (++m->writes == m->fail_at)
		return err_set(err, 28, "log: disk full");
	if (!m->binary)
		assert_int_equal(((const char *)bytes)[n - 1], '\n'); /* whole lines only */
	strbuf_add(&m->out, bytes, n);
	return true;
}

static inline int machine_init(void **state)
{
	static struct export_machine m;
	struct gpudb_text text = {"data", {data, sizeof(data) - 1}};
	struct err err = {0};

	m = (struct export_machine){
		.options = {.epoch_offset_ns = 1700000000000000000, .host = "board", .version = "1.2"}};
	m.db = gpudb_load_texts(&text, 1, &err);
	if (m.db)
		m.gpu = metric_set_new(m.db,
				       &(struct metric_source){.product = gpudb_product(m.db, 0),
							       .slots = gpu_slots,
							       .n_slots = ARRAY_LEN(gpu_slots),
							       .constants.core_count = 2},
				       &err);
	if (m.gpu)
		m.cpu = metric_set_new(
			m.db, &(struct metric_source){.slots = cpu_slots, .n_slots = ARRAY_LEN(cpu_slots)},
			&err);
	if (!m.cpu) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	m.sources[GPU] = (struct export_source){.index = GPU,
						.prefix = "",
						.title = "Mali-Test 2 cores",
						.driver = "simulator",
						.set = m.gpu,
						.db = m.db,
						.period_ns = 100000000};
	m.sources[GPU1] = m.sources[GPU];
	m.sources[GPU1].index = GPU1;
	memcpy(m.sources[GPU1].prefix, "gpu1:", sizeof("gpu1:"));
	m.sources[CPU] = (struct export_source){.index = CPU,
						.prefix = "",
						.title = "Cortex",
						.driver = "proc",
						.set = m.cpu,
						.db = m.db,
						.period_ns = 500000000};
	*state = &m;
	return 0;
}

/* The CPU's load and its heat as two sources, the second of which has index 7. Free the sets. */
static inline void split_cpu(struct export_machine *m, struct export_source two[2],
			     struct metric_set *sets[2])
{
	struct err err;

	for (unsigned i = 0; i < 2; i++) {
		two[i] = m->sources[CPU];
		two[i].set = sets[i] = metric_set_new(
			m->db, &(struct metric_source){.slots = &cpu_slots[i], .n_slots = 1}, &err);
		assert_non_null(sets[i]);
	}
	two[1].index = 7;
}

static inline int machine_fini(void **state)
{
	struct export_machine *m = *state;

	metric_set_free(m->gpu);
	metric_set_free(m->cpu);
	gpudb_free(m->db);
	strbuf_fini(&m->out);
	return 0;
}

static inline struct export *start_export(struct export_machine *m, const struct export_format *format,
					  const struct export_source *sources, unsigned n)
{
	struct err err = {0};
	struct export *ex = export_new(format, &m->options, sources, n, collect_bytes, m, &err);

	if (!ex)
		fail_msg("%s", err.text);
	return ex;
}

/* A sample of [begin, end) ms. */
static inline bool push_sample(struct export *ex, uint32_t source, int64_t begin_ms, int64_t end_ms,
			       uint32_t flags, const uint64_t *values, unsigned n)
{
	AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + n * sizeof(uint64_t));
	struct err err;

	*s = (struct sample){.source = source,
			     .flags = flags,
			     .n_values = n,
			     .begin_ns = begin_ms * 1000000,
			     .end_ns = end_ms * 1000000};
	memcpy(s->value, values, n * sizeof(uint64_t));
	return export_sample(ex, s, &err);
}

static inline bool push_gpu(struct export *ex, int64_t begin_ms, int64_t end_ms, uint64_t active,
			    uint64_t frag)
{
	return push_sample(ex, GPU, begin_ms, end_ms, 0,
			   (uint64_t[]){active, frag, frag - frag / 4, frag / 4}, 4);
}

static inline bool push_cpu(struct export *ex, int64_t begin_ms, int64_t end_ms, uint64_t ticks,
			    uint64_t heat)
{
	return push_sample(ex, CPU, begin_ms, end_ms, 0, (uint64_t[]){ticks, heat, ticks - 1, 1, 1}, 5);
}

#endif
