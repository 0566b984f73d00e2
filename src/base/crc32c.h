/* crc32c: the Castagnoli checksum (as in iSCSI, ext4, RFC 3720 B.4). */
#ifndef MALITOP_CRC32C_H
#define MALITOP_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Extend `crc`, the checksum of the bytes so far (0 for none), by n more bytes. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);

#endif
