#include "backends/drm/drm_clients.h"

#include "base/alloc.h"
#include "base/search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DRM_MAJOR 226
#define YOUNG_NS 10000000000ll /* a program opens its nodes soon after its start */
#define LOOK_FIRST_NS 1000000000
#define LOOK_NS 4000000000
#define LOOK_SPREAD 8
#define HOLDERS_MAX 4096
#define TEXT 4096
#define DELTA_MAX ((uint64_t)1 << 52) /* more is no honest count */
#define LEFT_NS 10000000000ll         /* a file that another process takes over is found by then */
#define OVERLAP 4                     /* queues that work at once count each */

void drm_clients_fini(struct drm_clients *c)
{
	free(c->clients);
	free(c->left);
	free(c->holders);
	free(c->looks);
	free(c->pids);
	free(c->fds);
	*c = (struct drm_clients){0};
}

void drm_clients_add(struct drm_clients *c, const char *node, const char *driver)
{
	struct drm_clients_device *device = &c->devices[c->n_devices];

	if (c->n_devices == DRM_CLIENT_DEVICES)
		return;
	snprintf(device->driver, sizeof(device->driver), "%s", driver);
	snprintf(device->node, sizeof(device->node), "%s", node);
	device->watched = drm_node_exists(c->sys, node);
	device->n_minors = drm_node_minors(c->sys, node, device->minors);
	c->n_devices++;
}

void drm_clients_find(struct drm_clients *c)
{
	char **names, driver[DRM_ENGINE_NAME];
	int n = c->sys->list(c->sys, "sys/class/drm", &names);

	for (int i = 0; i < n; i++)
		if (drm_node_is_mali(c->sys, names[i], driver, sizeof(driver)))
			drm_clients_add(c, names[i], driver);
	sys_names_free(names, n);
}

void drm_clients_expect(struct drm_clients *c, int32_t pid)
{
	for (unsigned i = 0; i < c->n_looks; i++)
		if (c->looks[i].pid == pid) {
			c->looks[i].young_ns = c->end_ns + YOUNG_NS;
			c->looks[i].next_ns = 0;
		}
}

/* ---- looking for open nodes ---- */

static bool find_device(const struct drm_clients *c, int32_t pid, int32_t fd, unsigned *device)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "proc/%d/fd/%d", pid, fd);
	if (c->sys->stat(c->sys, path, &st) != 0 || !S_ISCHR(st.st_mode) || major(st.st_rdev) != DRM_MAJOR)
		return false;
	for (*device = 0; *device < c->n_devices; ++*device)
		for (unsigned i = 0; i < c->devices[*device].n_minors; i++)
			if (c->devices[*device].minors[i] == minor(st.st_rdev))
				return true;
	return false;
}

static void add_holder(struct drm_clients *c, int32_t pid, int32_t fd, unsigned device, int64_t since_ns)
{
	unsigned at = c->n_holders;

	while (at && c->holders[at - 1].pid > pid)
		at--;
	for (unsigned i = at; i && c->holders[i - 1].pid == pid; i--)
		if (c->holders[i - 1].fd == fd)
			return;
	if (c->n_holders == HOLDERS_MAX)
		return;
	GROW(c->holders, c->n_holders, c->cap_holders);
	memmove(&c->holders[at + 1], &c->holders[at], (c->n_holders - at) * sizeof(*c->holders));
	c->holders[at] = (struct drm_holder){
		.pid = pid, .fd = fd, .device = device, .client = SAMPLE_UNKNOWN, .since_ns = since_ns};
	c->n_holders++;
}

/* Returns false if the process cannot be looked through. */
static bool look_through(struct drm_clients *c, int32_t pid, int64_t since_ns)
{
	char path[32];
	unsigned device;
	int n;

	snprintf(path, sizeof(path), "proc/%d/fd", pid);
	n = c->sys->list_numbers(c->sys, path, &c->fds, &c->cap_fds);
	for (int i = 0; i < n; i++)
		if (find_device(c, pid, c->fds[i], &device))
			add_holder(c, pid, c->fds[i], device, since_ns);
	return n >= 0 || (errno != EACCES && errno != EPERM);
}

static void look_when_due(struct drm_clients *c, struct drm_look *look, int64_t now_ns)
{
	if (now_ns < look->next_ns)
		return;
	look->hidden = !look_through(c, look->pid, look->since_ns);
	look->since_ns = look->hidden ? 0 : now_ns;
	if (now_ns < look->young_ns)
		return;
	if (!look->step_ns)
		look->step_ns = LOOK_FIRST_NS;
	else if (look->step_ns == LOOK_FIRST_NS) /* do not look through all in one go */
		look->step_ns = LOOK_NS + LOOK_NS / LOOK_SPREAD * (look->pid % LOOK_SPREAD);
	else
		look->step_ns = LOOK_NS;
	look->next_ns = now_ns + look->step_ns;
}

