#include "tests/support/perf_run.h"

#include "session/devices.h"
#include "base/alloc.h"
#include "tests/fake/perf_priv.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void plug_in(struct perf_run *r, const char *machine)
{
	fake_sys_init(&r->fake, r->dir);
	r->perf = fake_sys_add_perf(&r->fake, machine);
	r->options = (struct source_options){.interval_ns = 100 * MS, .per_instance = true};
}

void perf_run_init(struct perf_run *r, const char *machine)
{
	*r = (struct perf_run){.perf = NULL};
	scratch_directory(r->dir);
	plug_in(r, machine);
	fake_perf_tree(r->perf, r->dir);
}

static void unplug_cpus(struct perf_run *r)
{
	const char *leaks;

	perf_run_close(r);
	leaks = fake_sys_leaks(&r->fake);
	if (leaks)
		fail_msg("%s", leaks);
	fake_sys_fini(&r->fake);
}

void perf_run_again(struct perf_run *r)
{
	const char *machine = r->perf->machine->name;

	unplug_cpus(r);
	plug_in(r, machine);
}

void perf_run_fini(struct perf_run *r)
{
	unplug_cpus(r);
	fake_perf_tree_remove(r->dir);
}

bool perf_run_open(struct perf_run *r)
{
	r->err = (struct err){0};
	r->source = source_open(&r->fake.sys, &backend_perf, &r->options, "", &r->err);
	if (!r->source) {
		assert_true(r->err.text[0]);
		return false;
	}
	r->sample = xcalloc(1, sizeof(*r->sample) + r->source->n_slots * sizeof(uint64_t));
	return true;
}

bool perf_run_start(struct perf_run *r, int64_t period_ns)
{
	r->err = (struct err){0};
	return backend_perf.start(r->source, period_ns, r->fake.now_ns, &r->err);
}

void perf_run_begin(struct perf_run *r, int64_t period_ns)
{
	if (!perf_run_open(r) || !perf_run_start(r, period_ns))
		fail_msg("%s", r->err.text);
}

void perf_run_close(struct perf_run *r)
{
	if (!r->source)
		return;
	backend_perf.stop(r->source);
	backend_perf.close(r->source);
	source_free(r->source);
	free(r->sample);
	r->source = NULL;
}

enum read_result perf_run_read(struct perf_run *r, int64_t most_ns)
{
	int64_t end = r->fake.now_ns + most_ns;

	for (;;) {
		enum read_result got;

		r->sample->flags = r->sample->lost = 0;
		got = backend_perf.read(r->source, r->fake.now_ns, r->sample);
		if (got != READ_NONE || r->fake.now_ns >= end)
			return got;
		fake_sys_run(&r->fake, MS);
	}
}

/* ---- slots ---- */

static int find_slot(const struct perf_run *r, const char *name, enum instance_kind kind, unsigned number)
{
	for (unsigned i = 0; i < r->source->n_slots; i++) {
		const struct slot *s = &r->source->slots[i];

		if (strcmp(s->name, name) == 0 && s->instance == kind && s->number == number)
			return (int)i;
	}
	return -1;
}

unsigned perf_run_slot(const struct perf_run *r, const char *name, enum instance_kind kind, unsigned number)
{
	int slot = find_slot(r, name, kind, number);

	if (slot < 0)
		fail_msg("there is no slot %s %s %u", name, instance_names[kind], number);
	return (unsigned)slot;
}

bool perf_run_has(const struct perf_run *r, const char *name)
{
	return find_slot(r, name, INSTANCE_ALL, 0) >= 0;
}

uint64_t perf_run_value(const struct perf_run *r, const char *name, enum instance_kind kind, unsigned number)
{
	return r->sample->value[perf_run_slot(r, name, kind, number)];
}

uint64_t perf_run_total(const struct perf_run *r, const char *name)
{
	return perf_run_value(r, name, INSTANCE_ALL, 0);
}

uint64_t perf_run_law(const struct perf_run *r, int cpu, uint64_t raw)
{
	struct fake_event e = {.raw = raw};

	for (unsigned i = 2; i < r->perf->n_pmus; i++)
		if (fake_serves(&r->perf->pmus[i], cpu))
			e.pmu = &r->perf->pmus[i];
	if (!raw || !e.pmu)
		return SAMPLE_UNKNOWN;
	assert_true(fake_perf_implements(e.pmu, raw));
	return fake_perf_per_ms(r->perf, &e, cpu);
}

/* ---- processes ---- */

static void write_proc(struct perf_run *r, pid_t pid, const char *name, const char *text)
{
	AUTOFREE char *path = xasprintf("%s/proc/%d", r->dir, (int)pid);
	AUTOFREE char *file = xasprintf("%s/%s", path, name);
	FILE *out;

	mkdir(path, 0755);
	out = fopen(file, "we");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0 && fclose(out) == 0);
}

static void list_thread(struct perf_run *r, pid_t pid, pid_t tid)
{
	AUTOFREE char *task = xasprintf("%s/proc/%d/task", r->dir, (int)pid);
	AUTOFREE char *dir = xasprintf("%s/%d", task, (int)tid);

	mkdir(task, 0755);
	assert_int_equal(mkdir(dir, 0755), 0);
}

void perf_run_state(struct perf_run *r, pid_t pid, char state, unsigned n_threads)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "%d (a (game) %d) %c 1 1 1 0 -1 4194304 100 0 0 0 10 5 0 0 20 0 %u 0 12345 1000000 300\n",
		 (int)pid, (int)pid, state, n_threads);
	write_proc(r, pid, "stat", text);
}

void perf_run_process(struct perf_run *r, pid_t pid, unsigned uid, int cpu)
{
	char text[128];

	if (!fake_perf_find_task(r->perf, pid))
		fake_perf_task(r->perf, pid, uid, cpu);
	perf_run_state(r, pid, 'R', 1);
	write_proc(r, pid, "comm", "game\n");
	snprintf(text, sizeof(text), "Name:\tgame\nUmask:\t0022\nState:\tR (running)\nUid:\t%u\t%u\t%u\t%u\n",
		 uid, uid, uid, uid);
	write_proc(r, pid, "status", text);
	list_thread(r, pid, pid);
	if (pid == r->perf->self) {
		AUTOFREE char *self = xasprintf("%s/proc/self", r->dir);

		assert_int_equal(symlink("1000", self), 0);
	}
}

void perf_run_thread(struct perf_run *r, pid_t pid, pid_t tid, int cpu)
{
	fake_perf_task(r->perf, tid, fake_perf_find_task(r->perf, pid)->uid, cpu);
	list_thread(r, pid, tid);
}

void perf_run_clone(struct perf_run *r, pid_t pid, pid_t tid, int cpu)
{
	fake_perf_fork(r->perf, pid, tid, cpu, true);
	list_thread(r, pid, tid);
}

void perf_run_thread_ends(struct perf_run *r, pid_t pid, pid_t tid)
{
	AUTOFREE char *dir = xasprintf("%s/proc/%d/task/%d", r->dir, (int)pid, (int)tid);

	fake_perf_exit(r->perf, tid);
	assert_int_equal(rmdir(dir), 0);
}

void perf_run_process_ends(struct perf_run *r, pid_t pid)
{
	AUTOFREE char *dir = xasprintf("%s/proc/%d", r->dir, (int)pid);

	if (fake_perf_find_task(r->perf, pid))
		fake_perf_exit(r->perf, pid);
	fake_perf_tree_remove(dir);
}
