#include "link.h"

#include <string.h>

#include "sb1/frame.h"

/* Each answer of the hub, and the opening of a connection, may take so long (sb/1 1.8, sb/1 10.2). */
#define ANSWER_MS 30000
/* When the application is told that there is no network. */
#define SEARCH_MS 30000
/* The hub closes the connection at a DISCONNECT. */
#define GOODBYE_MS 3000
#define TOPIC_BYTES 64
#define WILL_BYTES 64

/** What was awaited when a state has lasted too long. */
static const char *const TOO_LATE[] = {
    [LINK_OPENING] = "no connection in time", [LINK_SECURING] = "no TLS in time",
    [LINK_CONNECTING] = "no CONNACK in time", [LINK_SUBSCRIBING] = "no SUBACK in time",
    [LINK_GREETING] = "no welcome in time",   [LINK_LEAVING] = "no end in time",
};

static bool has_session(const struct link *link)
{
  return link->state >= LINK_CONNECTING && link->state <= LINK_WELCOMED;
}

/** Enters a state that lasts for at most `patience_ms`; 0: for as long as it takes. */
static void enter(struct link *link, enum link_state state, uint32_t patience_ms)
{
  link->state = state;
  link->until_ms = patience_ms ? link->now_ms + patience_ms : UINT64_MAX;
}

/** `up_kind`: the last level of a topic of the device, or NULL for the topic of the hub (sb/1 4). */
static struct sb1_text write_topic(const struct link *link, const char *up_kind, char buffer[TOPIC_BYTES])
{
  struct sb1_text topic = sb1_text_in(buffer, TOPIC_BYTES);
  sb1_text_put(&topic, "sb/1/");
  sb1_text_put(&topic, link->device->config.serial);
  sb1_text_put(&topic, up_kind ? "/up/" : "/down");
  if (up_kind) sb1_text_put(&topic, up_kind);
  return topic;
}

static uint16_t publish(struct link *link, enum sb1_kind kind, const char *payload, size_t length)
{
  char topic[TOPIC_BYTES];
  write_topic(link, sb1_kind_name(kind), topic);
  return mqtt_publish(&link->mqtt, topic, payload, length, kind == SB1_TELEMETRY ? 0 : 1);
}

uint16_t link_publish(void *context, enum sb1_kind kind, const char *payload, size_t length)
{
  struct link *link = context;
  if (!has_session(link)) return 0;
  uint16_t packet_id = publish(link, kind, payload, length);
  if (packet_id == 0 && kind != SB1_TELEMETRY) link->lacks_acks = true;
  return packet_id;
}

/* The end of a session or of an attempt. */

static void tell(struct link *link, struct link_event event)
{
  link->config.tell(link->config.context, &event);
}

static uint32_t random_bits(const struct link *link)
{
  uint32_t bits;
  bool is_random = link->config.random(link->config.context, &bits, sizeof bits);
  return is_random ? bits : (uint32_t)link->now_ms * 2654435761u;
}

/** `code`: that of the CONNACK, or 0. `is_next_key`: the session ends for the next key. */
static void end(struct link *link, const char *reason, uint8_t code, bool is_next_key)
{
  struct sb1_text cause = SB1_TEXT_IN(link->cause);
  bool was_refused = code == 1 || code == 2 || code == 4 || code == 5;
  enum link_event_type type = link->was_welcomed ? LINK_DISCONNECTED : LINK_OFFLINE;
  if (was_refused) type = LINK_REFUSED;
  sb1_text_put(&cause, reason);
  modem_close(&link->modem);
  sb1_closed(link->device);
  /* With another key the next attempt is no repeat (sb/1 2.7, sb/1 2.8). */
  bool has_other_key = is_next_key || (code == 4 && sb1_refused(link->device));
  uint32_t wait_ms = has_other_key ? 0 : sb1_retry_ms(++link->failures, was_refused, random_bits(link));
  link->state = link->wants_off ? LINK_OFF : LINK_WAITING;
  link->until_ms = link->now_ms + wait_ms;
  link->wants_move = link->lacks_acks = false;
  link->end_reason = NULL;
  /* Nobody asks why an attempt has failed after power off. */
  if (link->wants_off && !link->was_welcomed) return;
  tell(link, (struct link_event){type, code, link->cause, wait_ms});
  link->was_welcomed = false;
}

