#include "hot/hot_maps.h"

#include "base/alloc.h"
#include "base/search.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PROCESSES_MOST 16384
#define THREADS_MOST 65536
#define MODULES_MOST 8192
#define RANGES_MOST 16384 /* of a process */
#define MAPS_BYTES ((size_t)8 << 20)
#define KERNEL_MODULE "[kernel]"

/* A function of a module that was seen: its name is made once. */
struct hot_known {
	uint64_t start, size;
	const char *name;
};

struct hot_module {
	char *path; /* absolute; or in brackets */
	const char *name;
	uint64_t inode;
	uint32_t major, minor;
	pid_t jit; /* not 0: code that this process makes at run time */
	bool was_read;
	int64_t map_bytes; /* of its perf-PID.map when that was read */
	struct hot_symbols symbols;
	struct hot_known **functions; /* by start; they stay where they are */
	unsigned n_functions, cap_functions;
	struct hot_known whole; /* what is known of no function */
};

struct hot_range {
	uint64_t start, end, offset;
	struct hot_module *module;
};

struct hot_process {
	pid_t pid;
	struct hot_range *ranges; /* by start, not overlapping */
	unsigned n, cap;
	bool known; /* from its start, or read */
};

struct hot_task {
	pid_t tid, pid;
	char name[HOT_NAME];
};

struct hot_maps {
	const struct sys *sys;
	struct hot_process *processes; /* by pid */
	unsigned n_processes, cap_processes;
	struct hot_task *threads; /* by tid */
	unsigned n_threads, cap_threads;
	struct hot_module **modules;
	unsigned n_modules, cap_modules;
	struct hot_module *kernel, *unknown;
};

static struct hot_module *add_module(struct hot_maps *m, const struct hot_mapping *of, pid_t jit)
{
	struct hot_module *module = xcalloc(1, sizeof(*module));
	const char *slash;
	size_t size = strlen(of->path) + 1;

	*module = (struct hot_module){.path = xmalloc(size),
				      .inode = of->inode,
				      .major = of->major,
				      .minor = of->minor,
				      .jit = jit,
				      .whole.name = ""};
	str_printable(module->path, size, of->path);
	if (strcmp(module->path, of->path) != 0)
		module->was_read = true; /* nothing that can be opened by this name */
	slash = strrchr(module->path, '/');
	module->name = jit ? "[jit]" : slash && slash[1] ? slash + 1 : module->path;
	GROW(m->modules, m->n_modules, m->cap_modules);
	m->modules[m->n_modules++] = module;
	return module;
}

struct hot_maps *hot_maps_new(const struct sys *sys)
{
	struct hot_maps *m = xcalloc(1, sizeof(*m));

	m->sys = sys;
	m->kernel = add_module(m, &(struct hot_mapping){.path = KERNEL_MODULE}, 0);
	m->unknown = add_module(m, &(struct hot_mapping){.path = "[unknown]"}, 0);
	m->unknown->was_read = true;
	return m;
}

void hot_maps_free(struct hot_maps *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n_processes; i++)
		free(m->processes[i].ranges);
	for (unsigned k = 0; k < m->n_modules; k++) {
		struct hot_module *module = m->modules[k];

		for (unsigned i = 0; i < module->n_functions; i++) {
			free((void *)(uintptr_t)module->functions[i]->name);
			free(module->functions[i]);
		}
		free(module->functions);
		hot_symbols_fini(&module->symbols);
		free(module->path);
		free(module);
	}
	free(m->processes);
	free(m->threads);
	free(m->modules);
	free(m);
}

/* ---- processes and threads ---- */

static struct hot_process *find_process(const struct hot_maps *m, pid_t pid)
{
	unsigned at = search_first(m->n_processes, i, m->processes[i].pid >= pid);

	return at < m->n_processes && m->processes[at].pid == pid ? &m->processes[at] : NULL;
}

/* Find a process or add it; NULL: there are too many. */
static struct hot_process *get_process(struct hot_maps *m, pid_t pid)
{
	unsigned at = search_first(m->n_processes, i, m->processes[i].pid >= pid);

	if (at < m->n_processes && m->processes[at].pid == pid)
		return &m->processes[at];
	if (m->n_processes == PROCESSES_MOST)
		return NULL;
	GROW(m->processes, m->n_processes, m->cap_processes);
	memmove(&m->processes[at + 1], &m->processes[at], (m->n_processes - at) * sizeof(*m->processes));
	m->n_processes++;
	m->processes[at] = (struct hot_process){.pid = pid};
	return &m->processes[at];
}

