/* Words of a log, of any bytes, as a profile: what is in it is in its bounds, and can be shown. */
#include "base/alloc.h"
#include "hot/hot_table.h"
#include "hot/hot_words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct hot_scope all = {0};
	size_t n = size / sizeof(uint64_t) < 4096 ? size / sizeof(uint64_t) : 4096;
	struct sample *sample = xcalloc(1, sizeof(*sample) + n * sizeof(uint64_t));
	AUTO_STRBUF struct strbuf text = {0};
	struct hot_profile p = {0};
	struct hot_around around;
	struct hot_table table;

	sample->n_more = (uint16_t)n;
	sample->end_ns = 1000000000;
	memcpy(sample->value, data, n * sizeof(uint64_t));
	hot_words_add(&p, sample);
	for (unsigned i = 0; i < p.n_nodes; i++)
		assert(p.nodes[i].parent <= i && p.nodes[i].function < p.n_functions);
	hot_table_make(&table, &p, &all);
	if (p.n_functions) {
		hot_around_make(&around, &p, &all, 0);
		hot_around_fini(&around);
	}
	hot_fold_stacks(&p, &all, &text);
	hot_table_fini(&table);
	hot_profile_fini(&p);
	free(sample);
	return 0;
}
