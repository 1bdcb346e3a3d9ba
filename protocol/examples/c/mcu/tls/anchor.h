#ifndef ANCHOR_H
#define ANCHOR_H

#include "sb1/store.h"

/*
 * The certificate authority that signs the hub's certificate: its name and its public key, as the factory
 * writes them behind the page of factory.h. The bytes at offset 256 of the first page; numbers are
 * little-endian:
 *
 *   0    4  "SB1A"
 *   4    1  version of this layout: 1
 *   5    1  1: the key is a point of the curve P-256, uncompressed; 2: an RSA modulus of 256 to 512 bytes,
 *              with the exponent 65537
 *   6    2  N, bytes of the name, at most 256
 *   8    2  P, bytes of the public key, at most 512
 *  10    N  the subject of the authority's certificate, in DER
 *  10+N  P  the public key, big-endian
 *  10+N+P 4 CRC-32 (zlib's) of all bytes before it
 */
#define ANCHOR_AT 256
#define ANCHOR_NAME_MOST 256
#define ANCHOR_KEY_MOST 512
#define ANCHOR_BYTES (10 + ANCHOR_NAME_MOST + ANCHOR_KEY_MOST + 4)

enum anchor_key { ANCHOR_P256 = 1, ANCHOR_RSA = 2 };

struct anchor {
  enum anchor_key type;
  size_t name_bytes, key_bytes;
  const uint8_t *name, *key;
  uint8_t bytes[ANCHOR_BYTES];
};

/** False if the factory has written none, or its bytes are damaged. */
bool anchor_read(const struct sb1_flash *flash, struct anchor *anchor);

#endif
