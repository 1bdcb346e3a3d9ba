#ifndef MQTT_H
#define MQTT_H

#include <stdbool.h>

#include "sb1/json.h"
#include "stream.h"

/*
 * A small client for MQTT 3.1.1 on a stream: one session, QoS 0 and 1, no heap. `mqtt_poll` returns one event
 * at a time. It never sends a packet twice: TCP delivers it or breaks (MQTT 3.1.1, 4.4), and sb/1 wants no
 * frame of an old session (sb/1 5.3).
 */

/** The send buffer: a welcome can be answered with many acks at once. */
#ifndef MQTT_TX_BYTES
#define MQTT_TX_BYTES 1536
#endif

/** The hub closes a connection that is silent for longer (sb/1 1.3). */
#define MQTT_KEEPALIVE_S 60

enum mqtt_event_type {
  MQTT_NOTHING,
  /** `code`: 0 to 5. */
  MQTT_CONNACK,
  /** `code`: the granted QoS, or 0x80. */
  MQTT_SUBACK,
  /** `topic` and `payload`, in the receive buffer: valid until the next call. */
  MQTT_PUBLISH,
  /** `packet_id` of a PUBLISH of this client. */
  MQTT_PUBACK,
  /** A PUBLISH that is larger than the receive buffer was acknowledged and dropped. */
  MQTT_DROPPED,
  /** `why`: the peer breaks the protocol or does not answer. The session is over. */
  MQTT_BROKEN
};

/** The fields that the type names. The others have no value. */
struct mqtt_event {
  uint8_t code;
  uint16_t packet_id;
  struct sb1_span topic, payload;
  const char *why;
};

/** What a CONNECT says. All texts end with a NUL. */
struct mqtt_login {
  /** The client id and the username. */
  const char *serial;
  const char *password;
  const char *will_topic;
  const char *will;
};

struct mqtt {
  bool is_connected;
  /** It is disconnected or broken: nothing is put into the send buffer, and what arrives is dropped. */
  bool is_over;
  /** The fixed header: its first byte, whether it is whole, and how many of its bytes have come. */
  uint8_t header;
  bool has_header;
  unsigned header_bytes;
  /** Its remaining length. */
  uint32_t remaining;
  /** Bytes of the body that have come. Those beyond `rx_size` are dropped. */
  uint32_t body_bytes;
  uint16_t last_id, subscribe_id;
  /** PUBLISHes with QoS 1 that have no PUBACK yet. */
  unsigned unconfirmed;
  struct stream stream;
  /** The buffer for a packet without its fixed header. */
  uint8_t *rx;
  size_t rx_size;
  /** Packets that the stream has not taken yet. */
  uint8_t *tx;
  size_t tx_length;
  uint64_t now_ms, sent_ms, received_ms;
  /** When the PINGRESP must have come, or UINT64_MAX. */
  uint64_t pong_by_ms;
};

/** Starts a session on a stream that is open. The buffers belong to it until it is over. */
void mqtt_start(struct mqtt *mqtt, struct stream stream, uint8_t *rx, size_t rx_size,
                uint8_t tx[static MQTT_TX_BYTES], uint64_t now_ms);

/* Each of these puts a whole packet into the send buffer, or nothing if there is no room. */

bool mqtt_connect(struct mqtt *mqtt, const struct mqtt_login *login);
bool mqtt_subscribe(struct mqtt *mqtt, const char *topic);
/** Returns the packet identifier; 0 for QoS 0, or if there is no room. */
uint16_t mqtt_publish(struct mqtt *mqtt, const char *topic, const char *payload, size_t length, unsigned qos);
bool mqtt_disconnect(struct mqtt *mqtt);

/** Sends, receives, and pings. Call it until it returns MQTT_NOTHING; nothing comes after MQTT_BROKEN. */
enum mqtt_event_type mqtt_poll(struct mqtt *mqtt, uint64_t now_ms, struct mqtt_event *event);

/** When `mqtt_poll` has something to do although no byte arrives. */
uint64_t mqtt_due_ms(const struct mqtt *mqtt);

#endif
