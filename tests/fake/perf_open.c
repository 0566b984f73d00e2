/* perf_event_open: its checks, in the order of the kernel. */
#include "tests/fake/perf_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct fake_perf_request {
	void *user;
	pid_t pid;
	int cpu, group_fd;
	unsigned long flags;
	struct fake_attr attr;
	struct fake_event *leader;
	struct fake_task *task;
	const struct fake_pmu *pmu;
	uint64_t raw;
};

/* What the attr of a kernel has: its size, and how many of the bits after read_format have a
 * meaning. */
static const struct {
	unsigned from, size, bits;
} generations[] = {
	{FAKE_KERNEL(6, 3), 136, 38},
	{FAKE_KERNEL(5, 13), 128, 38},
	{FAKE_KERNEL(5, 12), 120, 35},
	{FAKE_KERNEL(5, 8), 120, 34},
	{FAKE_KERNEL(5, 7), 120, 33},
	{FAKE_KERNEL(5, 5), 120, 32},
	{FAKE_KERNEL(5, 4), 112, 32},
	{FAKE_KERNEL(5, 1), 112, 31},
	{FAKE_KERNEL(4, 12), 112, 29},
	{FAKE_KERNEL(4, 7), 112, 28},
	{FAKE_KERNEL(4, 3), 112, 27},
	{FAKE_KERNEL(4, 1), 112, 26},
	{0, 96, 25},
};

static int there_is_perf(struct fake_perf *f, struct fake_perf_request *r)
{
	(void)r;
	return !f->machine ? ENOSYS : f->filtered;
}

static int flags_are_known(struct fake_perf *f, struct fake_perf_request *r)
{
	if (r->flags & ~0xful)
		fake_perf_breach(f, "perf_event_open does not know the flags 0x%lx", r->flags);
	return r->flags & ~0xful ? EINVAL : 0;
}

static int patched_level(struct fake_perf *f, struct fake_perf_request *r)
{
	(void)r;
	return f->paranoid > 2 && !(f->caps & FAKE_CAP_SYS_ADMIN) ? EACCES : 0;
}

static uint64_t field(const unsigned char *from, size_t at, size_t n)
{
	uint64_t v = 0;
	uint32_t half;

	if (n == sizeof(half)) {
		memcpy(&half, from + at, n);
		return half;
	}
	memcpy(&v, from + at, n);
	return v;
}

static int reserved(struct fake_perf *f, const struct fake_attr *attr, const unsigned char *bytes,
		    unsigned bits)
{
	uint64_t formats = f->kernel >= FAKE_KERNEL(6, 0) ? 0x1f : 0xf;

	if (attr->bits >> 38 || field(bytes, 116, 4) || bytes[110] || bytes[111])
		fake_perf_breach(f, "perf_event_attr has reserved bits set");
	if (attr->bits >> bits || field(bytes, 116, 4) || bytes[110] || bytes[111])
		return EINVAL;
	if (attr->read_format & ~0x1full)
		fake_perf_breach(f, "there is no read format 0x%llx", (unsigned long long)attr->read_format);
	if (attr->read_format & ~formats || attr->sample_type >> 25)
		return EINVAL;
	if ((attr->bits & FAKE_INHERIT_THREAD && !(attr->bits & FAKE_INHERIT)) ||
	    (attr->bits & FAKE_REMOVE_ON_EXEC && attr->bits & FAKE_ON_EXEC) ||
	    (attr->bits & FAKE_SIGTRAP && !(attr->bits & FAKE_REMOVE_ON_EXEC)))
		return EINVAL;
	return 0;
}

static int copy_attr(struct fake_perf *f, struct fake_perf_request *r)
{
	unsigned char bytes[136] = {0};
	const unsigned char *user = r->user;
	unsigned g = 0, size;

	while (f->kernel < generations[g].from)
		g++;
	if (!user)
		return EFAULT;
	size = (unsigned)field(user, 4, 4);
	size = size ? size : 64;
	if (size >= 64 && size <= 4096) {
		unsigned known = generations[g].size;

		memcpy(bytes, user, size < known ? size : known);
		while (size > known && !user[size - 1])
			size--;
		if (size <= known) {
			r->attr = (struct fake_attr){
				.type = (uint32_t)field(bytes, 0, 4),
				.size = size,
				.config = field(bytes, 8, 8),
				.sample_period = field(bytes, 16, 8),
				.sample_type = field(bytes, 24, 8),
				.read_format = field(bytes, 32, 8),
				.bits = field(bytes, 40, 8),
				.config1 = field(bytes, 56, 8),
				.config2 = field(bytes, 64, 8),
				.branches = field(bytes, 72, 8),
			};
			return reserved(f, &r->attr, bytes, generations[g].bits);
		}
	}
	memcpy((unsigned char *)r->user + 4, &(uint32_t){generations[g].size}, 4);
	return E2BIG;
}

