#include "modem_internal.h"

#include <string.h>

/* What the modem is asked, and when. modem_answers.c has what it answers. */

/* How long to wait for answers. The manuals allow 150 s for a context. */
#define ANSWER_MS 5000
#define CLOSE_MS 12000
#define CONTEXT_MS 150000
/* Then the modem itself may be the reason: so long no network, or so many attempts without a byte of a peer.
 */
#define NETWORK_MS 300000
#define ATTEMPTS_MOST 20
#define SIGNAL_MS 30000

/** The commands whose text is fixed. `put_command` writes `+QSSLCFG="` before those of TLS. */
static const char *const COMMANDS[] = {
    [STEP_PROBE] = "",
    [STEP_ECHO] = "E0",
    [STEP_SIM] = "+CPIN?",
    [STEP_REGISTRATION] = "+CEREG?",
    [STEP_CONTEXT] = "+QIACT?",
    [STEP_ACTIVATE] = "+QIACT=1",
    [STEP_TLS_VERSION] = "sslversion\",1,4",
    [STEP_TLS_LEVEL] = "seclevel\",1,1",
    [STEP_TLS_NAME] = "sni\",1,1",
    [STEP_TLS_HOST] = "checkhost\",1,1",
    [STEP_DEACTIVATE] = "+QIDEACT=1",
    [STEP_SIGNAL] = "+CSQ",
};

static uint32_t timeout_ms(enum modem_step command)
{
  switch (command) {
  case STEP_PROBE: return MODEM_PROBE_MS;
  case STEP_CLOSE: return CLOSE_MS;
  case STEP_ACTIVATE:
  case STEP_DEACTIVATE: return CONTEXT_MS;
  default: return ANSWER_MS;
  }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Ends: the driver always starts again at the first step. */

void modem_set_cause(struct modem *modem, const char *cause)
{
  struct sb1_text text = SB1_TEXT_IN(modem->cause);
  sb1_text_put(&text, cause);
}

void modem_pause(struct modem *modem, uint32_t ms)
{
  modem->pause_until_ms = modem->now_ms + ms;
}

void modem_start_over(struct modem *modem, unsigned probes)
{
  if (modem->state == MODEM_OPENING || modem->state == MODEM_OPEN) modem->barren_attempts++;
  if (modem->state != MODEM_DOWN) modem->network_by_ms = modem->now_ms + NETWORK_MS;
  modem->state = MODEM_DOWN;
  modem->step = STEP_PROBE;
  modem->probes_left = probes;
}

void modem_lose(struct modem *modem, const char *cause)
{
  modem_set_cause(modem, cause);
  modem_start_over(modem, MODEM_PROBES_AT_WORK);
}

void modem_drop_command(struct modem *modem, uint32_t pause_ms)
{
  modem->command = STEP_NONE;
  at_clear(&modem->at);
  modem_pause(modem, pause_ms);
}

void modem_distrust(struct modem *modem, const char *cause)
{
  modem_lose(modem, cause);
  modem_drop_command(modem, MODEM_SETTLE_MS);
}

static void reset(struct modem *modem)
{
  modem->at.uart->reset(modem->at.uart->context);
  modem_start_over(modem, MODEM_PROBES_AT_BOOT);
  modem_drop_command(modem, MODEM_SETTLE_MS);
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
  if (command >= STEP_TLS_VERSION && command <= STEP_TLS_HOST) sb1_text_put(text, "+QSSLCFG=\"");
  switch (command) {
  case STEP_CLOSE:
    sb1_text_put(text, modem_dialect(modem)->close);
    sb1_text_put(text, "=0");
    break;
  case STEP_APN:
    sb1_text_put(text, "+QICSGP=1,1");
    put_quoted(text, modem->config->apn);
    break;
  case STEP_TLS_CA:
    sb1_text_put(text, "cacert\",1");
    put_quoted(text, modem->config->ca_file);
    break;
  case STEP_OPEN:
    sb1_text_put(text, modem_dialect(modem)->open);
    sb1_text_put(text, modem->config->ca_file ? "=1,1,0" : "=1,0,\"TCP\"");
    put_quoted(text, modem->host);
    sb1_text_put(text, ",");
    sb1_text_put_number(text, modem->port);
    sb1_text_put(text, modem->config->ca_file ? ",0" : ",0,0");
    break;
  case STEP_SEND:
  case STEP_RECEIVE:
    sb1_text_put(text, command == STEP_SEND ? modem_dialect(modem)->send : modem_dialect(modem)->receive);
    sb1_text_put(text, "=0,");
    sb1_text_put_number(text, command == STEP_SEND ? (uint32_t)modem->sending : MODEM_RX_BYTES);
    break;
  default: sb1_text_put(text, COMMANDS[command]);
  }
}

static void ask(struct modem *modem, enum modem_step command)
{
  struct sb1_text text = SB1_TEXT_IN(modem->text);
  modem->command = command;
  modem->answer_by_ms = modem->now_ms + timeout_ms(command);
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
    modem->poll_at_ms = modem->now_ms + MODEM_POLL_MS;
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

/** The answer does not come. A modem that boots answers no probe. */
static void end_patience(struct modem *modem)
{
  if (modem->command == STEP_PROBE) {
    modem_drop_command(modem, 0);
    return;
  }
  char cause[MODEM_CAUSE_BYTES];
  struct sb1_text text = SB1_TEXT_IN(cause);
  sb1_text_put(&text, "no answer to ");
  sb1_text_put_bytes(&text, modem->text, strcspn(modem->text, "=?\r"));
  modem_distrust(modem, cause);
}

void modem_poll(struct modem *modem, uint64_t now_ms)
{
  enum at_event event;
  modem->now_ms = now_ms;
  at_flush(&modem->at);
  if (modem->at.uart->overrun(modem->at.uart->context) && modem->command != STEP_NONE)
    modem_distrust(modem, "bytes lost");
  while ((event = at_read(&modem->at)) != AT_NOTHING) {
    if (event == AT_LINE) modem_hear(modem, modem->at.line);
    else if (event == AT_PROMPT) modem_hear_prompt(modem);
    else modem_distrust(modem, "bytes lost");
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
  if (due < modem->pause_until_ms) due = modem->pause_until_ms;
  return due < modem->now_ms ? modem->now_ms : due;
}

void modem_start(struct modem *modem, const struct modem_config *config, uint64_t now_ms)
{
  memset(modem, 0, sizeof *modem);
  modem->config = config;
  modem->at.uart = &config->uart;
  modem->now_ms = now_ms;
  modem->command = STEP_NONE;
  modem->network_by_ms = now_ms + NETWORK_MS;
  modem_start_over(modem, MODEM_PROBES_AT_BOOT);
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
  if (modem->state == MODEM_OPENING || modem->state == MODEM_OPEN)
    modem_start_over(modem, MODEM_PROBES_AT_WORK);
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
