/* session: what live, --once and record have in common: the data, the opened sources with their
 * metrics, the sampler, and the handling of lost devices.
 *
 * session.c opens and closes a session, session_life.c handles its events, session_count.c counts
 * one process alone. session_log.c makes a session of a log: its sources have metrics, but no
 * sampler and no events.
 */
#ifndef MALITOP_SESSION_H
#define MALITOP_SESSION_H

#include "session/opener.h"
#include "options/options.h"
#include "session/devices.h"
#include "session/sampler.h"
#include "model/metric_mix.h"
#include "mlog/mlog.h"
#include "model/template.h"
#include "model/watch.h"

#include <sys/types.h>

#define SESSION_SOURCES_MAX 16

/* Why a source delivers no samples. AWAY_GONE and AWAY_FAILED are retried every
 * SESSION_RETRY_NS. */
enum session_away {
	AWAY_NOT,
	AWAY_GONE,     /* the device is gone */
	AWAY_ENDED,    /* the process has ended; its pid may be reused */
	AWAY_FAILED,   /* it failed to start, perhaps because another profiler uses it */
	AWAY_CHANGED,  /* a different GPU came back in its place */
	AWAY_SILENT,   /* its driver does not answer: not retried before it does */
	AWAY_ASIDE,    /* the machine's CPU events, paused while one process is counted alone */
	AWAY_PAUSED,   /* the user wants the GPU to be left alone */
	AWAY_RESTS,    /* it is not shown or logged, and measuring would keep it powered */
	AWAY_SWITCHED, /* it is opened again with the kernel's profiling switch in its other position */
	AWAY_TURNED,   /* another source is the same device: with or without its counters */
	AWAY_IN_LOG,   /* it was away at the time of the log that is shown */
};
#define SESSION_RETRY_NS 3000000000ll

/* What the ui knows of a source after the sampler has taken it. It stays when the device goes, and
 * is the same when the device is back. */
struct session_source {
	const struct backend *backend;
	char device[128], interface[32]; /* to open it again */
	enum source_kind kind;
	char title[64], driver[64], note[640];
	bool simulated, keeps_powered;
	unsigned n_slots, n_sums, n_more;
	struct source_constants constants;
	const struct gpu_product *product;
	struct metric_set *set;
	uint32_t index;                       /* in the sampler */
	int64_t asked_ns;                     /* requested interval */
	bool requested;                       /* by the user; false: it is the default */
	int64_t period_ns;                    /* true interval; 0 until it has started */
	int64_t reported_ns, reported_for_ns; /* the interval that the user knows of, for this asked_ns */
	bool reported_slow;                   /* there was a line about it */
	unsigned n_strays; /* reports of yet another one (SAMPLER_PACE), one after the other */
	enum session_away away;
	int64_t retry_ns;    /* when it is retried */
	struct strbuf about; /* its last description, and when that was read; 0 for never */
	int64_t described_ns;
	char reported[256];              /* last message about it, so that no message is repeated */
	char silence[32];                /* AWAY_SILENT: "silent for 12 s" */
	bool paused;                     /* AWAY_PAUSED or AWAY_RESTS: not retried before that ends */
	unsigned epoch;                  /* changes when the source measures something else */
	struct source_priority priority; /* asked for since it was started */
};

/* Definitions, and the metrics of the sources by them. */
struct session_data {
	struct gpudb *db;
	struct metric_set *sets[SESSION_SOURCES_MAX];
	unsigned n;
	struct metric_mix *mix; /* NULL: there is nothing to mix */
};

struct session {
	const struct sys *sys;
	const struct options *options;
	struct gpudb *db;
	struct source_options what;
	bool has_past; /* of simulated sources, which was not taken yet: subscribers need room for it */
	struct metric_needs needs; /* CPU events that are needed */
	struct opener *opener;     /* opens all devices at first, later one again; else NULL */
	struct opening *opening;
	struct sampler *sampler;      /* NULL in a log */
	const struct mlog_about *log; /* NULL when measuring */
	struct session_source sources[SESSION_SOURCES_MAX];
	unsigned n;
	struct session_source *gpu;     /* the GPU on the screen; NULL if there is none */
	struct metric_mix *mix;         /* of the shown sources; NULL: there is nothing to mix */
	struct session_source mixed;    /* as a source, which has no samples; set NULL without a mix */
	struct metric_mix **past_mixes; /* of other GPUs: a screen may still refer to them */
	unsigned n_past_mixes, cap_past_mixes;
	double fps; /* for frame budgets; 0 if unknown */
	struct dimensions resolution;
	struct template_view templ;   /* of `gpu`; empty without one */
	struct sample_filter *filter; /* of record/recorder.h, for recordings; NULL: all samples */

	/* One process or thread that is counted alone (session_count.c): */
	struct session_source *picked; /* its source; NULL before the first */
	bool counting;                 /* its events are shown as the CPU events */
	bool wants_count;              /* it has to be opened */
	unsigned n_asked;              /* requests so far */
	struct scope wanted;
	/* Of the last session_event: the mark that a measured program has set; time_ns 0: none. */
	struct source_mark mark;
	bool rests;         /* session_rest */
	bool keeps_sources; /* a log or a report is made of these sources: none may turn */
	unsigned changes;   /* how often the shown sources changed; views and histories follow this */

	struct session_data *retired; /* data that a reload replaced (session_reload.c) */
	unsigned n_retired, cap_retired;