static int security_module(struct fake_perf *f, struct fake_perf_request *r)
{
	(void)r;
	return f->selinux ? EACCES : 0;
}

static int kernel_counting(struct fake_perf *f, struct fake_perf_request *r)
{
	return !(r->attr.bits & FAKE_EXCLUDE_KERNEL) && f->paranoid > 1 && !fake_perfmon(f) ? EACCES : 0;
}

static int period_is_sound(struct fake_perf *f, struct fake_perf_request *r)
{
	if (r->attr.bits & FAKE_FREQ && r->attr.sample_period > f->max_sample_rate)
		return EINVAL;
	return r->attr.sample_period >> 63 ? EINVAL : 0;
}

static int no_control_groups(struct fake_perf *f, struct fake_perf_request *r)
{
	if (!(r->flags & 4))
		return 0;
	fake_perf_breach(f, "the fake has no control groups");
	return EINVAL;
}

static int files_are_left(struct fake_perf *f, struct fake_perf_request *r)
{
	(void)r;
	return f->max_files && fake_perf_open_files(f, NULL) >= f->max_files ? EMFILE : 0;
}

static int find_group(struct fake_perf *f, struct fake_perf_request *r)
{
	r->leader = r->group_fd == -1 ? NULL : fake_perf_find(f, r->group_fd);
	if (r->group_fd != -1 && !r->leader)
		return EBADF;
	if (r->flags & 1) /* PERF_FLAG_FD_NO_GROUP */
		r->leader = NULL;
	return 0;
}

static int find_task(struct fake_perf *f, struct fake_perf_request *r)
{
	r->task = r->pid == -1 ? NULL : fake_perf_find_task(f, r->pid);
	if (r->pid != -1 && !r->task)
		return ESRCH;
	return r->task && r->leader && (r->leader->attr.bits ^ r->attr.bits) & FAKE_INHERIT ? EINVAL : 0;
}

static int may_trace(const struct fake_perf *f, const struct fake_perf_request *r)
{
	bool may = f->caps & FAKE_CAP_SYS_ADMIN || (fake_perfmon(f) && f->kernel >= FAKE_KERNEL(5, 9));

	return r->task && r->task->uid != f->uid && !may ? EACCES : 0;
}

static int old_trace_check(struct fake_perf *f, struct fake_perf_request *r)
{
	return f->kernel < FAKE_KERNEL(5, 11) ? may_trace(f, r) : 0;
}

static int new_trace_check(struct fake_perf *f, struct fake_perf_request *r)
{
	return f->kernel >= FAKE_KERNEL(5, 11) ? may_trace(f, r) : 0;
}

static int target_is_sound(struct fake_perf *f, struct fake_perf_request *r)
{
	const struct fake_attr *attr = &r->attr;

	if ((r->cpu < 0 || (unsigned)r->cpu >= f->machine->n_cpus) && (!r->task || r->cpu != -1))
		return EINVAL;
	if (attr->bits & FAKE_SIGTRAP && !r->task)
		return EINVAL;
	if (attr->bits & FAKE_INHERIT && attr->read_format & FAKE_GROUP && f->kernel < FAKE_KERNEL(4, 13))
		return EINVAL;
	return attr->bits & FAKE_INHERIT && attr->sample_type & 1 << 4 ? EINVAL : 0; /* PERF_SAMPLE_READ */
}

/* ---- which PMU ---- */

static int arm_wants(const struct fake_perf *f, const struct fake_attr *attr, const struct fake_task *task)
{
	if (attr->branches || attr->bits & FAKE_EXCLUDE_IDLE)
		return EOPNOTSUPP;
	/* config1 bit 1: to be read from user space. */
	return attr->config1 & 2 && f->kernel >= FAKE_KERNEL(5, 17) && !task ? EINVAL : 0;
}

static int try_pmu(const struct fake_perf *f, const struct fake_pmu *pmu, struct fake_perf_request *r)
{
	struct fake_event e = {.attr = r->attr, .pmu = pmu, .task = r->task, .cpu = r->cpu};
	int code;

	if (pmu->kind == FAKE_SOFTWARE && r->attr.type == pmu->type && r->attr.branches)
		return EOPNOTSUPP;
	if (r->cpu >= 0 && !fake_serves(pmu, r->cpu))
		return ENOENT;
	code = fake_perf_map(f, pmu, &r->attr, &e.raw);
	if (code)
		return code;
	if (pmu->kind == FAKE_ARM && (code = arm_wants(f, &r->attr, r->task)))
		return code;
	if (pmu->silent && r->attr.sample_period)
		return EOPNOTSUPP;
	if (pmu->busy)
		return EBUSY;
	e.state = r->attr.bits & FAKE_DISABLED ? FAKE_OFF : FAKE_INACTIVE;
	if (r->leader && !fake_perf_fits(f, &e, r->leader))
		return EINVAL;
	r->pmu = pmu;
	r->raw = e.raw;
	return 0;
}