static void forget_process(struct hot_maps *m, pid_t pid)
{
	struct hot_process *p = find_process(m, pid);

	if (!p)
		return;
	free(p->ranges);
	memmove(p, p + 1, (size_t)(m->processes + --m->n_processes - p) * sizeof(*p));
}

static struct hot_task *find_thread(const struct hot_maps *m, pid_t tid)
{
	unsigned at = search_first(m->n_threads, i, m->threads[i].tid >= tid);

	return at < m->n_threads && m->threads[at].tid == tid ? &m->threads[at] : NULL;
}

void hot_maps_name(struct hot_maps *m, pid_t pid, pid_t tid, const char *name)
{
	unsigned at = search_first(m->n_threads, i, m->threads[i].tid >= tid);

	if (at == m->n_threads || m->threads[at].tid != tid) {
		if (m->n_threads == THREADS_MOST)
			return;
		GROW(m->threads, m->n_threads, m->cap_threads);
		memmove(&m->threads[at + 1], &m->threads[at], (m->n_threads - at) * sizeof(*m->threads));
		m->n_threads++;
	}
	m->threads[at] = (struct hot_task){.tid = tid, .pid = pid};
	str_printable(m->threads[at].name, sizeof(m->threads[at].name), name);
}

const char *hot_maps_thread(struct hot_maps *m, pid_t pid, pid_t tid)
{
	struct hot_task *thread = find_thread(m, tid);
	char path[64], name[HOT_NAME];
	ssize_t n;

	if (thread && thread->pid == pid)
		return thread->name;
	snprintf(path, sizeof(path), "proc/%d/task/%d/comm", (int)pid, (int)tid);
	n = sys_read_file(m->sys, path, name, sizeof(name));
	name[n > 0 ? strcspn(name, "\n") : 0] = 0;
	hot_maps_name(m, pid, tid, name);
	thread = find_thread(m, tid);
	return thread ? thread->name : "";
}

void hot_maps_exit(struct hot_maps *m, pid_t pid, pid_t tid)
{
	struct hot_task *thread = find_thread(m, tid);

	if (thread)
		memmove(thread, thread + 1, (size_t)(m->threads + --m->n_threads - thread) * sizeof(*thread));
	if (pid == tid)
		forget_process(m, pid);
}

void hot_maps_fork(struct hot_maps *m, pid_t pid, pid_t tid, pid_t parent)
{
	const struct hot_process *from = find_process(m, parent);
	const struct hot_task *name = find_thread(m, parent);
	char text[HOT_NAME];
	struct hot_process *to;
	unsigned n;

	snprintf(text, sizeof(text), "%s", name ? name->name : "");
	if (name && !find_thread(m, tid))
		hot_maps_name(m, pid, tid, text);
	if (pid != tid || pid == parent || !from || !from->known)
		return;
	forget_process(m, pid);
	to = get_process(m, pid);
	if (!to)
		return;
	from = find_process(m, parent); /* it may have moved */
	n = from->n;
	*to = (struct hot_process){.pid = pid, .n = n, .cap = n, .known = true};
	to->ranges = xreallocarray(NULL, n + !n, sizeof(*to->ranges));
	if (n)
		memcpy(to->ranges, from->ranges, n * sizeof(*to->ranges));
}

/* ---- mappings ---- */

static struct hot_module *get_module(struct hot_maps *m, pid_t pid, const struct hot_mapping *mapping)
{
	bool is_file = mapping->path[0] == '/' && mapping->path[1] != '/' && mapping->inode;
	bool is_vdso = strcmp(mapping->path, "[vdso]") == 0;
	pid_t jit = is_file || is_vdso ? 0 : pid;

	for (unsigned i = m->n_modules; i-- > 0;) {
		struct hot_module *module = m->modules[i];

		if (jit ? module->jit == jit
			: module->inode == mapping->inode && module->major == mapping->major &&
				    module->minor == mapping->minor &&
				    strcmp(module->path, mapping->path) == 0)
			return module;
	}
	return m->n_modules < MODULES_MOST ? add_module(m, mapping, jit) : m->unknown;
}

/* Make room at start .. end: what was there is gone, or cut. Returns where it begins in the
 * list. */
