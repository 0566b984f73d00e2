#include "backends/drm/drm_usage.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CLOCK_NS 10000000ll    /* shortest time between two reads of the clock */
#define LEVELS_NS 1000000000ll /* how often temperatures are read */
#define MS_NS 1000000ull
#define MEND_NS 5000000000ll      /* programs that disagree do not write all the time */
#define POWERED_OVER_NS 2000000ll /* more is no rounding */

_Static_assert(GPU_CLOCK_CY == 0, "the clock is the first slot, with and without counters");

/* Where the kernel reports clients, this process is one: it has the node open. Before that, fdinfo
 * is what every file has. */
static bool has_report(const struct sys *sys, int fd)
{
	char path[48], text[4096];
	struct drm_fdinfo info;
	ssize_t n;

	snprintf(path, sizeof(path), "proc/self/fdinfo/%d", fd);
	n = sys_read_file(sys, path, text, sizeof(text));
	return n > 0 && drm_fdinfo_parse(&info, (struct span){text, (size_t)n});
}

void drm_usage_open(struct drm_usage *u, const struct sys *sys, const struct drm_usage_driver *driver,
		    const char *path, int fd, bool profiling)
{
	char text[64];

	*u = (struct drm_usage){.sys = sys, .driver = driver, .clients = {.sys = sys}};
	snprintf(u->node, sizeof(u->node), "%.31s", drm_node_name(path));
	gpu_system_open_node(&u->system, sys, u->node, drm_node_is_alone(sys, u->node));
	drm_clients_add(&u->clients, u->node, driver->name);
	u->reports = has_report(sys, fd);
	sysfs_file_init(&u->powered_file, true, "sys/class/drm/%s/device/power/runtime_active_time", u->node);
	drm_profiling_init(&u->profiling, sys, u->node, driver->profiling_on);
	u->asked = profiling;
	if (profiling && !drm_profiling_set(&u->profiling))
		u->refused = errno;
	u->has_powered = sysfs_file_read(sys, &u->powered_file, text, sizeof(text)) > 0;
}

void drm_usage_close(struct drm_usage *u)
{
	if (!u->sys)
		return; /* never opened */
	gpu_system_close(&u->system);
	drm_clients_fini(&u->clients);
	sysfs_file_close(u->sys, &u->powered_file);
	drm_profiling_restore(&u->profiling);
}

static unsigned add_delta(struct source *source, const char *name)
{
	return source_add_slot(source, &(struct slot){.name = name, .kind = SLOT_DELTA, .scale = 1});
}

void drm_usage_add_slots(struct drm_usage *u, struct source *source, unsigned clock_slot, bool counts)
{
	static const char *const levels[] = {"GPUMem", "DRMClients"};

	u->clock_slot = clock_slot;
	u->counts = counts;
	u->level_slot = source->n_slots;
	gpu_system_add_slots(&u->system, source);
	u->powered_slot = source->n_slots;
	if (u->has_powered) {
		add_delta(source, "GPUPoweredTime");
		add_delta(source, "GPUPoweredOf");
	}
	u->client_slot = add_delta(source, "DRMTime");
	for (unsigned i = 0; i < u->driver->n_engines; i++) {
		add_delta(source, u->driver->engines[i].time_slot);
		add_delta(source, u->driver->engines[i].cycles_slot);
	}
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		source_add_slot(source, &(struct slot){.name = levels[i], .kind = SLOT_LEVEL, .scale = 1});
	if (!source->constants.top_hz && u->system.top_hz != SAMPLE_UNKNOWN)
		source->constants.top_hz = (double)u->system.top_hz;
}

/* ---- reading ---- */

/* The file counts in ms, so it is up to one ahead of the time, or late. Carry what it is ahead to
 * the next read; cutting that off would leave only the lateness. Then it is scaled to the window,
 * because this file is read at its own time. */
static uint64_t powered_between(struct drm_usage *u, uint64_t ms, int64_t own_ns)
{
	int64_t ns = (int64_t)(ms * MS_NS) + u->powered_over_ns;

	u->powered_over_ns = 0;
	if (own_ns <= 0)
		return SAMPLE_UNKNOWN;
	if (ns > own_ns) {
		u->powered_over_ns = ns - own_ns < POWERED_OVER_NS ? ns - own_ns : POWERED_OVER_NS;
		ns = own_ns;
	}
	return (uint64_t)((double)ns * (double)u->window_ns / (double)own_ns + 0.5);
}

