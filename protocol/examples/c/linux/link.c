#define _DEFAULT_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "speaker.h"

/*
 * The connection to the hub with libmosquitto (sb/1 1.1). `mosquitto_loop` calls all callbacks, so none runs
 * while the core runs. A second thread looks up the hub's name, because that blocks. It has the client while
 * it runs, and hands it back over a pipe. Nothing else waits: connecting, TLS and CONNACK are steps of the
 * loop, so a hub that does not answer delays no sound and no screen.
 */

#define KEEPALIVE_S 30
#define GOODBYE_MS 2000
#define TOPIC_BYTES 64
#define WILL_BYTES 64

static void write_topic(const struct speaker *speaker, const char *up_kind, char topic[TOPIC_BYTES])
{
  const char *serial = speaker->options.serial;
  if (up_kind) snprintf(topic, TOPIC_BYTES, "sb/1/%s/up/%s", serial, up_kind);
  else snprintf(topic, TOPIC_BYTES, "sb/1/%s/down", serial);
}

uint16_t link_publish(void *context, enum sb1_kind kind, const char *payload, size_t length)
{
  struct speaker *speaker = context;
  char topic[TOPIC_BYTES];
  int packet_id = 0;
  int qos = kind == SB1_TELEMETRY ? 0 : 1;
  write_topic(speaker, sb1_kind_name(kind), topic);
  if (!speaker->client) return 0;
  if (mosquitto_publish(speaker->client, &packet_id, topic, (int)length, payload, qos, false) !=
      MOSQ_ERR_SUCCESS)
    return 0;
  return qos == 1 ? (uint16_t)packet_id : 0;
}

/** Each of CONNACK, SUBACK and welcome has its own time. libmosquitto watches PINGRESP by the keepalive. */
static void await(struct speaker *speaker, const char *answer)
{
  speaker->awaited = answer;
  speaker->answer_by_ms = now_ms() + speaker->options.answer_ms;
}

/* The callbacks of libmosquitto. */

static void on_connect(struct mosquitto *client, void *context, int code)
{
  struct speaker *speaker = context;
  char topic[TOPIC_BYTES];
  speaker->connack = code;
  await(speaker, "SUBACK");
  write_topic(speaker, NULL, topic);
  if (code == 0) mosquitto_subscribe(client, NULL, topic, 1);
}

static void on_subscribe(struct mosquitto *client, void *context, int packet_id, int count,
                         const int *granted)
{
  struct speaker *speaker = context;
  (void)client;
  (void)packet_id;
  await(speaker, "welcome");
  if (count == 1 && granted[0] == 1) sb1_subscribed(&speaker->device);
  else speaker->end_reason = "the hub refused the subscription";
}

static void on_message(struct mosquitto *client, void *context, const struct mosquitto_message *message)
{
  struct speaker *speaker = context;
  (void)client;
  /* The payload stays in the client's buffer. A small machine has it in its buffer of `rx` bytes. */
  struct sb1_span frame = {message->payloadlen > 0 ? message->payload : "", (size_t)message->payloadlen};
  sb1_receive(&speaker->device, frame, now_ms());
}

static void on_publish(struct mosquitto *client, void *context, int packet_id)
{
  struct speaker *speaker = context;
  (void)client;
  /* This is also called for telemetry (QoS 0): no ack has its id. */
  sb1_stored(&speaker->device, (uint16_t)packet_id, now_ms());
}

/* The session. */

static uint32_t random_bits(void)
{
  uint32_t bits = 0;
  if (getentropy(&bits, sizeof bits) != 0) bits = (uint32_t)now_ms() * 2654435761u;
  return bits;
}

/** Ends the session or the attempt, and schedules the next attempt. */
static void end_session(struct speaker *speaker, const char *reason)
{
  int code = speaker->connack;
  bool was_refused = code == 1 || code == 2 || code == 4 || code == 5;
  if (speaker->client) mosquitto_destroy(speaker->client);
  speaker->client = NULL;
  snprintf(speaker->last_end, sizeof speaker->last_end, "%s", reason);
  sb1_closed(&speaker->device);
  /* With another key the next attempt is no repeat (sb/1 2.7, sb/1 2.8). */
  bool has_other_key = speaker->is_moving || (code == 4 && sb1_refused(&speaker->device));
  if (speaker->is_moving) reason = "the device uses its next key";
  speaker->is_moving = false;
  uint32_t wait_ms = has_other_key ? 0 : sb1_retry_ms(++speaker->failures, was_refused, random_bits());
  speaker->connect_at_ms = now_ms() + wait_ms;
  if (was_refused)
    printf("{\"event\":\"refused\",\"code\":%d,\"reason\":\"the hub refused the %s\",\"retryInMs\":%" PRIu32
           "}\n",
           code, code <= 2 ? "CONNECT" : "login", wait_ms);
  else if (speaker->was_welcomed) printf("{\"event\":\"disconnected\",\"reason\":\"%s\"}\n", reason);
  else printf("{\"event\":\"offline\",\"reason\":\"%s\",\"retryInMs\":%" PRIu32 "}\n", reason, wait_ms);
}

/** Sets up TLS. A failure ends the attempt, because the password must not be sent in plain text. */
static bool prepare_tls(struct mosquitto *client, const struct options *options)
{
  if (!options->has_tls) return true;
  int error = options->ca_file ? mosquitto_tls_set(client, options->ca_file, NULL, NULL, NULL, NULL)
                               : mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
  return error == MOSQ_ERR_SUCCESS;
}

