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
#define LOOK_FIRST_NS 1000000000 /* a program opens its nodes soon after its start */
#define LOOK_NS 4000000000
#define LOOK_SPREAD 8
#define HOLDERS_MAX 4096
#define TEXT 4096
#define DELTA_MAX ((uint64_t)1 << 52) /* more is no honest count */

void drm_clients_fini(struct drm_clients *c)
{
	free(c->clients);
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

static void add_holder(struct drm_clients *c, int32_t pid, int32_t fd, unsigned device)
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
	c->holders[at] =
		(struct drm_holder){.pid = pid, .fd = fd, .device = device, .client = SAMPLE_UNKNOWN};
	c->n_holders++;
}

/* Returns false if the process cannot be looked through. */
static bool look_through(struct drm_clients *c, int32_t pid)
{
	char path[32];
	unsigned device;
	int n;

	snprintf(path, sizeof(path), "proc/%d/fd", pid);
	n = c->sys->list_numbers(c->sys, path, &c->fds, &c->cap_fds);
	for (int i = 0; i < n; i++)
		if (find_device(c, pid, c->fds[i], &device))
			add_holder(c, pid, c->fds[i], device);
	return n >= 0 || (errno != EACCES && errno != EPERM);
}

static void look_when_due(struct drm_clients *c, struct drm_look *look, int64_t now_ns)
{
	if (now_ns < look->next_ns)
		return;
	look->hidden = !look_through(c, look->pid);
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

	for (int i = 0; i < n; i++, at++) {
		while (at < c->n_looks && c->looks[at].pid < c->pids[i])
			at++;
		if (at == c->n_looks || c->looks[at].pid != c->pids[i]) {
			GROW(c->looks, c->n_looks, c->cap_looks);
			memmove(&c->looks[at + 1], &c->looks[at], (c->n_looks++ - at) * sizeof(*c->looks));
			c->looks[at] = (struct drm_look){.pid = c->pids[i]};
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

static void take_client(struct drm_clients *c, struct drm_holder *holder, const struct drm_fdinfo *info,
			int64_t at_ns)
{
	unsigned at;
	struct drm_client *client = find_client(c, holder->device, info->client, &at), before;

	holder->client = info->client;
	if (client && client->round == c->round)
		return;
	if (!client) {
		GROW(c->clients, c->n, c->cap);
		client = &c->clients[at];
		memmove(client + 1, client, (c->n++ - at) * sizeof(*client));
		*client = (struct drm_client){.device = holder->device};
	}
	before = *client;
	client->info = *info;
	client->pid = holder->pid;
	client->round = c->round;
	client->at_ns = at_ns;
	for (unsigned i = 0; i < info->n_engines; i++) {
		const struct drm_engine *now = &info->engines[i],
					*e = drm_fdinfo_engine(&before.info, now->name);

		client->ns[i] = used_between(c, at_ns - before.at_ns, e ? e->ns : SAMPLE_UNKNOWN, now->ns);
		client->cycles[i] =
			used_between(c, at_ns - before.at_ns, e ? e->cycles : SAMPLE_UNKNOWN, now->cycles);
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

/* Returns false if the process has closed the file. */
static bool read_holder(struct drm_clients *c, struct drm_holder *holder)
{
	struct drm_client *client;
	struct drm_fdinfo info;
	int64_t at_ns;
	unsigned at;

	client = find_client(c, holder->device, holder->client, &at);
	if (client && client->round == c->round)
		return true; /* read already, through another file */
	if (!read_fdinfo(c, holder, &info, &at_ns))
		return false;
	take_client(c, holder, &info, at_ns);
	return true;
}

void drm_clients_read(struct drm_clients *c, int64_t now_ns)
{
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
	n = 0;
	for (unsigned i = 0; i < c->n; i++)
		if (c->clients[i].round == c->round)
			c->clients[n++] = c->clients[i];
	c->n = n;
}
