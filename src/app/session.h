/* session: everything that live, --once and record have in common: the data, the opened sources with their metrics, the sampler. */
#ifndef MALITOP_SESSION_H
#define MALITOP_SESSION_H

#include "app/opener.h"
#include "app/options.h"
#include "app/registry.h"
#include "app/sampler.h"
#include "model/metric.h"
#include "model/template.h"

#define SESSION_SOURCES_MAX 16

/* What the ui keeps of a source after the sampler has taken it: nothing here changes or goes away when the device does. */
struct session_source {
	enum source_kind kind;
	char title[64], driver[64];
	bool simulated;
	double top_hz;
	unsigned n_slots, n_sums;
	struct source_constants constants;
	const struct gpu_product *product;
	struct metric_set *set;
	uint32_t index;    /* in the sampler */
	int64_t period_ns; /* true interval, 0 until it started */
	bool gone;
};

struct session {
	const struct sys *sys;
	const struct options *options;
	struct gpudb *db;
	struct opener *opener; /* while devices are being opened */
	struct opening *opening;
	struct sampler *sampler;
	struct session_source sources[SESSION_SOURCES_MAX];
	unsigned n;
	struct template_view templ; /* of the first GPU; empty without one */
	struct strbuf notes;        /* lines for the user */
};

/* Load the data and begin to open the sources, on a thread of the opener. `per_instance` asks sources for every core and CPU. sys and
 * options must live as long as the process: a driver that never returns keeps them. On failure nothing is left behind. */
bool session_begin(struct session *session, const struct sys *sys, const struct options *options, bool per_instance,
		   struct err *err);
/* Readable when session_finish need not wait. */
int session_opening_fd(const struct session *session);
/* Take the opened sources, compile their metrics and hand them to a sampler. On failure nothing is left behind. */
bool session_finish(struct session *session, struct err *err);
/* All that in one. */
bool session_open(struct session *session, const struct sys *sys, const struct options *options, bool per_instance,
		  struct err *err);
/* At any time after session_begin; never waits for a device to open. */
void session_close(struct session *session);

/* The first source of a kind, NULL if there is none. */
struct session_source *session_first(struct session *session, enum source_kind kind);
/* Take in what the sampler tells. Returns false when there is nothing more; a line for the user goes to *text, "" for none. */
bool session_event(struct session *session, char *text, size_t size);
/* A ring for all sources, attached. */
struct ring *session_ring(struct session *session, int64_t interval_ns, bool instances);

#endif