static unsigned clear_ranges(struct hot_process *p, uint64_t start, uint64_t end)
{
	unsigned at = 0, gone = 0;

	while (at < p->n && p->ranges[at].end <= start)
		at++;
	if (at < p->n && p->ranges[at].start < start) {
		struct hot_range *r = &p->ranges[at];

		if (r->end > end && p->n < RANGES_MOST) { /* in its middle: two remain */
			GROW(p->ranges, p->n, p->cap);
			r = &p->ranges[at];
			memmove(r + 1, r, (p->n - at) * sizeof(*r));
			p->n++;
		}
		r->end = start;
		at++;
	}
	while (at + gone < p->n && p->ranges[at + gone].end <= end)
		gone++;
	memmove(&p->ranges[at], &p->ranges[at + gone], (p->n - at - gone) * sizeof(*p->ranges));
	p->n -= gone;
	if (at < p->n && p->ranges[at].start < end) {
		p->ranges[at].offset += end - p->ranges[at].start;
		p->ranges[at].start = end;
	}
	return at;
}

static void add_range(struct hot_maps *m, struct hot_process *p, const struct hot_mapping *mapping)
{
	uint64_t end = mapping->start + mapping->size;
	struct hot_module *module;
	unsigned at;

	if (!mapping->size || end < mapping->start || p->n >= RANGES_MOST)
		return;
	module = get_module(m, p->pid, mapping);
	at = p->n ? clear_ranges(p, mapping->start, end) : 0;
	GROW(p->ranges, p->n, p->cap);
	memmove(&p->ranges[at + 1], &p->ranges[at], (p->n - at) * sizeof(*p->ranges));
	p->ranges[at] = (struct hot_range){mapping->start, end, mapping->offset, module};
	p->n++;
}

/* "START-END r-xp OFFSET MAJOR:MINOR INODE   PATH" */
static void read_mapping(struct hot_maps *m, struct hot_process *p, char *line)
{
	unsigned long long start, end, offset, inode;
	unsigned major, minor;
	char rights[8];
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, rights, &offset, &major, &minor,
		   &inode, &at) < 7 ||
	    !at || rights[2] != 'x' || end <= start)
		return;
	add_range(m, p,
		  &(struct hot_mapping){.start = start,
					.size = end - start,
					.offset = offset,
					.inode = inode,
					.major = major,
					.minor = minor,
					.path = line[at] ? line + at : "//anon"});
}

static void read_process(struct hot_maps *m, struct hot_process *p)
{
	AUTO_STRBUF struct strbuf text = {0};
	char path[32], piece[4096], *line, *rest;
	ssize_t got;
	int fd;

	p->known = true;
	snprintf(path, sizeof(path), "proc/%d/maps", (int)p->pid);
	fd = m->sys->open(m->sys, path, O_RDONLY);
	if (fd < 0)
		return;
	while (text.n < MAPS_BYTES && (got = m->sys->read(m->sys, fd, piece, sizeof(piece))) > 0)
		strbuf_add(&text, piece, (size_t)got);
	m->sys->close(m->sys, fd);
	for (rest = text.p; (line = strsep(&rest, "\n"));)
		read_mapping(m, p, line);
}

void hot_maps_map(struct hot_maps *m, pid_t pid, const struct hot_mapping *mapping)
{
	struct hot_process *p = get_process(m, pid);

	if (!p)
		return;
	if (!p->known)
		read_process(m, p); /* of before the events began */
	add_range(m, p, mapping);
}

void hot_maps_exec(struct hot_maps *m, pid_t pid)
{
	struct hot_process *p = get_process(m, pid);

	if (!p)
		return;
	p->n = 0;
	p->known = true;
}

/* ---- functions ---- */

static void read_vdso(struct hot_maps *m, struct hot_module *module)
{
	char text[16384], *line, *rest = text;
	ssize_t n = sys_read_file(m->sys, "proc/self/maps", text, sizeof(text));
	unsigned long long start, end;
	int fd = m->sys->open(m->sys, "proc/self/mem", O_RDONLY);

	while (n > 0 && fd >= 0 && (line = strsep(&rest, "\n")))
		if (strstr(line, "[vdso]") && sscanf(line, "%llx-%llx", &start, &end) == 2 && end > start)
			hot_symbols_read_elf(&module->symbols, m->sys, fd, "", start, end - start);
	if (fd >= 0)
		m->sys->close(m->sys, fd);
}

/* Another file that has taken the name since is on the same device, under another inode. */
static bool is_same_file(const struct hot_module *module, const struct stat *st)
{
	bool same_device = (st->st_dev >> 8 & 0xfff) == module->major &&
			   ((st->st_dev & 0xff) | (st->st_dev >> 12 & 0xfff00)) == module->minor;

	return S_ISREG(st->st_mode) && st->st_size > 0 && (!same_device || st->st_ino == module->inode);
}

