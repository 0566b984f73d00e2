/* control: another program's commands to a measurement (--control), which arrive as lines through a
 * FIFO or a file descriptor that we were started with. What arrives is untrusted: lines are
 * bounded, and an unknown one is answered and reported once.
 *
 * Thread: one.
 */
#ifndef MALITOP_CONTROL_H
#define MALITOP_CONTROL_H

#include "base/sys.h"

#define CONTROL_LINE 200    /* longer lines are unknown commands */
#define CONTROL_VERSION "1" /* of the requests of a stream's reader: doc/remote.md */
#define CONTROL_VOCABULARY 80

enum control_word {
	CONTROL_NONE, /* no complete line waits */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_MARK, /* with any text, or "" */
	CONTROL_PING, /* is only acknowledged */
	/* of the reader of a stream (--control -): */
	CONTROL_INTERVAL, /* nanoseconds */
	CONTROL_GPU,      /* "pause" or "measure" */
	CONTROL_FRAMES,   /* "next": those of the next application */
	CONTROL_HOT,      /* "on" or "off": sample which functions run */
	CONTROL_SEND,     /* "full" or "lean" */
	CONTROL_SIGNAL,   /* a pid, its start in ticks since boot, a name: "4711 123456 SIGTERM" */
	CONTROL_ACK,      /* bytes of the stream that were taken */
	CONTROL_UNKNOWN,
};

struct control {
	const struct sys *sys;
	int fd, ack_fd; /* -1: none, or closed by the other side */
	bool is_ours;   /* opened here */
	bool is_input;  /* standard input of a stream, whose end ends the recording */
	bool ended;     /* it has ended */
	char line[CONTROL_LINE + 1];
	unsigned n;          /* of the line so far; CONTROL_LINE + 1: it is too long */
	unsigned number;     /* of the last command of a stream's reader, who wants an answer; 0: none */
	bool reported;       /* an unknown command was reported */
	char bytes[512];     /* read, not looked at */
	unsigned at, n_read; /* in bytes */
};

/* `text` is -, [fd:]N[,ACK] or [fifo:]PATH, or fifo:PATH,ACK. Nothing is open after a failure. */
bool control_open(struct control *control, const struct sys *sys, const char *text, struct err *err);
/* Files that were given as numbers stay open. Call it only after control_open, or with fd and
 * ack_fd -1. */
void control_close(struct control *control);
/* The next command; *text (printable) is valid until the next call. Never waits. */
enum control_word control_next(struct control *control, const char **text);
/* The version and the words that the reader of a stream may send, for the start block. */
void control_vocabulary(char text[CONTROL_VOCABULARY]);
/* Acknowledge a command that was carried out; an unknown one gets "error". An answer that the FIFO
 * has no room for is dropped. */
void control_answer(struct control *control, enum control_word word);

#endif