static void read_powered(struct drm_usage *u)
{
	char text[64];
	uint64_t ms, before = u->powered_ms;
	int64_t at_ns = u->sys->monotonic_ns(u->sys), own_ns;
	ssize_t n = u->has_powered ? sysfs_file_read(u->sys, &u->powered_file, text, sizeof(text)) : -1;
	bool known = n > 0 && span_u64(span_trim((struct span){text, (size_t)n}), &ms);

	at_ns += (u->sys->monotonic_ns(u->sys) - at_ns) / 2;
	own_ns = at_ns - u->powered_at_ns;
	u->powered_at_ns = at_ns;
	u->powered_ns = SAMPLE_UNKNOWN;
	if (known && u->has_read && before != SAMPLE_UNKNOWN && ms >= before && ms - before < (1u << 31))
		u->powered_ns = powered_between(u, ms - before, own_ns);
	else
		u->powered_over_ns = 0;
	u->powered_ms = known ? ms : SAMPLE_UNKNOWN;
}

static void add_used(uint64_t *sum, uint64_t used)
{
	if (used != SAMPLE_UNKNOWN)
		*sum = *sum == SAMPLE_UNKNOWN ? used : *sum + used;
}

/* Panfrost of Linux 6.7 to 6.9 also reports times while it does not measure them: they stay 0. */
static bool is_timed(const struct drm_client *client)
{
	for (unsigned i = 0; i < client->info.n_engines; i++)
		if (client->info.engines[i].ns && client->info.engines[i].ns != SAMPLE_UNKNOWN)
			return true;
	return false;
}

static void sum_client(struct drm_usage *u, const struct drm_client *client, enum drm_profiling profiling)
{
	for (unsigned e = 0; e < u->driver->n_engines; e++) {
		const struct drm_engine *engine =
			drm_fdinfo_engine(&client->info, u->driver->engines[e].name);

		if (!engine || profiling == DRM_PROFILING_OFF ||
		    (profiling != DRM_PROFILING_ON && !is_timed(client)))
			continue;
		add_used(&u->used_ns[e], client->ns[engine - client->info.engines]);
		add_used(&u->used_cycles[e], client->cycles[engine - client->info.engines]);
	}
}

/* Without clients the queues were idle, if the kernel reports their times. A client that has closed
 * its file is taken to have worked on as before. */
static void sum_clients(struct drm_usage *u)
{
	const struct drm_clients *c = &u->clients;
	enum drm_profiling profiling = drm_profiling_state(&u->profiling);
	uint64_t none = u->reports && profiling == DRM_PROFILING_ON ? 0 : SAMPLE_UNKNOWN;

	u->bytes = 0;
	for (unsigned e = 0; e < u->driver->n_engines; e++)
		u->used_ns[e] = u->used_cycles[e] = none;
	for (unsigned i = 0; i < c->n; i++) {
		uint64_t bytes = drm_fdinfo_bytes(&c->clients[i].info);

		u->bytes += bytes == SAMPLE_UNKNOWN ? 0 : bytes;
		sum_client(u, &c->clients[i], profiling);
	}
	for (unsigned i = 0; i < c->n_left; i++)
		if (c->left[i].round == c->round)
			sum_client(u, &c->left[i], profiling);
}

/* Another program may turn off what --profiling has turned on. */
static void mend_profiling(struct drm_usage *u, int64_t now_ns)
{
	static const char *const said[] = {
		"another program turned profiling off, and it cannot be turned on again: run as root",
		"another program turned profiling off: it is on again"};
	bool ok;

	if (!u->asked || u->refused || now_ns < u->mend_ns ||
	    drm_profiling_state(&u->profiling) != DRM_PROFILING_OFF)
		return;
	ok = drm_profiling_set(&u->profiling);
	if (ok || !u->mend_failed)
		u->news = said[ok];
	u->mend_failed = !ok;
	u->mend_ns = now_ns + MEND_NS;
}

