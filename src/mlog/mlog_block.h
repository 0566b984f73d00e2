/* mlog_block: the payload of a data block: samples as columns, notes, a list of processes. It does
 * not include compression and heads.
 *
 * A builder collects data and makes a payload; a block is a decoded payload. Both reuse their
 * memory.
 */
#ifndef MALITOP_MLOG_BLOCK_H
#define MALITOP_MLOG_BLOCK_H

#include "mlog/mlog.h"
#include "mlog/mlog_processes.h"

enum mlog_section {
	MLOG_SECTION_SAMPLES = 1,
	MLOG_SECTION_NOTE,
	MLOG_SECTION_PROCESSES,
	MLOG_SECTION_QUEUES,
	MLOG_SECTION_MORE,
	MLOG_SECTION_WAITS,
	MLOG_SECTION_USERS
};

/* ---- writing ---- */

struct mlog_builder;

/* n_slots is the number of slots of every source; copied. */
struct mlog_builder *mlog_builder_new(const unsigned *n_slots, unsigned n_sources);
void mlog_builder_free(struct mlog_builder *b);

/* Copy a sample. sample->source is its number in the log. If sample->n_values is less than its
 * slots, the other values are unknown. Does not allocate once the memory has grown to the size of a
 * block. Times out of range, and an end before the start, are replaced by the nearest valid time,
 * so that a driver's mistake does not invalidate the block. */
void mlog_builder_sample(struct mlog_builder *b, const struct sample *sample);
void mlog_builder_note(struct mlog_builder *b, const struct mlog_note *note);
/* Copy a list of processes; a block has at most one, so a later list replaces it. The builder
 * writes the changes since the last list, and a complete list every MLOG_PROCESSES_NS. A list of
 * more than MLOG_PROCESSES_MAX rows is omitted. */
#define MLOG_PROCESSES_NS 30000000000ll
void mlog_builder_processes(struct mlog_builder *b, const struct process_list *list);

/* Drop all but the newest `n` samples of each source, and with `lists` false the list of processes;
 * what is dropped is lost. */
void mlog_builder_trim(struct mlog_builder *b, size_t n, bool lists);
/* Return the number of samples that the source with most of them has. */
size_t mlog_builder_rows(const struct mlog_builder *b);
/* Return the bytes of memory that the collected data takes, to decide when to write a block. */
size_t mlog_builder_size(const struct mlog_builder *b);
/* Write the payload of everything since the last call into `payload` (cleared), and flags, begin_ns
 * and end_ns into *head; end_ns never decreases. Returns false if there is nothing. */
bool mlog_builder_take(struct mlog_builder *b, struct mlog_head *head, struct strbuf *payload);
/* Count the samples added, and those lost according to `lost` and jumps of seq, since the beginning
 * or the last restart. */
void mlog_builder_count(const struct mlog_builder *b, uint64_t *samples, uint64_t *lost);
/* Begin another log, so the next list of processes is complete. Call it after mlog_builder_take.
 * From all times of what is added then, shift_ns is subtracted. */
void mlog_builder_restart(struct mlog_builder *b, int64_t shift_ns);

/* ---- reading ---- */

struct mlog_block {
	int64_t begin_ns, end_ns;
	unsigned flags;                /* enum mlog_flag */
	const struct sample **samples; /* in the order of the recording; source is its number in the log */
	unsigned n_samples;
	struct mlog_note *notes;
	unsigned n_notes;
	bool has_processes;

	/* private */
	struct mlog_changes changes; /* of processes */
	void *memory, *more_memory;  /* samples; those with more words */
	unsigned cap_samples, cap_notes;
	size_t cap_memory, cap_more;
};

void mlog_block_fini(struct mlog_block *block);
/* Decode a payload, with the slots of `about` and a head from mlog_head_get. Returns false, and
 * *block is empty, if the payload is invalid or if its samples or notes would need more than
 * MLOG_DECODED_MAX of memory. In a valid block every time is between its start and end (of
 * processes: their end), and no sample ends before it begins; but samples may overlap and be in any
 * order. */
#define MLOG_DECODED_MAX (64u << 20)
bool mlog_block_decode(struct mlog_block *block, const struct mlog_about *about, const struct mlog_head *head,
		       struct span payload);

/* Apply the processes of a block to *list (NULL at first): it is replaced by a new list, owned by
 * the caller. It stays NULL until the first complete list. */
void mlog_block_processes(const struct mlog_block *block, struct process_list **list);

#endif
