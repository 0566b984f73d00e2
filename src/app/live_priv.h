/* live_priv: the state of the live screen; live.c is its loop, live_keys.c what keys do. For these two only. */
#ifndef MALITOP_LIVE_PRIV_H
#define MALITOP_LIVE_PRIV_H

#include "app/alerts.h"
#include "app/recorder.h"
#include "app/scanner.h"
#include "app/screen.h"
#include "app/term.h"

struct live {
	const struct sys *sys;
	const struct options *options;
	struct session session;
	struct feeds feeds;
	struct screen screen;
	struct term *term;
	struct canvas canvas;
	struct recorder *recorder;
	struct scanner *scanner; /* of processes */
	struct alerts alerts;
	int64_t start_ns, next_step_ns;
	char before_counters[2]; /* digit of the view */
	bool has_instances;      /* the sources deliver every core */
	unsigned changes;        /* of the session, as they were followed */
	bool help, dirty, end;
	int signal;
};

/* A key that was pressed. */
void live_key(struct live *l, uint32_t key);

#endif
