/* passes: the shared memory through which an application hands frames, passes and regions to
 * malitop. The Vulkan layer, the GLES library and malitop.h write it, passes_reader.c reads it.
 *
 * The application creates the memory (memfd, sealed against a change of its size), connects to
 * every socket passes_socket_path names, and sends the memory's fd with PASSES_HELLO. Both sides
 * check the other one's uid. The connection stays open: its end shows each side that the other one
 * is gone.
 *
 * The memory consists of records of 64 bytes, eight words each, in the writer's byte order: the
 * header, the names, and a ring of events. Any thread may write an event. Word 0 of an event is its
 * lock: 4 * (index + 1) + enum passes_state. A name is written once and never changes.
 *
 * A writer of many events changes to a second, larger ring (passes_grow) and stays there. Its pages
 * are memory only then. Writers of earlier versions end before it; both sizes are version 3.
 *
 * This file needs C11 or C++11, the C library and GCC's atomics, nothing else: it is a part of
 * libraries that run in other programs. */
#ifndef MALITOP_PASSES_H
#define MALITOP_PASSES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PASSES_MAGIC 0x31737361704d4c4dull /* "MLMpass1" */
#define PASSES_VERSION 3
#define PASSES_HELLO "malitop passes 1"
#define PASSES_SOCKETS 4 /* this many malitops can listen at the same time */

enum {
	PASSES_WORDS = 8, /* of a record */
	PASSES_HEADER = 8,
	PASSES_NAMES = 512, /* name 0 is that of all passes that found no room */
	PASSES_RING = 16384,
	PASSES_LARGE_RING = 262144, /* half a second of 30 frames a second of 10,000 passes, and more */
	PASSES_LARGE = PASSES_HEADER + PASSES_NAMES + PASSES_RING, /* its first record */
	PASSES_SMALL_BYTES = PASSES_LARGE * PASSES_WORDS * 8,      /* without it */
	PASSES_BYTES = PASSES_SMALL_BYTES + PASSES_LARGE_RING * PASSES_WORDS * 8,
	PASSES_TEXT = 7 * 8, /* bytes of a name, filled up with zeros */
};

/* Words of the header. Texts are one record each, 56 bytes from the second word on. */
enum {
	PASSES_WORD_MAGIC = 0,
	PASSES_WORD_VERSION = 1,
	PASSES_WORD_BYTES = 2,  /* of the memory */
	PASSES_WORD_WRITER = 3, /* enum passes_writer */
	PASSES_WORD_STAMP = 4,  /* enum passes_stamp */
	PASSES_WORD_PID = 5,
	PASSES_WORD_HEAD = 8, /* events begun so far, with PASSES_GROWN if later ones are in the large ring */
	PASSES_WORD_LOST = 9, /* the counts, in the order of enum passes_count */
	PASSES_WORD_GROWN = 12, /* 1 + index of the first event in the large ring; 0: not known yet */
	PASSES_RECORD_TITLE = 2,
	PASSES_RECORD_DRIVER = 3,
};

#define PASSES_GROWN (1ull << 63)

/* Of an event. An odd state: a writer is in the record. If it stops there until the ring has come
 * round, the event that finds it is given up, and the record stays with the writer that stopped. */
enum passes_state { PASSES_GIVEN_UP, PASSES_WRITING, PASSES_COMPLETE, PASSES_OCCUPIED, PASSES_STATES };

enum passes_writer { PASSES_VULKAN = 1, PASSES_GLES, PASSES_REGIONS, PASSES_WRITERS };

/* Where the start of a pass is stamped. BOTTOM: when all earlier work of the queue is complete, so
 * that passes of a queue never overlap. TOP: when the queue reaches the pass, so that a pass
 * includes the wait for earlier ones. The end is stamped when the pass is complete. ELAPSED: the
 * driver measured the duration, and the times are those of the calls. */
enum passes_stamp {
	PASSES_STAMP_NONE,
	PASSES_STAMP_BOTTOM,
	PASSES_STAMP_TOP,
	PASSES_STAMP_ELAPSED,
	PASSES_STAMPS
};

