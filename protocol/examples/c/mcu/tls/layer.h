#ifndef TLS_LAYER_H
#define TLS_LAYER_H

#include <bearssl.h>

#include "../net/stream.h"
#include "anchor.h"
#include "validity.h"

/*
 * TLS 1.2 in this firmware, with BearSSL (https://bearssl.org): no heap, and one certificate authority, the
 * one of the factory. The hub's certificate must be signed by it, must not have expired, and must have the
 * name of the hub (sb/1 18.9). BearSSL compares names only: a certificate for an IP address does not match.
 *
 * TLS_NO_AES, TLS_NO_CHACHA and TLS_NO_RSA leave out what the hub does not need: AES-128-GCM,
 * ChaCha20-Poly1305, keys of RSA. TLS_SMALL_CURVE takes less flash, more time and more stack.
 */

/**
 * The largest record that can be received. The hub is asked for records of this size (RFC 6066, 4). A server
 * that ignores this sends its certificates in one record: 4,096 bytes have room for a chain of three.
 */
#ifndef TLS_RECEIVE_BYTES
#define TLS_RECEIVE_BYTES 4096
#endif
/** The largest record that is sent. */
#ifndef TLS_SEND_BYTES
#define TLS_SEND_BYTES 512
#endif
/** What BearSSL adds to a record: its header, a nonce, padding and a MAC. */
#define TLS_RECEIVE_OVERHEAD 325
#define TLS_SEND_OVERHEAD 85

struct tls_config {
  const struct anchor *anchor;
  /**
   * The check of the hub's certificate. It is used from `start` until LAYER_OPEN: after that the same memory
   * can have something else until the next `start`.
   */
  struct validity *validity;
  void *context;
  /** Fills `bytes` with random numbers fit for keys. False if the generator fails. */
  bool (*random)(void *context, void *bytes, size_t count);
  /**
   * Unix seconds that have passed for sure: a certificate that has ended before is refused. A device without
   * a clock takes the time of its last welcome, and before the first one the time when the firmware was
   * built.
   */
  uint64_t (*unix_seconds)(void *context);
};

struct tls {
  struct tls_config config;
  struct stream below;
  br_ssl_client_context client;
  br_x509_trust_anchor authority;
  unsigned char received[TLS_RECEIVE_BYTES + TLS_RECEIVE_OVERHEAD];
  unsigned char sent[TLS_SEND_BYTES + TLS_SEND_OVERHEAD];
  /** The handshake is over. */
  bool is_open;
  bool lacks_randomness;
};

/** The layer for `link_config`. `tls` and all that `config` points to stay where they are. */
struct stream_layer tls_layer(struct tls *tls, const struct tls_config *config);

#endif
