/* mlog: what a log of raw counters consists of (doc/mlog-format.md): heads of blocks, the start block's text, notes.
 *
 * mlog_block.h is what stands in a data block, mlog_writer.h makes a log, mlog_reader.h reads one.
 */
#ifndef MALITOP_MLOG_H
#define MALITOP_MLOG_H

#include "base/err.h"
#include "base/str.h"
#include "model/sample.h"

#define MLOG_VERSION 1
#define MLOG_HEAD 48                 /* bytes of a head */
#define MLOG_PAYLOAD_MAX (16u << 20) /* bytes, coded or not */
#define MLOG_SOURCES_MAX 64
#define MLOG_SLOTS_MAX 60000 /* of a source: formulas know them by 16 bits */

enum mlog_type { MLOG_START = 1, MLOG_DATA, MLOG_INDEX };
enum mlog_coding { MLOG_STORED, MLOG_ZSTD };

/* Flags of a data block. */
enum mlog_flag {
	MLOG_LOSS = 1 << 0,          /* samples were lost in it, or time was not counted */
	MLOG_MARK = 1 << 1,          /* a mark stands in it */
	MLOG_ALL_PROCESSES = 1 << 2, /* a complete list of processes stands in it */
};

struct mlog_head {
	uint8_t type, coding, flags;
	uint64_t at; /* where it stands in the file */
	int64_t begin_ns, end_ns;
	uint32_t size, raw_size, payload_crc;
};

void mlog_head_put(const struct mlog_head *head, uint8_t bytes[MLOG_HEAD]);
/* false: no head that may stand at `at`. Else 0 <= begin_ns <= end_ns <= SAMPLE_NS_MAX. */
bool mlog_head_get(struct mlog_head *head, const uint8_t bytes[MLOG_HEAD], uint64_t at);

/* ---- the payload of any block ---- */

/* Compresses, unless that makes it longer. Keeps its memory from block to block. */
struct mlog_packer;
struct mlog_packer *mlog_packer_new(void);
void mlog_packer_free(struct mlog_packer *packer);
/* *out points to n or fewer bytes: into `raw`, or into the packer until the next call. */
enum mlog_coding mlog_pack(struct mlog_packer *packer, struct span raw, struct span *out);
/* Into `out`, which is cleared; false when it is not exactly head->raw_size bytes long, or damaged. Does not look at its CRC. */
bool mlog_unpack(const struct mlog_head *head, struct span payload, struct strbuf *out);

/* ---- the start block ---- */

struct mlog_source {
	enum source_kind kind;
	const char *backend, *device, *title, *driver, *note, *product; /* printable, never NULL; "" where there is none */
	int64_t period_ns, asked_ns;                                    /* above 0 */
	bool simulated;
	double top_hz;
	unsigned core_count, l2_slice_count, bus_width_bits, block_values; /* 0: unknown */
	uint64_t core_mask;
	struct slot *slots;
	unsigned n_slots, n_sums;
};

struct mlog_about {
	const char *program, *host, *kernel, *scope; /* printable, never NULL */
	int64_t monotonic_ns, realtime_ns;           /* the same moment */
	double fps;                                  /* 0: unknown */
	unsigned width, height;
	struct mlog_source *sources;
	unsigned n_sources;
	char *texts; /* of one that was parsed, which owns them all, also names and titles of slots: all behind each other */
};

/* The text, into `text` (cleared). What `about` points to may be anybody's: nothing is freed, texts are made printable on the way, and
 * cut where a line would be too long. */
void mlog_about_format(const struct mlog_about *about, struct strbuf *text);
/* Reads and checks everything: numbers within bounds, references to slots that exist. `name` is the file's, for messages, and need not
 * live longer. On failure nothing is left behind. */
bool mlog_about_parse(struct mlog_about *about, const char *name, struct span text, struct err *err);
void mlog_about_fini(struct mlog_about *about); /* of one that was parsed */

/* ---- notes ---- */

enum mlog_note_kind {
	MLOG_NOTE_MARK = 1,
	MLOG_NOTE_MESSAGE,
	MLOG_NOTE_CLOCK, /* the wall clock was set; value: CLOCK_REALTIME minus CLOCK_MONOTONIC from then on, ns */
	MLOG_NOTE_AWAY,  /* a source went away */
	MLOG_NOTE_BACK,
};
#define MLOG_NOTE_TEXT 256

struct mlog_note {
	enum mlog_note_kind kind;
	int64_t time_ns;
	int source; /* -1: none */
	int64_t value;
	char text[MLOG_NOTE_TEXT]; /* printable */
};

#endif
