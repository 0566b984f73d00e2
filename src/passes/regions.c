#include "passes/regions.h"

#include <stdio.h>
#include <string.h>

static const struct slot_row region_slots[REGION_SLOTS] = {
	[REGION_TIME] = {"Time", SLOT_DELTA, 1e-6},  [REGION_COUNT] = {"Count", SLOT_DELTA, 1},
	[REGION_CYCLES] = {"Cycles", SLOT_DELTA, 1}, [REGION_INSTRUCTIONS] = {"Instructions", SLOT_DELTA, 1},
	[REGION_NAME] = {"Name", SLOT_LEVEL, 1},
};

void regions_slots(struct regions *r, struct slot slots[REGIONS_SLOTS])
{
	row_slots_describe(region_slots, REGION_SLOTS, REGION_ROWS, "Region", r->slot_names, slots);
}

void regions_forget(struct regions *r)
{
	memset(r->rows, 0, sizeof(r->rows));
	memset(r->threads, 0, sizeof(r->threads));
}

static unsigned find_row(struct regions *r, const char *name, int64_t now_ns)
{
	unsigned best = REGION_ROWS - 1;

	for (unsigned i = REGION_ROWS - 1; i-- > 0;) {
		if (strncmp(r->rows[i].name, name, sizeof(r->rows[i].name) - 1) == 0)
			return i;
		if (!r->rows[i].name[0] || now_ns - r->rows[i].seen_ns > PASS_AWAY_NS)
			best = i;
	}
	r->rows[best] = (struct region_row){.seen_ns = now_ns};
	snprintf(r->rows[best].name, sizeof(r->rows[best].name), "%s",
		 best == REGION_ROWS - 1 ? "all other regions" : name);
	return best;
}

static unsigned find_thread(struct regions *r, uint32_t thread)
{
	unsigned i = 0;

	while (i < REGION_THREADS && r->threads[i] && r->threads[i] != thread)
		i++;
	if (i < REGION_THREADS)
		r->threads[i] = thread;
	return i;
}

void regions_event(struct regions *r, const struct passes_event *e, const char *name, int64_t now_ns,
		   struct pass_records *records)
{
	unsigned number = find_row(r, name, now_ns);
	struct region_row *row = &r->rows[number];
	uint64_t *word = pass_records_add(records, RECORD_REGION_WORDS);

	row->seen_ns = now_ns;
	row->value[REGION_TIME] += (uint64_t)(e->end_ns - e->begin_ns);
	row->value[REGION_COUNT]++;
	row->uncounted |= e->cycles == UINT64_MAX || e->instructions == UINT64_MAX;
	row->value[REGION_CYCLES] += e->cycles;
	row->value[REGION_INSTRUCTIONS] += e->instructions;
	if (!word)
		return;
	word[0] = RECORD_REGION;
	word[1] = pass_record_row(number + 1, find_thread(r, e->thread));
	word[2] = (uint64_t)e->begin_ns;
	word[3] = pass_record_us(e->end_ns - e->begin_ns);
}

void regions_sample(struct regions *r, struct pass_fold *fold, uint64_t *value)
{
	for (unsigned i = 0; i < REGIONS_SLOTS; i++)
		value[i] = SAMPLE_UNKNOWN;
	for (unsigned i = 0; i < REGION_ROWS; i++) {
		struct region_row *row = &r->rows[i];
		uint64_t *to = &value[i * REGION_SLOTS];

		if (!row->name[0])
			continue;
		memcpy(to, row->value, sizeof(row->value));
		if (row->uncounted)
			to[REGION_CYCLES] = to[REGION_INSTRUCTIONS] = SAMPLE_UNKNOWN;
		to[REGION_NAME] = pass_fold_name(fold, row->name);
		memset(row->value, 0, sizeof(row->value));
	}
}
