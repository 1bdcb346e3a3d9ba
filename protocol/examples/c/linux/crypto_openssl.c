#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "sb1/crypto.h"

/* The core's crypto with OpenSSL 3. */

bool sb1_hmac_sha256(const uint8_t *key, size_t key_length, const void *head, size_t head_length,
                     const void *body, size_t body_length, uint8_t mac[SB1_SHA256_BYTES])
{
  char digest[] = "SHA256";
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                         OSSL_PARAM_construct_end()};
  EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
  EVP_MAC_CTX *context = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
  size_t written = 0;
  bool done = context && EVP_MAC_init(context, key, key_length, params) &&
              EVP_MAC_update(context, head, head_length) && EVP_MAC_update(context, body, body_length) &&
              EVP_MAC_final(context, mac, &written, SB1_SHA256_BYTES) && written == SB1_SHA256_BYTES;
  EVP_MAC_CTX_free(context);
  EVP_MAC_free(hmac);
  return done;
}
