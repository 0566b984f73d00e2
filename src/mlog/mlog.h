/* mlog: the parts of a raw counter log (doc/mlog-format.md): heads of blocks, the text of the start
 * block, notes.
 *
 * mlog_block.h has the contents of a data block, mlog_writer.h writes a log, mlog_reader.h reads
 * one.
 */
#ifndef MALITOP_MLOG_H
#define MALITOP_MLOG_H

#include "base/err.h"
#include "base/str.h"
#include "model/sample.h"

#define MLOG_VERSION 1
#define MLOG_HEAD 48                         /* bytes of a head */
#define MLOG_PAYLOAD_MAX (16u << 20)         /* bytes, coded or not */
#define MLOG_REALTIME_MAX ((int64_t)1 << 62) /* ns since 1970 */
#define MLOG_SOURCES_MAX 64
#define MLOG_SLOTS_MAX 60000 /* per source; formulas use 16 bits */

enum mlog_type { MLOG_START = 1, MLOG_DATA, MLOG_INDEX };
enum mlog_coding { MLOG_STORED, MLOG_ZSTD };

/* Flags of a data block. */
enum mlog_flag {
	MLOG_LOSS = 1 << 0,          /* it has lost samples, or time that was not counted */
	MLOG_MARK = 1 << 1,          /* it has a mark */
	MLOG_ALL_PROCESSES = 1 << 2, /* it has a complete list of processes */
	MLOG_CLOCK = 1 << 3,         /* the wall clock moved; logs of earlier versions lack it */
};

struct mlog_head {
	uint8_t type, coding, flags;
	uint64_t at; /* offset in the file */
	int64_t begin_ns, end_ns;
	uint32_t size, raw_size, payload_crc;
};

void mlog_head_put(const struct mlog_head *head, uint8_t bytes[MLOG_HEAD]);
/* Returns false if this is not a valid head at offset `at`. A valid one has 0 <= begin_ns <= end_ns
 * <= SAMPLE_NS_MAX. */
bool mlog_head_get(struct mlog_head *head, const uint8_t bytes[MLOG_HEAD], uint64_t at);
/* A start block begins at a moment whose bytes begin with CR LF, as the magic number of PNG has
 * them: what the way of a stream does to line ends is seen at once. This is the last such moment
 * before another one. */
int64_t mlog_start_ns(int64_t now_ns);
/* Whether these bytes seem to be the head of a start block, valid or not. If so, *change is what
 * the way did to that: "LF became CR LF"; NULL: nothing, or something else. */
bool mlog_head_is_start(const uint8_t bytes[MLOG_HEAD], const char **change);

/* Write a block into *out, which is cleared: its head and its payload. */
void mlog_block_put(const struct mlog_head *head, struct span payload, struct strbuf *out);

/* ---- the payload of any block ---- */

/* Compresses a payload, unless that makes it longer. Reuses its memory. Zero-initialise it. */
struct mlog_packer {
	struct ZSTD_CCtx_s *zstd; /* NULL before its first use, or out of memory: nothing is compressed */
	struct strbuf packed;
};
void mlog_packer_fini(struct mlog_packer *packer);
/* *out points to n or fewer bytes: into `raw`, or into the packer until the next call. */
enum mlog_coding mlog_pack(struct mlog_packer *packer, struct span raw, struct span *out);
/* Decompress into `out`, which is cleared. Returns false if the result is damaged or is not
 * head->raw_size bytes long. Does not check the CRC. */
bool mlog_unpack(const struct mlog_head *head, struct span payload, struct strbuf *out);

/* ---- the start block ---- */

struct mlog_source {
	enum source_kind kind;
	const char *backend, *device, *title, *driver, *note,
		*product;            /* printable; "" if unknown, never NULL */
	int64_t period_ns, asked_ns; /* above 0 */
	bool simulated;
	struct source_constants constants;
	struct slot *slots;
	unsigned n_slots, n_sums;
};

struct mlog_about {
	const char *program, *host, *kernel, *scope; /* printable, never NULL */
	const char *control; /* requests that the writer takes (control.h): "1 mark interval"; "": none */
	int64_t monotonic_ns, realtime_ns; /* the same point in time */
	double fps;                        /* 0: unknown */
	unsigned width, height;
	struct mlog_source *sources;
	unsigned n_sources;
	char *texts; /* owned by a parsed one: all its texts, also names and titles of slots */
};

/* Write the text into `text` (cleared). Frees nothing that `about` points to. Texts are made
 * printable, and truncated if a line would be too long. */
void mlog_about_format(const struct mlog_about *about, struct strbuf *text);
/* Parse and check everything: numbers are within bounds and referenced slots exist. `name` is the
 * file's, for messages, and is not kept. On failure nothing remains allocated. */
bool mlog_about_parse(struct mlog_about *about, const char *name, struct span text, struct err *err);
void mlog_about_fini(struct mlog_about *about); /* only for a parsed one */

/* ---- notes ---- */

enum mlog_note_kind {
	MLOG_NOTE_MARK = 1,
	MLOG_NOTE_MESSAGE,
	MLOG_NOTE_CLOCK, /* the wall clock was set, or, with the text MLOG_SUSPENDED, the machine slept;
			  * value: CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	MLOG_NOTE_AWAY,  /* a source went away */
	MLOG_NOTE_BACK,
	MLOG_NOTE_LOST,   /* samples were lost that no jump of seq shows; value: how many */
	MLOG_NOTE_ANSWER, /* to a request (control.h); value: its number, negative if it was refused */
	MLOG_NOTE_KINDS,
};
#define MLOG_NOTE_TEXT 256
#define MLOG_SUSPENDED "suspended"

struct mlog_note {
	enum mlog_note_kind kind;
	int64_t time_ns;
	int source; /* -1: none */
	int64_t value;
	char text[MLOG_NOTE_TEXT]; /* printable */
};

#endif
