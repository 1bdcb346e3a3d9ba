/* SPDX-License-Identifier: MIT */
#ifndef SB1_CRYPTO_H
#define SB1_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The only crypto function that the core needs. Replace it on another machine. HKDF takes two calls (sb/1
 * 2.2), and the MAC of a frame takes one (sb/1 5.2).
 */

#define SB1_SHA256_BYTES 32

/** HMAC-SHA256 over `head` followed by `body`, which are separate buffers. False if the library fails. */
bool sb1_hmac_sha256(const uint8_t *key, size_t key_length, const void *head, size_t head_length,
                     const void *body, size_t body_length, uint8_t mac[SB1_SHA256_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
