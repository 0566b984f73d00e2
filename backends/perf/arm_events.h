/* arm_events: the events of Arm's cores (PMUv3) by number and name, and which core has which.
 *
 * An event that a core does not have can still be opened and counts 0, so check here or in sysfs
 * before counting it.
 */
#ifndef MALITOP_ARM_EVENTS_H
#define MALITOP_ARM_EVENTS_H

#include "base/str.h"

/* Returns the core that a PMU of this name serves ("armv8_cortex_a72"). If the name identifies
 * none, returns the core with this part number (implementer << 12 | part). -1 if unknown. */
int arm_core_find(const char *pmu, int part);
/* Bytes that one BUS_ACCESS moves; 0 if the system integrator chooses it, or if it is unknown. */
unsigned arm_core_bus_bytes(int core);
/* Whether the core counts this event; false for an unknown core. */
bool arm_core_has(int core, uint16_t number);

/* Find an event by Arm's name, ignoring case ("BR_PRED", "br_pred"). */
bool arm_event_find(struct span name, uint16_t *number);
const char *arm_event_name(uint16_t number); /* NULL if unknown */
/* The i-th event: its name and number. Returns false past the last one. */
bool arm_event_at(unsigned i, const char **name, uint16_t *number);
/* Append the cores that have the event: "A53 A72"; nothing if all have it. */
void arm_event_cores(uint16_t number, struct strbuf *out);

#endif
