#include "mlog/mlog.h"

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/wire.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h> /* only here */

static const uint8_t magic[5] = {'M', 'L', 'o', 'g', MLOG_VERSION};

enum head_place {
	AT_TYPE = 5,
	AT_CODING,
	AT_FLAGS,
	AT_AT,
	AT_BEGIN = 16,
	AT_END = 24,
	AT_SIZE = 32,
	AT_RAW_SIZE = 36,
	AT_PAYLOAD_CRC = 40,
	AT_CRC = 44
};

void mlog_head_put(const struct mlog_head *head, uint8_t bytes[MLOG_HEAD])
{
	memcpy(bytes, magic, sizeof(magic));
	bytes[AT_TYPE] = head->type;
	bytes[AT_CODING] = head->coding;
	bytes[AT_FLAGS] = head->flags;
	wire_u64(bytes + AT_AT, head->at);
	wire_u64(bytes + AT_BEGIN, (uint64_t)head->begin_ns);
	wire_u64(bytes + AT_END, (uint64_t)head->end_ns);
	wire_u32(bytes + AT_SIZE, head->size);
	wire_u32(bytes + AT_RAW_SIZE, head->raw_size);
	wire_u32(bytes + AT_PAYLOAD_CRC, head->payload_crc);
	wire_u32(bytes + AT_CRC, crc32c(0, bytes, AT_CRC));
}

bool mlog_head_get(struct mlog_head *head, const uint8_t bytes[MLOG_HEAD], uint64_t at)
{
	if (memcmp(bytes, magic, sizeof(magic)) != 0 || wire_get_u64(bytes + AT_AT) != at ||
	    wire_get_u32(bytes + AT_CRC) != crc32c(0, bytes, AT_CRC))
		return false;
	*head = (struct mlog_head){.type = bytes[AT_TYPE],
				   .coding = bytes[AT_CODING],
				   .flags = bytes[AT_FLAGS],
				   .at = at,
				   .begin_ns = (int64_t)wire_get_u64(bytes + AT_BEGIN),
				   .end_ns = (int64_t)wire_get_u64(bytes + AT_END),
				   .size = wire_get_u32(bytes + AT_SIZE),
				   .raw_size = wire_get_u32(bytes + AT_RAW_SIZE),
				   .payload_crc = wire_get_u32(bytes + AT_PAYLOAD_CRC)};
	return head->size <= MLOG_PAYLOAD_MAX && head->raw_size <= MLOG_PAYLOAD_MAX && head->begin_ns >= 0 &&
	       head->begin_ns <= head->end_ns && head->end_ns <= SAMPLE_NS_MAX;
}

int64_t mlog_start_ns(int64_t now_ns)
{
	return now_ns > UINT16_MAX ? now_ns - ((now_ns - ('\n' << 8 | '\r')) & UINT16_MAX) : now_ns;
}

bool mlog_head_is_start(const uint8_t bytes[MLOG_HEAD], const char **change)
{
	static const struct {
		const char *bytes, *name;
	} changes[] = {{"\r\r\n", "LF became CR LF"}, {"\r\r", "LF became CR"}, {"\r\n", NULL},
		       {"\r", "LF was lost"},         {"\n\n", "CR became LF"}, {"\n", "CR LF became LF"}};

	*change = NULL;
	for (size_t i = 0; i < ARRAY_LEN(changes); i++)
		if (memcmp(bytes + AT_BEGIN, changes[i].bytes, strlen(changes[i].bytes)) == 0) {
			*change = changes[i].name;
			break;
		}
	return memcmp(bytes, magic, sizeof(magic) - 1) == 0 && bytes[sizeof(magic) - 1] < '\t';
}

void mlog_block_put(const struct mlog_head *head, struct span payload, struct strbuf *out)
{
	strbuf_clear(out);
	mlog_head_put(head, (uint8_t *)strbuf_more(out, MLOG_HEAD));
	strbuf_add(out, payload.p, payload.n);
}

/* ---- compression of the payload of a block ---- */

/* Columns of small differences compress as well with the fastest level as with the next ones. */
#define LEVEL 1

void mlog_packer_fini(struct mlog_packer *packer)
{
	ZSTD_freeCCtx(packer->zstd);
	strbuf_fini(&packer->packed);
}

enum mlog_coding mlog_pack(struct mlog_packer *packer, struct span raw, struct span *out)
{
	size_t most = ZSTD_compressBound(raw.n), n;

	*out = raw;
	if (!packer->zstd)
		packer->zstd = ZSTD_createCCtx();
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
