/* Determines whose events are counted, and with which rights, from the requested ones downwards.
 * Only trying shows what is permitted: perf_event_paranoid is one of several settings. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SPARE_FILES 128 /* files reserved for other uses */

/* Try to open the first event of any PMU with these rights. Returns 0 or the errno. */
static int try_whose(const struct perf *p, const struct sys *sys, const struct perf_whose *whose)
{
	int code = ENOENT;

	for (unsigned i = 0; i < p->n_units; i++) {
		const struct perf_unit *unit = &p->units[i];
		struct perf_target target = {.pid = whose->tid, .cpu = -1, .user_only = p->user_only};
		struct perf_event event = unit->events[unit->groups[0].row[0]];
		struct perf_group group;
		struct err err;

		event.user_only = false; /* the rights decide */
		if (whose->tid < 0)
			target.cpu = p->cpus.cpus[whose->cpu].number;
		if (!unit->n_groups || (whose->tid < 0 && !cpu_set_has(&unit->cpus, (unsigned)target.cpu)))
			continue;
		perf_group_init(&group, sys, &target);
		code = perf_group_add(&group, &event, &err) ? 0 : err.code;
		perf_group_fini(&group);
		if (!code || perf_is_denied(code))
			break;
	}
	return code;
}

/* Try the first online CPU, or the first live thread; for own processes, this thread. */
static int try_rights(const struct perf *p, const struct sys *sys)
{
	int code = ESRCH;

	if (p->own)
		return try_whose(p, sys, &(struct perf_whose){.tid = 0, .cpu = -1});
	for (unsigned i = 0; i < p->n_whose && (code == ESRCH || code == ENODEV); i++)
		code = try_whose(p, sys, &p->whose[i]);
	return code;
}

/* ---- threads ---- */

static void add_whose(struct perf *p, pid_t tid, int cpu)
{
	GROW(p->whose, p->n_whose, p->cap_whose);
	p->whose[p->n_whose++] = (struct perf_whose){.tid = tid, .cpu = cpu};
}

static void add_threads(struct perf *p, const struct sys *sys, pid_t pid)
{
	AUTOFREE int32_t *tids = NULL;
	unsigned cap = 0;
	char path[32];
	int n;

	snprintf(path, sizeof(path), "proc/%d/task", (int)pid);
	n = sys->list_numbers(sys, path, &tids, &cap);
	for (int i = 0; i < n; i++)
		add_whose(p, tids[i], -1);
}

/* "Uid:\t1000\t1000\t1000\t1000": the second one is the effective uid. -1 if not found. */
static int64_t uid_of(const struct sys *sys, const char *path)
{
	char text[2048];
	ssize_t n = sys_read_file(sys, path, text, sizeof(text));
	struct span rest = {text, n > 0 ? (size_t)n : 0};
	uint64_t uid;

	while (rest.n) {
		struct span line = span_until(&rest, '\n');

		if (!span_is(span_word(&line), "Uid:"))
			continue;
		span_word(&line);
		return span_u64(span_word(&line), &uid) ? (int64_t)uid : -1;
	}
	return -1;
}

static void add_own(struct perf *p, const struct sys *sys)
{
	int64_t own = uid_of(sys, "proc/self/status");
	AUTOFREE int32_t *pids = NULL;
	unsigned cap = 0;
	int n = sys->list_numbers(sys, "proc", &pids, &cap);

	for (int i = 0; i < n && own >= 0; i++) {
		char path[32];

		snprintf(path, sizeof(path), "proc/%d/status", (int)pids[i]);
		if (uid_of(sys, path) == own)
			add_threads(p, sys, pids[i]);
	}
}

/* ---- scope ---- */

/* All named CPUs must be online: a sum over the others would be taken for that of all. */
static bool check_online(const struct perf *p, const struct sys *sys, const struct cpu_set *named,
			 struct err *err)
{
	struct cpu_set online;

	if (!cpu_set_read(sys, &online, "sys/devices/system/cpu/online"))
		return true;
	for (unsigned i = 0; i < p->cpus.n; i++)
		if (cpu_set_has(named, p->cpus.cpus[i].number) &&
		    !cpu_set_has(&online, p->cpus.cpus[i].number))
			return err_set(err, ENODEV,
				       "--cpu: CPU %u is offline: see /sys/devices/system/cpu/online",
				       p->cpus.cpus[i].number);
	return true;
}

static bool add_cpus(struct perf *p, const struct sys *sys, const struct scope *scope, struct err *err)
{
	bool named = scope->kind == SCOPE_CPUS;
	struct cpu_set set;

	memset(&set, 0xff, sizeof(set));
	if (named && !cpu_set_parse(&set, scope->cpus))
		return err_set(
			err, ERR_USAGE,
			"--cpu: '%.40s' is not a list of CPUs: expected numbers and ranges such as 0-3,6",
			scope->cpus);
	if (named && !check_online(p, sys, &set, err))
		return false;
	for (unsigned i = 0; i < p->cpus.n; i++)
		if (cpu_set_has(&set, p->cpus.cpus[i].number))
			add_whose(p, -1, (int)i);
	snprintf(p->about, sizeof(p->about), "%s%.48s", named ? "CPUs " : "all CPUs",
		 named ? scope->cpus : "");
	if (!p->cpus.n)
		return err_set(err, ENODEV, "perf: cannot list the CPUs: cannot read %s",
			       "/sys/devices/system/cpu/present");
	return p->n_whose ||
	       err_set(err, ENODEV, "--cpu: %.40s: this machine has none of these CPUs", scope->cpus);
}

