#include "mqtt.h"

#include <string.h>

/* The first byte of each packet, with the only flags that it may have (MQTT 3.1.1, 2.2). */
#define CONNECT 0x10
#define CONNACK 0x20
#define PUBLISH 0x30
#define PUBACK 0x40
#define SUBSCRIBE 0x82
#define SUBACK 0x90
#define PINGREQ 0xC0
#define PINGRESP 0xD0
#define DISCONNECT 0xE0

/** A clean session, a will with QoS 1, a username and a password (MQTT 3.1.1, 3.1.2.3). */
#define CONNECT_FLAGS 0xCE
#define PROTOCOL_LEVEL 4
#define ID_BYTES 2
#define MALFORMED "malformed packet"

/* The keepalive must not pass without a packet of this client, and the modem needs some time to send one. */
#define PING_MS ((MQTT_KEEPALIVE_S - 5) * 1000)
#define PONG_MS 30000
/* Room for the PUBACK of a packet and for the acks that the core sends at it. Without it nothing is read. */
#define SPARE_BYTES 512
_Static_assert(MQTT_TX_BYTES >= 2 * SPARE_BYTES, "A client without room reads nothing.");

void mqtt_start(struct mqtt *mqtt, struct stream stream, uint8_t *rx, size_t rx_size,
                uint8_t tx[static MQTT_TX_BYTES], uint64_t now_ms)
{
  *mqtt = (struct mqtt){.stream = stream, .rx = rx, .rx_size = rx_size, .tx = tx, .pong_by_ms = UINT64_MAX};
  mqtt->now_ms = mqtt->sent_ms = mqtt->received_ms = now_ms;
}

/* Sending. */

static void flush(struct mqtt *mqtt)
{
  size_t taken = 0;
  if (mqtt->tx_length > 0) taken = mqtt->stream.send(mqtt->stream.context, mqtt->tx, mqtt->tx_length);
  if (taken == 0) return;
  mqtt->sent_ms = mqtt->now_ms;
  mqtt->tx_length -= taken;
  memmove(mqtt->tx, mqtt->tx + taken, mqtt->tx_length);
}

static void put_byte(struct mqtt *mqtt, size_t byte)
{
  mqtt->tx[mqtt->tx_length++] = (uint8_t)byte;
}

static void put_number(struct mqtt *mqtt, size_t number)
{
  put_byte(mqtt, number >> 8);
  put_byte(mqtt, number & 0xFF);
}

static void put_bytes(struct mqtt *mqtt, const char *bytes, size_t length)
{
  memcpy(mqtt->tx + mqtt->tx_length, bytes, length);
  mqtt->tx_length += length;
}

static void put_text(struct mqtt *mqtt, const char *text)
{
  put_number(mqtt, strlen(text));
  put_bytes(mqtt, text, strlen(text));
}

/** The bytes of a text and of its length. */
static size_t text_bytes(const char *text)
{
  return 2 + strlen(text);
}

/** Writes a fixed header, if the whole packet has room. */
static bool begin(struct mqtt *mqtt, uint8_t header, size_t remaining)
{
  size_t room = MQTT_TX_BYTES - mqtt->tx_length;
  size_t whole = remaining + (remaining < 128 ? 2 : 3);
  if (whole > room || remaining >= 128 * 128 || mqtt->is_over) return false;
  put_byte(mqtt, header);
  if (remaining >= 128) put_byte(mqtt, remaining % 128 | 128);
  put_byte(mqtt, remaining < 128 ? remaining : remaining / 128);
  return true;
}

/** 1 to 65,535, and 1 again. */
static uint16_t next_id(struct mqtt *mqtt)
{
  if (++mqtt->last_id == 0) mqtt->last_id = 1;
  return mqtt->last_id;
}

bool mqtt_connect(struct mqtt *mqtt, const struct mqtt_login *login)
{
  size_t remaining = text_bytes("MQTT") + 4 + 2 * text_bytes(login->serial) + text_bytes(login->will_topic) +
                     text_bytes(login->will) + text_bytes(login->password);
  if (!begin(mqtt, CONNECT, remaining)) return false;
  put_text(mqtt, "MQTT");
  put_byte(mqtt, PROTOCOL_LEVEL);
  put_byte(mqtt, CONNECT_FLAGS);
  put_number(mqtt, MQTT_KEEPALIVE_S);
  put_text(mqtt, login->serial);
  put_text(mqtt, login->will_topic);
  put_text(mqtt, login->will);
  put_text(mqtt, login->serial);
  put_text(mqtt, login->password);
  flush(mqtt);
  return true;
}

