#include "base/thread.h"

#include "base/alloc.h"

#include <signal.h>

int thread_new(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	sigset_t held, before;
	int failed;

	sigfillset(&held);
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		sigdelset(&held, crashes[i]);
	pthread_sigmask(SIG_SETMASK, &held, &before);
	failed = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}