/* List the threads that the scope covers now. */
static void list_tasks(struct perf *p, const struct sys *sys, const struct scope *scope)
{
	p->n_whose = 0;
	if (p->own)
		add_own(p, sys);
	else if (scope->kind == SCOPE_PROCESS)
		add_threads(p, sys, scope->pid);
	else
		add_whose(p, scope->pid, -1);
}

static bool not_there(const struct perf *p, struct err *err)
{
	return err_set(err, ESRCH, "%s: not found: see ps, or choose it in the Processes view", p->about);
}

static bool add_tasks(struct perf *p, const struct sys *sys, const struct scope *scope, struct err *err)
{
	bool thread = scope->kind == SCOPE_THREAD;
	char path[32], comm[32] = "", name[32];
	int pid = (int)scope->pid;

	p->tasks = true;
	p->inherit = !thread;
	p->on_exec = scope->kind == SCOPE_COMMAND;
	snprintf(path, sizeof(path), "proc/%d/comm", pid);
	sys_read_file(sys, path, comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = 0;
	str_printable(name, sizeof(name), comm);
	if (p->on_exec)
		snprintf(p->about, sizeof(p->about), "the command");
	else
		snprintf(p->about, sizeof(p->about), "%s %d%s%s", thread ? "thread" : "process", pid,
			 name[0] ? " " : "", name);
	snprintf(p->process, sizeof(p->process), "proc/%d/stat", pid);
	list_tasks(p, sys, scope);
	return p->n_whose || not_there(p, err);
}

/* Limit the threads to the number of files that may be open. */
static void fit_files(struct perf *p)
{
	unsigned each = 0, fit, n = p->n_whose, most = sys_files_most();

	for (unsigned i = 0; i < p->n_units; i++) {
		each += p->n_hard > 1 && i < p->n_hard ? p->units[i].n_cpus : 0;
		for (unsigned g = 0; g < p->units[i].n_groups; g++)
			each += p->units[i].groups[g].n;
	}
	fit = most > SPARE_FILES && each ? (most - SPARE_FILES) / each : 0;
	p->n_whose = n < fit ? n : fit;
	p->n_left_out = n - p->n_whose;
}

static bool refuse_scope(const struct perf *p, int code, struct err *err)
{
	const char *help = perf_rights_help(code);

	if (code == ESRCH)
		return not_there(p, err);
	if (code == ENODEV && p->whose[0].tid < 0)
		return err_set(err, code, "perf: %s: offline: see /sys/devices/system/cpu/online", p->about);
	return err_set(err, code, "perf: %s: CPU events cannot be counted: %s%s%s", p->about, strerror(code),
		       help ? ": " : "", help ? help : "");
}

bool perf_scope_find(struct perf *p, const struct source *source, struct err *err)
{
	const struct scope *scope = &source->options.scope;
	const struct sys *sys = source->sys;
	bool machine = scope->kind == SCOPE_MACHINE || scope->kind == SCOPE_CPUS;
	int code = 0;

	if (!(machine ? add_cpus(p, sys, scope, err) : add_tasks(p, sys, scope, err)))
		return false;
	for (unsigned rights = 0; rights < (scope->kind == SCOPE_MACHINE ? 4 : 2); rights++) {
		p->own = rights & 2;
		p->user_only = rights & 1;
		code = try_rights(p, sys);
		if (!perf_is_denied(code))
			break;
		p->refused = p->refused ? p->refused : code;
	}
	if (code)
		return refuse_scope(p, code, err);
	if (p->own) {
		p->tasks = p->inherit = true;
		list_tasks(p, sys, scope);
		snprintf(p->about, sizeof(p->about), "own processes");
	}
	if (p->tasks)
		fit_files(p);
	return p->n_whose || refuse_scope(p, EMFILE, err);
}

void perf_scope_renew(struct perf *p, const struct source *source)
{
	if (p->tasks) {
		list_tasks(p, source->sys, &source->options.scope);
		fit_files(p);
	}
}

const char *perf_rights_help(int code)
{
	static const char hidden[] = "the CPU has no counters for this kernel: a virtual machine without a "
				     "virtual PMU, or a device tree without pmu";
	static const struct code_text helps[] = {
		{EACCES, "sudo sysctl kernel.perf_event_paranoid=0 (until the next boot), or sudo setcap "
			 "cap_perfmon+ep on malitop; on "
			 "Android: setprop security.perf_harden 0"},
		{EPERM, "a container or a security module blocks it: allow perf_event_open in its seccomp "
			"profile, or run outside it"},
		{ENOENT, hidden},
		{EOPNOTSUPP, hidden},
		{ENODEV, hidden},
		{ENOSYS, "the kernel was built without perf events (CONFIG_PERF_EVENTS)"},
		{EMFILE, "ulimit -n 4096"},
	};

	return code_text_find(helps, ARRAY_LEN(helps), code);
}
