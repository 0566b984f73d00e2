/* recorder_notes: notes of a log that wait to be written, in the order of their times. */
#ifndef MALITOP_RECORDER_NOTES_H
#define MALITOP_RECORDER_NOTES_H

#include "mlog/mlog.h"

/* Zeros are empty. */
struct recorder_notes {
	struct mlog_note *note;
	unsigned n, cap;
};

void recorder_notes_add(struct recorder_notes *notes, const struct mlog_note *note);
/* Add all of `from`, which is empty then. */
void recorder_notes_move(struct recorder_notes *notes, struct recorder_notes *from);
/* Take the first note; false if it is later than until_ns, or there is none. */
bool recorder_notes_take(struct recorder_notes *notes, int64_t until_ns, struct mlog_note *note);
void recorder_notes_fini(struct recorder_notes *notes);

#endif
