/* right_heads: makes the heads of a log right, with the checksums of what is in their blocks, as
 * long as each follows the one before, so that what is behind the checksums is reached. */
#ifndef TESTS_RIGHT_HEADS_H
#define TESTS_RIGHT_HEADS_H

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/wire.h"
#include "mlog/mlog.h"

#include <string.h>

static inline void right_heads(uint8_t *p, size_t n)
{
	for (size_t at = 0; n - at >= MLOG_HEAD && memcmp(p + at, "MLog", 4) == 0;) {
		size_t left = n - at - MLOG_HEAD;
		struct mlog_head head = {.type = p[at + 5],
					 .coding = p[at + 6],
					 .flags = p[at + 7],
					 .at = at,
					 .begin_ns = (int64_t)wire_get_u64(p + at + 16),
					 .end_ns = (int64_t)wire_get_u64(p + at + 24),
					 .size = wire_get_u32(p + at + 32),
					 .raw_size = wire_get_u32(p + at + 36)};

		if (head.size > left)
			head.size = (uint32_t)left;
		if (head.coding == MLOG_STORED)
			head.raw_size = head.size;
		if (head.type == MLOG_INDEX && head.size >= 8)
			wire_u64(p + at + MLOG_HEAD + head.size - 8, at);
		head.payload_crc = crc32c(0, p + at + MLOG_HEAD, head.size);
		mlog_head_put(&head, p + at);
		at += MLOG_HEAD + head.size;
	}
}

#endif