static void read_usage(struct drm_usage *u, int64_t now_ns)
{
	mend_profiling(u, now_ns);
	drm_clients_read(&u->clients, now_ns);
	u->window_ns = u->has_read ? now_ns - u->read_ns : 0;
	u->read_ns = now_ns;
	read_powered(u);
	sum_clients(u);
	u->has_read = true;
}

/* The first window begins now, so that it has all that a program uses which starts next. */
void drm_usage_start(struct drm_usage *u, int64_t period_ns, int64_t now_ns)
{
	u->period_ns = period_ns;
	u->window_ns = 0;
	u->levels_ns = now_ns - LEVELS_NS;
	u->clock_ns = 0;
	u->has_read = false;
	read_usage(u, now_ns);
}

/* ---- samples ---- */

/* What a sample gets of a window: all, if the window ended in it; otherwise, if samples are shorter
 * than windows, its share of the last one, so that no sample is empty. */
static uint64_t share_of(const struct drm_usage *u, uint64_t used, double share)
{
	if (!u->window_ns || used == SAMPLE_UNKNOWN)
		return SAMPLE_UNKNOWN;
	return (uint64_t)((double)used * share + 0.5);
}

static void fill_used(const struct drm_usage *u, bool fresh, struct sample *sample)
{
	bool spread = u->period_ns < DRM_USAGE_PERIOD_NS;
	double share = u->window_ns && spread
			       ? (double)(sample->end_ns - sample->begin_ns) / (double)u->window_ns
			       : 1;
	uint64_t *slot = sample->value + u->client_slot, *powered = sample->value + u->powered_slot;
	uint64_t window = share_of(u, fresh || spread ? (uint64_t)u->window_ns : SAMPLE_UNKNOWN, share);
	bool known = false;

	if (u->has_powered) {
		powered[0] = window == SAMPLE_UNKNOWN ? window : share_of(u, u->powered_ns, share);
		powered[1] = powered[0] == SAMPLE_UNKNOWN ? SAMPLE_UNKNOWN : window;
	}
	for (unsigned e = 0; e < u->driver->n_engines; e++) {
		slot[1 + 2 * e] = window == SAMPLE_UNKNOWN ? window : share_of(u, u->used_ns[e], share);
		slot[2 + 2 * e] = window == SAMPLE_UNKNOWN ? window : share_of(u, u->used_cycles[e], share);
		known |= slot[1 + 2 * e] != SAMPLE_UNKNOWN || slot[2 + 2 * e] != SAMPLE_UNKNOWN;
	}
	slot[0] = known ? window : SAMPLE_UNKNOWN;
	slot += 1 + 2 * u->driver->n_engines;
	slot[0] = u->has_read && u->reports ? u->bytes : SAMPLE_UNKNOWN;
	slot[1] = u->has_read && u->reports ? u->clients.n : SAMPLE_UNKNOWN;
}

/* The clock of devfreq; a machine without one may report it with its clients. */
static int64_t read_hz(struct drm_usage *u)
{
	int64_t hz = 0;

	if (gpu_system_clock(&u->system, &hz))
		return hz;
	if (gpu_system_suspended(&u->system) || gpu_system_reports(&u->system, GPU_SYSTEM_CLOCK))
		return 0;
	for (unsigned i = 0; i < u->clients.n; i++) {
		const struct drm_fdinfo *info = &u->clients.clients[i].info;

		for (unsigned e = 0; e < info->n_engines; e++)
			if (info->engines[e].hz && info->engines[e].hz < INT64_MAX)
				return (int64_t)info->engines[e].hz;
	}
	return 0;
}

static void fill_clock(struct drm_usage *u, int64_t now_ns, uint64_t active, struct sample *sample)
{
	uint64_t duration = (uint64_t)(sample->end_ns - sample->begin_ns);
	uint64_t *slot = sample->value + u->clock_slot;

	if (!u->clock_ns || now_ns - u->clock_ns >= CLOCK_NS) {
		int64_t hz = read_hz(u);

		if (u->clock_ns && hz != u->hz)
			sample->flags |= SAMPLE_CLOCK;
		u->clock_ns = now_ns;
		u->hz = hz;
	}
	slot[0] = u->hz > 0 ? (uint64_t)((double)u->hz * (double)duration * 1e-9 + 0.5) : SAMPLE_UNKNOWN;
	slot[u->counts ? GPU_CLOCK_TIME : 1] = duration;
	if (u->counts) {
		slot[GPU_CLOCK_ACTIVE] = active;
		slot[GPU_CLOCK_SHADER_CY] = SAMPLE_UNKNOWN;
	}
}

