/* await: a test waits for what shall happen, however slow the machine is, and fails with its words
 * when it never does. */
#ifndef AWAIT_H
#define AWAIT_H

#include <unistd.h>

#define AWAIT_MS 60000 /* that long, nothing happens any more */

#define AWAIT(happened)                                                \
	do {                                                           \
		for (unsigned await_ms = 0; !(happened); await_ms++) { \
			if (await_ms == AWAIT_MS)                      \
				fail_msg("never: %s", #happened);      \
			usleep(1000);                                  \
		}                                                      \
	} while (0)

/* For what must not happen: only longer, never shorter. Nothing else may hang on it. */
static inline void give_time_ms(unsigned ms)
{
	usleep(ms * 1000);
}

#endif