bool mqtt_subscribe(struct mqtt *mqtt, const char *topic)
{
  if (!begin(mqtt, SUBSCRIBE, ID_BYTES + text_bytes(topic) + 1)) return false;
  mqtt->subscribe_id = next_id(mqtt);
  put_number(mqtt, mqtt->subscribe_id);
  put_text(mqtt, topic);
  put_byte(mqtt, 1);
  flush(mqtt);
  return true;
}

uint16_t mqtt_publish(struct mqtt *mqtt, const char *topic, const char *payload, size_t length, unsigned qos)
{
  uint16_t packet_id = 0;
  size_t remaining = text_bytes(topic) + (qos > 0 ? ID_BYTES : 0) + length;
  if (!begin(mqtt, (uint8_t)(PUBLISH | qos << 1), remaining)) return 0;
  put_text(mqtt, topic);
  if (qos > 0) {
    packet_id = next_id(mqtt);
    put_number(mqtt, packet_id);
    mqtt->unconfirmed++;
  }
  put_bytes(mqtt, payload, length);
  flush(mqtt);
  return packet_id;
}

bool mqtt_disconnect(struct mqtt *mqtt)
{
  if (!begin(mqtt, DISCONNECT, 0)) return false;
  mqtt->is_over = true;
  flush(mqtt);
  return true;
}

/* Receiving. */

static enum mqtt_event_type broken(struct mqtt *mqtt, struct mqtt_event *event, const char *why)
{
  mqtt->is_over = true;
  event->why = why;
  return MQTT_BROKEN;
}