void drm_usage_fill(struct drm_usage *u, int64_t now_ns, uint64_t active, struct sample *sample)
{
	/* Samples come a little early or late: read in the one that is nearest. */
	bool fresh = now_ns - u->read_ns + u->period_ns / 2 >= DRM_USAGE_PERIOD_NS;

	if (fresh)
		read_usage(u, now_ns);
	fill_clock(u, now_ns, active, sample);
	if (now_ns - u->levels_ns >= LEVELS_NS) {
		gpu_system_read(&u->system, &u->levels);
		u->levels_ns = now_ns;
	}
	gpu_system_fill(&u->system, &u->levels, sample->value + u->level_slot);
	fill_used(u, fresh, sample);
}

/* Called in the ui thread while the sampler reads, so every file is opened anew. */
void drm_usage_note(const struct drm_usage *u, const char *path, struct strbuf *text)
{
	unsigned before;

	if (u->refused && !u->profiling.path[0])
		strbuf_printf(text, "%s: --profiling: this kernel has no visible switch for it: %s", path,
			      u->driver->switch_since);
	else if (u->refused)
		strbuf_printf(text, "%s: --profiling: cannot turn it on: %s%s", path, strerror(u->refused),
			      u->refused == EACCES || u->refused == EPERM ? ": run as root" : "");
	else if (drm_profiling_left_on(&u->profiling, &before))
		strbuf_printf(
			text,
			"%s: profiling was left on by a malitop that was killed: echo %u | sudo tee /%s",
			path, before, u->profiling.path);
	else if (drm_profiling_state(&u->profiling) == DRM_PROFILING_OFF)
		strbuf_printf(text,
			      "%s: profiling is off, so the kernel does not time the queues: run malitop "
			      "--profiling as root, or echo %u | sudo tee /%s",
			      path, u->driver->profiling_on, u->profiling.path);
}

void drm_usage_describe_gives(const struct drm_usage *u, struct strbuf *text)
{
	static const char *const gives[2][2] = {
		{"clock and powered share of the GPU",
		 "clock, powered share, queues and memory, of the GPU and of programs"},
		{"the counters of every block",
		 "the counters of every block, and queues and memory of programs"},
	};

	strbuf_printf(text, "gives     %s\n", gives[u->counts][u->reports]);
	if (!u->reports)
		strbuf_printf(
			text,
			"limited: programs: this kernel does not report who uses the GPU: no queues and "
			"memory of programs -> use %s\n",
			u->driver->reports_since);
}

void drm_usage_describe(const struct drm_usage *u, struct strbuf *text)
{
	static const char *const states[] = {
		[DRM_PROFILING_UNKNOWN] = "its state cannot be read",
		[DRM_PROFILING_ON] = "on: the kernel times the queues of each client",
	};
	enum drm_profiling profiling = drm_profiling_state(&u->profiling);
	unsigned before;

	if (profiling == DRM_PROFILING_OFF)
		strbuf_printf(
			text,
			"limited: profiling: off: no times of queues and programs; --profiling turns it "
			"on while malitop runs -> echo %u | sudo tee /%s\n",
			u->driver->profiling_on, u->profiling.path);
	else if (drm_profiling_left_on(&u->profiling, &before))
		strbuf_printf(
			text,
			"limited: profiling: left on by a malitop that was killed, which costs a little "
			"for each job -> echo %u | sudo tee /%s\n",
			before, u->profiling.path);
	else if (profiling == DRM_PROFILING_ABSENT)
		strbuf_printf(text, "profiling: this kernel has no visible switch for it: %s\n",
			      u->driver->switch_since);
	else
		strbuf_printf(text, "profiling: %s\n", states[profiling]);
	gpu_system_describe(&u->system, text);
}
