/* turns: whether the busiest thread and the GPU take turns: one works while the other waits, so that neither is busy all the time and
 * no frame gets shorter by a faster one of them alone (what Arm's guides call scheduling bound).
 *
 * Told by the shares of one window only. Taking turns, they add up to the whole time. A thread and a GPU that work side by side may
 * do so by chance, which is why it is said with care. History could not say more: its columns are as long as several frames, and so
 * an alternation within a frame is the same in each of them.
 */
#ifndef MALITOP_TURNS_H
#define MALITOP_TURNS_H

#include <stddef.h>

enum turns {
	TURNS_UNKNOWN, /* a share is */
	TURNS_NONE,    /* nothing special */
	TURNS_BOTH_BUSY,
	TURNS_THREAD_BUSY,
	TURNS_GPU_BUSY,
	TURNS_TAKEN,
};

/* Of the time that the thread ran and that the GPU was active, in percent; NaN: unknown. */
enum turns turns_of(double thread_percent, double gpu_percent);
/* "thread 62 %, GPU 97 %: the GPU is busy all the time"; "" where a share is unknown. */
void turns_text(char *out, size_t size, double thread_percent, double gpu_percent);

#endif
