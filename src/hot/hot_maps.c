#include "hot/hot_maps.h"

#include "base/alloc.h"
#include "base/search.h"
#include "hot/hot_jit.h"

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
#define LOOK_BYTES ((size_t)16 << 20) /* of the maps of all programs that translate, for each look */
#define THREADS_TRIED 16              /* of a process whose first thread has ended */
#define ENDED_LEAST 256               /* processes, before those that are gone are forgotten */

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
	bool was_read;
	struct hot_symbols symbols;
	struct hot_known **functions; /* by start; they stay where they are */
	unsigned n_functions, cap_functions;
};

struct hot_range {
	uint64_t start, end, offset;
	struct hot_module *module;
	bool may_jit; /* memory, or a file that is only memory */
};

struct hot_process {
	pid_t pid;
	struct hot_range *ranges; /* by start, not overlapping */
	unsigned n, cap;
	bool known;          /* from its start, or read */
	bool ended;          /* its first thread: others may go on */
	struct hot_jit *jit; /* NULL: nothing of its own making ran */
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
	struct hot_module *kernel, *unknown, *jit;
	unsigned n_ended, ended_most;
	int64_t look_ns;
	size_t look_bytes; /* that are left */
	uint64_t n_given_up;
	char name[HOT_FUNCTION]; /* of a function in no file */
};

static struct hot_module *add_module(struct hot_maps *m, const struct hot_mapping *of)
{
	struct hot_module *module = xcalloc(1, sizeof(*module));
	const char *slash;
	size_t size = strlen(of->path) + 1;

	*module = (struct hot_module){
		.path = xmalloc(size), .inode = of->inode, .major = of->major, .minor = of->minor};
	str_printable(module->path, size, of->path);
	if (strcmp(module->path, of->path) != 0)
		module->was_read = true; /* nothing that can be opened by this name */
	slash = strrchr(module->path, '/');
	module->name = slash && slash[1] ? slash + 1 : module->path;
	GROW(m->modules, m->n_modules, m->cap_modules);
	m->modules[m->n_modules++] = module;
	return module;
}

struct hot_maps *hot_maps_new(const struct sys *sys)
{
	struct hot_maps *m = xcalloc(1, sizeof(*m));

	m->sys = sys;
	m->kernel = add_module(m, &(struct hot_mapping){.path = KERNEL_MODULE});
	m->unknown = add_module(m, &(struct hot_mapping){.path = "[unknown]"});
	m->jit = add_module(m, &(struct hot_mapping){.path = "[jit]"});
	m->unknown->was_read = m->jit->was_read = true;
	m->ended_most = ENDED_LEAST;
	hot_maps_look(m);
	return m;
}

void hot_maps_free(struct hot_maps *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n_processes; i++) {
		free(m->processes[i].ranges);
		hot_jit_free(m->processes[i].jit);
	}
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

static struct hot_task *find_thread(const struct hot_maps *m, pid_t tid)
{
	unsigned at = search_first(m->n_threads, i, m->threads[i].tid >= tid);

	return at < m->n_threads && m->threads[at].tid == tid ? &m->threads[at] : NULL;
}

static void forget_thread(struct hot_maps *m, pid_t tid)
{
	struct hot_task *thread = find_thread(m, tid);

	if (thread)
		memmove(thread, thread + 1, (size_t)(m->threads + --m->n_threads - thread) * sizeof(*thread));
}

