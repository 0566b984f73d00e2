/* arm_events: the events of Arm's cores (PMUv3) by number and name, and which core has which.
 *
 * An event that a core does not have opens all the same and counts 0, so who counts it must look here or in sysfs first.
 */
#ifndef MALITOP_ARM_EVENTS_H
#define MALITOP_ARM_EVENTS_H

#include "base/str.h"

/* The core that a PMU of that name serves ("armv8_cortex_a72"); where the name tells none, that of a CPU of that part number
 * (implementer << 12 | part). -1: unknown. */
int arm_core_find(const char *pmu, int part);
/* Bytes that a BUS_ACCESS moves; 0 where it is the system's choice, or unknown. */
unsigned arm_core_bus_bytes(int core);
/* Whether the core counts that event; false for an unknown core. */
bool arm_core_has(int core, uint16_t number);

/* By Arm's name, without regard to case ("BR_PRED", "br_pred"). */
bool arm_event_find(struct span name, uint16_t *number);
const char *arm_event_name(uint16_t number); /* NULL if unknown */

#endif
