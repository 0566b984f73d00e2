#include "hot/hot_jit.h"

#include "base/alloc.h"
#include "base/search.h"
#include "hot/hot_symbols.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LINES_MOST (1u << 20)         /* of a process */
#define NAMES_MOST ((size_t)64 << 20) /* bytes of them */
#define NAMES_DUE (NAMES_MOST / 2)    /* unused ones are looked for at the latest */
#define FILE_MOST ((uint64_t)1 << 30) /* bytes that are read for a process in all */
#define SECOND_NS 1000000000ll

/* A part of a function: all of it, or what newer ones left. */
struct jit_line {
	uint64_t start;
	uint32_t size, before; /* bytes of the function before this part */
	uint32_t name;         /* into the names */
	bool contested;        /* this span of time has an older name for it, too */
};

/* Lines by start, none over another. They were written between two times: certainly after the
 * first, certainly before the second. */
struct jit_run {
	struct jit_line *lines;
	size_t n;
	int64_t from_ns, to_ns;
};

struct hot_jit {
	struct jit_run *runs; /* the newest last */
	unsigned n_runs, cap_runs;
	char *names;
	size_t n_names, cap_names, names_due; /* due: size at which unused ones are looked for */
	struct jit_line *fresh;               /* lines that are being read */
	size_t n_fresh, cap_fresh;
	dev_t device; /* the file that was read, and how far */
	ino_t inode;
	uint64_t at, total;
	int64_t look_ns; /* when it was looked at last */
	int64_t from_ns; /* when it had been read to its end */
	bool given_up;
};

struct hot_jit *hot_jit_new(void)
{
	return xcalloc(1, sizeof(struct hot_jit));
}

static void forget_lines(struct hot_jit *j)
{
	for (unsigned i = 0; i < j->n_runs; i++)
		free(j->runs[i].lines);
	free(take_ptr(&j->runs));
	free(take_ptr(&j->names));
	free(take_ptr(&j->fresh));
	j->n_runs = j->cap_runs = 0;
	j->n_names = j->cap_names = j->n_fresh = j->cap_fresh = 0;
}

void hot_jit_free(struct hot_jit *j)
{
	if (!j)
		return;
	forget_lines(j);
	free(j);
}

/* ---- runs ---- */

static uint64_t end_of(const struct jit_line *l)
{
	return l->start + l->size;
}

static const char *name_of(const struct hot_jit *j, const struct jit_line *l)
{
	return j->names + l->name;
}

static bool are_apart(const struct jit_line *lines, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (lines[i].start < end_of(&lines[i - 1]))
			return false;
	return true;
}

/* Put newer lines over older ones, both without overlaps. `out` has room for a part more for each
 * newer line. Returns the number of parts. */
static size_t overlay_lines(const struct hot_jit *j, const struct jit_line *older, size_t n_older,
			    struct jit_line *newer, size_t n_newer, struct jit_line *out)
{
	size_t k = 0, n = 0;

	for (size_t i = 0; i < n_older; i++) {
		struct jit_line left = older[i];

		while (left.size) {
			uint64_t cut;

			while (k < n_newer && end_of(&newer[k]) <= left.start)
				out[n++] = newer[k++];
			if (k == n_newer || newer[k].start >= end_of(&left)) {
				out[n++] = left;
				break;
			}
			newer[k].contested |= strcmp(name_of(j, &newer[k]), name_of(j, &left)) != 0;
			if (newer[k].start > left.start) {
				out[n] = left;
				out[n++].size = (uint32_t)(newer[k].start - left.start);
			}
			cut = end_of(&newer[k]) - left.start;
			cut = cut < left.size ? cut : left.size;
			left.start += cut;
			left.before += (uint32_t)cut;
			left.size -= (uint32_t)cut;
		}
	}
	while (k < n_newer)
		out[n++] = newer[k++];
	return n;
}

/* Make parts without overlaps of lines in the order of their writing. */
static struct jit_line *flatten_lines(const struct hot_jit *j, const struct jit_line *lines, size_t n,
				      size_t *n_parts)
{
	struct jit_line *parts = xreallocarray(NULL, 2 * n, sizeof(*parts)), *older, *newer;
	size_t n_older, n_newer;

	if (are_apart(lines, n)) {
		memcpy(parts, lines, n * sizeof(*parts));
		*n_parts = n;
		return parts;
	}
	older = flatten_lines(j, lines, n / 2, &n_older);
	newer = flatten_lines(j, lines + n / 2, n - n / 2, &n_newer);
	parts = xreallocarray(parts, n_older + 2 * n_newer, sizeof(*parts));
	*n_parts = overlay_lines(j, older, n_older, newer, n_newer, parts);
	free(older);
	free(newer);
	return parts;
}

