/* turns: whether the busiest thread and the GPU take turns: one works while the other waits, so
 * that neither is busy all the time, and making only one of them faster does not shorten a frame by
 * much (Arm's guides call this scheduling bound).
 *
 * This is inferred from the shares of one window. If they take turns, the shares add up to the
 * whole time; but a thread and a GPU that work in parallel may do so by chance, so the text is
 * cautious. History would not help: its columns are as long as several frames, so an alternation
 * within a frame looks the same in each of them.
 */
#ifndef MALITOP_TURNS_H
#define MALITOP_TURNS_H

#include <stddef.h>

enum turns {
	TURNS_UNKNOWN, /* a share is unknown */
	TURNS_NONE,    /* nothing special */
	TURNS_BOTH_BUSY,
	TURNS_THREAD_BUSY,
	TURNS_GPU_BUSY,
	TURNS_TAKEN,
};

/* From the share of time that the thread ran and the GPU was active, in percent; NaN if unknown. */
enum turns turns_of(double thread_percent, double gpu_percent);
/* "thread 62 %, GPU 97 %: the GPU is busy all the time"; "" if a share is unknown. */
void turns_text(char *out, size_t size, double thread_percent, double gpu_percent);

#endif
