#include <stdio.h>
#include <string.h>

#include "fake_modem.h"

/*
 * Runs the driver against a modem that fails once, at every byte and before every line that it sends, and
 * prints a JSON object for each kind of fault. In each run the driver connects, sends BYTES to a peer that
 * sends them back changed, and connects again after an end, until one connection has carried all of them.
 * Time is simulated.
 */

#define BYTES 700
/* A run that lasts longer has failed: longer than the reset of a modem that finds no network. */
#define RUN_MS 900000
/* So does one that connects in vain so often. */
#define CONNECTIONS_MOST 30
/* Then a kind of fault has shown enough. */
#define FAILURES_MOST 2
/* What a session does: it ends a connection on which nothing comes (sb/1 1.8). */
#define PATIENCE_MS 30000

struct run {
  struct fake_modem fake;
  struct modem_config config;
  struct modem modem;
  uint64_t now_ms, until_ms;
  unsigned connections;
  /** What the device has sent and received on this connection, and what the peer has. */
  size_t sent, received, peer_received, peer_sent;
  bool is_wrong, is_done;
  /** The connection is from before a restart. The modem may take the next commands for its data. */
  bool is_stale;
  const char *ca_file;
  /** The step at which the device restarts, and the modem does not. */
  size_t steps, restart_at;
};

static uint8_t byte_of(const struct run *run, size_t index, bool is_up)
{
  /* Has CR, LF, > and the digits often, so that lost bytes do not go unnoticed, and answers look alike. */
  static const char letters[] = "\r\nOK\r\n> +QIRD: 9\r\nRDY\r\n+QIURC: \"closed\",0\r\n\0SEND OK\r\n\xFF";
  size_t step = index * (is_up ? 1 : 3) + run->connections;
  size_t mark = index % 11 == 10 ? index / 11 : 0;
  return (uint8_t)((uint8_t)letters[step % (sizeof letters - 1)] + mark);
}

/* The peer. */

static int peer_connect(void *context, const char *host, unsigned port)
{
  struct run *run = context;
  if (strcmp(host, "hub.example") != 0 || port != 1883) run->is_wrong = true;
  run->is_stale = false;
  run->peer_received = run->peer_sent = 0;
  return 0;
}

static size_t peer_send(void *context, const uint8_t *bytes, size_t count)
{
  struct run *run = context;
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != byte_of(run, run->peer_received++, true) && !run->is_stale) run->is_wrong = true;
  return count;
}

static size_t peer_receive(void *context, uint8_t *bytes, size_t room)
{
  struct run *run = context;
  size_t count = 0;
  while (count < room && run->peer_sent < run->peer_received)
    bytes[count++] = byte_of(run, run->peer_sent++, false);
  return count;
}

static bool peer_is_closed(void *context)
{
  (void)context;
  return false;
}

static void peer_close(void *context)
{
  (void)context;
}

/* The device. */

static void use_connection(struct run *run)
{
  struct stream stream = modem_stream(&run->modem);
  uint8_t bytes[100];
  size_t count;
  /* The device sends in two parts: while one is under way, the next is added. */
  while (run->sent < BYTES) {
    uint8_t byte = byte_of(run, run->sent, true);
    if (run->sent == BYTES / 2 && run->received == 0 && run->modem.sending == 0) break;
    if (stream.send(stream.context, &byte, 1) == 0) break;
    run->sent++;
  }
  while ((count = stream.receive(stream.context, bytes, sizeof bytes)) > 0) {
    run->until_ms = run->now_ms + PATIENCE_MS;
    for (size_t i = 0; i < count; i++)
      if (bytes[i] != byte_of(run, run->received++, false)) run->is_wrong = true;
  }
  if (run->received >= BYTES) run->is_done = true;
}

static void step(struct run *run)
{
  enum modem_state before = run->modem.state;
  fake_poll(&run->fake, run->now_ms);
  modem_poll(&run->modem, run->now_ms);
  if (run->modem.state == MODEM_READY) {
    modem_open(&run->modem, "hub.example", 1883);
    run->until_ms = run->now_ms + PATIENCE_MS;
    run->connections++;
    run->sent = run->received = 0;
  }
  if (run->modem.state == MODEM_OPEN || before == MODEM_OPEN) use_connection(run);
  if (run->modem.state >= MODEM_OPENING && run->now_ms >= run->until_ms) modem_close(&run->modem);
}

static void start_driver(struct run *run)
{
  run->config =
      (struct modem_config){.uart = fake_uart(&run->fake), .apn = "internet", .ca_file = run->ca_file};
  modem_start(&run->modem, &run->config, run->now_ms);
}