static void add_run(struct hot_jit *j, const struct jit_line *lines, size_t n, int64_t from_ns, int64_t to_ns)
{
	struct jit_run run = {.from_ns = from_ns, .to_ns = to_ns};

	if (!n)
		return;
	run.lines = flatten_lines(j, lines, n, &run.n);
	GROW(j->runs, j->n_runs, j->cap_runs);
	j->runs[j->n_runs++] = run;
}

/* Make one run of two that are about as long, if they count for all samples to come. */
static void merge_runs(struct hot_jit *j, int64_t time_ns)
{
	for (unsigned i = j->n_runs; i-- > 1;) {
		struct jit_run *older = &j->runs[i - 1], *newer = &j->runs[i],
			       both = {.from_ns = newer->from_ns};

		if (newer->to_ns > time_ns || older->n >= 2 * newer->n)
			continue;
		both.to_ns = newer->to_ns;
		both.lines = xreallocarray(NULL, older->n + 2 * newer->n, sizeof(*both.lines));
		both.n = overlay_lines(j, older->lines, older->n, newer->lines, newer->n, both.lines);
		for (size_t k = 0; k < both.n; k++)
			both.lines[k].contested = false;
		free(older->lines);
		free(newer->lines);
		*older = both;
		memmove(newer, newer + 1, (--j->n_runs - i) * sizeof(*newer));
	}
}

/* Keep the names that lines still have, now and then. Returns the number of lines. */
static size_t pack_names(struct hot_jit *j)
{
	char *old = j->names;
	size_t lines = 0;

	for (unsigned i = 0; i < j->n_runs; i++)
		lines += j->runs[i].n;
	if (j->n_names < j->names_due)
		return lines;
	j->names = NULL;
	j->n_names = j->cap_names = 0;
	for (unsigned i = 0; i < j->n_runs; i++)
		for (struct jit_line *l = j->runs[i].lines; l < j->runs[i].lines + j->runs[i].n; l++) {
			size_t n = strlen(old + l->name) + 1;

			if (j->n_names + n > j->cap_names) {
				j->cap_names = 2 * (j->n_names + n);
				j->names = xreallocarray(j->names, j->cap_names, 1);
			}
			memcpy(j->names + j->n_names, old + l->name, n);
			l->name = (uint32_t)j->n_names;
			j->n_names += n;
		}
	free(old);
	j->names_due = 2 * j->n_names + (1u << 20);
	j->names_due = j->names_due < NAMES_DUE ? j->names_due : NAMES_DUE;
	return lines;
}

bool hot_jit_find(const struct hot_jit *j, uint64_t address, int64_t time_ns, const char **name,
		  uint64_t *start, uint64_t *size)
{
	const struct jit_line *found = NULL, *perhaps = NULL;
	bool certain = false;

	for (unsigned r = j->n_runs; r-- > 0 && !certain;) {
		const struct jit_run *run = &j->runs[r];
		unsigned at = search_first((unsigned)run->n, i, end_of(&run->lines[i]) > address);
		const struct jit_line *l = at < run->n ? &run->lines[at] : NULL;

		if (!l || l->start > address)
			continue;
		certain = time_ns >= run->to_ns;
		if (certain)
			found = l;
		else if (time_ns >= run->from_ns && !perhaps)
			perhaps = l;
		else if (time_ns < run->from_ns) /* what it is before a first name is that, too */
			found = l;
	}
	if (perhaps && certain && strcmp(name_of(j, perhaps), name_of(j, found)) != 0)
		return false;
	if (perhaps && perhaps->contested)
		return false;
	found = perhaps ? perhaps : found;
	if (!found)
		return false;
	*name = name_of(j, found);
	*start = found->start - found->before;
	*size = (uint64_t)found->before + found->size;
	return true;
}

/* ---- the file ---- */

/* "START SIZE name of any text", in hexadecimal. Without a size it is one address. */
static void take_line(void *ctx, struct span line)
{
	struct hot_jit *j = ctx;
	struct jit_line one = {.name = (uint32_t)j->n_names};
	uint64_t size;

	if (!hot_symbols_hex(span_word(&line), &one.start) || !hot_symbols_hex(span_word(&line), &size) ||
	    j->n_fresh == LINES_MOST || j->n_names + line.n + 1 > NAMES_MOST)
		return;
	line = span_trim(line);
	size = size ? size : 1;
	one.size = size < UINT32_MAX / 2 ? (uint32_t)size : UINT32_MAX / 2;
	if (!line.n || one.start > UINT64_MAX - one.size)
		return;
	GROW(j->fresh, j->n_fresh, j->cap_fresh);
	j->fresh[j->n_fresh++] = one;
	if (j->n_names + line.n + 1 > j->cap_names) {
		j->cap_names = 2 * (j->n_names + line.n + 1);
		j->names = xreallocarray(j->names, j->cap_names, 1);
	}
	memcpy(j->names + j->n_names, line.p, line.n);
	j->names[j->n_names + line.n] = 0;
	j->n_names += line.n + 1;
}

