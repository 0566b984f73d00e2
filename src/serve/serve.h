/* serve: the metrics of this machine over HTTP, for a Prometheus server: /metrics, /healthz and a
 * short page at /. doc/serve.md describes it.
 *
 * Everything runs on the main thread, which waits for connections, signals and time. The sampler
 * threads measure, and their rings hold 4 s for it.
 */
#ifndef MALITOP_SERVE_H
#define MALITOP_SERVE_H

#include "options/options.h"

/* Serve until --duration, SIGINT, SIGTERM or SIGHUP. Prints the address on standard error. Returns
 * the exit status. */
int serve_run(const struct sys *sys, struct options *options, struct err *err);

#endif
