/* crc32c: the checksum of Castagnoli (as in iSCSI, ext4, RFC 3720 B.4). */
#ifndef MALITOP_CRC32C_H
#define MALITOP_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Of n more bytes after those that gave `crc`; 0 to begin with. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);

#endif