static const struct fake_pmu *of_type(const struct fake_perf *f, unsigned type)
{
	for (unsigned i = 0; i < f->n_pmus; i++)
		if (f->pmus[i].type == type)
			return &f->pmus[i];
	return NULL;
}

/* Generic events are the raw type's, or of the PMU in the upper half of config; what no PMU has as
 * its type is offered to each, the last one that was registered first. */
static int find_pmu(struct fake_perf *f, struct fake_perf_request *r)
{
	bool generic = r->attr.type == FAKE_TYPE_HARDWARE || r->attr.type == FAKE_TYPE_CACHE,
	     extended = false;
	unsigned type = r->attr.type;
	const struct fake_pmu *pmu;
	int code = ENOENT;

	if (generic && f->kernel >= FAKE_KERNEL(5, 13) && r->attr.config >> 32) {
		type = (unsigned)(r->attr.config >> 32);
		r->attr.config &= 0xffffffff;
		extended = true;
	} else if (generic) {
		type = FAKE_TYPE_RAW;
	}
	pmu = of_type(f, type);
	if (pmu && extended && pmu->kind != FAKE_X86 &&
	    !(pmu->kind == FAKE_ARM && f->kernel >= FAKE_KERNEL(6, 6)))
		return ENOENT;
	if (pmu) {
		code = try_pmu(f, pmu, r);
		if (code != ENOENT || extended)
			return code;
	}
	for (unsigned i = f->n_pmus; i-- > 0 && code == ENOENT;)
		code = try_pmu(f, &f->pmus[i], r);
	return code;
}

/* ---- where it goes ---- */

static int may_count_cpus(struct fake_perf *f, struct fake_perf_request *r)
{
	return !r->task && f->paranoid > 0 && !fake_perfmon(f) ? EACCES : 0;
}

/* The fields of trace points are for those who may see everything. */
static int may_see_fields(struct fake_perf *f, struct fake_perf_request *r)
{
	return r->pmu->kind == FAKE_TRACEPOINT && r->attr.sample_type & 1 << 10 && f->paranoid > -1 &&
			       !fake_perfmon(f)
		       ? EPERM
		       : 0;
}

static int cpu_is_online(struct fake_perf *f, struct fake_perf_request *r)
{
	return !r->task && !f->cpus[r->cpu].online ? ENODEV : 0;
}

static int group_is_sound(struct fake_perf *f, struct fake_perf_request *r)
{
	const struct fake_event *l = r->leader;

	(void)f;
	if (!l)
		return 0;
	if (l->leader != l || l->cpu != r->cpu || l->task != r->task)
		return EINVAL;
	return r->attr.bits & (FAKE_PINNED | FAKE_EXCLUSIVE) ? EINVAL : 0;
}

static int (*const checks[])(struct fake_perf *, struct fake_perf_request *) = {
	there_is_perf,   flags_are_known, patched_level,     copy_attr,      security_module,
	kernel_counting, period_is_sound, no_control_groups, files_are_left, find_group,
	find_task,       old_trace_check, target_is_sound,   find_pmu,       may_see_fields,
	new_trace_check, may_count_cpus,  cpu_is_online,     group_is_sound,
};

int fake_perf_open(struct fake_perf *f, void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	struct fake_perf_request r = {
		.user = attr, .pid = pid, .cpu = cpu, .group_fd = group_fd, .flags = flags};
	struct fake_event *e;
	int fd, code;

	for (size_t i = 0; i < ARRAY_LEN(checks); i++)
		if ((code = checks[i](f, &r)))
			return fake_perf_fail(code);
	fd = f->new_fd();
	if (fd < 0)
		return -1;
	if (!(flags & 8)) /* PERF_FLAG_FD_CLOEXEC */
		fcntl(fd, F_SETFD, 0);
	e = fake_perf_add(f, &(struct fake_event){
				     .fd = fd,
				     .attr = r.attr,
				     .pmu = r.pmu,
				     .raw = r.raw,
				     .task = r.task,
				     .cpu = cpu,
				     .leader = r.leader,
				     .state = r.attr.bits & FAKE_DISABLED ? FAKE_OFF : FAKE_INACTIVE,
			     });
	if (e->state >= FAKE_INACTIVE && e->leader->state >= FAKE_INACTIVE)
		fake_perf_reschedule(f, fake_perf_context_cpu(f, e));
	return fd;
}
