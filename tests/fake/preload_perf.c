/* The fake perf of libfakemali.so: what FAKEPERF says, and real threads as tasks. */
#include "tests/fake/preload_perf.h"

#include "base/alloc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENABLE_ON_EXEC (1ull << 12)
#define FLIP_EVENT "drm/drm_vblank_event_delivered"
#define LOOK_NS 20000000 /* between two looks for threads that have ended */

static struct fake_perf perf;
static char tree[32]; /* empty: not made yet */
static pid_t owner;
static int64_t looked_ns, begin_ns;
static struct preload_while hang;
static double flips_hz;  /* of display 0 */
static uint64_t n_flips; /* so far */

struct fake_perf *preload_perf(void)
{
	return &perf;
}

const struct preload_while *preload_perf_hang(void)
{
	return &hang;
}

bool preload_perf_on(void)
{
	return perf.machine != NULL;
}

/* ---- configuration ---- */

static void set_kernel(const char *value)
{
	unsigned major, minor;

	if (sscanf(value, "%u.%u", &major, &minor) == 2)
		perf.kernel = FAKE_KERNEL(major, minor);
}

static void set_refusal(const char *value)
{
	perf.filtered = strcmp(value, "seccomp") == 0 ? EPERM : strcmp(value, "missing") == 0 ? ENOSYS : 0;
	perf.selinux = strcmp(value, "selinux") == 0;
}

static void set_word(const char *key, const char *value)
{
	int number = (int)strtol(value, NULL, 0);

	if (strcmp(key, "paranoid") == 0)
		perf.paranoid = number;
	else if (strcmp(key, "cap") == 0)
		perf.caps = (unsigned)number;
	else if (strcmp(key, "kernel") == 0)
		set_kernel(value);
	else if (strcmp(key, "refuse") == 0)
		set_refusal(value);
	else if (strcmp(key, "files") == 0)
		perf.max_files = (unsigned)number;
	else if (strcmp(key, "steal") == 0)
		fake_perf_steal(&perf, -1, (unsigned)number);
	else if (strcmp(key, "offline") == 0 && number >= 0 && number < (int)perf.machine->n_cpus)
		fake_perf_online(&perf, number, false);
	else if (strcmp(key, "flips") == 0)
		flips_hz = number;
	else if (strcmp(key, "hang") == 0)
		preload_while_read(&hang, value, begin_ns);
	else if (strcmp(key, "machine") != 0)
		fprintf(stderr, "libfakemali: FAKEPERF does not know '%s'\n", key);
}

void preload_perf_init(const char *words, int64_t now_ns)
{
	AUTOFREE char *copy = xstrdup(words), *machine = xstrdup("a72x4");
	const char *name = strstr(words, "machine=");
	char *save, *word;

	if (name) {
		free(machine);
		machine = xstrndup(name + 8, strcspn(name + 8, " "));
	}
	if (!fake_machine_find(machine)) {
		fprintf(stderr, "libfakemali: FAKEPERF: no machine '%s'\n", machine);
		return;
	}
	begin_ns = now_ns;
	fake_perf_init(&perf, machine, now_ns);
	fake_perf_exit(&perf, perf.self); /* threads are real ones */
	perf.uid = geteuid();
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = 0;
		set_word(word, value ? value : "");
	}
	owner = getpid();
}

void preload_perf_fini(void)
{
	if (*tree && getpid() == owner)
		fake_perf_tree_remove(tree);
	*tree = 0;
}

/* ---- threads ---- */

static bool file_exists(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

static void flip_pages(int64_t now_ns)
{
	uint64_t due = (uint64_t)((double)(now_ns - begin_ns) / 1e9 * flips_hz);

	while (n_flips < due) {
		const uint64_t values[] = {0, 0, ++n_flips};

		fake_perf_trace(&perf, (int)(n_flips % perf.machine->n_cpus), FLIP_EVENT, values);
	}
}

void preload_perf_advance(int64_t now_ns)
{
	fake_perf_advance(&perf, now_ns);
	if (flips_hz > 0)
		flip_pages(now_ns);
	if (now_ns - looked_ns < LOOK_NS)
		return;
	looked_ns = now_ns;
	for (unsigned i = 0; i < perf.n_tasks; i++)
		if (!perf.tasks[i]->ended && !file_exists(perf.tasks[i]->pid))
			fake_perf_exit(&perf, perf.tasks[i]->pid);
}

/* A thread that is asked for the first time. */
static void meet(pid_t pid)
{
	AUTOFREE char *path = xasprintf("/proc/%d", pid);
	struct stat st;

	if (pid <= 0 || fake_perf_find_task(&perf, pid) || !file_exists(pid))
		return;
	fake_perf_task(&perf, pid, stat(path, &st) == 0 ? st.st_uid : 0, pid % (int)perf.machine->n_cpus);
}

int preload_perf_open(void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	uint64_t bits;
	int fd;

	if (!pid)
		pid = (pid_t)syscall(SYS_gettid);
	meet(pid);
	fd = fake_perf_open(&perf, attr, pid, cpu, group_fd, flags);
	if (fd < 0)
		return -1;
	memcpy(&bits, (const char *)attr + 40, sizeof(bits));
	if (bits & ENABLE_ON_EXEC && pid != -1) /* exec is not seen from here */
		fake_perf_exec(&perf, pid);
	return fd;
}

/* ---- files ---- */

char *preload_perf_path(const char *path)
{
	static const char *const ours[] = {
		"sys/bus/event_source",
		"sys/devices/system/cpu",
		("sys/kernel/tracing/events/" FLIP_EVENT),
		"proc/sys/kernel/perf_event_paranoid",
	};

	while (*path == '/')
		path++;
	for (size_t i = 0; i < ARRAY_LEN(ours) && preload_perf_on(); i++) {
		size_t n = strlen(ours[i]);

		if (strncmp(path, ours[i], n) != 0 || (path[n] && path[n] != '/'))
			continue;
		if (!*tree || getpid() != owner) { /* a child makes its own, as its parent may go first */
			strcpy(tree, "/tmp/fakeperf.XXXXXX");
			owner = getpid();
			if (!mkdtemp(tree))
				return *tree = 0, NULL;
			fake_perf_tree(&perf, tree);
			if (flips_hz > 0)
				fake_perf_tracefs(tree, FLIP_EVENT);
		}
		return xasprintf("%s/%s", tree, path);
	}
	return NULL;
}
