#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

/*
 * SHA-256 (FIPS 180-4), in small code. With it comes `sb1_hmac_sha256` of the core. Use the hardware of your
 * chip instead if it has one.
 */

struct sha256 {
  uint32_t state[8];
  /** Bytes that were added. The last ones, up to 63, are still in `block`. */
  size_t length;
  uint8_t block[64];
};

void sha256_start(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t count);
void sha256_end(struct sha256 *hash, uint8_t digest[32]);

#endif
