/* screen_judge: the verdict and the findings of what the screen shows. Thread: ui. */
#ifndef MALITOP_SCREEN_JUDGE_H
#define MALITOP_SCREEN_JUDGE_H

#include "model/watch.h"
#include "tui/feeds.h"
#include "views/frame.h"

struct screen_judge {
	struct judge *judge; /* NULL before screen_judge_follow */
	double *vectors[SOURCE_KINDS];
	int64_t at_ns;            /* end of the last step */
	bool jumps;               /* the steps make up for a jump */
	struct judge_facts facts; /* of the last list of processes, and its end */
	int64_t facts_ns;
	int64_t facts_length_ns;        /* the interval that they are about */
	struct strbuf muted;            /* names of findings, blank-separated */
	struct judge_reported reported; /* changes of the verdict that were reported */
	char text[256], next[128];      /* of the rows */
	struct strbuf advice;           /* of the view drawn last */
};

/* Judge the sources that the session shows now, from nothing. Zero it first. */
void screen_judge_follow(struct screen_judge *j, const struct session *session);
void screen_judge_fini(struct screen_judge *j);
/* Take the busiest thread from a list. */
void screen_judge_processes(struct screen_judge *j, const struct process_list *list);
/* Judge what was measured until end_ns; 0: until now. */
void screen_judge_step(struct screen_judge *j, const struct feeds *feeds, int64_t end_ns);
/* The verdict has changed since the last call, but not by a jump: its new words. */
bool screen_judge_news(struct screen_judge *j, char text[JUDGE_NEWS_TEXT]);
/* Whether the user does not want to see it; change that. */
bool screen_judge_mutes(const struct screen_judge *j, const struct finding_def *def);
void screen_judge_mute(struct screen_judge *j, const struct finding_def *def, bool mute);
/* How many findings hold that are more than notes, without the muted ones. */
unsigned screen_judge_held(const struct screen_judge *j);
/* Fill the rows of a frame; the texts are valid until the next call. */
void screen_judge_rows(struct screen_judge *j, const struct views *views,
		       struct verdict_text rows[VERDICT_ROWS]);
/* Whether a list of words has that name. */
bool screen_judge_names(struct span words, const char *name);
/* The first view that a finding names and this machine has; NULL if it has none. */
const struct view *screen_judge_look(const struct views *views, const struct finding_def *def);
/* Rank a finding under the verdict of now. */
struct judge_rank screen_judge_rank(const struct screen_judge *j, const struct judged *f);
/* The order of findings: those that hold before those that ended, then by rank. */
bool screen_judge_before(const struct screen_judge *j, const struct judged *a, const struct judged *b);
/* What the findings say about one view, those that name it: fill the row of a frame with the
 * worst that holds, or that nothing was found, and j->advice with lines for view_data.advice. A
 * view that no finding names has neither. (screen_judge_view.c) */
void screen_judge_view(struct screen_judge *j, const struct view *view, struct verdict_text *row);

/* Of the Frame view: whether frames come late, what takes the time, and how
 * much has to go. Nothing without frames. */
void screen_judge_frame(struct screen_judge *judge, const struct feed *feed, double fps,
			struct verdict_text *row);

#endif
