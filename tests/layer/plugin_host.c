/* plugin_host PLUGIN: loads the plugin, calls it from threads that come and go, and unloads it
 * while the last of them lives. Prints what is wrong. The kernel's counters are files here. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 20

static pthread_barrier_t called, unloaded;
static void (*plugin_work)(void);

/* The plugin calls this one. */
long syscall(long number, ...)
{
	long (*real)(long, ...), a[6];
	void *symbol = dlsym(RTLD_NEXT, "syscall");
	char groups[240] = {0}; /* for ten reads */
	va_list list;
	int fd;

	va_start(list, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	memcpy(&real, &symbol, sizeof(real));
	if (number != SYS_perf_event_open)
		return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	fd = memfd_create("counter", MFD_CLOEXEC);
	if (pwrite(fd, groups, sizeof(groups), 0) != sizeof(groups))
		exit(1);
	return fd;
}

static unsigned open_descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	unsigned n = 0;

	while (list && readdir(list))
		n++;
	closedir(list);
	return n;
}

static void *call_once(void *unused)
{
	(void)unused;
	plugin_work();
	return NULL;
}

static void *call_and_stay(void *unused)
{
	(void)unused;
	plugin_work();
	pthread_barrier_wait(&called);
	pthread_barrier_wait(&unloaded);
	return NULL;
}

static void find_symbol(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	if (!symbol) {
		fprintf(stderr, "%s: %s\n", name, dlerror());
		exit(1);
	}
	memcpy(function, &symbol, sizeof(symbol));
}

static void fork_child(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (waitpid(pid, &status, 0) != pid || status)
		printf("a child ends with status %x\n", (unsigned)status);
}

int main(int argc, char **argv)
{
	unsigned before = open_descriptors(), (*plugin_counted)(void);
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
	pthread_t thread;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	find_symbol(library, "plugin_work", &plugin_work);
	find_symbol(library, "plugin_counted", &plugin_counted);
	pthread_barrier_init(&called, NULL, 2);
	pthread_barrier_init(&unloaded, NULL, 2);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, call_once, NULL) != 0 || pthread_join(thread, NULL) != 0)
			return 1;
	if (plugin_counted() != 1)
		printf("of %u threads that ended %u are counted\n", THREADS, plugin_counted());
	if (pthread_create(&thread, NULL, call_and_stay, NULL) != 0)
		return 1;
	pthread_barrier_wait(&called);
	fork_child();
	dlclose(library);
	if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD))
		printf("the plugin is still loaded\n");
	if (open_descriptors() != before)
		printf("%u descriptors, %u before the plugin was loaded\n", open_descriptors(), before);
	fork_child();
	pthread_barrier_wait(&unloaded);
	pthread_join(thread, NULL);
	return 0;
}
