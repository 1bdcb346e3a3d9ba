#include "layer.h"

#include <string.h>

/** For the keys of a session. */
#define SEED_BYTES 32

#if defined TLS_NO_CHACHA && defined TLS_NO_AES
#error "TLS needs AES or ChaCha20"
#endif
static const uint16_t SUITES[] = {
#ifndef TLS_NO_CHACHA
    BR_TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
#ifndef TLS_NO_RSA
    BR_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
#endif
#endif
#ifndef TLS_NO_AES
    BR_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
#ifndef TLS_NO_RSA
    BR_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
#endif
#endif
};

#ifdef TLS_SMALL_CURVE
/** Most of its code is needed to verify signatures anyway, but it takes more time and more stack. */
#define CURVE br_ec_prime_i31
#else
#define CURVE br_ec_p256_m31
#endif

/** The one authority that may sign. The exponent of an RSA key is always this one. */
static void set_authority(struct tls *tls)
{
  static unsigned char exponent[] = {1, 0, 1};
  const struct anchor *anchor = tls->config.anchor;
  /* BearSSL has no pointer to const here, and does not write. */
  unsigned char *key = (unsigned char *)(uintptr_t)anchor->key;
  br_x509_trust_anchor *authority = &tls->authority;
  *authority = (br_x509_trust_anchor){.flags = BR_X509_TA_CA};
  authority->dn.data = (unsigned char *)(uintptr_t)anchor->name;
  authority->dn.len = anchor->name_bytes;
  if (anchor->type == ANCHOR_P256) {
    authority->pkey.key_type = BR_KEYTYPE_EC;
    authority->pkey.key.ec = (br_ec_public_key){BR_EC_secp256r1, key, anchor->key_bytes};
  } else {
    authority->pkey.key_type = BR_KEYTYPE_RSA;
    authority->pkey.key.rsa = (br_rsa_public_key){key, anchor->key_bytes, exponent, sizeof exponent};
  }
}

/**
 * Only what the suites need: the linker leaves the rest of BearSSL out. All of it multiplies to 64 bits,
 * which takes a constant time on a Cortex-M4. On a Cortex-M3 it does not: BearSSL has other functions for it.
 */
static void choose_algorithms(struct tls *tls)
{
  br_ssl_engine_context *engine = &tls->client.eng;
  br_x509_minimal_context *x509 = &tls->config.validity->x509;
  br_ssl_client_zero(&tls->client);
  /* A hub that asks for another handshake is refused: the memory of `validity` is gone. */
  br_ssl_engine_set_all_flags(engine, BR_OPT_NO_RENEGOTIATION);
  br_x509_minimal_init(x509, &br_sha256_vtable, &tls->authority, 1);
  br_ssl_engine_set_versions(engine, BR_TLS12, BR_TLS12);
  br_ssl_engine_set_suites(engine, SUITES, sizeof SUITES / sizeof *SUITES);
  br_ssl_engine_set_hash(engine, br_sha256_ID, &br_sha256_vtable);
  br_ssl_engine_set_prf_sha256(engine, br_tls12_sha256_prf);
  br_ssl_engine_set_ec(engine, &CURVE);
  br_ssl_engine_set_ecdsa(engine, br_ecdsa_i31_vrfy_asn1);
#ifndef TLS_NO_RSA
  br_ssl_engine_set_rsavrfy(engine, br_rsa_i31_pkcs1_vrfy);
  br_x509_minimal_set_rsa(x509, br_rsa_i31_pkcs1_vrfy);
#endif
#ifndef TLS_NO_CHACHA
  br_ssl_engine_set_chapol(engine, &br_sslrec_in_chapol_vtable, &br_sslrec_out_chapol_vtable);
  br_ssl_engine_set_chacha20(engine, br_chacha20_ct_run);
  br_ssl_engine_set_poly1305(engine, br_poly1305_ctmul_run);
#endif
#ifndef TLS_NO_AES
  br_ssl_engine_set_gcm(engine, &br_sslrec_in_gcm_vtable, &br_sslrec_out_gcm_vtable);
  br_ssl_engine_set_aes_ctr(engine, &br_aes_ct_ctr_vtable);
  br_ssl_engine_set_ghash(engine, br_ghash_ctmul);
#endif
  br_x509_minimal_set_hash(x509, br_sha256_ID, &br_sha256_vtable);
  br_x509_minimal_set_ecdsa(x509, &CURVE, br_ecdsa_i31_vrfy_asn1);
  br_ssl_engine_set_x509(engine, &x509->vtable);
}