static uint16_t number_at(const uint8_t *bytes)
{
  return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static enum mqtt_event_type take_publish(struct mqtt *mqtt, struct mqtt_event *event)
{
  bool is_whole = mqtt->remaining <= mqtt->rx_size;
  size_t length = is_whole ? mqtt->remaining : mqtt->rx_size;
  unsigned qos = mqtt->header >> 1 & 3;
  bool is_repeat = mqtt->header & 8;
  if (qos > 1 || (is_repeat && qos == 0) || length < 2) return broken(mqtt, event, MALFORMED);
  size_t topic = number_at(mqtt->rx), start = 2 + topic + (qos ? ID_BYTES : 0);
  if (topic == 0 || start > length) return broken(mqtt, event, MALFORMED);
  event->topic = (struct sb1_span){(char *)mqtt->rx + 2, topic};
  event->payload = (struct sb1_span){(char *)mqtt->rx + start, length - start};
  if (qos > 0) {
    uint16_t packet_id = number_at(mqtt->rx + start - ID_BYTES);
    if (packet_id == 0) return broken(mqtt, event, MALFORMED);
    /* At once: it says only that the packet has arrived. Acks say what became of the command (sb/1 7.4). */
    if (begin(mqtt, PUBACK, ID_BYTES)) put_number(mqtt, packet_id);
  }
  return is_whole ? MQTT_PUBLISH : MQTT_DROPPED;
}

/** Takes a packet whose body has come. */
static enum mqtt_event_type take_packet(struct mqtt *mqtt, struct mqtt_event *event)
{
  const uint8_t *body = mqtt->rx;
  mqtt->received_ms = mqtt->now_ms;
  switch (mqtt->header) {
  case CONNACK:
    /* There is no old session after a clean start, and 5 is the last code (MQTT 3.1.1, 3.2.2). */
    if (body[0] != 0 || body[1] > 5) return broken(mqtt, event, MALFORMED);
    mqtt->is_connected = body[1] == 0;
    event->code = body[1];
    return MQTT_CONNACK;
  case SUBACK:
    if (mqtt->subscribe_id == 0 || number_at(body) != mqtt->subscribe_id)
      return broken(mqtt, event, MALFORMED);
    mqtt->subscribe_id = 0;
    event->code = body[2];
    return MQTT_SUBACK;
  case PUBACK:
    event->packet_id = number_at(body);
    if (event->packet_id == 0) return broken(mqtt, event, MALFORMED);
    if (mqtt->unconfirmed > 0) mqtt->unconfirmed--;
    return MQTT_PUBACK;
  case PINGRESP: mqtt->pong_by_ms = UINT64_MAX; return MQTT_NOTHING;
  default: return take_publish(mqtt, event);
  }
}

/** Whether a packet may come now, and has this length. */
static bool is_expected(const struct mqtt *mqtt)
{
  /* The first packet is the CONNACK, and no other one is. */
  if ((mqtt->header == CONNACK) == mqtt->is_connected) return false;
  switch (mqtt->header) {
  case CONNACK:
  case PUBACK: return mqtt->remaining == 2;
  case SUBACK: return mqtt->remaining == 3;
  case PINGRESP: return mqtt->remaining == 0;
  default: return (mqtt->header & 0xF0) == PUBLISH;
  }
}

/** Takes a byte of the fixed header. False if it is malformed. */
static bool take_header(struct mqtt *mqtt, uint8_t byte)
{
  if (mqtt->header_bytes++ == 0) {
    mqtt->header = byte;
    return true;
  }
  mqtt->remaining |= (uint32_t)(byte & 127) << 7 * (mqtt->header_bytes - 2);
  mqtt->has_header = byte < 128;
  return mqtt->has_header ? is_expected(mqtt) : mqtt->header_bytes < 5;
}

/** Reads a part of the body. What does not fit into the buffer is dropped. */
static size_t receive_body(struct mqtt *mqtt)
{
  uint8_t dropped[32];
  bool fits = mqtt->body_bytes < mqtt->rx_size;
  uint8_t *bytes = fits ? mqtt->rx + mqtt->body_bytes : dropped;
  size_t room = fits ? mqtt->rx_size - mqtt->body_bytes : sizeof dropped;
  size_t left = mqtt->remaining - mqtt->body_bytes;
  size_t count = mqtt->stream.receive(mqtt->stream.context, bytes, left < room ? left : room);
  mqtt->body_bytes += (uint32_t)count;
  return count;
}

/** Reads up to the end of a packet that is an event. */
static enum mqtt_event_type read_event(struct mqtt *mqtt, struct mqtt_event *event)
{
  enum mqtt_event_type type = MQTT_NOTHING;
  while (type == MQTT_NOTHING && MQTT_TX_BYTES - mqtt->tx_length >= SPARE_BYTES) {
    uint8_t byte;
    bool wants_body = mqtt->has_header && mqtt->body_bytes < mqtt->remaining;
    if (wants_body && receive_body(mqtt) == 0) break;
    if (!mqtt->has_header && mqtt->stream.receive(mqtt->stream.context, &byte, 1) == 0) break;
    if (!mqtt->has_header && !take_header(mqtt, byte)) return broken(mqtt, event, MALFORMED);
    if (!mqtt->has_header || mqtt->body_bytes < mqtt->remaining) continue;
    type = take_packet(mqtt, event);
    mqtt->header_bytes = mqtt->remaining = mqtt->body_bytes = 0;
    mqtt->has_header = false;
  }
  return type;
}

static uint64_t ping_at_ms(const struct mqtt *mqtt)
{
  /* Also when nothing was received: reports without an answer must not hide that the line is dead. */
  return (mqtt->sent_ms < mqtt->received_ms ? mqtt->sent_ms : mqtt->received_ms) + PING_MS;
}

enum mqtt_event_type mqtt_poll(struct mqtt *mqtt, uint64_t now_ms, struct mqtt_event *event)
{
  uint8_t ignored[32];
  mqtt->now_ms = now_ms;
  flush(mqtt);
  if (mqtt->is_over) {
    while (mqtt->stream.receive(mqtt->stream.context, ignored, sizeof ignored) > 0) continue;
    return MQTT_NOTHING;
  }
  enum mqtt_event_type type = read_event(mqtt, event);
  if (type != MQTT_NOTHING) return type;
  if (now_ms >= mqtt->pong_by_ms) return broken(mqtt, event, "no PINGRESP in time");
  if (mqtt->is_connected && mqtt->pong_by_ms == UINT64_MAX && now_ms >= ping_at_ms(mqtt)) {
    /* If it has no room, nothing was sent for so long that the line is dead anyway. */
    begin(mqtt, PINGREQ, 0);
    mqtt->pong_by_ms = now_ms + PONG_MS;
  }
  flush(mqtt);
  return MQTT_NOTHING;
}

uint64_t mqtt_due_ms(const struct mqtt *mqtt)
{
  if (!mqtt->is_connected || mqtt->is_over) return UINT64_MAX;
  return mqtt->pong_by_ms < UINT64_MAX ? mqtt->pong_by_ms : ping_at_ms(mqtt);
}
