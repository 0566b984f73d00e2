/* request: what the reader of a stream asks for (control.h): each request is carried out, or
 * refused with a reason.
 *
 * What arrives is untrusted. A request starts no program and opens no file. Thread: the session's.
 */
#ifndef MALITOP_REQUEST_H
#define MALITOP_REQUEST_H

#include "record/control.h"
#include "record/recorder.h"

struct requests {
	struct session *session;
	struct options *options;
	struct recorder *recorder;
	uint64_t before; /* bytes of the stream before those of this recorder */
	bool restarts;   /* the recording has to begin again, for samples at another interval */
};

/* Carry out one; `said` (cleared) gets what was done, or why not. Returns whether it was done. */
bool request_do(struct requests *requests, enum control_word word, const char *text, struct strbuf *said);

#endif