static void forget_process(struct hot_maps *m, pid_t pid)
{
	struct hot_process *p = find_process(m, pid);

	forget_thread(m, pid);
	if (!p)
		return;
	m->n_ended -= p->ended;
	free(p->ranges);
	hot_jit_free(p->jit);
	memmove(p, p + 1, (size_t)(m->processes + --m->n_processes - p) * sizeof(*p));
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

/* Forget the processes of which no thread is left. */
static void forget_ended(struct hot_maps *m)
{
	int32_t *threads = NULL;
	unsigned cap = 0;
	char path[32];

	for (unsigned i = m->n_processes; i-- > 0;) {
		const struct hot_process *p = &m->processes[i];

		snprintf(path, sizeof(path), "proc/%d/task", (int)p->pid);
		if (p->ended && m->sys->list_numbers(m->sys, path, &threads, &cap) < 2)
			forget_process(m, p->pid);
	}
	free(threads);
}

void hot_maps_exit(struct hot_maps *m, pid_t pid, pid_t tid)
{
	struct hot_process *p = pid == tid ? find_process(m, pid) : NULL;

	if (pid != tid)
		forget_thread(m, tid);
	if (!p || p->ended)
		return;
	/* Its other threads go on in the same memory. */
	p->ended = true;
	if (++m->n_ended < m->ended_most)
		return;
	forget_ended(m);
	m->ended_most = 2 * m->n_ended > ENDED_LEAST ? 2 * m->n_ended : ENDED_LEAST;
}

void hot_maps_fork(struct hot_maps *m, pid_t pid, pid_t tid, pid_t parent)
{
	bool is_process = pid == tid && pid != parent;
	const struct hot_process *from;
	const struct hot_task *name;
	char text[HOT_NAME];
	struct hot_process *to;
	unsigned n;

	if (is_process)
		forget_process(m, pid); /* an earlier one */
	from = find_process(m, parent);
	name = find_thread(m, parent);
	snprintf(text, sizeof(text), "%s", name ? name->name : "");
	if (name && !find_thread(m, tid))
		hot_maps_name(m, pid, tid, text);
	if (!is_process || !from || !from->known)
		return;
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

/* "//anon", "/dev/zero (deleted)", "[heap]", "[anon:jit]": memory that no file names. */
static bool is_memory(const struct hot_mapping *mapping)
{
	static const char *const names[] = {"//anon", "/anon_hugepage", "/dev/zero", "/SYSV", "["};
	bool is_memory = !mapping->path[0];

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		is_memory |= strncmp(mapping->path, names[i], strlen(names[i])) == 0;
	return is_memory && strcmp(mapping->path, "[vdso]") != 0;
}

static bool is_deleted(const char *path)
{
	static const char end[] = " (deleted)";
	size_t n = strlen(path);

	return n >= sizeof(end) && strcmp(path + n - (sizeof(end) - 1), end) == 0;
}

static struct hot_module *get_module(struct hot_maps *m, const struct hot_mapping *mapping)
{
	if (is_memory(mapping))
		return m->jit;
	for (unsigned i = m->n_modules; i-- > 0;) {
		struct hot_module *module = m->modules[i];

		if (module->inode == mapping->inode && module->major == mapping->major &&
		    module->minor == mapping->minor && strcmp(module->path, mapping->path) == 0)
			return module;
	}
	return m->n_modules < MODULES_MOST ? add_module(m, mapping) : m->unknown;
}

/* Make room at start .. end: what was there is gone, or cut. Returns where it begins in the
 * list. */
static unsigned clear_ranges(struct hot_process *p, uint64_t start, uint64_t end)
{
	unsigned at = search_first(p->n, i, p->ranges[i].end > start), gone = 0;

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
	module = get_module(m, mapping);
	at = p->n ? clear_ranges(p, mapping->start, end) : 0;
	GROW(p->ranges, p->n, p->cap);
	memmove(&p->ranges[at + 1], &p->ranges[at], (p->n - at) * sizeof(*p->ranges));
	p->ranges[at] = (struct hot_range){mapping->start, end, mapping->offset, module,
					   module == m->jit || is_deleted(mapping->path)};
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

static void read_maps(struct hot_maps *m, const char *path, struct strbuf *text)
{
	int fd = m->sys->open(m->sys, path, O_RDONLY);
	char piece[4096];
	ssize_t got;

	if (fd < 0)
		return;
	while (text->n < MAPS_BYTES && (got = m->sys->read(m->sys, fd, piece, sizeof(piece))) > 0)
		strbuf_add(text, piece, (size_t)got);
	m->sys->close(m->sys, fd);
}

/* When the first thread of a process has ended, the others still show what is mapped. */
static void read_process(struct hot_maps *m, struct hot_process *p)
{
	AUTO_STRBUF struct strbuf text = {0};
	AUTOFREE int32_t *threads = NULL;
	char path[64], *line, *rest;
	unsigned cap = 0;
	int n = 0;

	p->known = true;
	snprintf(path, sizeof(path), "proc/%d/maps", (int)p->pid);
	read_maps(m, path, &text);
	snprintf(path, sizeof(path), "proc/%d/task", (int)p->pid);
	if (!text.n)
		n = m->sys->list_numbers(m->sys, path, &threads, &cap);
	for (int i = 0; i < n && i < THREADS_TRIED && !text.n; i++) {
		snprintf(path, sizeof(path), "proc/%d/task/%d/maps", (int)p->pid, (int)threads[i]);
		read_maps(m, path, &text);
	}
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
	hot_jit_free(take_ptr(&p->jit));
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
			hot_symbols_read_elf(&module->symbols, m->sys, fd, NULL, "", start, end - start);
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

/* Open the file that a process sees under this name, which may be in a container; one that has no
 * name any more by its mapping, which takes rights. */
static int open_module(struct hot_maps *m, pid_t pid, const struct hot_range *range, const char *root)
{
	const struct hot_module *module = range->module;
	char path[96];
	int fd = m->sys->open_regular(m->sys, root, module->path, 0);

	if (fd < 0)
		fd = m->sys->open_regular(m->sys, NULL, module->path, 0);
	if (fd >= 0 || !is_deleted(module->path))
		return fd;
	snprintf(path, sizeof(path), "proc/%d/map_files/%llx-%llx", (int)pid,
		 (unsigned long long)range->start, (unsigned long long)range->end);
	return m->sys->open_regular(m->sys, NULL, path, 0);
}

static void read_file(struct hot_maps *m, pid_t pid, const struct hot_range *range)
{
	struct hot_module *module = range->module;
	char root[32];
	struct stat st;
	int fd;

	snprintf(root, sizeof(root), "proc/%d/root", (int)pid);
	fd = open_module(m, pid, range, root);
	if (fd < 0)
		return;
	if (m->sys->fstat(m->sys, fd, &st) == 0 && is_same_file(module, &st))
		hot_symbols_read_elf(&module->symbols, m->sys, fd, root, module->path, 0,
				     (uint64_t)st.st_size);
	m->sys->close(m->sys, fd);
}

static void read_module(struct hot_maps *m, pid_t pid, struct hot_module *module,
			const struct hot_range *range)
{
	if (module->was_read)
		return;
	module->was_read = true;
	if (module == m->kernel)
		hot_symbols_read_kernel(&module->symbols, m->sys);
	else if (strcmp(module->path, "[vdso]") == 0)
		read_vdso(m, module);
	else
		read_file(m, pid, range);
	m->n_given_up += module->symbols.is_cut;
}

static struct hot_known *get_function(struct hot_maps *m, struct hot_module *module,
				      const struct hot_symbol *symbol)
{
	unsigned at = search_first(module->n_functions, i, module->functions[i]->start >= symbol->start);
	struct hot_known *f;
	char name[HOT_FUNCTION] = "";

	if (at < module->n_functions && module->functions[at]->start == symbol->start)
		return module->functions[at];
	if (symbol->name && !hot_demangle(module->symbols.names + symbol->name, name, sizeof(name)))
		m->n_given_up++;
	f = xcalloc(1, sizeof(*f));
	*f = (struct hot_known){symbol->start, symbol->size, xstrdup(name)};
	GROW(module->functions, module->n_functions, module->cap_functions);
	memmove(&module->functions[at + 1], &module->functions[at],
		(module->n_functions - at) * sizeof(struct hot_known *));
	module->functions[at] = f;
	module->n_functions++;
	return f;
}

/* Find what the process translated; false: no certain name. */
static bool find_jit(struct hot_maps *m, struct hot_process *p, uint64_t address, int64_t time_ns,
		     struct hot_place *place)
{
	const char *name;

	if (!p->jit)
		p->jit = hot_jit_new();
	m->n_given_up += !hot_jit_read(p->jit, m->sys, p->pid, time_ns, m->look_ns, &m->look_bytes);
	if (!hot_jit_find(p->jit, address, time_ns, &name, &place->start, &place->size))
		return false;
	hot_demangle(name, m->name, sizeof(m->name));
	place->module = m->jit->name;
	place->function = m->name;
	return true;
}

static const struct hot_range *find_range(const struct hot_process *p, uint64_t address)
{
	unsigned at = search_first(p->n, i, p->ranges[i].end > address);

	return at < p->n && p->ranges[at].start <= address ? &p->ranges[at] : NULL;
}

void hot_maps_look(struct hot_maps *m)
{
	m->look_ns = m->sys->monotonic_ns(m->sys);
	m->look_bytes = LOOK_BYTES;
}

uint64_t hot_maps_given_up(const struct hot_maps *m)
{
	return m->n_given_up;
}

void hot_maps_find(struct hot_maps *m, pid_t pid, uint64_t address, int64_t time_ns, bool kernel,
		   struct hot_place *place)
{
	struct hot_process *p = kernel ? NULL : get_process(m, pid);
	const struct hot_range *range;
	const struct hot_known *f;
	struct hot_module *module;
	struct hot_symbol symbol;
	uint64_t in_file;

	if (p && !p->known)
		read_process(m, p);
	range = p ? find_range(p, address) : NULL;
	module = kernel ? m->kernel : range ? range->module : m->unknown;
	*place = (struct hot_place){.module = module->name, .function = "", .address = address};
	if ((range && range->may_jit && find_jit(m, p, address, time_ns, place)) || module == m->jit)
		return;
	read_module(m, pid, module, range);
	if (range) { /* of a file that cannot be read the mapping is all that is known */
		place->address = address - range->start + range->offset;
		place->start = range->offset;
		place->size = range->end - range->start;
	}
	in_file = range && module->symbols.n_segments ? hot_symbols_address(&module->symbols, place->address)
						      : place->address;
	if (!hot_symbols_find(&module->symbols, in_file, &symbol))
		return;
	f = get_function(m, module, &symbol);
	place->address = in_file;
	place->function = f->name;
	place->start = f->start;
	place->size = f->size;
}
