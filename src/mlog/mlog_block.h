/* mlog_block: the payload of a data block: samples as columns, notes, a list of processes. Compression and heads are not its business.
 *
 * A builder collects and makes the payload; a block is what comes out of one again. Both keep their memory.
 */
#ifndef MALITOP_MLOG_BLOCK_H
#define MALITOP_MLOG_BLOCK_H

#include "mlog/mlog.h"
#include "model/process.h"

enum mlog_section { MLOG_SECTION_SAMPLES = 1, MLOG_SECTION_NOTE, MLOG_SECTION_PROCESSES };

/* ---- making one ---- */

struct mlog_builder;

/* The number of slots of every source; copied. */
struct mlog_builder *mlog_builder_new(const unsigned *n_slots, unsigned n_sources);
void mlog_builder_free(struct mlog_builder *b);

/* sample->source is the log's number of it, sample->n_values may be less than its slots: the others are unknown. Copies. Once the memory
 * has grown to what a block needs, adding does not allocate. Moments that no block may tell of, and the end of a sample before its begin,
 * are set to the nearest that it may: a driver's slip costs no block. */
void mlog_builder_sample(struct mlog_builder *b, const struct sample *sample);
void mlog_builder_note(struct mlog_builder *b, const struct mlog_note *note);
/* At most one a block: a later one takes its place; copied. The builder remembers what it said before, and says everything again every
 * MLOG_PROCESSES_NS. A list of more than MLOG_PROCESSES_MAX rows is left out. */
#define MLOG_PROCESSES_NS 30000000000ll
void mlog_builder_processes(struct mlog_builder *b, const struct process_list *list);

/* Bytes that what was collected takes in memory: time for a block when it is much. */
size_t mlog_builder_size(const struct mlog_builder *b);
/* The payload of everything since the last call into `payload` (cleared), and flags, begin_ns, end_ns into *head; end_ns is never less
 * than it was. false: there is nothing. */
bool mlog_builder_take(struct mlog_builder *b, struct mlog_head *head, struct strbuf *payload);
/* What was added, and what `lost` and jumps of seq say was not, since the beginning or the last restart. */
void mlog_builder_count(const struct mlog_builder *b, uint64_t *samples, uint64_t *lost);
/* Another log begins: the next list of processes is complete. After mlog_builder_take. */
void mlog_builder_restart(struct mlog_builder *b);

/* ---- reading one ---- */

struct mlog_block {
	int64_t begin_ns, end_ns;
	unsigned flags;                /* enum mlog_flag */
	const struct sample **samples; /* in the order in which they were taken; source is the log's number */
	unsigned n_samples;
	struct mlog_note *notes;
	unsigned n_notes;
	bool has_processes;

	/* The rest is the module's own. */
	struct mlog_changes *changes; /* of processes */
	void *memory;
	unsigned cap_samples, cap_notes;
	size_t cap_memory;
};

void mlog_block_fini(struct mlog_block *block);
/* Decode; `about` says what samples look like, the head is one of mlog_head_get. false: the payload is not what it should be, or its
 * samples or notes would need more than MLOG_DECODED_MAX of memory; *block is empty then. Else every moment in it lies between its begin
 * and end (processes: their end), and no sample ends before it begins; nothing is known of how samples follow each other. */
#define MLOG_DECODED_MAX (64u << 20)
bool mlog_block_decode(struct mlog_block *block, const struct mlog_about *about, const struct mlog_head *head,
		       struct span payload);

/* What a block says of processes, applied to what was known: *list (NULL at first) becomes another one, the caller's. A list of changes
 * that nothing complete came before leaves it NULL. */
void mlog_block_processes(const struct mlog_block *block, struct process_list **list);

#endif
