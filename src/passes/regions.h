/* regions: the regions of malitop.h as slots of the passes source. A row keeps its region until it
 * has been away for two seconds. Thread: that of the source. Nothing here allocates but
 * regions_slots. */
#ifndef MALITOP_REGIONS_H
#define MALITOP_REGIONS_H

#include "passes/pass_fold.h"

#define REGION_THREADS 7

/* The slots of each row. */
enum region_slot { REGION_TIME, REGION_COUNT, REGION_CYCLES, REGION_INSTRUCTIONS, REGION_NAME, REGION_SLOTS };
enum { REGIONS_SLOTS = REGION_ROWS * REGION_SLOTS };

struct regions {
	struct region_row {
		char name[PASS_NAME_TEXT]; /* "": free */
		int64_t seen_ns;
		uint64_t value[REGION_NAME]; /* of this sample */
		bool uncounted;              /* ever, a call without cycles and instructions */
	} rows[REGION_ROWS];
	uint32_t threads[REGION_THREADS];
	char slot_names[REGIONS_SLOTS][SLOT_NAME];
};

/* Describe the slots of the sample; their names are in `regions`. */
void regions_slots(struct regions *regions, struct slot slots[REGIONS_SLOTS]);
/* Take a region, with the name it has. */
void regions_event(struct regions *r, const struct passes_event *event, const char *name, int64_t now_ns,
		   struct pass_records *records);
void regions_forget(struct regions *r);
/* Write all slots, and begin the next sample. */
void regions_sample(struct regions *regions, struct pass_fold *fold, uint64_t *value);

#endif
