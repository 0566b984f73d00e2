/* drm_clients: the programs that use a GPU through DRM, from /proc: what each has used of the GPU's
 * queues and memory. Not a backend: the backends of the open drivers, and the list of processes,
 * use it.
 *
 * A client is one open file of a node. It is counted once, with the process of the lowest pid that
 * holds it, however often it was dup'ed or inherited. Other users' processes cannot be read without
 * rights; they are counted. Looking for files costs most, so a process is looked through each time
 * in its first ten seconds, and then every four seconds, spread over time; the files that were
 * found are read each time.
 *
 * What a client has used since it opened the node is of this window if its process did not have it
 * when it was looked through last. What it used after the last read before it closed is lost: then
 * it has left, with its use of the window before.
 *
 * Thread: one at a time. */
#ifndef MALITOP_DRM_CLIENTS_H
#define MALITOP_DRM_CLIENTS_H

#include "backends/drm/drm_node.h"
#include "base/str.h"
#include "model/sample.h"

/* drm_fdinfo: the text of /proc/PID/fdinfo/FD of an open render node, in the common format of DRM
 * drivers: "drm-engine-fragment:\t123 ns". Its contents are not trusted.
 *
 * Thread: any.
 */

#define DRM_ENGINES_MAX 4
#define DRM_ENGINE_NAME 16

struct drm_engine {
	char name[DRM_ENGINE_NAME]; /* "vertex-tiler": letters, digits and '-' */
	/* SAMPLE_UNKNOWN if there is no such line: */
	uint64_t ns;     /* busy since the client opened the node */
	uint64_t cycles; /* likewise */
	uint64_t hz;
};

struct drm_fdinfo {
	char driver[DRM_ENGINE_NAME];
	uint64_t client; /* equal numbers of a device are the same open file, dup'ed or inherited */
	/* Bytes, SAMPLE_UNKNOWN if there is no such line: */
	uint64_t total, resident, internal; /* internal: the driver's own, for the client (Panthor) */
	struct drm_engine engines[DRM_ENGINES_MAX];
	unsigned n_engines;
};

/* Returns false if the text names no driver or no client. Unknown lines, malformed numbers, and
 * engines beyond DRM_ENGINES_MAX are skipped. */
bool drm_fdinfo_parse(struct drm_fdinfo *info, struct span text);
/* Bytes that the client has in memory; SAMPLE_UNKNOWN if that is not reported. */
uint64_t drm_fdinfo_bytes(const struct drm_fdinfo *info);
/* NULL if the client has no engine of that name. */
const struct drm_engine *drm_fdinfo_engine(const struct drm_fdinfo *info, const char *name);

#define DRM_CLIENT_DEVICES 4

struct drm_client {
	unsigned device;        /* position in drm_clients.devices */
	int32_t pid;            /* the lowest that holds it */
	struct drm_fdinfo info; /* the last read */
	/* Used between the last two reads, in the order of info.engines, and as much as it would be
	 * from begin_ns to end_ns; SAMPLE_UNKNOWN if that is not reported, or was not read in
	 * between although it may have been there. */
	uint64_t ns[DRM_ENGINES_MAX], cycles[DRM_ENGINES_MAX];
	unsigned round; /* of the last read */
	int64_t at_ns;  /* likewise */
};

struct drm_clients {
	const struct sys *sys;
	struct drm_clients_device {
		char driver[DRM_ENGINE_NAME], node[DRM_ENGINE_NAME];
		bool watched, gone; /* sysfs had the node; and has it no more */
		unsigned minors[DRM_MINORS_MAX], n_minors;
	} devices[DRM_CLIENT_DEVICES];
	unsigned n_devices;
	struct drm_client *clients; /* by device, then by number */
	unsigned n, cap;
	struct drm_client *left; /* closed in the last seconds; of this window if `round` is that of now */
	unsigned n_left, cap_left;
	unsigned n_hidden;        /* processes that cannot be looked through */
	int64_t begin_ns, end_ns; /* of what was used; begin 0: the first read */

	/* Its own: */
	struct drm_holder {
		int32_t pid, fd;
		unsigned device;
		uint64_t client;
		int64_t since_ns; /* it did not have another client then; 0: unknown */
	} * holders;              /* by pid */
	unsigned n_holders, cap_holders;
	struct drm_look {
		int32_t pid;
		bool hidden;
		unsigned round;   /* in which it was there */
		int64_t since_ns; /* of the last look, or of the round before it was there; 0: unknown */
		int64_t young_ns; /* until then it is looked through in each round */
		int64_t next_ns, step_ns;
	} * looks; /* by pid */
	unsigned n_looks, cap_looks;
	int32_t *pids, *fds;
	unsigned cap_pids, cap_fds;
	unsigned round;
};

/* Zero-initialize it, with `sys`. */
void drm_clients_fini(struct drm_clients *c);
/* Count the clients of this node's device, too. Does nothing if there are too many. */
void drm_clients_add(struct drm_clients *c, const char *node, const char *driver);
/* Add all nodes of Mali GPUs. */
void drm_clients_find(struct drm_clients *c);
/* After the first read: this process is about to become a program, and is looked through as one
 * that has just begun. */
void drm_clients_expect(struct drm_clients *c, int32_t pid);
/* Read all clients. Takes some milliseconds on a machine with hundreds of processes. Grows its
 * tables only when there are more processes than ever before. */
void drm_clients_read(struct drm_clients *c, int64_t now_ns);

#endif
