#ifndef STREAM_H
#define STREAM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes in both directions, in order. A socket of the modem is a stream, and so is TLS on top of it, so MQTT
 * is the same on both. No function blocks. The owner of the connection knows whether it is still open.
 */
struct stream {
  void *context;
  /** How many of the bytes were taken: 0 to `count`. */
  size_t (*send)(void *context, const uint8_t *bytes, size_t count);
  /** How many bytes were stored: 0 to `room`. 0 means that nothing has arrived. */
  size_t (*receive)(void *context, uint8_t *bytes, size_t room);
};

enum layer_state { LAYER_STARTING, LAYER_OPEN, LAYER_FAILED };

/** TLS in this firmware: a layer between the socket and MQTT. */
struct stream_layer {
  void *context;
  /** Starts anew on a connection that has just opened. `host` is the name in the certificate. */
  void (*start)(void *context, struct stream below, const char *host);
  /** Carries the handshake and its records on. */
  enum layer_state (*poll)(void *context, uint64_t now_ms);
  /** Why it has failed: printable, at most 32 characters. */
  const char *(*cause)(void *context);
  /** The stream for MQTT. */
  struct stream above;
};

#endif
