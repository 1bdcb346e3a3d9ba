#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_modem.h"
#include "line_run.h"

/* The whole line with a fake modem. The steps of a case are the hub and the clock; every object has its time.
 */

static struct {
  struct fake_modem fake;
  struct link link;
  struct sb1 device;
  struct link_buffers buffers;
  uint64_t now_ms;
  /** Every random byte. */
  uint8_t random;
  bool is_open, is_closed;
  uint8_t down[8192];
  size_t down_at, down_length;
  /** How many bytes the network takes, for SEND FAIL. */
  size_t room;
  unsigned polls;
} whole;

static void say(const char *name)
{
  printf("{\"at\":%" PRIu64 ",\"is\":\"%s\"", whole.now_ms, name);
}

/* The network. */

static int net_connect(void *context, const char *host, unsigned port)
{
  (void)context;
  say("opened");
  printf(",\"host\":\"%s\",\"port\":%u}\n", host, port);
  whole.is_open = true;
  whole.is_closed = false;
  whole.down_at = whole.down_length = 0;
  return 0;
}

static size_t net_send(void *context, const uint8_t *bytes, size_t count)
{
  (void)context;
  if (count > whole.room) return 0;
  say("hub");
  printf(",\"bytes\":\"");
  for (size_t i = 0; i < count; i++) printf("%02x", bytes[i]);
  printf("\"}\n");
  return count;
}

static size_t net_receive(void *context, uint8_t *bytes, size_t room)
{
  (void)context;
  size_t count = whole.down_length - whole.down_at;
  if (count > room) count = room;
  memcpy(bytes, whole.down + whole.down_at, count);
  whole.down_at += count;
  return count;
}

static bool net_is_closed(void *context)
{
  (void)context;
  return whole.is_closed && whole.down_at == whole.down_length;
}

static void net_close(void *context)
{
  (void)context;
  if (whole.is_open) {
    say("closed");
    puts("}");
  }
  whole.is_open = false;
}

/* TLS in the firmware: a layer whose whole handshake is a byte of the hub, S or F, and which changes nothing.
 */

static struct {
  struct stream below;
  enum layer_state state;
} layer;

/** What the handshake has in the memory of MQTT's buffers. */
#define HANDSHAKE 0xA5

static void check_handshake(void)
{
  const uint8_t *bytes = (const uint8_t *)&whole.buffers;
  size_t at = 0;
  while (at < sizeof whole.buffers && bytes[at] == HANDSHAKE) at++;
  if (at == sizeof whole.buffers) return;
  say("overwritten");
  puts("}");
}

static void layer_start(void *context, struct stream below, const char *host)
{
  (void)context;
  layer.below = below;
  layer.state = LAYER_STARTING;
  memset(&whole.buffers, HANDSHAKE, sizeof whole.buffers);
  below.send(below.context, (const uint8_t *)host, strlen(host));
}

static enum layer_state layer_poll(void *context, uint64_t now_ms)
{
  uint8_t byte;
  (void)context, (void)now_ms;
  if (layer.state == LAYER_STARTING) check_handshake();
  if (layer.state == LAYER_STARTING && layer.below.receive(layer.below.context, &byte, 1) == 1)
    layer.state = byte == 'S' ? LAYER_OPEN : LAYER_FAILED;
  return layer.state;
}

static const char *layer_cause(void *context)
{
  (void)context;
  return "bad certificate";
}

static size_t layer_send(void *context, const uint8_t *bytes, size_t count)
{
  (void)context;
  return layer.below.send(layer.below.context, bytes, count);
}

static size_t layer_receive(void *context, uint8_t *bytes, size_t room)
{
  (void)context;
  return layer.below.receive(layer.below.context, bytes, room);
}

/* The device. */

static bool keep(void *context, const struct sb1_memory *memory)
{
  (void)context, (void)memory;
  return true;
}

static bool keep_ring(void *context, const struct sb1_ring *ring)
{
  (void)context, (void)ring;
  return true;
}

static void tell(void *context, const struct sb1_event *event)
{
  static const char *const NAMES[] = {
      [SB1_CONNECTED] = "connected", [SB1_SAY] = "say",         [SB1_SAID] = "said",
      [SB1_MOVE] = "move",           [SB1_STALLED] = "stalled", [SB1_IGNORED] = "ignored",
      [SB1_REFUSED] = "failed",      [SB1_BEEP] = "beep"};
  (void)context;
  const char *name = event->type < sizeof NAMES / sizeof *NAMES ? NAMES[event->type] : NULL;
  if (name) {
    say(name);
    printf(",\"n\":%" PRIu32 "}\n", event->n);
  }
  link_hear(&whole.link, event);
}

static bool random_bytes(void *context, void *bytes, size_t count)
{
  (void)context;
  memset(bytes, whole.random, count);
  return true;
}

static void hear(void *context, const struct link_event *event)
{
  static const char *const NAMES[] = {"no network", "offline", "disconnected", "refused", "dropped"};
  (void)context;
  say(NAMES[event->type]);
  if (event->reason) printf(",\"reason\":\"%s\"", event->reason);
  printf(",\"code\":%u,\"retryMs\":%" PRIu32 "}\n", event->code, event->retry_ms);
}

