/* screen_hot: what the view Hot shows: the functions in the samples of the half minute before the
 * moment that is shown, or of the range. Thread: ui. */
#ifndef MALITOP_SCREEN_HOT_H
#define MALITOP_SCREEN_HOT_H

#include "model/process.h"
#include "tui/feeds.h"
#include "views/hot.h"

#define SCREEN_HOT_NS 30000000000ll

/* Zero-initialise it. It is made again only if there is something new to show. */
struct screen_hot {
	struct hot_profile profile;
	struct hot_table table;
	struct hot_shown shown;
	struct hot_scope scope; /* of what is shown */
	char whose[80];         /* "game (5207)"; "": of all */
	bool late;              /* only what was sampled inside late frames */
	char label[128];        /* both in words */
	double fps;             /* for what is late */
	struct hot_past past;
	uint64_t n; /* samples that had come when it was made */
	int64_t from_ns, to_ns;
	bool made;
};

/* NULL: nothing samples here. */
const struct hot_shown *screen_hot_make(struct screen_hot *hot, const struct feeds *feeds, bool past);
/* Show what the process of the selected row runs (0: the first row), then its thread alone, then
 * all. */
void screen_hot_next_scope(struct screen_hot *hot, uint64_t item);
/* Show only what ran inside late frames: those over the budget or, if they are most, the slowest
 * 5 %; or all time again. */
void screen_hot_turn_late(struct screen_hot *hot);
/* Show what a process runs, and its threads. */
void screen_hot_of_process(struct screen_hot *hot, const struct process *process);
/* What a thread ran most in the last seconds before that time: "62 % in Physics::step", of its own
 * samples. "" if it was not sampled, or too seldom. */
void screen_hot_code(const struct feeds *feeds, int32_t tid, int64_t end_ns, char *text, size_t size);
void screen_hot_fini(struct screen_hot *hot);

#endif
