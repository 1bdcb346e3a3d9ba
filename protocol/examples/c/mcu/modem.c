#include "modem.h"

#include <string.h>

#include "sb1/text.h"

/* How long to wait. The module's manual allows minutes for a context; an answer of the UART takes
 * milliseconds. */
#define ANSWER_MS 5000
#define PROBE_MS 500
#define CLOSE_MS 12000
#define CONTEXT_MS 150000
/* A module with a full buffer answers SEND FAIL. One that does not answer for as long has lost its peer. */
#define SEND_MS 30000
/* An answer that was late must not be taken for the answer to the next command. */
#define SETTLE_MS 200
#define RESEND_MS 250
#define RETRY_MS 2000
/* A module that boots answers after some seconds, one that works at once. Each probe takes PROBE_MS. */
#define PROBES_AT_WORK 10
#define PROBES_AT_BOOT 40
/* Without a network for so long, or so many failed attempts to connect, the modem itself may be the reason.
 */
#define NETWORK_MS 300000
#define ATTEMPTS_MOST 8
/* A module announces bytes once. If this line is lost, the device is deaf until it asks. */
#define POLL_MS 5000
#define SIGNAL_MS 30000

/** The names of the same commands for a socket, and for a socket with the TLS of the module. */
struct dialect {
  const char *open, *send, *receive, *close, *news;
};
static const struct dialect PLAIN = {"+QIOPEN", "+QISEND", "+QIRD", "+QICLOSE", "+QIURC"};
static const struct dialect SECURE = {"+QSSLOPEN", "+QSSLSEND", "+QSSLRECV", "+QSSLCLOSE", "+QSSLURC"};

/** The commands without parameters, and how long their answers may take. */
static const struct {
  const char *text;
  uint32_t answer_ms;
} COMMANDS[] = {
    [STEP_PROBE] = {"", PROBE_MS},
    [STEP_ECHO] = {"E0", ANSWER_MS},
    [STEP_CLOSE] = {NULL, CLOSE_MS},
    [STEP_SIM] = {"+CPIN?", ANSWER_MS},
    [STEP_REGISTRATION] = {"+CEREG?", ANSWER_MS},
    [STEP_APN] = {NULL, ANSWER_MS},
    [STEP_CONTEXT] = {"+QIACT?", ANSWER_MS},
    [STEP_ACTIVATE] = {"+QIACT=1", CONTEXT_MS},
    [STEP_TLS_VERSION] = {"+QSSLCFG=\"sslversion\",1,4", ANSWER_MS},
    [STEP_TLS_LEVEL] = {"+QSSLCFG=\"seclevel\",1,1", ANSWER_MS},
    [STEP_TLS_CA] = {NULL, ANSWER_MS},
    [STEP_TLS_NAME] = {"+QSSLCFG=\"sni\",1,1", ANSWER_MS},
    [STEP_TLS_HOST] = {"+QSSLCFG=\"checkhost\",1,1", ANSWER_MS},
    [STEP_DEACTIVATE] = {"+QIDEACT=1", CONTEXT_MS},
    [STEP_OPEN] = {NULL, ANSWER_MS},
    [STEP_SEND] = {NULL, ANSWER_MS},
    [STEP_RECEIVE] = {NULL, ANSWER_MS},
    [STEP_SIGNAL] = {"+CSQ", ANSWER_MS},
};

