/* thread: start a thread besides the main one. */
#ifndef MALITOP_THREAD_H
#define MALITOP_THREAD_H

#include <pthread.h>

/* Start a thread. Signals go to the main thread, except those that a crash raises on the thread
 * itself: if they were blocked, the kernel would kill the program before its handler restores the
 * terminal. Returns 0 or an errno. */
int thread_new(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
