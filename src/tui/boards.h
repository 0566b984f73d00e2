/* boards: several machines at once (`malitop on A B ...`): a row for each, with its verdict and its
 * main numbers.
 *
 * Each board has its own connection, reader and judge, and none waits for another. Boards that are
 * not open send lean samples (record/recorder_sink.h). Ages are measured on the clock of this
 * machine, since that of a board may be wrong.
 *
 * Thread: ui. Times are CLOCK_MONOTONIC of this machine. */
#ifndef MALITOP_BOARDS_H
#define MALITOP_BOARDS_H

#include "record/remote.h"
#include "session/session.h"
#include "tui/keys.h"
#include "views/frame.h"

#define BOARDS_PAST 240 /* steps of history */
#define BOARDS_STEP_NS 1000000000ll
#define BOARDS_DIM_NS 3000000000ll /* numbers are dim from this age on, and unknown from the next one on */
#define BOARDS_GONE_NS 10000000000ll

enum board_state { BOARD_CONNECTING, BOARD_LIVE, BOARD_SILENT, BOARD_AWAY, BOARD_REFUSED };
extern const char *const board_state_words[];

/* The numbers of a row; NaN: unknown. */
enum board_number {
	BOARD_FPS,
	BOARD_BUSY, /* percent of time that the GPU is active */
	BOARD_CLOCK,
	BOARD_TOP_CLOCK,
	BOARD_HEAT,
	BOARD_TRAFFIC, /* bytes per second */
	BOARD_POWER,
	BOARD_NUMBERS
};

struct board_row {
	const char *where;
	char name[32], gpu[48];
	struct remote *remote; /* NULL if it could not be started; `said` has the reason */
	struct mlog_input input;
	struct mlog_reader *reader; /* NULL before the start block; so are the next two */
	struct session session;
	struct watch *watch;
	enum board_state state;
	char said[160]; /* the last message about the connection */
	uint64_t blocks;
	int64_t sample_ns; /* arrival of the newest data; 0: none yet */
	double now[BOARD_NUMBERS];
	double wanted_fps;
	unsigned n_findings;
	bool is_critical, warns;
	float past[2][BOARDS_PAST]; /* share of the wanted fps; GPU, 0 to 1; newest at n_past - 1 */
	unsigned n_past;
	bool full; /* it was asked for all data */
};

enum boards_sort {
	BOARDS_WORST,
	BOARDS_BY_NAME,
	BOARDS_BY_FPS,
	BOARDS_BY_BUSY,
	BOARDS_BY_HEAT,
	BOARDS_SORTS
};

struct boards {
	const struct sys *sys;
	const struct options *options;
	struct gpudb *db;
	struct board_row *boards[BOARDS_MOST];
	unsigned n;
	unsigned order[BOARDS_MOST], n_shown; /* indices of boards, in the order of the rows */
	unsigned selected;                    /* index of a board, not of a row */
	int first;                            /* row at the top */
	enum boards_sort sort;
	char filter[32];
	int64_t step_ns, sorted_ns, moved_ns;
	struct strbuf said; /* messages for the user */
	bool logs;
	uint64_t bytes; /* bytes received, and the rate of the last step */
	double rate;
};

/* Start connecting to all of options->wheres. Returns NULL on failure. */
struct boards *boards_open(const struct sys *sys, const struct options *options, struct err *err);
void boards_close(struct boards *b); /* NULL is fine */
/* Fill fds, at least BOARDS_MOST; returns their number. */
unsigned boards_fds(const struct boards *b, struct pollfd *fds);
/* Process received data, without waiting. Call it at least once a second. Returns whether a row
 * changed. */
bool boards_run(struct boards *b, int64_t now_ns);

struct board_row *boards_selected(struct boards *b); /* NULL if no row is shown */
/* Select the next or previous row; false if there is none. */
bool boards_move(struct boards *b, int by, int64_t now_ns);
void boards_arrange(struct boards *b, int64_t now_ns, bool at_once);
/* Request all data of one board, and of the others the data for a row; NULL: for a row only. */
void boards_prefer(struct boards *b, const struct board_row *full);
/* Begin or stop to write the streams of all boards to files in that directory. Returns false if one
 * of them failed, *failed is the last one. */
bool boards_log(struct boards *b, const char *dir, struct err *failed);
/* Whether the file of a board has ended because of an error. Only the first call returns true. */
bool board_log_failed(struct board_row *board, struct err *err);

/* Return the age of the newest data in ns; INT64_MAX without any. */
int64_t board_age_ns(const struct board_row *board, int64_t now_ns);
/* Format "GPU bound: fragment" or "reconnecting", and the evidence for it. */
void board_words(const struct board_row *board, int64_t now_ns, char *title, size_t size,
		 struct strbuf *evidence);

/* Run the loop of Boards and of the board that is open, as live_run does for one machine. With
 * --once, draw a frame as text after options->frames steps of a second. (boards_live.c) */
enum exit_status boards_live_run(const struct sys *sys, const struct options *options, int *signal,
				 struct err *err);
enum exit_status boards_live_once(const struct sys *sys, const struct options *options, bool ascii,
				  struct strbuf *out, struct err *err);
extern const struct key_table boards_keys[1];

/* boards_draw.c */
void boards_draw(struct boards *b, const struct alert *alert, const struct foot_ask *ask, int64_t now_ns,
		 struct canvas *canvas);

#endif
