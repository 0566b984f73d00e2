/* Compression of the payload of a block. Only this file uses zstd. */
#include "mlog/mlog.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Columns of small differences compress as well with the fastest level as with the next ones. */
#define LEVEL 1

struct mlog_packer {
	ZSTD_CCtx *zstd; /* NULL if out of memory: nothing is compressed */
	struct strbuf packed;
};

struct mlog_packer *mlog_packer_new(void)
{
	struct mlog_packer *packer = xcalloc(1, sizeof(*packer));

	packer->zstd = ZSTD_createCCtx();
	return packer;
}

void mlog_packer_free(struct mlog_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->zstd);
	strbuf_fini(&packer->packed);
	free(packer);
}

enum mlog_coding mlog_pack(struct mlog_packer *packer, struct span raw, struct span *out)
{
	size_t most = ZSTD_compressBound(raw.n), n;

	*out = raw;
	strbuf_clear(&packer->packed);
	strbuf_more(&packer->packed, most);
	n = packer->zstd ? ZSTD_compressCCtx(packer->zstd, packer->packed.p, most, raw.p, raw.n, LEVEL)
			 : raw.n;
	if (ZSTD_isError(n) || n >= raw.n)
		return MLOG_STORED;
	*out = (struct span){packer->packed.p, n};
	return MLOG_ZSTD;
}

bool mlog_unpack(const struct mlog_head *head, struct span payload, struct strbuf *out)
{
	size_t n = head->raw_size;

	strbuf_clear(out);
	if (head->raw_size > MLOG_PAYLOAD_MAX)
		return false;
	if (head->coding == MLOG_STORED) {
		strbuf_add(out, payload.p, payload.n);
		return payload.n == n;
	}
	/* The payload must be exactly one frame. */
	if (head->coding != MLOG_ZSTD || ZSTD_findFrameCompressedSize(payload.p, payload.n) != payload.n)
		return false;
	strbuf_more(out, n);
	return ZSTD_decompress(out->p, n, payload.p, payload.n) == n;
}