	struct strbuf notes;  /* lines for the user */
	struct strbuf no_gpu; /* as registry_result has it; empty once the user has read it */
};

/* Load the data and start opening the sources on an opener thread. `held` is the process that will
 * be CMD, 0 without one. `per_instance` asks sources for every core and CPU. `sys` and `options`
 * must live as long as the process, because a driver call that never returns uses them. On failure
 * everything is freed. */
bool session_begin(struct session *session, const struct sys *sys, const struct options *options, pid_t held,
		   bool per_instance, struct err *err);
/* Readable once session_finish need not wait. */
int session_opening_fd(const struct session *session);
/* Take the opened sources, compile their metrics and hand them to a sampler. On failure everything
 * is freed. */
bool session_finish(struct session *session, struct err *err);
/* session_begin and session_finish in one. */
bool session_open(struct session *session, const struct sys *sys, const struct options *options, pid_t held,
		  bool per_instance, struct err *err);
/* Make a session of the sources of a log, in their order there; the index of each is its number in
 * the log. It shares the definitions of `db`; NULL loads them. `about` must live as long as the
 * session. On failure nothing is left behind. */
bool session_open_log(struct session *session, const struct sys *sys, const struct options *options,
		      const struct mlog_about *about, const struct gpudb *db, struct err *err);
/* Whether all sources were of processes that have ended, so that no sample can follow. */
bool session_has_ended(const struct session *session);
/* Whether it delivers nothing although it should: its device is gone, hangs, has changed, or cannot
 * be started. */
bool session_is_lost(const struct session_source *source);
/* Print the notes to standard error, for commands without a screen. `about` precedes each line, or
 * is NULL. */
void session_report_notes(const struct session *session, const char *about);
/* Close at any time after session_begin. Never waits for a device to open. Waits less than a second
 * for a device that does not answer, and then reports it on standard error. */
void session_close(struct session *session);

/* Load the data again, with the metrics of all sources; the session does not change. Products and
 * layouts stay those of the start. false: an error with file and line, and nothing to free. */
bool session_load(const struct session *session, struct session_data *data, struct err *err);
void session_data_fini(struct session_data *data);
/* The metrics of what would be shown with these data. */
void session_data_sets(const struct session *session, const struct session_data *data,
		       const struct metric_set *sets[SOURCE_KINDS]);
/* Use them from now on; everything that was made of the old sets has to be made again.
 * The old data live until session_forget_data, because a recorder may still use
 * them. */
void session_adopt(struct session *session, struct session_data *data);
void session_forget_data(struct session *session);

/* The source of a kind that is on the screen; NULL if there is none. If there are several GPUs, the
 * chosen one, at first the one of --device. */
struct session_source *session_shown(struct session *session, enum source_kind kind);
/* Number of GPUs; *shown counts from 1. */
unsigned session_gpus(const struct session *session, unsigned *shown);
/* Show the next GPU, cyclically. Returns false if there is no other. */
bool session_next_gpu(struct session *session);
/* Wait, but not for long, until all sources have started or failed, so that their true intervals
 * are known. Messages are added to the notes. */
void session_settle(struct session *session);
/* Handle the next event and retry lost devices; call this at least once a second. Returns false
 * when there are no more events. *text gets a line for the user, "" for none. Never waits for a
 * device. */
bool session_event(struct session *session, int64_t now_ns, char *text, size_t size);
/* Count and show the CPU events of this process or thread alone, instead of the machine's; NULL
 * returns to the machine. session_event reports the result. */
void session_count(struct session *session, const struct scope *scope);
/* Show the frames of this process as long as it has any, 0: of the one that renders most,
 * SOURCE_NEXT_PROCESS: of the next one. */
void session_choose_frames(struct session *session, pid_t pid);
/* Whether one is counted alone, or is being opened for that. */
bool session_is_counting(const struct session *session);
/* Whether there is a source of CPU events. */
bool session_can_count(struct session *session);
/* "gone, trying again", "silent for 12 s"; NULL for a source that is not away. */
const char *session_away_text(const struct session_source *source);
/* Add the description of a source to *text: backend->describe, called at most once a second. Adds
 * nothing in a log. */
void session_describe(const struct session *session, struct session_source *source, int64_t now_ns,
		      struct strbuf *text);
/* Have it measure these slots as exactly as can be (backend->prefer). */
void session_prefer(struct session *session, struct session_source *source,
		    const struct source_priority *priority);
/* Stop measuring the GPU on the screen (`gpu` must not be NULL), so that it may sleep, or go on. */
void session_pause_gpu(struct session *session, bool pause);
bool session_gpu_is_paused(const struct session *session);
/* Stop measuring all devices that measuring keeps powered, as they are not shown, or go on. No
 * effect if that is so already. What the user has paused stays paused. */
void session_rest(struct session *session, bool rest);
/* Make the kernel time the queues of that GPU, or stop it (source_options.profiling). */
void session_profile(struct session *session, bool on);
/* Change the sampling interval. */
void session_set_interval(struct session *session, struct session_source *source, int64_t interval_ns);
/* A watch over the sources as they are now; NULL if this command judges nothing. */
struct watch *session_watch(const struct session *session);
/* Attach a subscriber for all sources, with these parts (enum subscriber_part). Its rings hold 4
 * s at the requested intervals. */
struct subscriber *session_subscriber(struct session *session, unsigned parts);

#endif
