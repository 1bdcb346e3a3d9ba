#include <bearssl.h>

#include "sb1/crypto.h"

/* HMAC-SHA256 for the core, with the hash that TLS needs anyway: it takes the place of sha256.c. */

bool sb1_hmac_sha256(const uint8_t *key, size_t key_length, const void *head, size_t head_length,
                     const void *body, size_t body_length, uint8_t mac[SB1_SHA256_BYTES])
{
  br_hmac_key_context pads;
  br_hmac_context hmac;
  br_hmac_key_init(&pads, &br_sha256_vtable, key, key_length);
  br_hmac_init(&hmac, &pads, 0);
  br_hmac_update(&hmac, head, head_length);
  br_hmac_update(&hmac, body, body_length);
  br_hmac_out(&hmac, mac);
  return true;
}