/* What the writer could not measure, since it began. */
enum passes_count {
	PASSES_LOST,     /* results that were not there in time */
	PASSES_DISJOINT, /* results thrown out: the clock was reset, jumped, or ran backwards */
	PASSES_UNTIMED,  /* passes without stamps: no query was free, or the queue has no timestamps */
	PASSES_COUNTS
};

/* The end of the driver's text if its device is a CPU. */
#define PASSES_ON_CPU " (CPU)"

enum passes_type { PASSES_FRAME = 1, PASSES_PASS, PASSES_REGION, PASSES_MARK, PASSES_TYPES };
enum passes_kind { PASSES_RENDER, PASSES_COMPUTE, PASSES_TRANSFER, PASSES_SECONDARY, PASSES_KINDS };
/* How frames are split: by presents, or, of an application that presents nothing, by its waits
 * for the GPU, or by its calls of malitop_frame. */
enum passes_boundary { PASSES_PRESENT, PASSES_WAIT, PASSES_CALLED, PASSES_BOUNDARIES };

enum passes_flag {
	PASSES_UNCALIBRATED = 1 << 0,  /* the GPU's clock was placed by submission times */
	PASSES_NO_TIMESTAMPS = 1 << 1, /* frame: the device has none, so there are no passes */
	PASSES_COUNTED = 1 << 2,       /* pass: its work was counted; writers before that never set it */
};

#define PASSES_COUNT_UNKNOWN UINT32_MAX
#define PASSES_VERTICES_UNKNOWN UINT64_MAX
#define PASSES_CPU_UNKNOWN UINT32_MAX /* the first frame, or another thread than before ended it */

/* One event. Times are CLOCK_MONOTONIC ns. The passes of a frame precede the frame itself. */
struct passes_event {
	uint8_t type;   /* enum passes_type */
	uint8_t kind;   /* pass: enum passes_kind; frame: enum passes_boundary */
	uint8_t device; /* passes and frames are numbered per device of the process */
	uint8_t queue;
	uint16_t flags; /* enum passes_flag */
	uint16_t name;
	uint64_t frame;
	int64_t begin_ns, end_ns; /* frame: from the previous boundary to its own */
	uint16_t width, height;   /* pass, or 0 */
	uint16_t ordinal;         /* of passes with the same name in a frame, from 0 */
	uint16_t in_flight;       /* frame: frames that the GPU had not finished at its end */
	uint32_t present_ns;      /* frame: time inside the present call, at most 4.29 s */
	uint32_t wait_ns;         /* frame: time in waits for images, fences and queues */
	uint32_t thread_ns;       /* frame: CPU time of the thread that ends it, at most 4.29 s */
	uint32_t process_ns;      /* frame: CPU time of all threads; PASSES_CPU_UNKNOWN in both */
	uint16_t submits;         /* frame */
	uint16_t passes;          /* frame: passes submitted, timed or not */
	uint16_t stamped;         /* frame: 1 + those that have events unless results are lost; 0: unknown */
	/* A pass that is PASSES_COUNTED: what was recorded in it, each may be unknown */
	uint32_t draws, dispatches;
	uint64_t vertices;             /* times instances; of indexed draws the indices */
	uint32_t thread;               /* region: the thread's id */
	uint64_t cycles, instructions; /* region: UINT64_MAX if not counted */
};

static inline uint64_t passes_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void passes_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* The seven words after the lock. Every store releases and every load acquires, which orders them
 * against the lock without fences. */
static inline void passes_pack(const struct passes_event *e, uint64_t word[PASSES_WORDS])
{
	word[1] = (uint64_t)e->type | (uint64_t)e->kind << 8 | (uint64_t)e->device << 16 |
		  (uint64_t)e->queue << 24 | (uint64_t)e->flags << 32 | (uint64_t)e->name << 48;
	word[2] = e->frame;
	word[3] = (uint64_t)e->begin_ns;
	word[4] = (uint64_t)e->end_ns;
	word[5] = (uint64_t)e->width | (uint64_t)e->height << 16 | (uint64_t)e->ordinal << 32 |
		  (uint64_t)e->in_flight << 48;
	if (e->type == PASSES_REGION) {
		word[5] = e->thread;
		word[6] = e->cycles;
		word[7] = e->instructions;
	} else if (e->type == PASSES_PASS) {
		word[6] = (uint64_t)e->draws | (uint64_t)e->dispatches << 32;
		word[7] = e->vertices;
	} else {
		word[6] = (uint64_t)e->present_ns | (uint64_t)e->wait_ns << 32;
		word[7] = (uint64_t)e->submits | (uint64_t)e->passes << 16 | (uint64_t)e->process_ns << 32;
	}
	if (e->type == PASSES_FRAME)
		word[5] = (uint64_t)e->thread_ns | (uint64_t)e->stamped << 32 | (uint64_t)e->in_flight << 48;
}