static bool prepare_client(struct speaker *speaker)
{
  const struct options *options = &speaker->options;
  struct mosquitto *client = speaker->client;
  char password[SB1_KEY_TEXT_BYTES], topic[TOPIC_BYTES], payload[WILL_BYTES];
  struct sb1_text will = SB1_TEXT_IN(payload);
  sb1_write_password(&speaker->device.keys, password);
  write_topic(speaker, sb1_kind_name(SB1_WILL), topic);
  sb1_write_will(&speaker->device, "lost", &will);
  mosquitto_connect_callback_set(client, on_connect);
  mosquitto_subscribe_callback_set(client, on_subscribe);
  mosquitto_message_callback_set(client, on_message);
  mosquitto_publish_callback_set(client, on_publish);
  return prepare_tls(client, options) &&
         mosquitto_username_pw_set(client, options->serial, password) == MOSQ_ERR_SUCCESS &&
         mosquitto_will_set(client, topic, (int)will.length, payload, 1, false) == MOSQ_ERR_SUCCESS;
}

/** Looks up the hub's name and starts to connect. Runs in its own thread. */
static void *dial(void *context)
{
  const struct speaker *speaker = context;
  const struct options *options = &speaker->options;
  int error = mosquitto_connect_async(speaker->client, options->host, options->port, KEEPALIVE_S);
  struct dialled dialled = {error, errno};
  /* It fits into the empty pipe, so it does not block. */
  while (write(speaker->dialled[1], &dialled, sizeof dialled) < 0 && errno == EINTR) continue;
  return NULL;
}

static bool start_dialling(struct speaker *speaker)
{
  if (speaker->dialled[1] == 0 && pipe(speaker->dialled) != 0) return false;
  speaker->is_dialling = pthread_create(&speaker->dialler, NULL, dial, speaker) == 0;
  return speaker->is_dialling;
}

/** Takes the client back from the thread, if that has ended. */
static void end_dialling(struct speaker *speaker, uint64_t wait_ms)
{
  struct pollfd end = {.fd = speaker->dialled[0], .events = POLLIN};
  struct dialled dialled;
  if (poll(&end, 1, (int)wait_ms) != 1 || read(end.fd, &dialled, sizeof dialled) != sizeof dialled) return;
  pthread_join(speaker->dialler, NULL);
  speaker->is_dialling = false;
  /* A lookup that took long was no fault of the hub. */
  await(speaker, "CONNACK");
  if (dialled.error == MOSQ_ERR_SUCCESS) return;
  bool is_errno = dialled.error == MOSQ_ERR_ERRNO;
  end_session(speaker, is_errno ? strerror(dialled.system_error) : mosquitto_strerror(dialled.error));
}

/**
 * Starts a session with a new client: an old client would resend unconfirmed messages with the MAC of an old
 * session, and the hub closes the connection at such a frame (sb/1 5.3).
 */
void link_begin(struct speaker *speaker)
{
  uint8_t sid[8];
  speaker->connack = -1;
  speaker->was_welcomed = false;
  speaker->end_reason = NULL;
  speaker->client = mosquitto_new(speaker->options.serial, true, speaker);
  /*
   * Disables Nagle's algorithm: otherwise a small packet waits for the TCP ack of the one before, which the
   * hub's kernel delays.
   */
  if (speaker->client) mosquitto_int_option(speaker->client, MOSQ_OPT_TCP_NODELAY, 1);
  if (!speaker->client || getentropy(sid, sizeof sid) != 0) {
    end_session(speaker, "no memory or no randomness");
    return;
  }
  sb1_connect(&speaker->device, sid);
  if (!prepare_client(speaker) || !start_dialling(speaker))
    end_session(speaker, "the client can't be set up");
}

/** Publishes `bye`, so that the hub knows at once that the session has ended (sb/1 3.2). */
static void say_goodbye(struct speaker *speaker)
{
  char payload[WILL_BYTES];
  struct sb1_text bye = SB1_TEXT_IN(payload);
  sb1_write_will(&speaker->device, "bye", &bye);
  link_publish(speaker, SB1_WILL, payload, bye.length);
  /* The DISCONNECT follows on the same connection, whether or not this is confirmed. */
  mosquitto_disconnect(speaker->client);
}

void link_leave(struct speaker *speaker)
{
  uint64_t until_ms = now_ms() + GOODBYE_MS;
  /* The end of the process ends a thread that still looks up a name. */
  if (!speaker->client || speaker->is_dialling) return;
  say_goodbye(speaker);
  int error = MOSQ_ERR_SUCCESS;
  while (error == MOSQ_ERR_SUCCESS && now_ms() < until_ms) error = mosquitto_loop(speaker->client, NAP_MS, 1);
  mosquitto_destroy(speaker->client);
  speaker->client = NULL;
  if (speaker->was_welcomed) puts("{\"event\":\"disconnected\",\"reason\":\"switched off\"}");
}

void link_carry(struct speaker *speaker, uint64_t wait_ms)
{
  if (speaker->is_dialling) {
    end_dialling(speaker, wait_ms);
    return;
  }
  if (speaker->end_reason) {
    end_session(speaker, speaker->end_reason);
    return;
  }
  if (speaker->wants_move) {
    speaker->wants_move = false;
    speaker->is_moving = true;
    await(speaker, "end of the connection");
    say_goodbye(speaker);
  }
  int error = mosquitto_loop(speaker->client, (int)wait_ms, 1);
  bool is_waiting = speaker->device.phase != SB1_WELCOMED || speaker->is_moving;
  bool is_late = is_waiting && now_ms() >= speaker->answer_by_ms;
  if (error != MOSQ_ERR_SUCCESS) {
    end_session(speaker, mosquitto_strerror(error));
  } else if (is_late) {
    char reason[48];
    snprintf(reason, sizeof reason, "no %s in time", speaker->awaited);
    end_session(speaker, reason);
  }
}
