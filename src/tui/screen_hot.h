/* screen_hot: the data of the view Hot: the functions in the samples of the last half minute up to
 * the shown time, or of the range. Thread: ui. */
#ifndef MALITOP_SCREEN_HOT_H
#define MALITOP_SCREEN_HOT_H

#include "model/process.h"
#include "tui/feeds.h"
#include "views/hot.h"

#define SCREEN_HOT_NS 30000000000ll

/* Zero-initialize it. It is rebuilt only if there is new data to show. */
struct screen_hot {
	struct hot_profile profile;
	struct hot_table table;
	struct hot_shown shown;
	struct hot_scope scope; /* of what is shown */
	char whose[80];         /* "game (5207)"; "": all processes */
	bool late;              /* only samples inside late frames */
	char label[128];        /* scope and `late` in words */
	double fps;             /* wanted rate, which decides which frames are late */
	struct hot_past past;
	uint64_t n; /* samples received when it was built */
	int64_t from_ns, to_ns;
	bool made;
};

/* Returns NULL if no source samples functions. */
const struct hot_shown *screen_hot_make(struct screen_hot *hot, const struct feeds *feeds, bool past);
/* Show the functions of the process of the selected row (0: the first row), then of its thread,
 * then of all. */
void screen_hot_next_scope(struct screen_hot *hot, uint64_t item);
/* Show only samples inside late frames: those over the budget or, if these are the majority, the
 * slowest 5 %; or show all again. */
void screen_hot_turn_late(struct screen_hot *hot);
/* Show the functions of a process and its threads. */
void screen_hot_of_process(struct screen_hot *hot, const struct process *process);
/* Get the function that a thread ran most in the last seconds before that time: "62 % in
 * Physics::step", of its own samples. "" if it was not sampled, or too rarely. */
void screen_hot_code(const struct feeds *feeds, int32_t tid, int64_t end_ns, char *text, size_t size);
void screen_hot_fini(struct screen_hot *hot);

#endif
