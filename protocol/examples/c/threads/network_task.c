#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"

#include <string.h>

#include "../mcu/net/mqtt.h"
#include "clock.h"
#include "core_task.h"
#include "network_task.h"
#include "port.h"

/** In words. */
#define STACK 1024
#define PRIORITY (tskIDLE_PRIORITY + 1)
/** What was not sent at once is sent, and what the core task asks for is done, so much later at most. */
#define NAP_MS 100
#define TOPIC_BYTES 64

static const char *own_serial, *hub_host;
static uint16_t hub_port;
static uint32_t patience_ms;

static TaskHandle_t own_task;
/** Guards the next lines. Whoever has it waits for nothing, so the core task can publish at any time. */
static SemaphoreHandle_t mutex;
static struct mqtt mqtt;
static uint8_t tx[MQTT_TX_BYTES];
/** CONNECT was sent, and the session has not ended. */
static bool is_up;
/** Why the session has ended or must end, or NULL. */
static const char *cause;
/** The core will send acks again in the next session, because they had no room. It says nothing until then.
 */
static bool lacks_acks;

/*
 * The next lines belong to the core task from the start, from EVENT_FRAME and from EVENT_ENDED on. It returns
 * them by `network_open` and `network_go_on`, which notify this task.
 */
static struct network_login session;
static uint8_t rx[SB1_RX_BYTES];

static struct clock own_clock;
/** The answer of the hub that is due: CONNACK or SUBACK. */
static const char *too_late;
static uint64_t answer_by_ms;
/** The code of a CONNACK that has refused the session. */
static uint8_t refusal;

static void lock(void)
{
  xSemaphoreTake(mutex, portMAX_DELAY);
}

static void unlock(void)
{
  xSemaphoreGive(mutex);
}

/** `up_kind`: the last level of a topic of the device, or NULL for the topic of the hub (sb/1 4). */
static struct sb1_text topic_in(char buffer[TOPIC_BYTES], const char *up_kind)
{
  struct sb1_text topic = sb1_text_in(buffer, TOPIC_BYTES);
  sb1_text_put(&topic, "sb/1/");
  sb1_text_put(&topic, own_serial);
  sb1_text_put(&topic, up_kind ? "/up/" : "/down");
  if (up_kind) sb1_text_put(&topic, up_kind);
  return topic;
}

/* What the core task calls. */

static uint16_t publish(enum sb1_kind kind, const char *payload, size_t length)
{
  char buffer[TOPIC_BYTES];
  struct sb1_text topic = topic_in(buffer, sb1_kind_name(kind));
  return mqtt_publish(&mqtt, topic.at, payload, length, kind == SB1_TELEMETRY ? 0 : 1);
}

uint16_t network_publish(enum sb1_kind kind, const char *payload, size_t length)
{
  uint16_t packet_id = 0;
  lock();
  if (is_up) packet_id = publish(kind, payload, length);
  if (is_up && packet_id == 0 && kind != SB1_TELEMETRY) lacks_acks = true;
  unlock();
  return packet_id;
}

bool network_leave(const char *bye, size_t length)
{
  lock();
  bool is_said = is_up && mqtt.is_connected && publish(SB1_WILL, bye, length) && mqtt_disconnect(&mqtt);
  unlock();
  return is_said;
}

void network_end(const char *why)
{
  lock();
  if (!cause) cause = why;
  unlock();
}

const char *network_cause(void)
{
  return cause;
}

struct sb1_span network_frame(uint16_t at, uint16_t length)
{
  return (struct sb1_span){(char *)rx + at, length};
}

void network_go_on(void)
{
  xTaskNotifyGive(own_task);
}

void network_open(const struct network_login *login)
{
  session = *login;
  cause = NULL;
  network_go_on();
}

/* The session. */

static void await(const char *late, uint64_t now_ms)
{
  too_late = late;
  answer_by_ms = now_ms + patience_ms;
}

