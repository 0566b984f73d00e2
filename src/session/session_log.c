#include "session/session_priv.h"

#include <stdio.h>
#include <string.h>

/* Restore a source as its backend opened it; it has no backend now. */
static bool take_log_source(struct session *session, const struct mlog_source *log, struct err *err)
{
	struct session_source *mine = &session->sources[session->n];
	struct source source = {
		.kind = log->kind,
		.product = log->product[0] ? gpudb_by_name(session->db, log->product) : NULL,
		.constants = log->constants,
		.slots = log->slots,
		.n_slots = log->n_slots,
		.n_sums = log->n_sums,
		.simulated = log->simulated,
	};

	snprintf(source.device, sizeof(source.device), "%s", log->device);
	snprintf(source.title, sizeof(source.title), "%s", log->title);
	snprintf(source.driver, sizeof(source.driver), "%s", log->driver);
	snprintf(source.note, sizeof(source.note), "%s", log->note);
	if (log->kind == SOURCE_GPU)
		source.layout = source.product ? source.product->layout : gpudb_raw_layout(session->db);
	if (log->product[0] && !source.product)
		strbuf_printf(&session->notes,
			      "%s: unknown to this version of malitop: only its counters are shown\n",
			      log->product);
	if (!session_take_source(session, &source, err))
		return false;
	mine->index = (uint32_t)(mine - session->sources);
	mine->asked_ns =
		log->asked_ns > session->options->step_ns ? log->asked_ns : session->options->step_ns;
	mine->period_ns =
		log->period_ns > session->options->step_ns ? log->period_ns : session->options->step_ns;
	return true;
}

bool session_open_log(struct session *session, const struct sys *sys, const struct options *options,
		      const struct mlog_about *about, const struct gpudb *db, struct err *err)
{
	bool ok;

	*session = (struct session){.sys = sys,
				    .options = options,
				    .log = about,
				    .fps = options->fps > 0 ? options->fps : about->fps,
				    .resolution = options->resolution};
	if (!session->resolution.w)
		session->resolution = (struct dimensions){about->width, about->height};
	session->db = db ? gpudb_share(db) : gpudb_load(options->gpudb, options->n_gpudb, err);
	ok = session->db && options_budget(options, session->db, err);
	for (unsigned i = 0; ok && i < about->n_sources; i++)
		ok = take_log_source(session, &about->sources[i], err);
	if (ok) {
		session_show_first(session);
		ok = session_mix_first(session, err);
	}
	if (!ok)
		session_close(session);
	return ok;
}
