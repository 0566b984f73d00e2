/* The raw counter table over any bytes: it reads or fails with a message, and what it read is in
 * order. */
#include "base/alloc.h"
#include "model/rawtable.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* By block, then by index, as gpudb has them. */
static struct gpu_counter counters[] = {
	{"MaliGPUActiveCy", "GPU_ACTIVE", BLOCK_FRONT_END, 6, 1, {NULL, 0}},
	{NULL, "MESSAGES_SENT", BLOCK_FRONT_END, 7, 1, {NULL, 0}},
	{"MaliTilerActiveCy", "TILER_ACTIVE", BLOCK_TILER, 4, 1, {NULL, 0}},
	{"MaliL2CacheRd", "L2_RD", BLOCK_MEMORY, 10, 1, {NULL, 0}},
	{"MaliFragActiveCy", "FRAG_ACTIVE", BLOCK_CORE, 4, 1, {NULL, 0}},
	{"MaliFragThread", "FRAG_THREADS", BLOCK_CORE, 5, 4, {NULL, 0}},
};

static const struct gpu_layout layout = {.name = "Mali-Test",
					 .slots_per_block = 64,
					 .counters = counters,
					 .n_counters = ARRAY_LEN(counters),
					 .n_published = 5};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rawtable table;
	struct err err = {0};

	if (rawtable_parse(&table, &layout, "fuzz", (struct span){(const char *)data, size}, &err)) {
		for (unsigned i = 0; i < table.n_rows; i++)
			assert(table.rows[i].counter < layout.n_counters &&
			       counters[table.rows[i].counter].name &&
			       (!i || table.rows[i - 1].counter < table.rows[i].counter ||
				table.rows[i - 1].instance < table.rows[i].instance));
		if (table.constants[RAWTABLE_SECONDS].line)
			assert(isfinite(table.constants[RAWTABLE_SECONDS].decimal) &&
			       table.constants[RAWTABLE_SECONDS].decimal > 0);
	} else {
		assert(err.text[0]);
	}
	rawtable_fini(&table);
	return 0;
}
