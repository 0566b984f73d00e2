/* session: everything that live, --once and record have in common: the data, the opened sources with their metrics, the sampler, and
 * what becomes of a source whose device goes.
 *
 * session.c begins and ends one; session_life.c is what happens between; session_count.c counts a process alone meanwhile. A session can
 * be of a log as well (session_log.c): its sources have their metrics, but no sampler, and nothing happens to them.
 */
#ifndef MALITOP_SESSION_H
#define MALITOP_SESSION_H

#include "session/opener.h"
#include "options/options.h"
#include "backends/registry.h"
#include "session/sampler.h"
#include "model/metric.h"
#include "mlog/mlog.h"
#include "model/template.h"

#define SESSION_SOURCES_MAX 16

/* Why a source gives no samples. Those that may come back are tried again every SESSION_RETRY_NS. */
enum session_away {
	AWAY_NOT,
	AWAY_GONE,    /* the device is gone */
	AWAY_FAILED,  /* it would not start: another profiler has it, say */
	AWAY_CHANGED, /* another GPU came back in its place */
	AWAY_ASIDE,   /* the machine's CPU events, while a process is counted alone */
	AWAY_IN_LOG,  /* it was away at the moment of a log that is shown */
};
#define SESSION_RETRY_NS 3000000000ll

/* What the ui keeps of a source after the sampler has taken it: it stays when the device goes, and is the same when it is back. */
struct session_source {
	const struct backend *backend;
	char device[128], interface[32]; /* to open it again */
	enum source_kind kind;
	char title[64], driver[64], note[256];
	bool simulated;
	double top_hz;
	unsigned n_slots, n_sums;
	struct source_constants constants;
	const struct gpu_product *product;
	struct metric_set *set;
	uint32_t index;    /* in the sampler */
	int64_t asked_ns;  /* interval that was asked for */
	int64_t period_ns; /* true interval, 0 until it started */
	enum session_away away;
	int64_t retry_ns; /* when it is tried again */
	char told[256];   /* what was said of it last, so that nothing is said twice */
	unsigned epoch;   /* another one: what was measured before is of something else */
};

struct session {
	const struct sys *sys;
	const struct options *options;
	struct gpudb *db;
	struct source_options what;
	struct opener *opener; /* while devices are being opened, at first all of them, then one that was lost */
	struct opening *opening;
	struct sampler *sampler;      /* NULL: of a log */
	const struct mlog_about *log; /* NULL: live */
	struct session_source sources[SESSION_SOURCES_MAX];
	unsigned n;
	struct session_source *gpu; /* the one on the screen; NULL without any */
	double fps;                 /* what frame budgets are made of; 0: unknown */
	struct dimensions resolution;
	struct template_view templ; /* of that one; empty without it */

	/* Of one process or thread that is counted alone (session_count.c): */
	struct session_source *picked; /* its seat; NULL before the first */
	bool counting;                 /* it is what is shown of CPU events */
	bool wants_count;              /* it is to be opened */
	unsigned n_asked;              /* requests so far */
	struct scope wanted;
	unsigned changes; /* what is shown of sources changed so often: views and histories follow */

	struct strbuf notes; /* lines for the user */
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
/* The sources of a log, in their order there, each with its number in the log as its index. `about` must live as long as the session. On
 * failure nothing is left behind. */
bool session_open_log(struct session *session, const struct sys *sys, const struct options *options,
		      const struct mlog_about *about, struct err *err);
/* The notes, a line each, to standard error, where there is no screen; about: what they are of, or NULL. */
void session_tell_notes(const struct session *session, const char *about);
/* At any time after session_begin; never waits for a device to open. */
void session_close(struct session *session);

/* The source of a kind that is on the screen, NULL if there is none: of several GPUs the one chosen, at first that of --device. */
struct session_source *session_shown(struct session *session, enum source_kind kind);
/* How many GPUs there are; *shown counts from 1. */
unsigned session_gpus(const struct session *session, unsigned *shown);
/* The next GPU, round and round. false if there is no other. */
bool session_next_gpu(struct session *session);
/* Wait until all sources have started or failed to, but not for long: then their true intervals are known. What there is to say is
 * added to the notes. */
void session_settle(struct session *session);
/* Take in what the sampler tells, and try lost devices again; at least once a second. Returns false when there is nothing more; a line
 * for the user goes to *text, "" for none. Never waits for a device. */
bool session_event(struct session *session, int64_t now_ns, char *text, size_t size);
/* Count the CPU events of this process or thread alone, beside those of the machine, and show them; NULL: of the machine again. What
 * comes of it, session_event tells. */
void session_count(struct session *session, const struct scope *scope);
/* One is counted alone, or is about to be. */
bool session_is_counting(const struct session *session);
/* Whether there is anything to count with. */
bool session_can_count(struct session *session);
/* "gone, trying again"; NULL for a source that is there. */
const char *session_away_text(const struct session_source *source);
/* What a source says of itself (backend->describe); nothing in a log. */
void session_describe(const struct session *session, const struct session_source *source, struct strbuf *text);
/* Sample it with another interval. */
void session_set_interval(struct session *session, struct session_source *source, int64_t interval_ns);
/* A ring for all sources, attached: for 4 s at the intervals asked for. */
struct ring *session_ring(struct session *session, bool instances);

#endif
