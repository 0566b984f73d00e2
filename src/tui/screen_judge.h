/* screen_judge: the verdict and the findings of the shown sources. Thread: ui. */
#ifndef MALITOP_SCREEN_JUDGE_H
#define MALITOP_SCREEN_JUDGE_H

#include "model/watch.h"
#include "tui/feeds.h"
#include "views/frame.h"

struct screen_judge {
	struct judge *judge; /* NULL before screen_judge_follow */
	double *vectors[SOURCE_KINDS];
	int64_t at_ns;            /* end of the last step */
	bool jumps;               /* the steps are those before a jump target */
	struct judge_facts facts; /* facts of the last list of processes, and the end of its interval */
	int64_t facts_ns;
	int64_t facts_length_ns;        /* length of that interval */
	struct strbuf muted;            /* names of findings, blank-separated */
	struct judge_reported reported; /* changes of the verdict that were reported */
	char text[256], next[128];      /* texts of the rows */
	struct strbuf advice;           /* of the last drawn view */
};

/* Start judging the sources that the session shows now. Zero-initialize it first. */
void screen_judge_follow(struct screen_judge *j, const struct session *session);
void screen_judge_fini(struct screen_judge *j);
/* Take the busiest thread from a list. */
void screen_judge_processes(struct screen_judge *j, const struct process_list *list);
/* Judge the measurements until end_ns; 0: until now. */
void screen_judge_step(struct screen_judge *j, const struct feeds *feeds, int64_t end_ns);
/* If the verdict has changed since the last call, and not by a jump, get its new text. */
bool screen_judge_news(struct screen_judge *j, char text[JUDGE_NEWS_TEXT]);
/* Whether the user has muted the finding; change that. */
bool screen_judge_mutes(const struct screen_judge *j, const struct finding_def *def);
void screen_judge_mute(struct screen_judge *j, const struct finding_def *def, bool mute);
/* Return how many findings hold that are more than notes, without the muted ones. */
unsigned screen_judge_held(const struct screen_judge *j);
/* Fill the rows of a frame; the texts are valid until the next call. */
void screen_judge_rows(struct screen_judge *j, const struct views *views,
		       struct verdict_text rows[VERDICT_ROWS]);
/* Whether a list of words contains that name. */
bool screen_judge_names(struct span words, const char *name);
/* Return the first view that a finding names and this machine has; NULL if there is none. */
const struct view *screen_judge_look(const struct views *views, const struct finding_def *def);
/* Rank a finding under the current verdict. */
struct judge_rank screen_judge_rank(const struct screen_judge *j, const struct judged *f);
/* Compare findings: those that hold before those that ended, then by rank. */
bool screen_judge_before(const struct screen_judge *j, const struct judged *a, const struct judged *b);
/* What the findings say about one view, those that name it: fill the row of a frame with the
 * worst that holds, or that nothing was found, and j->advice with lines for view_data.advice. A
 * view that no finding names has neither. (screen_judge_view.c) */
void screen_judge_view(struct screen_judge *j, const struct view *view, struct verdict_text *row);

/* Fill the row of the Frame view: whether frames are late, the cause, and how much time must be
 * saved. Empty without frames. */
void screen_judge_frame(struct screen_judge *judge, const struct feed *feed, double fps,
			struct verdict_text *row);

#endif
