#ifndef LINK_H
#define LINK_H

#include "../modem/modem.h"
#include "mqtt.h"
#include "sb1/sb1.h"

/*
 * The session of a device with its hub, over the modem: opens the connection, logs in, subscribes, hands
 * packets to the core and its frames to the hub, and tries again after an end (sb/1 1.6). Nothing here waits:
 * each step is a state with its own deadline (sb/1 1.8), so connecting delays no sound and no screen.
 */

enum link_event_type {
  /** The modem has no network: `reason`. The driver goes on trying by itself. */
  LINK_NO_NETWORK,
  /** An attempt has failed: `reason`, `retry_ms`. */
  LINK_OFFLINE,
  /** A welcomed session has ended: `reason`, `retry_ms`. */
  LINK_DISCONNECTED,
  /** CONNACK 1, 2, 4 or 5: `code`, `reason`, `retry_ms`. */
  LINK_REFUSED,
  /** A packet was larger than the receive buffer (sb/1 10.1). */
  LINK_DROPPED
};

struct link_event {
  enum link_event_type type;
  uint8_t code;
  const char *reason;
  uint32_t retry_ms;
};

/**
 * The buffers of MQTT. With at least `rx_bytes` of the core's config no command is dropped. The link touches
 * them only when `tls` is open: until then TLS may have other things in the same memory.
 */
struct link_buffers {
  uint8_t rx[SB1_RX_BYTES];
  uint8_t tx[MQTT_TX_BYTES];
};

/** All that it points to stays where it is. */
struct link_config {
  const char *host;
  uint16_t port;
  struct modem_config modem;
  /** TLS in this firmware, or NULL: none, or that of the module (`modem.ca_file`). */
  const struct stream_layer *tls;
  struct link_buffers *buffers;
  void *context;
  /** Fills `bytes` with random numbers fit for keys. False if the generator fails. */
  bool (*random)(void *context, void *bytes, size_t count);
  void (*tell)(void *context, const struct link_event *event);
};

enum link_state {
  /** It was left for good. */
  LINK_OFF,
  /** Until the next attempt. */
  LINK_WAITING,
  /** Until the modem is on the network. */
  LINK_SEARCHING,
  LINK_OPENING,
  /** The handshake of TLS in this firmware. */
  LINK_SECURING,
  LINK_CONNECTING,
  LINK_SUBSCRIBING,
  /** The birth is sent. */
  LINK_GREETING,
  LINK_WELCOMED,
  /** `bye` is said, until the hub closes. */
  LINK_LEAVING
};

struct link {
  enum link_state state;
  bool was_welcomed;
  /** The session must end: for the next key, or because an ack had no room in the send buffer. */
  bool wants_move, lacks_acks;
  bool wants_off;
  unsigned failures;
  struct sb1 *device;
  /** The reason for an end that the core asks for, or NULL. */
  const char *end_reason;
  uint64_t now_ms;
  /** When the state ends by itself: the next attempt, or the end of patience. */
  uint64_t until_ms;
  struct link_config config;
  struct mqtt mqtt;
  struct modem modem;
  /** Why the last connection ended. */
  char cause[MODEM_CAUSE_BYTES];
};

/** Starts the modem and the first attempt. `device` was initialized. */
void link_start(struct link *link, struct sb1 *device, const struct link_config *config, uint64_t now_ms);

/** Call it when bytes have arrived from the modem, after calls of the core, and at `link_due_ms`. */
void link_poll(struct link *link, uint64_t now_ms);

uint64_t link_due_ms(const struct link *link);

/** `publish` of `sb1_world`; the context is a `struct link`. */
uint16_t link_publish(void *link, enum sb1_kind kind, const char *payload, size_t length);

/** Call it in `tell` of `sb1_world`, with every event of the core. */
void link_hear(struct link *link, const struct sb1_event *event);

/**
 * Says `bye` and ends the session for good: for power off, or before a restart. The state becomes LINK_OFF,
 * at the latest after some seconds of `link_poll`.
 */
void link_leave(struct link *link);

/** Why the last connection ended: at most 32 printable characters, for `health.modem`; empty: none has. */
const char *link_cause(const struct link *link);

#endif
