#include "modem_internal.h"

#include <string.h>

/* What the lines of the modem mean. Only OK and ERROR end a command, and a line may come at any time. */

/* A module with a full buffer answers SEND FAIL. One that does not answer for as long has lost its peer. */
#define SEND_MS 30000
#define RESEND_MS 250
/* Between two questions whether there is a network now. */
#define RETRY_MS 2000

_Static_assert(MODEM_TX_BYTES <= 1460 && MODEM_RX_BYTES <= 1500,
               "One command of the module carries no more.");

const struct modem_dialect *modem_dialect(const struct modem *modem)
{
  static const struct modem_dialect plain = {"+QIOPEN", "+QISEND", "+QIRD", "+QICLOSE", "+QIURC"};
  static const struct modem_dialect secure = {"+QSSLOPEN", "+QSSLSEND", "+QSSLRECV", "+QSSLCLOSE",
                                              "+QSSLURC"};
  return modem->config->ca_file ? &secure : &plain;
}

/** Takes a step on the way to the network, and leaves out those that this configuration does not need. */
static void advance(struct modem *modem, enum modem_step step)
{
  if (step == STEP_APN && !modem->config->apn) step = STEP_CONTEXT;
  if (step == STEP_TLS_VERSION && !modem->config->ca_file) step = STEP_READY;
  modem->step = step;
  if (step == STEP_READY) modem->state = MODEM_READY;
}

/** Stays at a step, or goes back to one, after a pause. */
static void retry(struct modem *modem, enum modem_step step, const char *cause)
{
  modem_set_cause(modem, cause);
  modem->step = step;
  modem_pause(modem, RETRY_MS);
}

static void end_step(struct modem *modem, enum modem_step step, bool is_ok)
{
  switch (step) {
  case STEP_PROBE:
    if (is_ok) advance(modem, STEP_ECHO);
    modem_pause(modem, is_ok ? MODEM_SETTLE_MS : MODEM_PROBE_MS);
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
    if (!is_ok && modem->state == MODEM_OPENING) modem_lose(modem, "no socket");
    break;
  case STEP_SEND:
    if (is_ok) modem_distrust(modem, "out of step");
    /* The socket is closed. What has arrived before can still be read. */
    else if (is_open) modem->is_closing = modem->may_receive = true;
    break;
  case STEP_RECEIVE:
    if (is_ok && !modem->has_info) modem_distrust(modem, "out of step");
    else if (is_ok && modem->info > 0) modem->rx_ready = modem->info, modem->may_receive = true;
    else if (is_open && (modem->is_closing || !is_ok)) modem_lose(modem, "closed");
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
    modem_distrust(modem, "out of step");
  } else if (is_ok) {
    modem->tx_length -= modem->sending;
    memmove(modem->tx, modem->tx + modem->sending, modem->tx_length);
  } else {
    modem->send_at_ms = modem->now_ms + RESEND_MS;
  }
}

void modem_hear_prompt(struct modem *modem)
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
  if (modem->state != MODEM_DOWN) modem_set_cause(modem, "modem restarted");
  modem_start_over(modem, MODEM_PROBES_AT_BOOT);
  modem_drop_command(modem, MODEM_SETTLE_MS);
}

static void hear_news(struct modem *modem, const char *news)
{
  if (strcmp(news, "\"recv\",0") == 0) modem->may_receive = true;
  else if (strcmp(news, "\"pdpdeact\",1") == 0 && modem->state != MODEM_DOWN) modem_lose(modem, "pdpdeact");
  else if (strcmp(news, "\"closed\",0") == 0) {
    if (modem->state == MODEM_OPENING) modem_lose(modem, "closed");
    modem->is_closing = modem->may_receive = true;
  }
}

static void hear_opened(struct modem *modem, const char *line, const char *result)
{
  uint32_t socket, error;
  if (modem->state != MODEM_OPENING || !take_number(&result, &socket) || !take_number(&result, &error) ||
      socket != 0)
    return;
  if (error != 0) {
    modem_lose(modem, line + 1);
    return;
  }
  modem->state = MODEM_OPEN;
  modem->poll_at_ms = modem->now_ms + MODEM_POLL_MS;
}

/** Raw bytes follow this line, also when nobody wants them any more. */
static void hear_received(struct modem *modem, const char *count)
{
  bool is_wanted = modem->command == STEP_RECEIVE && !modem->has_info;
  uint32_t bytes;
  if (!take_number(&count, &bytes) || bytes > MODEM_RX_BYTES) {
    modem_distrust(modem, "out of step");
    return;
  }
  at_take_raw(&modem->at, is_wanted ? modem->rx : NULL, bytes);
  if (!is_wanted) return;
  modem->has_info = true;
  modem->info = bytes;
  if (bytes > 0) modem->barren_attempts = 0;
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

void modem_hear(struct modem *modem, const char *line)
{
  const struct modem_dialect *names = modem_dialect(modem);
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
  else if ((rest = after(line, names->news)) || (rest = after(line, "+QIURC"))) hear_news(modem, rest);
  else hear_info(modem, line); /* Or an echo, or a line that this driver does not know. */
}