/* Read the file that the process sees under this name, which may be in a container. */
static void read_file(struct hot_maps *m, pid_t pid, struct hot_module *module)
{
	char inside[PATH_MAX];
	struct stat st;
	int fd = -1;

	if ((size_t)snprintf(inside, sizeof(inside), "proc/%d/root%s", (int)pid, module->path) <
	    sizeof(inside))
		fd = m->sys->open(m->sys, inside, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		fd = m->sys->open(m->sys, module->path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return;
	if (m->sys->fstat(m->sys, fd, &st) == 0 && is_same_file(module, &st))
		hot_symbols_read_elf(&module->symbols, m->sys, fd, module->path, 0, (uint64_t)st.st_size);
	m->sys->close(m->sys, fd);
}

/* The file grows while the program translates; it is trusted if the program's user wrote it. */
static void read_jit(struct hot_maps *m, struct hot_module *module)
{
	char path[64];
	struct stat file, process;

	snprintf(path, sizeof(path), "proc/%d", (int)module->jit);
	if (m->sys->stat(m->sys, path, &process) != 0)
		return;
	snprintf(path, sizeof(path), "tmp/perf-%d.map", (int)module->jit);
	if (m->sys->stat(m->sys, path, &file) != 0 || !S_ISREG(file.st_mode) ||
	    (file.st_uid && file.st_uid != process.st_uid) || file.st_size == module->map_bytes)
		return;
	module->map_bytes = file.st_size;
	hot_symbols_fini(&module->symbols);
	hot_symbols_read_map(&module->symbols, m->sys, path);
}

static void read_module(struct hot_maps *m, pid_t pid, struct hot_module *module)
{
	if (module->jit)
		read_jit(m, module);
	if (module->was_read)
		return;
	module->was_read = true;
	if (module == m->kernel)
		hot_symbols_read_kernel(&module->symbols, m->sys);
	else if (strcmp(module->path, "[vdso]") == 0)
		read_vdso(m, module);
	else if (!module->jit)
		read_file(m, pid, module);
}

static struct hot_known *get_function(struct hot_module *module, const struct hot_symbol *symbol,
				      uint64_t size)
{
	unsigned at = search_first(module->n_functions, i, module->functions[i]->start >= symbol->start);
	struct hot_known *f;
	char name[HOT_FUNCTION];

	if (at < module->n_functions && module->functions[at]->start == symbol->start)
		return module->functions[at];
	hot_symbols_name(&module->symbols, symbol, name, sizeof(name));
	f = xcalloc(1, sizeof(*f));
	*f = (struct hot_known){symbol->start, size, xstrdup(name)};
	GROW(module->functions, module->n_functions, module->cap_functions);
	memmove(&module->functions[at + 1], &module->functions[at],
		(module->n_functions - at) * sizeof(struct hot_known *));
	module->functions[at] = f;
	module->n_functions++;
	return f;
}

static void find_function(struct hot_module *module, uint64_t address, struct hot_place *place)
{
	uint64_t size = 0;
	const struct hot_symbol *symbol =
		address == UINT64_MAX ? NULL : hot_symbols_find(&module->symbols, address, &size);
	const struct hot_known *f = symbol ? get_function(module, symbol, size) : &module->whole;

	*place = (struct hot_place){.module = module->name,
				    .function = f->name,
				    .start = f->start,
				    .size = f->size,
				    .address = address,
				    .id = f};
}

static const struct hot_range *find_range(const struct hot_process *p, uint64_t address)
{
	unsigned at = search_first(p->n, i, p->ranges[i].end > address);

	return at < p->n && p->ranges[at].start <= address ? &p->ranges[at] : NULL;
}

void hot_maps_find(struct hot_maps *m, pid_t pid, uint64_t address, bool kernel, struct hot_place *place)
{
	struct hot_process *p = kernel ? NULL : get_process(m, pid);
	const struct hot_range *range;
	struct hot_module *module;
	uint64_t in_file = address;

	if (p && !p->known)
		read_process(m, p);
	range = p ? find_range(p, address) : NULL;
	module = kernel ? m->kernel : range ? range->module : m->unknown;
	read_module(m, pid, module);
	if (range && !module->jit) {
		in_file = address - range->start + range->offset;
		if (module->symbols.n_segments)
			in_file = hot_symbols_address(&module->symbols, in_file);
	}
	find_function(module, in_file, place);
}
