#include "record/recorder_notes.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void recorder_notes_add(struct recorder_notes *notes, const struct mlog_note *note)
{
	unsigned at;

	GROW(notes->note, notes->n, notes->cap);
	for (at = notes->n++; at > 0 && notes->note[at - 1].time_ns > note->time_ns; at--)
		notes->note[at] = notes->note[at - 1];
	notes->note[at] = *note;
}

void recorder_notes_move(struct recorder_notes *notes, struct recorder_notes *from)
{
	for (unsigned i = 0; i < from->n; i++)
		recorder_notes_add(notes, &from->note[i]);
	from->n = 0;
}

bool recorder_notes_take(struct recorder_notes *notes, int64_t until_ns, struct mlog_note *note)
{
	if (!notes->n || notes->note[0].time_ns > until_ns)
		return false;
	*note = notes->note[0];
	memmove(notes->note, notes->note + 1, --notes->n * sizeof(*notes->note));
	return true;
}

void recorder_notes_fini(struct recorder_notes *notes)
{
	free(notes->note);
}