/* The pid of a process as it knows itself: the last one of "NSpid:\t5207\t1". */
static pid_t inner_pid(const struct sys *sys, pid_t pid)
{
	char path[32], text[4096];
	const char *line = NULL;
	uint64_t inner = (uint64_t)pid;
	struct span pids, word;

	snprintf(path, sizeof(path), "proc/%d/status", (int)pid);
	if (sys_read_file(sys, path, text, sizeof(text)) > 0)
		line = strstr(text, "\nNSpid:");
	pids = line ? (struct span){line + 7, strcspn(line + 7, "\n")} : (struct span){0};
	while ((word = span_word(&pids)).n && span_u64(word, &inner))
		;
	return inner < INT32_MAX ? (pid_t)inner : pid;
}

/* A map that was changed before the process began is of another one, which had the pid. */
static bool is_older(const struct sys *sys, pid_t pid, const struct stat *file)
{
	int64_t ago_ns = sys->realtime_ns(sys) - (file->st_mtim.tv_sec * SECOND_NS + file->st_mtim.tv_nsec);
	char path[32], text[1024];
	const char *rest = NULL;
	unsigned long long ticks;

	snprintf(path, sizeof(path), "proc/%d/stat", (int)pid);
	if (sys_read_file(sys, path, text, sizeof(text)) > 0)
		rest = strrchr(text, ')'); /* the name may have anything before it */
	return rest &&
	       sscanf(rest,
		      ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		      &ticks) == 1 &&
	       sys->boottime_ns(sys) - ago_ns + SECOND_NS < (int64_t)(ticks * (SECOND_NS / 100));
}

/* It is trusted if the program's user or root wrote it. Returns an fd, or -1. */
static int open_map(const struct sys *sys, pid_t pid, struct stat *file)
{
	char root[32], path[64];
	struct stat process;

	snprintf(path, sizeof(path), "proc/%d", (int)pid);
	if (sys->stat(sys, path, &process) != 0)
		return -1;
	snprintf(root, sizeof(root), "proc/%d/root", (int)pid);
	for (int own = 0; own < 2; own++) {
		int fd;

		snprintf(path, sizeof(path), "tmp/perf-%d.map", (int)(own ? pid : inner_pid(sys, pid)));
		fd = sys->open_regular(sys, own ? NULL : root, path, O_NOFOLLOW);
		if (fd >= 0 && sys->fstat(sys, fd, file) == 0 &&
		    (!file->st_uid || file->st_uid == process.st_uid) && !is_older(sys, pid, file))
			return fd;
		if (fd >= 0)
			sys->close(sys, fd);
	}
	return -1;
}

/* When a file was changed, in the time of samples; not before a look that did not see it. */
static int64_t change_ns(const struct hot_jit *j, const struct sys *sys, const struct stat *file)
{
	int64_t ago_ns = sys->realtime_ns(sys) - (file->st_mtim.tv_sec * SECOND_NS + file->st_mtim.tv_nsec);
	int64_t at_ns = sys->monotonic_ns(sys) - (ago_ns > 0 ? ago_ns : 0);

	return at_ns > j->from_ns ? at_ns : j->from_ns;
}

bool hot_jit_read(struct hot_jit *j, const struct sys *sys, pid_t pid, int64_t time_ns, int64_t now_ns,
		  size_t *budget)
{
	uint64_t to, left;
	struct stat file;
	size_t n, last;
	int64_t at_ns;
	int fd;

	if (j->given_up || now_ns <= j->look_ns || !*budget)
		return true;
	fd = open_map(sys, pid, &file);
	if (fd < 0)
		return true;
	if (file.st_dev != j->device || file.st_ino != j->inode || (uint64_t)file.st_size < j->at)
		j->at = 0; /* another file, or begun again: what is not in it stays */
	j->device = file.st_dev;
	j->inode = file.st_ino;
	left = (uint64_t)file.st_size - j->at;
	n = left < *budget ? (size_t)left : *budget;
	to = n ? hot_symbols_read_lines(sys, fd, j->at, n, take_line, j) : j->at;
	sys->close(sys, fd);
	*budget -= n;
	j->total += n;
	j->at = to;
	j->given_up = j->n_fresh == LINES_MOST || j->total > FILE_MOST;
	at_ns = change_ns(j, sys, &file);
	/* The last line was written at that time, if the file was read to its end. */
	last = j->n_fresh && to == (uint64_t)file.st_size;
	add_run(j, j->fresh, j->n_fresh - last, j->from_ns, at_ns);
	if (last)
		add_run(j, &j->fresh[j->n_fresh - 1], 1, at_ns, at_ns);
	free(take_ptr(&j->fresh));
	j->n_fresh = j->cap_fresh = 0;
	j->look_ns = now_ns;
	if (n == left)
		j->from_ns = now_ns;
	merge_runs(j, time_ns);
	j->given_up |= pack_names(j) >= LINES_MOST || j->n_names >= NAMES_DUE;
	if (j->given_up)
		forget_lines(j);
	return !j->given_up;
}
