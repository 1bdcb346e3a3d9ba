#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

/** CRC-32 as in zlib (ISO-HDLC): reflected, polynomial 0x04C11DB7, start and end inverted. */
uint32_t crc32(const void *bytes, size_t count);

#endif