static inline void passes_unpack(struct passes_event *e, const uint64_t word[PASSES_WORDS])
{
	memset(e, 0, sizeof(*e));
	e->type = (uint8_t)word[1];
	e->kind = (uint8_t)(word[1] >> 8);
	e->device = (uint8_t)(word[1] >> 16);
	e->queue = (uint8_t)(word[1] >> 24);
	e->flags = (uint16_t)(word[1] >> 32);
	e->name = (uint16_t)(word[1] >> 48);
	e->frame = word[2];
	e->begin_ns = (int64_t)word[3];
	e->end_ns = (int64_t)word[4];
	if (e->type == PASSES_REGION) {
		e->thread = (uint32_t)word[5];
		e->cycles = word[6];
		e->instructions = word[7];
		return;
	}
	if (e->type == PASSES_FRAME) {
		e->thread_ns = (uint32_t)word[5];
		e->stamped = (uint16_t)(word[5] >> 32);
	} else {
		e->width = (uint16_t)word[5];
		e->height = (uint16_t)(word[5] >> 16);
		e->ordinal = (uint16_t)(word[5] >> 32);
	}
	e->in_flight = (uint16_t)(word[5] >> 48);
	if (e->type == PASSES_PASS) {
		e->draws = (uint32_t)word[6];
		e->dispatches = (uint32_t)(word[6] >> 32);
		e->vertices = word[7];
		return;
	}
	e->present_ns = (uint32_t)word[6];
	e->wait_ns = (uint32_t)(word[6] >> 32);
	e->submits = (uint16_t)word[7];
	e->passes = (uint16_t)(word[7] >> 16);
	e->process_ns = (uint32_t)(word[7] >> 32);
}

static inline uint64_t *passes_record(uint64_t *memory, unsigned record)
{
	return memory + (size_t)record * PASSES_WORDS;
}

/* Write a text of at most PASSES_TEXT bytes; a longer one is cut. Its first word makes it valid. */
static inline void passes_set_text(uint64_t *memory, unsigned record, const char *text)
{
	uint64_t *word = passes_record(memory, record), bytes[PASSES_WORDS - 1] = {0};
	size_t n = strlen(text);

	memcpy(bytes, text, n < (size_t)PASSES_TEXT ? n : (size_t)PASSES_TEXT);
	for (unsigned i = 0; i < PASSES_WORDS - 1; i++)
		passes_store(&word[1 + i], bytes[i]);
	passes_store(&word[0], 1);
}

/* Make zeroed memory valid. The caller has set the texts. */
static inline void passes_init(uint64_t *memory, enum passes_writer writer, enum passes_stamp stamp)
{
	passes_store(&memory[PASSES_WORD_VERSION], PASSES_VERSION);
	passes_store(&memory[PASSES_WORD_BYTES], PASSES_BYTES);
	passes_store(&memory[PASSES_WORD_WRITER], writer);
	passes_store(&memory[PASSES_WORD_STAMP], stamp);
	passes_store(&memory[PASSES_WORD_PID], (uint64_t)getpid());
	passes_store(&memory[PASSES_WORD_MAGIC], PASSES_MAGIC);
}

#ifndef PASSES_PAUSE
#define PASSES_PAUSE(point) (void)(point) /* a test stops a writer here */
#endif

static inline uint64_t passes_lock_word(uint64_t index)
{
	return PASSES_STATES * ((index & ~PASSES_GROWN) + 1);
}

