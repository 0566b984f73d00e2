/* forks: a program whose threads work while its main thread forks children, one after the other. */
#ifndef MALITOP_TESTS_FORKS_H
#define MALITOP_TESTS_FORKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* AddressSanitizer's own allocator has locks that a child of fork finds held. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FORKS_ALLOCATE 0
#else
#define FORKS_ALLOCATE 1
#endif

#define FORKS 300
#define FORKS_THREADS 3
#define FORKS_PATIENCE_S 20 /* for a child that takes a millisecond */

static bool forks_over; /* atomic */

/* Whether a working thread goes on. */
static inline bool forks_go_on(void)
{
	return !__atomic_load_n(&forks_over, __ATOMIC_RELAXED);
}

/* Fork a child that calls `act` and ends. Ends the program if the child does not. */
static inline void forks_child(unsigned number, void (*act)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(FORKS_PATIENCE_S);
		act();
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		return;
	fprintf(stderr, "child %u of fork: status %x\n", number, (unsigned)status);
	exit(1);
}

/* Call `fork_one` for each number while threads call `work` with theirs (an unsigned), which
 * returns when forks_go_on returns false. */
static inline void forks_run(void *(*work)(void *number), void (*fork_one)(unsigned number))
{
	pthread_t thread[FORKS_THREADS];
	unsigned numbers[FORKS_THREADS];

	for (unsigned i = 0; i < FORKS_THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&thread[i], NULL, work, &numbers[i]) != 0)
			exit(1);
	}
	for (unsigned i = 0; i < FORKS; i++)
		fork_one(i);
	__atomic_store_n(&forks_over, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < FORKS_THREADS; i++)
		pthread_join(thread[i], NULL);
}

#endif
