/* splash: the screen while a device takes its time to open. Calm: it says what is waited for and for how long, and can be left. */
#ifndef MALITOP_SPLASH_H
#define MALITOP_SPLASH_H

#include "base/sys.h"
#include "views/canvas.h"

struct term;

/* Until fd is readable: true. False when the user leaves before, with the signal that asked for it in *signal, 0 for a key. */
bool splash_run(const struct sys *sys, struct term *term, int fd, int64_t since_ns, int *signal);
/* One frame of it. */
void splash_draw(struct canvas *canvas, int64_t seconds);

#endif