/** Sends the CONNECT on a connection that has just opened. */
static void log_in(void)
{
  char buffer[TOPIC_BYTES];
  struct sb1_text topic = topic_in(buffer, sb1_kind_name(SB1_WILL));
  uint64_t now_ms = clock_read_ms(&own_clock);
  lock();
  mqtt_start(&mqtt, port_stream(), rx, sizeof rx, tx, now_ms);
  mqtt_connect(&mqtt, &(struct mqtt_login){own_serial, session.password, topic.at, session.will});
  is_up = true;
  lacks_acks = false;
  unlock();
  await("no CONNACK in time", now_ms);
}

static void take_connack(uint8_t code, uint64_t now_ms)
{
  char buffer[TOPIC_BYTES];
  if (code == 3) network_end("the hub is not available"); /* sb/1 1.7 */
  else if (code != 0) {
    refusal = code;
    network_end(code <= 2 ? "the hub refused the CONNECT" : "the hub refused the login");
  }
  if (code != 0) return;
  lock();
  mqtt_subscribe(&mqtt, topic_in(buffer, NULL).at);
  unlock();
  await("no SUBACK in time", now_ms);
}

static void take_suback(uint8_t code)
{
  answer_by_ms = UINT64_MAX;
  if (code == 1) core_send((struct event){.type = EVENT_SUBSCRIBED});
  else network_end("the subscription was refused"); /* sb/1 4.3 */
}

/** Lends the receive buffer to the core task until it has read the frame. */
static void take_publish(const struct mqtt_event *event)
{
  char buffer[TOPIC_BYTES];
  struct sb1_text topic = topic_in(buffer, NULL);
  if (topic.length != event->topic.length || memcmp(topic.at, event->topic.at, topic.length) != 0) return;
  core_send((struct event){.type = EVENT_FRAME,
                           .at = (uint16_t)(event->payload.at - (char *)rx),
                           .length = (uint16_t)event->payload.length});
  ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
}

/** Takes one packet. False if none has come. */
static bool take_packet(uint64_t now_ms)
{
  lock();
  struct mqtt_event event;
  enum mqtt_event_type type = mqtt_poll(&mqtt, now_ms, &event);
  unlock();
  switch (type) {
  case MQTT_NOTHING: return false;
  case MQTT_CONNACK: take_connack(event.code, now_ms); break;
  case MQTT_SUBACK: take_suback(event.code); break;
  case MQTT_PUBLISH: take_publish(&event); break;
  case MQTT_PUBACK: core_send((struct event){.type = EVENT_PUBACK, .packet_id = event.packet_id}); break;
  case MQTT_DROPPED: core_send((struct event){.type = EVENT_DROPPED}); break;
  case MQTT_BROKEN: network_end(event.why); break;
  }
  return true;
}

/** Takes what has come, and waits for more. False if the session has ended. */
static bool carry_on(void)
{
  uint64_t now_ms = clock_read_ms(&own_clock);
  bool has_packet = take_packet(now_ms);
  lock();
  bool wants_to_send = mqtt.tx_length > 0;
  if (!cause && !has_packet && !port_is_connected()) cause = "the connection is closed";
  if (!cause && now_ms >= answer_by_ms) cause = too_late;
  if (!cause && lacks_acks && !wants_to_send && mqtt.unconfirmed == 0) cause = "acks had no room";
  is_up = !cause;
  bool goes_on = is_up;
  unlock();
  if (goes_on && !has_packet) port_wait(wants_to_send, NAP_MS);
  return goes_on;
}

static void run(void *unused)
{
  (void)unused;
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    refusal = 0;
    const char *failure = port_connect(hub_host, hub_port, patience_ms);
    if (failure) {
      network_end(failure);
    } else {
      log_in();
      while (carry_on()) continue;
      port_disconnect();
    }
    core_send((struct event){.type = EVENT_ENDED, .code = refusal});
  }
}

void network_start(const char *serial, const char *host, uint16_t port, uint32_t answer_ms)
{
  static StaticSemaphore_t semaphore;
  static StaticTask_t task;
  static StackType_t stack[STACK];
  own_serial = serial;
  hub_host = host;
  hub_port = port;
  patience_ms = answer_ms;
  mutex = xSemaphoreCreateMutexStatic(&semaphore);
  own_task = xTaskCreateStatic(run, "network", STACK, NULL, PRIORITY, stack, &task);
}