static void lose(struct link *link, const char *reason)
{
  end(link, reason, 0, false);
}

/** Says `bye`, so that the hub knows at once that the session has ended (sb/1 3.2). */
static void leave(struct link *link)
{
  char payload[WILL_BYTES];
  struct sb1_text bye = SB1_TEXT_IN(payload);
  sb1_write_will(link->device, "bye", &bye);
  bool is_said =
      link->mqtt.is_connected && publish(link, SB1_WILL, payload, bye.length) && mqtt_disconnect(&link->mqtt);
  enter(link, LINK_LEAVING, is_said ? GOODBYE_MS : 1);
}

/* From the network to the CONNECT. */

static void log_in(struct link *link)
{
  uint8_t sid[8];
  char password[SB1_KEY_TEXT_BYTES], topic[TOPIC_BYTES], payload[WILL_BYTES];
  struct sb1_text will = SB1_TEXT_IN(payload);
  struct sb1 *device = link->device;
  const struct link_config *config = &link->config;
  if (config->random(config->context, sid, sizeof sid)) sb1_connect(device, sid);
  if (device->phase != SB1_CONNECTING) {
    lose(link, "no session id");
    return;
  }
  sb1_write_password(&device->keys, password);
  write_topic(link, sb1_kind_name(SB1_WILL), topic);
  sb1_write_will(device, "lost", &will);
  mqtt_start(&link->mqtt, config->tls ? config->tls->above : modem_stream(&link->modem), config->buffers->rx,
             sizeof config->buffers->rx, config->buffers->tx, link->now_ms);
  mqtt_connect(&link->mqtt, &(struct mqtt_login){device->config.serial, password, topic, payload});
  enter(link, LINK_CONNECTING, ANSWER_MS);
}

static void search(struct link *link)
{
  if (link->modem.state == MODEM_READY) {
    modem_open(&link->modem, link->config.host, link->config.port);
    enter(link, LINK_OPENING, ANSWER_MS);
  } else if (link->now_ms >= link->until_ms) {
    tell(link, (struct link_event){.type = LINK_NO_NETWORK, .reason = modem_cause(&link->modem)});
    enter(link, LINK_SEARCHING, 0);
  }
}

/** The connection is open, and TLS may follow within the same 30 s (sb/1 1.8). */
static void secure(struct link *link)
{
  const struct stream_layer *tls = link->config.tls;
  if (link->modem.state != MODEM_OPEN) return;
  if (tls) tls->start(tls->context, modem_stream(&link->modem), link->config.host);
  if (tls) link->state = LINK_SECURING;
  else log_in(link);
}

/** Carries TLS on. Returns why the connection stands no more, or NULL. What came before can be read. */
static const char *carry(struct link *link)
{
  const struct stream_layer *tls = link->config.tls;
  if (tls && link->state >= LINK_SECURING) {
    enum layer_state state = tls->poll(tls->context, link->now_ms);
    if (state == LAYER_OPEN && link->state == LINK_SECURING) log_in(link);
    if (state == LAYER_FAILED) return tls->cause(tls->context);
  }
  return link->modem.state >= MODEM_OPENING ? NULL : modem_cause(&link->modem);
}

/* The session. */

static void take_connack(struct link *link, uint8_t code)
{
  char topic[TOPIC_BYTES];
  /* sb/1 1.7 is about 3. Each of the others means a long wait (sb/1 1.6, sb/1 1.9). */
  const char *reason = code == 3   ? "the hub is not available"
                       : code <= 2 ? "the hub refused the CONNECT"
                                   : "the hub refused the login";
  if (code != 0) end(link, reason, code, false);
  if (code != 0) return;
  write_topic(link, NULL, topic);
  mqtt_subscribe(&link->mqtt, topic);
  enter(link, LINK_SUBSCRIBING, ANSWER_MS);
}

static void take_suback(struct link *link, uint8_t code)
{
  if (code != 1) lose(link, "the subscription was refused"); /* sb/1 4.3 */
  if (code != 1) return;
  enter(link, LINK_GREETING, ANSWER_MS);
  sb1_subscribed(link->device);
}