static const struct dialect *dialect(const struct modem *modem)
{
  return modem->config.ca_file ? &SECURE : &PLAIN;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Ends: the driver always starts again at the first step. */

static void set_cause(struct modem *modem, const char *what, const char *detail)
{
  struct sb1_text cause = SB1_TEXT_IN(modem->cause);
  sb1_text_put(&cause, what);
  sb1_text_put(&cause, detail);
}

static void wait_ms(struct modem *modem, uint32_t ms)
{
  modem->pause_until_ms = modem->now_ms + ms;
}

static void start_over(struct modem *modem, unsigned probes)
{
  if (modem->state == MODEM_OPENING || modem->state == MODEM_OPEN) modem->barren_attempts++;
  if (modem->state != MODEM_DOWN) modem->network_by_ms = modem->now_ms + NETWORK_MS;
  modem->state = MODEM_DOWN;
  modem->step = STEP_PROBE;
  modem->probes_left = probes;
}

/** The connection has ended. A command that is under way still gets its answer. */
static void lose(struct modem *modem, const char *what, const char *detail)
{
  set_cause(modem, what, detail);
  start_over(modem, PROBES_AT_WORK);
}

/** Gives up the command that is under way: no answer is to be expected, or none is to be believed. */
static void drop_command(struct modem *modem, uint32_t pause_ms)
{
  modem->command = STEP_NONE;
  at_clear(&modem->at);
  wait_ms(modem, pause_ms);
}

/** The modem is out of step with this driver. */
static void distrust(struct modem *modem, const char *what, const char *detail)
{
  lose(modem, what, detail);
  drop_command(modem, SETTLE_MS);
}

static void reset(struct modem *modem)
{
  modem->at.uart.reset(modem->at.uart.context);
  start_over(modem, PROBES_AT_BOOT);
  drop_command(modem, SETTLE_MS);
  modem->network_by_ms = modem->now_ms + NETWORK_MS;
  modem->barren_attempts = 0;
}

/* Commands. */

/** Writes `,"text"`. */
static void put_quoted(struct sb1_text *text, const char *value)
{
  sb1_text_put(text, ",\"");
  sb1_text_put(text, value);
  sb1_text_put(text, "\"");
}

static void put_command(const struct modem *modem, enum modem_step command, struct sb1_text *text)
{
  switch (command) {
  case STEP_CLOSE:
    sb1_text_put(text, dialect(modem)->close);
    sb1_text_put(text, "=0");
    break;
  case STEP_APN:
    sb1_text_put(text, "+QICSGP=1,1");
    put_quoted(text, modem->config.apn);
    break;
  case STEP_TLS_CA:
    sb1_text_put(text, "+QSSLCFG=\"cacert\",1");
    put_quoted(text, modem->config.ca_file);
    break;
  case STEP_OPEN:
    sb1_text_put(text, dialect(modem)->open);
    sb1_text_put(text, modem->config.ca_file ? "=1,1,0" : "=1,0,\"TCP\"");
    put_quoted(text, modem->host);
    sb1_text_put(text, ",");
    sb1_text_put_number(text, modem->port);
    sb1_text_put(text, modem->config.ca_file ? ",0" : ",0,0");
    break;
  case STEP_SEND:
  case STEP_RECEIVE:
    sb1_text_put(text, command == STEP_SEND ? dialect(modem)->send : dialect(modem)->receive);
    sb1_text_put(text, "=0,");
    sb1_text_put_number(text, command == STEP_SEND ? (uint32_t)modem->sending : MODEM_RX_BYTES);
    break;
  default: sb1_text_put(text, COMMANDS[command].text);
  }
}

static void ask(struct modem *modem, enum modem_step command)
{
  struct sb1_text text = SB1_TEXT_IN(modem->text);
  modem->command = command;
  modem->answer_by_ms = modem->now_ms + COMMANDS[command].answer_ms;
  modem->has_info = false;
  sb1_text_put(&text, "AT");
  put_command(modem, command, &text);
  sb1_text_put(&text, "\r");
  at_write(&modem->at, text.at, text.length);
}

/** The command that a connection needs now. Nothing is sent to a peer that has closed. */
static enum modem_step next_of_connection(struct modem *modem)
{
  if (modem->tx_length > 0 && !modem->is_closing && modem->now_ms >= modem->send_at_ms) {
    modem->sending = modem->tx_length;
    return STEP_SEND;
  }
  if (modem->rx_ready == 0 && (modem->may_receive || modem->now_ms >= modem->poll_at_ms)) {
    modem->may_receive = false;
    modem->poll_at_ms = modem->now_ms + POLL_MS;
    return STEP_RECEIVE;
  }
  return STEP_NONE;
}

static void next_command(struct modem *modem)
{
  enum modem_step next = STEP_NONE;
  if (modem->state == MODEM_DOWN) next = modem->step;
  if (next == STEP_PROBE && modem->probes_left-- == 0) {
    reset(modem);
    return;
  }
  if (modem->state == MODEM_OPENING && modem->step == STEP_OPEN) {
    next = STEP_OPEN;
    /* Once: the result comes later, as a line of its own. */
    modem->step = STEP_READY;
  }
  if (modem->state == MODEM_OPEN) next = next_of_connection(modem);
  if (next == STEP_NONE && modem->now_ms >= modem->signal_at_ms) {
    modem->signal_at_ms = modem->now_ms + SIGNAL_MS;
    next = STEP_SIGNAL;
  }
  if (next != STEP_NONE) ask(modem, next);
}

/* Answers. */

/** Takes a step on the way to the network, and leaves out those that this configuration does not need. */
static void advance(struct modem *modem, enum modem_step step)
{
  if (step == STEP_APN && !modem->config.apn) step = STEP_CONTEXT;
  if (step == STEP_TLS_VERSION && !modem->config.ca_file) step = STEP_READY;
  modem->step = step;
  if (step == STEP_READY) modem->state = MODEM_READY;
}

/** Stays at a step, or goes back to one, after a pause. */
static void retry(struct modem *modem, enum modem_step step, const char *cause)
{
  set_cause(modem, cause, "");
  modem->step = step;
  wait_ms(modem, RETRY_MS);
}

static void end_step(struct modem *modem, enum modem_step step, bool is_ok)
{
  switch (step) {
  case STEP_PROBE:
    if (is_ok) advance(modem, STEP_ECHO);
    wait_ms(modem, is_ok ? SETTLE_MS : PROBE_MS);
    break;
  case STEP_SIM:
    if (is_ok && modem->has_info) advance(modem, STEP_REGISTRATION);
    else retry(modem, STEP_SIM, "no SIM");
    break;
  case STEP_REGISTRATION:
    if (is_ok && modem->has_info && (modem->info == 1 || modem->info == 5)) advance(modem, STEP_APN);
    else retry(modem, STEP_REGISTRATION, modem->info == 3 ? "registration denied" : "no network");
    break;
  case STEP_CONTEXT:
    /* 1 is active. */
    if (modem->has_info && modem->info == 1) advance(modem, STEP_TLS_VERSION);
    else advance(modem, STEP_ACTIVATE);
    break;
  case STEP_ACTIVATE:
    if (is_ok) advance(modem, STEP_TLS_VERSION);
    else retry(modem, STEP_DEACTIVATE, "no context");
    break;
  case STEP_DEACTIVATE: retry(modem, STEP_REGISTRATION, "no context"); break;
  case STEP_TLS_VERSION:
  case STEP_TLS_LEVEL:
  case STEP_TLS_CA:
  case STEP_TLS_NAME:
  case STEP_TLS_HOST:
    /* Without these the module would not check the hub's certificate and its name (sb/1 18.9). */
    if (is_ok) advance(modem, step + 1);
    else retry(modem, STEP_TLS_VERSION, "no TLS settings");
    break;
  default: advance(modem, step + 1); /* ATE0, closing and the access point may fail. */
  }
}

/** The end of the command's answer: OK or ERROR. */
static void end_command(struct modem *modem, bool is_ok)
{
  enum modem_step command = modem->command;
  bool is_open = modem->state == MODEM_OPEN;
  modem->command = STEP_NONE;
  switch (command) {
  case STEP_NONE:
  case STEP_SIGNAL: break;
  case STEP_OPEN:
    if (!is_ok && modem->state == MODEM_OPENING) lose(modem, "no socket", "");
    break;
  case STEP_SEND:
    if (is_ok) distrust(modem, "out of step", "");
    /* The socket is closed. What has arrived before can still be read. */
    else if (is_open) modem->is_closing = modem->may_receive = true;
    break;
  case STEP_RECEIVE:
    if (is_ok && !modem->has_info) distrust(modem, "out of step", "");
    else if (is_ok && modem->info > 0) modem->rx_ready = modem->info, modem->may_receive = true;
    else if (is_open && (modem->is_closing || !is_ok)) lose(modem, "closed", "");
    break;
  default:
    /* Another step: the way has begun anew meanwhile. */
    if (modem->state == MODEM_DOWN && command == modem->step) end_step(modem, command, is_ok);
  }
}

/** The end of the answer to AT+QISEND. */
static void end_sending(struct modem *modem, bool is_ok)
{
  if (modem->command != STEP_SEND) return;
  modem->command = STEP_NONE;
  if (!modem->has_info) {
    distrust(modem, "out of step", "");
  } else if (is_ok) {
    modem->tx_length -= modem->sending;
    memmove(modem->tx, modem->tx + modem->sending, modem->tx_length);
  } else {
    modem->send_at_ms = modem->now_ms + RESEND_MS;
  }
}

static void hear_prompt(struct modem *modem)
{
  if (modem->command != STEP_SEND || modem->has_info) return;
  modem->has_info = true;
  modem->answer_by_ms = modem->now_ms + SEND_MS;
  at_write(&modem->at, modem->tx, modem->sending);
}

/* Lines. */

/** What follows `name: ` in a line, or NULL. */
static const char *after(const char *line, const char *name)
{
  size_t length = strlen(name);
  return strncmp(line, name, length) == 0 && strncmp(line + length, ": ", 2) == 0 ? line + length + 2 : NULL;
}

/** Reads a number, and the comma that may follow it. False if there is none. */
static bool take_number(const char **at, uint32_t *number)
{
  const char *start = *at;
  uint32_t value = 0;
  for (; **at >= '0' && **at <= '9' && *at < start + 9; ++*at) value = value * 10 + (uint32_t)(**at - '0');
  if (*at == start || (**at != ',' && **at != '\0')) return false;
  if (**at == ',') ++*at;
  *number = value;
  return true;
}

/** The modem has started anew: every socket is gone, and no answer comes any more. */
static void hear_restart(struct modem *modem)
{
  if (modem->state != MODEM_DOWN) set_cause(modem, "modem restarted", "");
  start_over(modem, PROBES_AT_BOOT);
  drop_command(modem, SETTLE_MS);
}

static void hear_news(struct modem *modem, const char *news)
{
  if (strcmp(news, "\"recv\",0") == 0) modem->may_receive = true;
  else if (strcmp(news, "\"pdpdeact\",1") == 0 && modem->state != MODEM_DOWN) lose(modem, "pdpdeact", "");
  else if (strcmp(news, "\"closed\",0") == 0) {
    if (modem->state == MODEM_OPENING) lose(modem, "closed", "");
    modem->is_closing = modem->may_receive = true;
  }
}

static void hear_opened(struct modem *modem, const char *line, const char *result)
{
  uint32_t socket, error;
  if (modem->state != MODEM_OPENING || !take_number(&result, &socket) || !take_number(&result, &error))
    return;
  if (error != 0) {
    lose(modem, line + 1, "");
    return;
  }
  modem->state = MODEM_OPEN;
  modem->poll_at_ms = modem->now_ms + POLL_MS;
}

/** Raw bytes follow this line, also when nobody wants them any more. */
static void hear_received(struct modem *modem, const char *count)
{
  bool is_wanted = modem->command == STEP_RECEIVE && !modem->has_info;
  if (!take_number(&count, &modem->info) || modem->info > MODEM_RX_BYTES) {
    distrust(modem, "out of step", "");
    return;
  }
  modem->has_info = is_wanted;
  at_take_raw(&modem->at, is_wanted ? modem->rx : NULL, modem->info);
  if (modem->info > 0) modem->barren_attempts = 0;
}

/** Lines that answer a question. Each has a number; others of the same name come by themselves. */
static void hear_info(struct modem *modem, const char *line)
{
  const char *rest;
  uint32_t first = 0, second = 0;
  if (modem->command == STEP_SIM && (rest = after(line, "+CPIN"))) {
    modem->has_info = strcmp(rest, "READY") == 0;
  } else if (modem->command == STEP_REGISTRATION && (rest = after(line, "+CEREG")) &&
             take_number(&rest, &first)) {
    /* The answer has the mode before it; a line that comes by itself has not. */
    modem->has_info = true;
    modem->info = take_number(&rest, &second) ? second : first;
  } else if (modem->command == STEP_CONTEXT && (rest = after(line, "+QIACT")) && take_number(&rest, &first)) {
    if (first == 1) modem->has_info = take_number(&rest, &modem->info);
  } else if ((rest = after(line, "+CSQ")) && take_number(&rest, &first)) {
    modem->signal_dbm = first <= 31 ? (int)first * 2 - 113 : 0;
  }
}

static void hear(struct modem *modem, const char *line)
{
  const struct dialect *names = dialect(modem);
  const char *rest;
  size_t length = strlen(line);
  /* Garbage may come before it. APP RDY comes some time after it, and is no restart. */
  if (length >= 3 && strcmp(line + length - 3, "RDY") == 0 && strcmp(line, "APP RDY") != 0)
    hear_restart(modem);
  else if (strcmp(line, "OK") == 0) end_command(modem, true);
  else if (strcmp(line, "ERROR") == 0 || after(line, "+CME ERROR")) end_command(modem, false);
  else if (strcmp(line, "SEND OK") == 0) end_sending(modem, true);
  else if (strcmp(line, "SEND FAIL") == 0) end_sending(modem, false);
  else if ((rest = after(line, names->receive))) hear_received(modem, rest);
  else if ((rest = after(line, names->open))) hear_opened(modem, line, rest);
  else if ((rest = after(line, names->news)) || (rest = after(line, PLAIN.news))) hear_news(modem, rest);
  else hear_info(modem, line); /* Or an echo, or a line that this driver does not know. */
}

/** The answer does not come. A modem that boots answers no probe. */
static void end_patience(struct modem *modem)
{
  if (modem->command == STEP_PROBE) {
    drop_command(modem, 0);
    return;
  }
  char name[MODEM_CAUSE_BYTES];
  struct sb1_text text = SB1_TEXT_IN(name);
  sb1_text_put_bytes(&text, modem->text, strcspn(modem->text, "=?\r"));
  distrust(modem, "no answer to ", name);
}

void modem_poll(struct modem *modem, uint64_t now_ms)
{
  enum at_event event;
  modem->now_ms = now_ms;
  at_flush(&modem->at);
  if (modem->at.uart.overrun(modem->at.uart.context) && modem->command != STEP_NONE)
    distrust(modem, "bytes lost", "");
  while ((event = at_read(&modem->at)) != AT_NOTHING) {
    if (event == AT_LINE) hear(modem, modem->at.line);
    else if (event == AT_PROMPT) hear_prompt(modem);
    else distrust(modem, "bytes lost", "");
  }
  if (modem->command != STEP_NONE && now_ms >= modem->answer_by_ms) end_patience(modem);
  bool is_useless = modem->state == MODEM_DOWN &&
                    (now_ms >= modem->network_by_ms || modem->barren_attempts >= ATTEMPTS_MOST);
  if (is_useless) reset(modem);
  if (modem->command == STEP_NONE && now_ms >= modem->pause_until_ms) next_command(modem);
}

uint64_t modem_due_ms(const struct modem *modem)
{
  uint64_t due = modem->signal_at_ms;
  if (modem->at.out_left > 0) return modem->now_ms + 1;
  if (modem->command != STEP_NONE) return modem->answer_by_ms;
  if (modem->state == MODEM_DOWN || modem->step == STEP_OPEN) due = 0;
  if (modem->state == MODEM_OPEN) {
    if (modem->tx_length > 0 && !modem->is_closing) due = earlier(due, modem->send_at_ms);
    if (modem->rx_ready == 0) due = modem->may_receive ? 0 : earlier(due, modem->poll_at_ms);
  }
  return due > modem->pause_until_ms ? due : modem->pause_until_ms;
}

void modem_start(struct modem *modem, const struct modem_config *config, uint64_t now_ms)
{
  memset(modem, 0, sizeof *modem);
  modem->config = *config;
  modem->at.uart = config->uart;
  modem->now_ms = now_ms;
  modem->command = STEP_NONE;
  modem->network_by_ms = now_ms + NETWORK_MS;
  start_over(modem, PROBES_AT_BOOT);
}

void modem_open(struct modem *modem, const char *host, uint16_t port)
{
  if (modem->state != MODEM_READY) return;
  modem->host = host;
  modem->port = port;
  modem->state = MODEM_OPENING;
  modem->step = STEP_OPEN;
  modem->may_receive = modem->is_closing = false;
  modem->rx_at = modem->rx_ready = modem->tx_length = 0;
  modem->send_at_ms = modem->now_ms;
}

void modem_close(struct modem *modem)
{
  if (modem->state == MODEM_OPENING || modem->state == MODEM_OPEN) start_over(modem, PROBES_AT_WORK);
}

/* The stream. */

static size_t stream_send(void *context, const uint8_t *bytes, size_t count)
{
  struct modem *modem = context;
  size_t room = sizeof modem->tx - modem->tx_length;
  if (modem->state != MODEM_OPEN) return 0;
  if (count > room) count = room;
  memcpy(modem->tx + modem->tx_length, bytes, count);
  modem->tx_length += count;
  return count;
}

static size_t stream_receive(void *context, uint8_t *bytes, size_t room)
{
  struct modem *modem = context;
  size_t count = modem->rx_ready - modem->rx_at;
  if (count > room) count = room;
  memcpy(bytes, modem->rx + modem->rx_at, count);
  modem->rx_at += count;
  if (modem->rx_at == modem->rx_ready) modem->rx_at = modem->rx_ready = 0;
  return count;
}

struct stream modem_stream(struct modem *modem)
{
  return (struct stream){modem, stream_send, stream_receive};
}

const char *modem_cause(const struct modem *modem)
{
  return modem->cause;
}

int modem_signal_dbm(const struct modem *modem)
{
  return modem->signal_dbm;
}