static void start(void *context, struct stream below, const char *host)
{
  struct tls *tls = context;
  uint8_t seed[SEED_BYTES];
  tls->below = below;
  tls->is_open = false;
  set_authority(tls);
  choose_algorithms(tls);
  validity_start(tls->config.validity, tls->config.unix_seconds(tls->config.context));
  br_ssl_engine_set_buffers_bidi(&tls->client.eng, tls->received, sizeof tls->received, tls->sent,
                                 sizeof tls->sent);
  tls->lacks_randomness = !tls->config.random(tls->config.context, seed, sizeof seed);
  br_ssl_engine_inject_entropy(&tls->client.eng, seed, sizeof seed);
  memset(seed, 0, sizeof seed);
  br_ssl_client_reset(&tls->client, host, 0);
}

/** Moves records between BearSSL and the connection until neither has any more. */
static void carry(struct tls *tls)
{
  br_ssl_engine_context *engine = &tls->client.eng;
  size_t moved, room;
  do {
    moved = 0;
    const uint8_t *record = br_ssl_engine_sendrec_buf(engine, &room);
    if (record && (moved = tls->below.send(tls->below.context, record, room)) > 0)
      br_ssl_engine_sendrec_ack(engine, moved);
    uint8_t *space = br_ssl_engine_recvrec_buf(engine, &room);
    size_t arrived = space ? tls->below.receive(tls->below.context, space, room) : 0;
    if (arrived > 0) br_ssl_engine_recvrec_ack(engine, arrived);
    moved += arrived;
  } while (moved > 0);
}

static enum layer_state poll(void *context, uint64_t now_ms)
{
  struct tls *tls = context;
  (void)now_ms;
  if (tls->lacks_randomness) return LAYER_FAILED;
  carry(tls);
  unsigned state = br_ssl_engine_current_state(&tls->client.eng);
  if (state == BR_SSL_CLOSED) return LAYER_FAILED;
  /* Before the end of the handshake BearSSL takes no data. */
  if (state & BR_SSL_SENDAPP) tls->is_open = true;
  return tls->is_open ? LAYER_OPEN : LAYER_STARTING;
}

static const char *cause(void *context)
{
  const struct tls *tls = context;
  if (tls->lacks_randomness) return "no randomness for TLS";
  int error = br_ssl_engine_last_error(&tls->client.eng);
  if (error >= BR_ERR_RECV_FATAL_ALERT && error < BR_ERR_SEND_FATAL_ALERT) return "the hub has refused TLS";
  switch (error) {
  case BR_ERR_OK: return "the hub has ended TLS";
  case BR_ERR_X509_NOT_TRUSTED: return "certificate not trusted";
  case BR_ERR_X509_EXPIRED: return "certificate expired";
  case BR_ERR_X509_BAD_SERVER_NAME: return "certificate of another host";
  case BR_ERR_X509_BAD_SIGNATURE: return "certificate badly signed";
  case BR_ERR_TOO_LARGE: return "TLS record too large";
  default: return "TLS failed";
  }
}

static size_t send(void *context, const uint8_t *bytes, size_t count)
{
  struct tls *tls = context;
  size_t room = 0;
  uint8_t *space = tls->is_open ? br_ssl_engine_sendapp_buf(&tls->client.eng, &room) : NULL;
  if (!space) return 0;
  if (count > room) count = room;
  memcpy(space, bytes, count);
  br_ssl_engine_sendapp_ack(&tls->client.eng, count);
  /* A packet of MQTT is a record: nothing waits for more. */
  br_ssl_engine_flush(&tls->client.eng, 0);
  carry(tls);
  return count;
}

static size_t receive(void *context, uint8_t *bytes, size_t room)
{
  struct tls *tls = context;
  size_t count = 0;
  if (!tls->is_open) return 0;
  carry(tls);
  const uint8_t *arrived = br_ssl_engine_recvapp_buf(&tls->client.eng, &count);
  if (!arrived) return 0;
  if (count > room) count = room;
  memcpy(bytes, arrived, count);
  br_ssl_engine_recvapp_ack(&tls->client.eng, count);
  return count;
}

struct stream_layer tls_layer(struct tls *tls, const struct tls_config *config)
{
  tls->config = *config;
  return (struct stream_layer){.context = tls,
                               .start = start,
                               .poll = poll,
                               .cause = cause,
                               .above = {.context = tls, .send = send, .receive = receive}};
}