/* Both lists of processes ascend. */
static void look_at_processes(struct drm_clients *c, int64_t now_ns)
{
	int n = c->sys->list_numbers(c->sys, "proc", &c->pids, &c->cap_pids);
	unsigned at = 0, kept = 0;

	if (n < 0)
		return; /* those that are known stay */
	for (int i = 0; i < n; i++, at++) {
		while (at < c->n_looks && c->looks[at].pid < c->pids[i])
			at++;
		if (at == c->n_looks || c->looks[at].pid != c->pids[i]) {
			GROW(c->looks, c->n_looks, c->cap_looks);
			memmove(&c->looks[at + 1], &c->looks[at], (c->n_looks++ - at) * sizeof(*c->looks));
			c->looks[at] = (struct drm_look){.pid = c->pids[i],
							 .since_ns = c->begin_ns,
							 .young_ns = c->begin_ns ? now_ns + YOUNG_NS : 0};
		}
		c->looks[at].round = c->round;
		look_when_due(c, &c->looks[at], now_ns);
	}
	c->n_hidden = 0;
	for (at = 0; at < c->n_looks; at++)
		if (c->looks[at].round == c->round) {
			c->n_hidden += c->looks[at].hidden;
			c->looks[kept++] = c->looks[at];
		}
	c->n_looks = kept;
}

/* ---- reading them ---- */

static bool is_gone(const struct drm_clients *c, struct drm_clients_device *device)
{
	device->gone |= device->watched && !drm_node_exists(c->sys, device->node);
	return device->gone;
}

static struct drm_client *find_client(struct drm_clients *c, unsigned device, uint64_t id, unsigned *at)
{
	struct drm_client *all = c->clients, *found;

	*at = search_first(c->n, i,
			   all[i].device > device || (all[i].device == device && all[i].info.client >= id));
	found = &all[*at];
	return *at < c->n && found->device == device && found->info.client == id ? found : NULL;
}

/* A count that steps back, or by more than is possible, tells nothing. Each file is read at its own
 * time, which may be some ten milliseconds after the round began: its counts, over own_ns, are
 * scaled to the time between the two rounds. */
static uint64_t used_between(const struct drm_clients *c, int64_t own_ns, uint64_t before, uint64_t now)
{
	int64_t round_ns = c->begin_ns ? c->end_ns - c->begin_ns : 0;

	if (before == SAMPLE_UNKNOWN || now == SAMPLE_UNKNOWN || now < before || now - before > DELTA_MAX)
		return SAMPLE_UNKNOWN;
	return own_ns <= 0 || round_ns <= 0 || own_ns == round_ns
		       ? now - before
		       : (uint64_t)((double)(now - before) * (double)round_ns / (double)own_ns + 0.5);
}

/* Whether a client that is seen for the first time was opened after since_ns: else it cannot have
 * used so much. */
static bool is_fresh(const struct drm_fdinfo *info, int64_t at_ns, int64_t since_ns)
{
	for (unsigned i = 0; i < info->n_engines; i++)
		if (info->engines[i].ns != SAMPLE_UNKNOWN &&
		    info->engines[i].ns / OVERLAP > (uint64_t)(at_ns - since_ns))
			return false;
	return since_ns && at_ns >= since_ns;
}

/* Its record from when another process had it, or a new one. */
static struct drm_client *add_client(struct drm_clients *c, const struct drm_holder *holder, uint64_t id,
				     unsigned at)
{
	struct drm_client added = {.device = holder->device};
	unsigned i = 0;

	while (i < c->n_left && (c->left[i].device != holder->device || c->left[i].info.client != id))
		i++;
	if (i < c->n_left) {
		added = c->left[i];
		c->left[i] = c->left[--c->n_left];
	}
	GROW(c->clients, c->n, c->cap);
	memmove(&c->clients[at + 1], &c->clients[at], (c->n++ - at) * sizeof(*c->clients));
	c->clients[at] = added;
	return &c->clients[at];
}

