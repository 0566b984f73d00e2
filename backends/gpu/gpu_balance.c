#include "backends/gpu/gpu_balance.h"

#include <string.h>

void gpu_balance_init(struct gpu_balance *b, const struct source *source)
{
	*b = (struct gpu_balance){.slot = -1};
	for (unsigned i = 0; i < source->n_slots; i++)
		if (strcmp(source->slots[i].name, SOURCE_BUSIEST_CORE) == 0)
			b->slot = (int)i;
}

void gpu_balance_add(struct gpu_balance *b, unsigned core, uint64_t cycles)
{
	if (cycles >= GPU_OVERFLOW || b->cycles[core] >= GPU_OVERFLOW)
		b->cycles[core] = GPU_OVERFLOW;
	else
		b->cycles[core] += cycles;
}

void gpu_balance_fill(struct gpu_balance *b, int64_t sample_ns, uint64_t *slots)
{
	uint64_t most = 0, sum = 0, n = 0;

	if (b->slot < 0)
		return;
	slots[b->slot] = slots[b->slot + 1] = 0;
	b->span_ns = sample_add_time(b->span_ns, sample_ns);
	if (b->span_ns < GPU_BALANCE_NS)
		return;
	for (unsigned i = 0; i < GPU_BALANCE_CORES; i++) {
		n += b->cycles[i] > 0;
		sum += b->cycles[i];
		most = b->cycles[i] > most ? b->cycles[i] : most;
	}
	slots[b->slot] = most < GPU_OVERFLOW ? most : SAMPLE_UNKNOWN;
	slots[b->slot + 1] = most >= GPU_OVERFLOW ? SAMPLE_UNKNOWN : n ? (sum + n / 2) / n : 0;
	*b = (struct gpu_balance){.slot = b->slot};
}