/** `line KEY [CA_FILE|layer]`. */
static void start(const char *line)
{
  static const struct stream_layer tls = {
      NULL, layer_start, layer_poll, layer_cause, {NULL, layer_send, layer_receive}};
  static const struct peer peer = {NULL, net_connect, net_send, net_receive, net_is_closed, net_close};
  static char ca_file[32];
  const struct sb1_world world = {
      .context = &whole.link, .publish = link_publish, .keep = keep, .tell = tell, .keep_ring = keep_ring};
  const struct sb1_config config = {
      .serial = "SHOP-0042",
      .has_part = {[SB1_SCREEN] = true, [SB1_SPEAKER] = true, [SB1_REKEY] = true},
      .firmware = "1",
      .model = "m",
      .rx_bytes = SB1_RX_BYTES,
      .has_pack = {true, true}};
  const struct sb1_memory memory = {.settings = {.volume = 80}};
  struct sb1_ring ring;
  char key[SB1_KEY_TEXT_BYTES];
  memset(&whole, 0, sizeof whole);
  *ca_file = '\0';
  sscanf(line, "%43s %31s", key, ca_file);
  bool has_layer = strcmp(ca_file, "layer") == 0, has_file = *ca_file && !has_layer;
  if (!sb1_read_ring(key, &ring) || !sb1_init(&whole.device, &config, &ring, &world, &memory)) abort();
  whole.room = SIZE_MAX;
  fake_start(&whole.fake, &peer);
  whole.fake.chunk = 64;
  const struct link_config line_config = {
      .host = "hub.example",
      .port = 1883,
      .modem = {.uart = fake_uart(&whole.fake), .ca_file = has_file ? ca_file : NULL},
      .tls = has_layer ? &tls : NULL,
      .buffers = &whole.buffers,
      .random = random_bytes,
      .tell = hear};
  link_start(&whole.link, &whole.device, &line_config, 0);
}

/** The loop of a firmware. */
static void turn(void)
{
  fake_poll(&whole.fake, whole.now_ms);
  link_poll(&whole.link, whole.now_ms);
  sb1_tick(&whole.device, whole.now_ms);
  whole.polls++;
}

static void run_for(uint64_t ms)
{
  uint64_t end_ms = whole.now_ms + ms;
  while (whole.now_ms < end_ms) {
    turn();
    uint64_t due_ms = link_due_ms(&whole.link);
    if (sb1_due_ms(&whole.device) < due_ms) due_ms = sb1_due_ms(&whole.device);
    if (whole.fake.is_off && whole.fake.boots_at_ms < due_ms) due_ms = whole.fake.boots_at_ms;
    bool is_busy = fake_has_output(&whole.fake) || whole.fake.socket == SOCKET_OPENING;
    if (is_busy || due_ms <= whole.now_ms) due_ms = whole.now_ms + 1;
    whole.now_ms = due_ms < end_ms ? due_ms : end_ms;
  }
}

bool run_line(const char *word, const char *rest)
{
  if (strcmp(word, "line") == 0) start(rest);
  else if (strcmp(word, "run") == 0) run_for(strtoull(rest, NULL, 10));
  else if (strcmp(word, "hub") == 0)
    whole.down_length +=
        read_hex(rest, whole.down + whole.down_length, sizeof whole.down - whole.down_length);
  else if (strcmp(word, "hub-closes") == 0) whole.is_closed = true;
  else if (strcmp(word, "random") == 0) whole.random = (uint8_t)strtoul(rest, NULL, 16);
  else if (strcmp(word, "open-error") == 0) whole.fake.open_error = atoi(rest);
  else if (strcmp(word, "searches") == 0) whole.fake.searches = (unsigned)atoi(rest);
  else if (strcmp(word, "no-sim") == 0) whole.fake.has_no_sim = *rest == '1';
  else if (strcmp(word, "vanish") == 0) whole.fake.socket = SOCKET_NONE;
  else if (strcmp(word, "context-lost") == 0) {
    whole.fake.fault = FAULT_CONTEXT;
    whole.fake.fault_at = whole.fake.lines_sent;
  } else if (strcmp(word, "no-ca") == 0) whole.fake.has_no_ca = true;
  else if (strcmp(word, "silent") == 0) whole.fake.is_silent = true;
  else if (strcmp(word, "takes") == 0) whole.room = strtoul(rest, NULL, 10);
  else if (strcmp(word, "send-fails") == 0) whole.fake.send_fails = (unsigned)atoi(rest);
  else if (strcmp(word, "no-prompt") == 0) whole.fake.prompts_missing = 1;
  else if (strcmp(word, "leave") == 0) link_leave(&whole.link);
  else if (strcmp(word, "sound-ended") == 0) sb1_sound_ended(&whole.device, true, whole.now_ms);
  else if (strcmp(word, "state") == 0) {
    say("state");
    printf(",\"link\":%d,\"cause\":\"%s\",\"signal\":%d,\"polls\":%u,\"resets\":%u,\"commands\":\"",
           whole.link.state, link_cause(&whole.link), modem_signal_dbm(&whole.link.modem), whole.polls,
           whole.fake.resets);
    for (const char *at = whole.fake.commands; *at; at++)
      if (*at == '"') printf("'");
      else printf("%c", *at == '\n' ? '|' : *at);
    puts("\"}");
    whole.fake.commands[0] = '\0';
    whole.polls = 0;
  } else return false;
  return true;
}