static void take_client(struct drm_clients *c, struct drm_holder *holder, const struct drm_fdinfo *info,
			int64_t at_ns)
{
	static const struct drm_engine none = {.ns = 0, .cycles = 0};
	unsigned at;
	struct drm_client *client = find_client(c, holder->device, info->client, &at), before;
	int64_t own_ns;
	bool fresh;

	holder->client = info->client;
	if (client && client->round == c->round)
		return;
	if (!client)
		client = add_client(c, holder, info->client, at);
	before = *client;
	client->info = *info;
	client->pid = holder->pid;
	client->round = c->round;
	client->at_ns = at_ns;
	fresh = !before.round && is_fresh(info, at_ns, holder->since_ns);
	own_ns = fresh ? 0 : at_ns - before.at_ns;
	for (unsigned i = 0; i < info->n_engines; i++) {
		const struct drm_engine *now = &info->engines[i],
					*e = fresh ? &none : drm_fdinfo_engine(&before.info, now->name);

		client->ns[i] = used_between(c, own_ns, e ? e->ns : SAMPLE_UNKNOWN, now->ns);
		client->cycles[i] = used_between(c, own_ns, e ? e->cycles : SAMPLE_UNKNOWN, now->cycles);
	}
}

static bool read_fdinfo(struct drm_clients *c, const struct drm_holder *holder, struct drm_fdinfo *info,
			int64_t *at_ns)
{
	struct drm_clients_device *device = &c->devices[holder->device];
	char path[48], text[TEXT];
	int fd;
	ssize_t n;

	if (is_gone(c, device))
		return false;
	snprintf(path, sizeof(path), "proc/%d/fdinfo/%d", holder->pid, holder->fd);
	fd = c->sys->open(c->sys, path, O_RDONLY);
	if (fd < 0)
		return false;
	*at_ns = c->sys->monotonic_ns(c->sys);
	n = sys_reread(c->sys, fd, text, sizeof(text));
	*at_ns += (c->sys->monotonic_ns(c->sys) - *at_ns) / 2;
	c->sys->close(c->sys, fd);
	while (n == (ssize_t)sizeof(text) - 1 && n && text[n - 1] != '\n')
		n--; /* half a line would be another number */
	return n > 0 && drm_fdinfo_parse(info, (struct span){text, (size_t)n}) &&
	       strcmp(info->driver, device->driver) == 0;
}

/* Returns false if the process has closed the file. One that cannot be read now may still be there:
 * what its client uses is unknown until it can. */
static bool read_holder(struct drm_clients *c, struct drm_holder *holder)
{
	struct drm_client *client;
	struct drm_fdinfo info;
	int64_t at_ns;
	unsigned at;

	client = find_client(c, holder->device, holder->client, &at);
	if (client && client->round == c->round)
		return true; /* read already, through another file */
	errno = 0;
	if (read_fdinfo(c, holder, &info, &at_ns)) {
		take_client(c, holder, &info, at_ns);
		holder->since_ns = at_ns;
		return true;
	}
	if (!client || !errno || errno == ENOENT || errno == ESRCH)
		return false;
	client->round = c->round;
	memset(client->ns, 0xff, sizeof(client->ns)); /* SAMPLE_UNKNOWN */
	memset(client->cycles, 0xff, sizeof(client->cycles));
	return true;
}

static void scale_use(uint64_t *used, double scale)
{
	if (*used != SAMPLE_UNKNOWN)
		*used = (uint64_t)((double)*used * scale + 0.5);
}

/* Those that were not read have left; those that left long ago are forgotten. `scale`: this window
 * by the one before. */
static void part_clients(struct drm_clients *c, double scale)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n_left; i++)
		if (c->end_ns - c->left[i].at_ns < LEFT_NS)
			c->left[n++] = c->left[i];
	c->n_left = n;
	n = 0;
	for (unsigned i = 0; i < c->n; i++) {
		struct drm_client *client = &c->clients[i];

		if (client->round == c->round) {
			c->clients[n++] = *client;
			continue;
		}
		for (unsigned k = 0; k < client->info.n_engines; k++) {
			scale_use(&client->ns[k], scale);
			scale_use(&client->cycles[k], scale);
		}
		client->round = c->round;
		GROW(c->left, c->n_left, c->cap_left);
		c->left[c->n_left++] = *client;
	}
	c->n = n;
}

void drm_clients_read(struct drm_clients *c, int64_t now_ns)
{
	int64_t before_ns = c->begin_ns ? c->end_ns - c->begin_ns : 0;
	unsigned n = 0;

	c->begin_ns = c->round ? c->end_ns : 0;
	c->end_ns = now_ns;
	c->round++;
	look_at_processes(c, now_ns);
	for (unsigned i = 0; i < c->n_devices; i++)
		is_gone(c, &c->devices[i]);
	for (unsigned i = 0; i < c->n_holders; i++)
		if (read_holder(c, &c->holders[i]))
			c->holders[n++] = c->holders[i];
	c->n_holders = n;
	part_clients(c, before_ns > 0 ? (double)(now_ns - c->begin_ns) / (double)before_ns : 0);
}
