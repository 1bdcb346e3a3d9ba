#ifndef SB1_CRYPTO_H
#define SB1_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the core asks of a crypto library: the one function to replace on another machine. HKDF is two calls
 * of it (sb/1 2.2), a frame's MAC is one (sb/1 5.2).
 */

#define CRYPTO_SHA256_BYTES 32

/** HMAC-SHA256 over `head` and then `body`, which need not be neighbours. False when the library fails. */
bool crypto_hmac_sha256(const uint8_t *key, size_t key_length, const void *head, size_t head_length,
                        const void *body, size_t body_length, uint8_t mac[CRYPTO_SHA256_BYTES]);

#endif
