/* Internal to tests/fake/kbase*.c. */
#ifndef MALITOP_FAKE_KBASE_PRIV_H
#define MALITOP_FAKE_KBASE_PRIV_H

#include "tests/fake/kbase.h"

#define FAKE_VALUES_MAX 128
#define FAKE_BUFFERS 32

enum fake_file_kind { FAKE_DEVICE, FAKE_VINSTR, FAKE_KINSTR };
enum fake_kbase_state { FAKE_NEED_VERSION, FAKE_NEED_CONTEXT, FAKE_COMPLETE, FAKE_STUCK };

struct fake_buffer {
	int64_t begin_ns, end_ns;
	uint64_t sequence;
};

/* An open file: a device, or a reader of its counters. */
struct fake_file {
	enum fake_file_kind kind;
	int fd;
	struct fake_gpu *gpu;

	enum fake_kbase_state state; /* device */
	bool flags_set;

	/* readers */
	uint64_t enable[FAKE_BLOCKS][2];
	bool enabled[FAKE_BLOCKS];
	int memory_fd;
	uint8_t *memory;
	size_t size, stride; /* of all buffers; of one */
	unsigned n_buffers;
	int64_t period_ns, next_ns; /* 0: manual */
	int64_t after_ns;           /* the tick after the next, where that is not a period later; else 0 */
	int64_t last_ns, last_active_ns;
	bool stretched, running, held;
	uint64_t produced, taken; /* buffers so far; those between are waiting */
	uint64_t sequence;
	struct fake_buffer buffers[FAKE_BUFFERS];
};

int fake_fail(int code); /* errno = code; return -1 */
struct fake_file *fake_file_new(struct fake_kbase *k, enum fake_file_kind kind, struct fake_gpu *gpu);
bool fake_file_memory(struct fake_file *f, size_t stride, unsigned n_buffers);
int64_t fake_active_ns(const struct fake_gpu *gpu, int64_t at_ns);
unsigned fake_top_core(const struct fake_gpu *gpu); /* highest core number + 1 */
/* What a counter counted between two moments of activity; header words and values that are not
 * enabled included. */
uint64_t fake_value(const struct fake_file *f, enum fake_block block, unsigned instance, unsigned index,
		    int64_t from_active_ns, int64_t to_active_ns, int64_t at_ns);
bool fake_enabled(const struct fake_file *f, enum fake_block block, unsigned index);

/* set-up by the device's ioctl, and the readers' own ioctls */
int fake_vinstr_setup(struct fake_kbase *k, struct fake_gpu *gpu, unsigned n_buffers,
		      const uint32_t masks[FAKE_BLOCKS]);
int fake_vinstr_ioctl(struct fake_kbase *k, struct fake_file *f, unsigned long request, void *arg);
void fake_vinstr_dump(struct fake_file *f, int64_t at_ns);
int fake_kinstr_enum(struct fake_kbase *k, struct fake_file *f, void *arg);
int fake_kinstr_setup(struct fake_kbase *k, struct fake_file *f, void *arg);
int fake_kinstr_ioctl(struct fake_kbase *k, struct fake_file *f, unsigned long request, void *arg);
void fake_kinstr_sample(struct fake_file *f, int64_t at_ns, bool last);
int fake_props(struct fake_gpu *gpu, void *arg);
void fake_props_uk(const struct fake_gpu *gpu, uint8_t *props);

#endif
