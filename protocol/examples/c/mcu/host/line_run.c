#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "line_run.h"

/*
 * Runs cases of tests through the MQTT client alone, or through the whole line: core, session, MQTT and
 * driver of the modem. It reads a line for each step and prints JSON objects; `end` ends a case. Time is
 * simulated, so each case is the same everywhere.
 */

size_t read_hex(const char *hex, uint8_t *bytes, size_t room)
{
  size_t count = 0;
  unsigned byte;
  while (count < room && sscanf(hex + 2 * count, "%2x", &byte) == 1) bytes[count++] = (uint8_t)byte;
  return count;
}

void print_hex(const char *name, const void *bytes, size_t count)
{
  printf("{\"%s\":\"", name);
  for (size_t i = 0; i < count; i++) printf("%02x", ((const uint8_t *)bytes)[i]);
  printf("\"}\n");
}

/* MQTT alone. */

static struct {
  struct mqtt mqtt;
  uint8_t in[70000];
  size_t in_at, in_length;
  /** So many bytes come in one reading, and so many are taken of what is sent. */
  size_t step, room;
  uint64_t now_ms;
} alone;

static size_t alone_send(void *context, const uint8_t *bytes, size_t count)
{
  (void)context;
  if (count > alone.room) count = alone.room;
  if (count > 0) print_hex("sent", bytes, count);
  alone.room -= count;
  return count;
}

static size_t alone_receive(void *context, uint8_t *bytes, size_t room)
{
  (void)context;
  size_t count = alone.in_length - alone.in_at;
  if (count > alone.step) count = alone.step;
  if (count > room) count = room;
  memcpy(bytes, alone.in + alone.in_at, count);
  alone.in_at += count;
  alone.step -= count;
  return count;
}

static void print_mqtt(enum mqtt_event_type type, const struct mqtt_event *event)
{
  switch (type) {
  case MQTT_CONNACK: printf("{\"connack\":%u}\n", event->code); break;
  case MQTT_SUBACK: printf("{\"suback\":%u}\n", event->code); break;
  case MQTT_PUBACK: printf("{\"puback\":%u}\n", event->packet_id); break;
  case MQTT_DROPPED: puts("{\"dropped\":true}"); break;
  case MQTT_BROKEN: printf("{\"broken\":\"%s\"}\n", event->why); break;
  default:
    print_hex("topic", event->topic.at, event->topic.length);
    print_hex("payload", event->payload.at, event->payload.length);
  }
}

static void poll_alone(size_t step)
{
  enum mqtt_event_type type;
  struct mqtt_event event;
  alone.step = step;
  while ((type = mqtt_poll(&alone.mqtt, alone.now_ms, &event)) != MQTT_NOTHING) print_mqtt(type, &event);
}

static void start_alone(const char *line)
{
  /* On the heap, so that the sanitizer sees each byte beyond the end. */
  static uint8_t *rx, *tx;
  size_t rx_size = strtoul(line, NULL, 10);
  free(rx);
  free(tx);
  rx = malloc(rx_size);
  tx = malloc(MQTT_TX_BYTES);
  memset(&alone, 0, sizeof alone);
  alone.room = SIZE_MAX;
  mqtt_start(&alone.mqtt, (struct stream){NULL, alone_send, alone_receive}, rx, rx_size, tx, 0);
}

/** `in STEP HEX`: the bytes come in pieces of this size. */
static void feed(const char *line)
{
  char *hex;
  size_t step = strtoul(line, &hex, 10);
  alone.in_at = 0;
  alone.in_length = read_hex(hex + 1, alone.in, sizeof alone.in);
  for (size_t at = 0; at < alone.in_length; at += step) poll_alone(step);
}

static bool run_alone(const char *word, const char *rest)
{
  static uint8_t payload[4096];
  static const struct mqtt_login login = {"SHOP-0042", "password", "sb/1/SHOP-0042/up/will", "{}"};
  if (strcmp(word, "mqtt") == 0) start_alone(rest);
  else if (strcmp(word, "in") == 0) feed(rest);
  else if (strcmp(word, "connect") == 0) mqtt_connect(&alone.mqtt, &login);
  else if (strcmp(word, "subscribe") == 0) mqtt_subscribe(&alone.mqtt, rest);
  else if (strcmp(word, "disconnect") == 0) mqtt_disconnect(&alone.mqtt);
  else if (strcmp(word, "last-id") == 0) alone.mqtt.last_id = (uint16_t)strtoul(rest, NULL, 10);
  else if (strcmp(word, "room") == 0) alone.room = strtoul(rest, NULL, 10);
  else if (strcmp(word, "publish") == 0) {
    size_t length = read_hex(rest + 2, payload, sizeof payload);
    printf("{\"id\":%u}\n",
           mqtt_publish(&alone.mqtt, "up", (char *)payload, length, (unsigned)(*rest - '0')));
  } else if (strcmp(word, "at") == 0) {
    alone.now_ms = strtoull(rest, NULL, 10);
    poll_alone(SIZE_MAX);
  } else if (strcmp(word, "due") == 0) printf("{\"due\":%" PRIu64 "}\n", mqtt_due_ms(&alone.mqtt));
  else return false;
  return true;
}

int main(void)
{
  static char line[150000];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    char *rest = line + strcspn(line, " ");
    if (*rest) *rest++ = '\0';
    if (strcmp(line, "end") == 0) puts("{\"end\":true}");
    else if (!run_alone(line, rest) && !run_line(line, rest)) {
      fprintf(stderr, "unknown: %s\n", line);
      return 2;
    }
  }
  return 0;
}
