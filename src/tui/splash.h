/* splash: the screen while a device is slow to open. It shows what the program waits for and for
 * how long, and the user can quit. */
#ifndef MALITOP_SPLASH_H
#define MALITOP_SPLASH_H

#include "base/sys.h"
#include "views/canvas.h"

struct term;

/* Show it until fd is readable. Returns false if the user quits before; *signal is then the signal
 * that asked for it, 0 for a key. */
bool splash_run(const struct sys *sys, struct term *term, int fd, int64_t since_ns, int *signal);

#endif