static void run_once(struct run *run)
{
  while (!run->is_done && !run->is_wrong && run->now_ms < RUN_MS && run->connections < CONNECTIONS_MOST) {
    if (++run->steps == run->restart_at) {
      start_driver(run);
      run->is_stale = true;
    }
    step(run);
    uint64_t due_ms = modem_due_ms(&run->modem);
    if (fake_has_output(&run->fake) || run->fake.socket == SOCKET_OPENING) due_ms = 0;
    if (run->fake.is_off && run->fake.boots_at_ms < due_ms) due_ms = run->fake.boots_at_ms;
    if (run->until_ms > run->now_ms && run->until_ms < due_ms) due_ms = run->until_ms;
    /* The fake announces what has come only when it is polled. */
    if (due_ms > run->now_ms + 100) due_ms = run->now_ms + 100;
    run->now_ms = due_ms > run->now_ms ? due_ms : run->now_ms + 1;
  }
}

struct sum {
  unsigned runs, wrong, unfinished, reconnected, resets;
  uint64_t longest_ms;
};

static void start(struct run *run, const char *ca_file)
{
  static const struct peer PEER = {NULL, peer_connect, peer_send, peer_receive, peer_is_closed, peer_close};
  struct peer peer = PEER;
  memset(run, 0, sizeof *run);
  peer.context = run;
  fake_start(&run->fake, &peer);
  run->ca_file = ca_file;
  start_driver(run);
}

static void count(struct sum *sum, const struct run *run)
{
  sum->runs++;
  sum->wrong += run->is_wrong;
  sum->unfinished += !run->is_done && !run->is_wrong;
  sum->reconnected += run->connections > 1;
  sum->resets += run->fake.resets;
  if (run->now_ms > sum->longest_ms) sum->longest_ms = run->now_ms;
}

static void print(const char *name, const struct sum *sum)
{
  printf("{\"fault\":\"%s\",\"runs\":%u,\"wrong\":%u,\"unfinished\":%u,\"reconnected\":%u,\"resets\":%u,"
         "\"longestMs\":%llu}\n",
         name, sum->runs, sum->wrong, sum->unfinished, sum->reconnected, sum->resets,
         (unsigned long long)sum->longest_ms);
}

/** A fault at every place. */
static void sweep(const char *name, enum fault fault, const char *extra_line, const char *ca_file)
{
  static struct run run;
  struct sum sum = {0};
  size_t places;
  for (size_t at = 0;; at++) {
    start(&run, ca_file);
    run.fake.fault = fault;
    run.fake.fault_at = at;
    run.fake.extra_line = extra_line;
    run_once(&run);
    places = fault < FAULT_LINE ? run.fake.bytes_sent : run.fake.lines_sent;
    if (at >= places || sum.wrong + sum.unfinished >= FAILURES_MOST) break;
    count(&sum, &run);
    if (fault == NO_FAULT) break;
  }
  print(name, &sum);
}

/** The device restarts at every step, and finds a modem that is in the middle of something. */
static void sweep_restarts(const char *ca_file)
{
  static struct run run;
  struct sum sum = {0};
  for (size_t at = 1;; at++) {
    start(&run, ca_file);
    run.restart_at = at;
    run_once(&run);
    if (run.steps < at || sum.wrong + sum.unfinished >= FAILURES_MOST) break;
    count(&sum, &run);
  }
  print("device restarts", &sum);
}

static void sweep_all(const char *ca_file)
{
  static const struct {
    const char *name;
    enum fault fault;
  } FAULTS[] = {{"none", NO_FAULT},         {"cut", FAULT_CUT},
                {"loss", FAULT_LOSS},       {"overrun", FAULT_OVERRUN},
                {"stall", FAULT_STALL},     {"hang", FAULT_HANG},
                {"restart", FAULT_RESTART}, {"quiet restart", FAULT_QUIET_RESTART},
                {"closed", FAULT_CLOSED},   {"context", FAULT_CONTEXT}};
  static const char *const LINES[] = {
      "+QIURC: \"recv\",0",
      "+QSSLURC: \"recv\",0",
      "+CEREG: 2",
      "+CEREG: 1,\"1A2B\",\"01C3\",7",
      "+QIURC: \"closed\",5",
      "+QIOPEN: 3,566",
      "APP RDY",
      "+CTZV: 28",
      "AT+QIRD=0,512",
      "^SIM: > 1",
      "+QIND: \"a line that is much longer than the buffer for lines of the driver has room\""};
  for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++)
    sweep(FAULTS[i].name, FAULTS[i].fault, "", ca_file);
  for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) sweep("line", FAULT_LINE, LINES[i], ca_file);
  sweep_restarts(ca_file);
}

int main(void)
{
  sweep_all(NULL);
  sweep_all("ca.pem");
  return 0;
}
