/* devices: open the devices that the options ask for, one source each. */
#ifndef MALITOP_DEVICES_H
#define MALITOP_DEVICES_H

#include "options/options.h"
#include "backends/backend.h"

/* Opened sources, and a line for each device that could not be opened. */
struct devices {
	struct source **sources;
	unsigned n, cap;
	struct strbuf notes;  /* lines for the user, may be empty */
	struct strbuf no_gpu; /* why there is no GPU, as view_data.notice; empty if none was looked for */
};
void devices_fini(struct devices *d); /* closes and frees the sources; set n = 0 to keep them */

/* Open every source that the options ask for: --backend, --demo, or without them every device that
 * is found, never sim. A device that cannot be opened is a note. It is an error if --device named
 * it, or if --backend named its backend and no device of that backend opens. In record and stat,
 * --device is the only GPU; elsewhere the other GPUs are opened, too. If there is no GPU, a note
 * lists the drivers that were looked for, except in `stat` of a command, a process, a thread or
 * some CPUs. `what` is copied into the sources. */
bool devices_open(const struct sys *sys, const struct options *options, const struct source_options *what,
		  struct devices *d, struct err *err);
/* Append the nodes of the GPUs that are there now and that the options ask for: "/dev/mali0 ". */
void devices_nodes(const struct sys *sys, const struct options *options, struct strbuf *nodes);
/* The reader of the processes of a device that the options ask for; NULL for those of this
 * machine. */
const struct process_reader *devices_processes(const struct options *options);

/* Whether a source is the GPU that --device names. A device of NULL matches every GPU; a GPU
 * without a node (a simulated one) matches every device. */
bool source_is_device(enum source_kind kind, const char *node, const char *device);

/* Open one device, for the first time or again. Returns NULL on failure. */
struct source *source_open(const struct sys *sys, const struct backend *backend,
			   const struct source_options *what, const char *device, struct err *err);
/* The same without what another program has of the device: by the interface backend->shared. */
struct source *source_open_free(const struct sys *sys, const struct backend *backend,
				const struct source_options *what, const char *device, struct err *err);
void source_free(struct source *source); /* call backend->close first; NULL is fine */

#endif
