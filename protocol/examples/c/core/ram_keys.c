/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "sb1/crypto.h"

/* Keys that are bytes in RAM. With SB1_HANDLE_BYTES the port has these functions. */

#ifndef SB1_HANDLE_BYTES

bool sb1_key_mac(const uint8_t key[SB1_KEY_ROOM], const void *head, size_t head_length, const void *body,
                 size_t body_length, uint8_t mac[SB1_SHA256_BYTES])
{
  return sb1_hmac_sha256(key, SB1_KEY_BYTES, head, head_length, body, body_length, mac);
}

/** One block of output (RFC 5869, 2.2 and 2.3). */
bool sb1_key_derive(const uint8_t k[SB1_KEY_ROOM], const char *info, uint8_t derived[SB1_KEY_ROOM])
{
  static const uint8_t no_salt[SB1_SHA256_BYTES] = {0};
  static const uint8_t first_block = 1;
  uint8_t extracted[SB1_SHA256_BYTES];
  return sb1_hmac_sha256(no_salt, sizeof no_salt, k, SB1_KEY_BYTES, "", 0, extracted) &&
         sb1_hmac_sha256(extracted, sizeof extracted, info, strlen(info), &first_block, 1, derived);
}

bool sb1_key_reveal(const uint8_t k[SB1_KEY_ROOM], const char *info, uint8_t bytes[SB1_KEY_BYTES])
{
  return sb1_key_derive(k, info, bytes);
}

bool sb1_key_unwrap(const uint8_t k[SB1_KEY_ROOM], const char *info, const uint8_t wrapped[SB1_KEY_BYTES],
                    uint8_t next[SB1_KEY_ROOM])
{
  if (!sb1_key_derive(k, info, next)) return false;
  for (size_t i = 0; i < SB1_KEY_BYTES; i++) next[i] ^= wrapped[i];
  return true;
}

#else

/* ISO C has no empty file. */
typedef int sb1_no_ram_keys;

#endif