/* The record of an event; its index has PASSES_GROWN if it is in the large ring. */
static inline unsigned passes_place(uint64_t index)
{
	uint64_t number = index & ~PASSES_GROWN;

	return index & PASSES_GROWN ? PASSES_LARGE + (unsigned)(number % PASSES_LARGE_RING)
				    : PASSES_HEADER + PASSES_NAMES + (unsigned)(number % PASSES_RING);
}

static inline int passes_exchange(uint64_t *lock, uint64_t *seen, uint64_t value)
{
	return __atomic_compare_exchange_n(lock, seen, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Take the record for an event. Returns 0 if an earlier writer is still in it, or a later event. */
static inline int passes_claim(uint64_t *lock, uint64_t event)
{
	uint64_t seen = passes_load(lock);

	while (seen < event) {
		unsigned busy = seen & 1;

		if (passes_exchange(lock, &seen, event + (busy ? PASSES_OCCUPIED : PASSES_WRITING)))
			return !busy;
	}
	return 0;
}

/* Complete the event; if the ring has come round meanwhile, only leave the record. */
static inline void passes_leave(uint64_t *lock, uint64_t event)
{
	uint64_t seen = event + PASSES_WRITING, next = event + PASSES_COMPLETE;

	while (!passes_exchange(lock, &seen, next))
		next = seen - PASSES_OCCUPIED + PASSES_GIVEN_UP;
}

/* Write the event with this index. */
static inline void passes_write_at(uint64_t *memory, uint64_t index, const struct passes_event *e)
{
	uint64_t *to = passes_record(memory, passes_place(index));
	uint64_t word[PASSES_WORDS];

	/* The ring is larger than the nearest cache: the next event's record is on its way. */
	__builtin_prefetch(passes_record(memory, passes_place(index + 1)), 1);
	passes_pack(e, word);
	PASSES_PAUSE(0);
	if (!passes_claim(&to[0], passes_lock_word(index)))
		return;
	for (unsigned i = 1; i < PASSES_WORDS; i++) {
		PASSES_PAUSE(i);
		passes_store(&to[i], word[i]);
	}
	PASSES_PAUSE(PASSES_WORDS);
	passes_leave(&to[0], passes_lock_word(index));
}

/* Append events, one after the other. Any thread, without waiting; a full ring overwrites its
 * oldest events. */
static inline void passes_write_all(uint64_t *memory, const struct passes_event *e, unsigned n)
{
	uint64_t index = __atomic_fetch_add(&memory[PASSES_WORD_HEAD], n, __ATOMIC_ACQ_REL);

	for (unsigned i = 0; i < n; i++)
		passes_write_at(memory, index + i, &e[i]);
}

static inline void passes_write(uint64_t *memory, const struct passes_event *e)
{
	passes_write_all(memory, e, 1);
}

/* Write later events into the large ring: for a writer of more than the small one holds until it is
 * read. */
static inline void passes_grow(uint64_t *memory)
{
	uint64_t head = passes_load(&memory[PASSES_WORD_HEAD]);

	while (!(head & PASSES_GROWN))
		if (passes_exchange(&memory[PASSES_WORD_HEAD], &head, head | PASSES_GROWN)) {
			passes_store(&memory[PASSES_WORD_GROWN], head + 1);
			return;
		}
}

static inline void passes_count(uint64_t *memory, enum passes_count count, uint64_t n)
{
	__atomic_fetch_add(&memory[(unsigned)PASSES_WORD_LOST + (unsigned)count], n, __ATOMIC_RELAXED);
}

/* The directory of the sockets, the same for every program of a user: $XDG_RUNTIME_DIR/malitop, or
 * /tmp/malitop-UID where that variable is not set. Both sides refuse a directory that belongs to
 * another user or that others may enter. Returns false if the path is too long. */
static inline int passes_directory(char *path, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int n = runtime && runtime[0] == '/' ? snprintf(path, size, "%s/malitop", runtime)
					     : snprintf(path, size, "/tmp/malitop-%u", (unsigned)geteuid());

	return n > 0 && (size_t)n < size;
}

static inline int passes_socket_path(char *path, size_t size, unsigned number)
{
	size_t n;

	if (!passes_directory(path, size))
		return 0;
	n = strlen(path);
	return (size_t)snprintf(path + n, size - n, "/passes.%u", number) < size - n;
}

#endif