static void take_publish(struct link *link, const struct mqtt_event *event)
{
  char buffer[TOPIC_BYTES];
  struct sb1_text topic = write_topic(link, NULL, buffer);
  if (topic.length == event->topic.length && memcmp(topic.at, event->topic.at, topic.length) == 0)
    sb1_receive(link->device, event->payload, link->now_ms);
}

static void converse(struct link *link)
{
  struct mqtt_event event;
  enum mqtt_event_type type;
  while ((has_session(link) || link->state == LINK_LEAVING) &&
         (type = mqtt_poll(&link->mqtt, link->now_ms, &event)) != MQTT_NOTHING) {
    switch (type) {
    case MQTT_CONNACK: take_connack(link, event.code); break;
    case MQTT_SUBACK: take_suback(link, event.code); break;
    case MQTT_PUBLISH: take_publish(link, &event); break;
    case MQTT_PUBACK: sb1_stored(link->device, event.packet_id, link->now_ms); break;
    case MQTT_DROPPED: tell(link, (struct link_event){.type = LINK_DROPPED}); break;
    default: lose(link, event.why);
    }
  }
}

/** The core keeps acks that had no room and sends them in the next session, but speaks nothing until then. */
static bool must_resend_acks(const struct link *link)
{
  return link->lacks_acks && link->mqtt.tx_length == 0 && link->mqtt.unconfirmed == 0;
}

static void end_if_asked(struct link *link)
{
  if (link->wants_off && link->state < LINK_CONNECTING) lose(link, "switched off");
  if (!has_session(link)) return;
  if (link->end_reason) lose(link, link->end_reason);
  else if (link->wants_off || link->wants_move || must_resend_acks(link)) leave(link);
}

static void end_leaving(struct link *link)
{
  const char *reason = link->wants_move ? "the device uses its next key" : "acks had no room";
  end(link, link->wants_off ? "switched off" : reason, 0, link->wants_move);
}

void link_poll(struct link *link, uint64_t now_ms)
{
  link->now_ms = now_ms;
  modem_poll(&link->modem, now_ms);
  if (link->state == LINK_OFF) return;
  if (link->state == LINK_WAITING && now_ms >= link->until_ms) enter(link, LINK_SEARCHING, SEARCH_MS);
  if (link->state == LINK_SEARCHING) search(link);
  if (link->state == LINK_OPENING) secure(link);
  const char *cause = carry(link);
  converse(link);
  if (link->state < LINK_OPENING) {
    end_if_asked(link);
    return;
  }
  bool is_late = now_ms >= link->until_ms;
  if (link->state == LINK_LEAVING && (is_late || cause)) end_leaving(link);
  else if (cause) lose(link, cause);
  else if (is_late) lose(link, TOO_LATE[link->state]);
  else end_if_asked(link);
}

uint64_t link_due_ms(const struct link *link)
{
  uint64_t due = modem_due_ms(&link->modem);
  if (link->state == LINK_OFF) return due;
  bool is_asked = link->wants_off || link->wants_move || link->end_reason || must_resend_acks(link);
  if (is_asked && link->state != LINK_LEAVING) return link->now_ms;
  if (has_session(link) && mqtt_due_ms(&link->mqtt) < due) due = mqtt_due_ms(&link->mqtt);
  return link->until_ms < due ? link->until_ms : due;
}

void link_start(struct link *link, struct sb1 *device, const struct link_config *config, uint64_t now_ms)
{
  memset(link, 0, sizeof *link);
  link->config = *config;
  link->device = device;
  link->now_ms = link->until_ms = now_ms;
  link->state = LINK_WAITING;
  modem_start(&link->modem, &link->config.modem, now_ms);
}

void link_hear(struct link *link, const struct sb1_event *event)
{
  if (event->type == SB1_CONNECTED) {
    /* Only a welcome proves that the hub works, so only a welcome restarts the backoff (sb/1 13.3). */
    link->was_welcomed = true;
    link->failures = 0;
    enter(link, LINK_WELCOMED, 0);
  }
  if (event->type == SB1_MOVE) link->wants_move = true;
  if (event->type == SB1_STALLED) link->end_reason = "no PUBACK in time";
}

void link_leave(struct link *link)
{
  link->wants_off = true;
}

const char *link_cause(const struct link *link)
{
  return link->cause;
}
