#include "passes/regions.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	double scale;
} region_slots[REGION_NAME] = {
	[REGION_TIME] = {"Time", 1e-6},
	[REGION_COUNT] = {"Count", 1},
	[REGION_CYCLES] = {"Cycles", 1},
	[REGION_INSTRUCTIONS] = {"Instructions", 1},
};

void regions_slots(struct regions *r, struct slot slots[REGIONS_SLOTS])
{
	char(*name)[SLOT_NAME] = r->slot_names;

	for (unsigned row = 1; row <= REGION_ROWS; row++) {
		for (unsigned i = 0; i < REGION_NAME; i++) {
			snprintf(*name, SLOT_NAME, "Region%u%s", row, region_slots[i].name);
			*slots++ = (struct slot){.name = *name++, .scale = region_slots[i].scale};
		}
		for (unsigned i = 0; i < PASS_NAME_WORDS; i++) {
			snprintf(*name, SLOT_NAME, "Region%uName%u", row, i);
			*slots++ = (struct slot){.name = *name++, .kind = SLOT_LEVEL, .scale = 1};
		}
	}
	for (unsigned i = 0; i < 2 * REGION_SPANS; i++) {
		snprintf(*name, SLOT_NAME, "RegionSpan%u%s", i / 2, i % 2 ? "Time" : "");
		*slots++ = (struct slot){.name = *name++, .kind = SLOT_LEVEL, .scale = 1};
	}
}

void regions_forget(struct regions *r)
{
	memset(r->rows, 0, sizeof(r->rows));
	memset(r->threads, 0, sizeof(r->threads));
	r->n_kept = 0;
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

static void keep_lane(struct lanes *lanes, const struct region_event *e)
{
	uint64_t *word = lanes_add(lanes, LANE_REGION_WORDS);

	if (!word)
		return;
	word[0] = LANE_REGION;
	word[1] = lane_row(e->row + 1u, e->thread);
	word[2] = (uint64_t)e->begin_ns;
	word[3] = lane_us(e->end_ns - e->begin_ns);
}

void regions_event(struct regions *r, const struct passes_event *e, const char *name, int64_t now_ns,
		   struct lanes *lanes)
{
	unsigned number = find_row(r, name, now_ns);
	struct region_row *row = &r->rows[number];
	struct region_event *kept = &r->kept[r->n_kept++ % REGIONS_KEPT];

	row->seen_ns = now_ns;
	row->value[REGION_TIME] += (uint64_t)(e->end_ns - e->begin_ns);
	row->value[REGION_COUNT]++;
	row->uncounted |= e->cycles == UINT64_MAX || e->instructions == UINT64_MAX;
	row->value[REGION_CYCLES] += e->cycles;
	row->value[REGION_INSTRUCTIONS] += e->instructions;
	*kept = (struct region_event){e->begin_ns, e->end_ns, (uint8_t)number,
				      (uint8_t)find_thread(r, e->thread)};
	keep_lane(lanes, kept);
}

static void put_spans(const struct regions *r, const struct pass_fold *fold, uint64_t *value)
{
	int64_t begin_ns = fold->one_ns, end_ns = begin_ns + (int64_t)fold->frame[FRAME_ONE_TIME];
	uint64_t first = r->n_kept > REGIONS_KEPT ? r->n_kept - REGIONS_KEPT : 0;
	unsigned n = 0;

	memset(value, 0, 2 * REGION_SPANS * sizeof(*value));
	for (uint64_t i = first; i < r->n_kept && n < REGION_SPANS; i++) {
		const struct region_event *e = &r->kept[i % REGIONS_KEPT];

		if (e->begin_ns < begin_ns || e->begin_ns >= end_ns ||
		    e->end_ns - begin_ns >= PASS_SPAN_US * 1000ll)
			continue;
		value[2 * n] = pass_span_pack(e->row + 1u, e->thread, SPAN_OF_FRAME,
					      (uint64_t)(e->begin_ns - begin_ns) / 1000);
		value[2 * n++ + 1] = (uint64_t)(e->end_ns - e->begin_ns) / 1000;
	}
}

void regions_sample(struct regions *r, const struct pass_fold *fold, uint64_t *value)
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
		pass_text_pack(&to[REGION_NAME], PASS_NAME_WORDS, row->name);
		memset(row->value, 0, sizeof(row->value));
	}
	if (fold->has_one)
		put_spans(r, fold, &value[REGION_ROWS * REGION_SLOTS]);
}
