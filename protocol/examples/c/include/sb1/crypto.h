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
 * The crypto that the core needs. The port decides what a key is:
 *
 * - its 32 bytes, in RAM. The port writes `sb1_hmac_sha256` and nothing else: core/ram_keys.c has the rest.
 * - a handle of a secure element or of PSA Crypto, with -DSB1_HANDLE_BYTES=4. The port writes the four
 *   functions for keys, and no secret key is ever in the memory of the core. All files are compiled with the
 *   same option.
 */

#define SB1_SHA256_BYTES 32
#define SB1_KEY_BYTES 32
/** What a variable for a key holds. Only the functions for keys look into it. */
#ifdef SB1_HANDLE_BYTES
#define SB1_KEY_ROOM SB1_HANDLE_BYTES
#else
#define SB1_KEY_ROOM SB1_KEY_BYTES
#endif

/** HMAC-SHA256 over `head` followed by `body`, which are separate buffers. False if the library fails. */
bool sb1_hmac_sha256(const uint8_t *key, size_t key_length, const void *head, size_t head_length,
                     const void *body, size_t body_length, uint8_t mac[SB1_SHA256_BYTES]);

/* The functions for keys. Each returns false if the hardware fails. */

/** HMAC-SHA256 with a key over `head` followed by `body` (sb/1 5.2). */
bool sb1_key_mac(const uint8_t key[SB1_KEY_ROOM], const void *head, size_t head_length, const void *body,
                 size_t body_length, uint8_t mac[SB1_SHA256_BYTES]);

/**
 * HKDF-SHA256 of K with an empty salt, for 32 bytes (sb/1 2.2). `derived` holds the key that was derived last
 * with this `info`, which is used no more, or zeros. `info` is "sb1/down" or "sb1/up". These keys are derived
 * again for each session, so they need not survive a power cut.
 */
bool sb1_key_derive(const uint8_t k[SB1_KEY_ROOM], const char *info, uint8_t derived[SB1_KEY_ROOM]);

/** The same for what is not secret within the device: the login key (sb/1 2.3) and the proof (sb/1 2.5). */
bool sb1_key_reveal(const uint8_t k[SB1_KEY_ROOM], const char *info, uint8_t bytes[SB1_KEY_BYTES]);

/**
 * Makes the next K: `wrapped`, each byte XORed with HKDF-SHA256 of K (sb/1 2.6). An element stores it durably
 * beside K before it returns, and replaces an earlier next K in its slot: so the handles that `keep_ring` has
 * kept are right at any power cut.
 */
bool sb1_key_unwrap(const uint8_t k[SB1_KEY_ROOM], const char *info, const uint8_t wrapped[SB1_KEY_BYTES],
                    uint8_t next[SB1_KEY_ROOM]);

#ifdef __cplusplus
}
#endif

#endif
