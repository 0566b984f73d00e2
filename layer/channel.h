/* channel: this process's shared memory (passes/passes.h) and its connections to malitop. There is
 * one channel per process, whatever number of instances, devices and contexts it has.
 *
 * The channel runs in another program's threads: it never blocks, raises no signal, writes to no
 * file or terminal of that program, and starts no thread. Without malitop it tries to connect once
 * a second. A child of fork writes nothing until it has closed what its parent opened. Threads:
 * all.
 */
#ifndef MALITOP_LAYER_CHANNEL_H
#define MALITOP_LAYER_CHANNEL_H

#include "layer/link.h"

/* Have each child of fork call this. The C library keeps the address for good: both libraries are
 * linked so that they are never unloaded. Returns false without memory. */
bool channel_at_fork(void (*child)(void));
/* Create the memory at the first call; later calls add a user. `driver` is what renders, for
 * malitop's user. Returns false if there is no memory; then nothing must be written. */
bool channel_open(enum passes_writer writer, enum passes_stamp stamp, const char *driver);
/* The last user's call unmaps the memory and hangs up. */
void channel_close(void);

/* Append events, if the channel is open. */
void channel_write(const struct passes_event *e, unsigned n);
void channel_count(enum passes_count count, unsigned n);
/* Make room for more events until malitop reads them. */
void channel_grow(void);
/* Return the number of a name; 0 if there is no room for another one. */
uint16_t channel_name(const char *text);
/* Connect to malitops that have appeared, and forget those that are gone: call it often, it acts
 * once a second. */
void channel_tend(int64_t now_ns);

#endif
