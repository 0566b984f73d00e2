/* regions: what the files of the program share. */
#ifndef MALITOP_TESTS_REGIONS_H
#define MALITOP_TESTS_REGIONS_H

/* Has a region of its own, "other file". */
void call_other_file(void);

#endif
