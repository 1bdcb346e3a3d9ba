#include "fake_modem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOOT_MS 3000
#define STALL_MS 8000

static void restart(struct fake_modem *fake, bool is_quiet)
{
  if (fake->socket != SOCKET_NONE) fake->peer.close(fake->peer.context);
  fake->socket = SOCKET_NONE;
  fake->is_off = fake->has_echo = true;
  fake->is_hung = fake->has_context = false;
  fake->line_length = fake->data_left = 0;
  fake->boots_at_ms = fake->now_ms + BOOT_MS;
  fake->is_announced = is_quiet;
}

static void close_socket(struct fake_modem *fake)
{
  if (fake->socket != SOCKET_NONE) fake->peer.close(fake->peer.context);
  fake->socket = SOCKET_NONE;
}

static void raw(struct fake_modem *fake, const void *bytes, size_t count)
{
  for (size_t i = 0; i < count && !fake->is_cut && !fake->is_hung && !fake->is_off; i++) {
    bool is_here = fake->bytes_sent++ == fake->fault_at;
    if (is_here && fake->fault == FAULT_STALL) fake->stalls_until_ms = fake->now_ms + STALL_MS;
    if (is_here && fake->fault == FAULT_CUT) fake->is_cut = true;
    else if (is_here && fake->fault == FAULT_HANG) fake->is_hung = true;
    else if (is_here && fake->fault == FAULT_RESTART) restart(fake, false);
    else if (is_here && fake->fault == FAULT_QUIET_RESTART) restart(fake, true);
    else if (is_here && (fake->fault == FAULT_LOSS || fake->fault == FAULT_OVERRUN))
      fake->was_overrun = fake->fault == FAULT_OVERRUN;
    else if (fake->out_length < sizeof fake->out) fake->out[fake->out_length++] = ((const uint8_t *)bytes)[i];
  }
}

static void text(struct fake_modem *fake, const char *words)
{
  raw(fake, words, strlen(words));
}

static void say(struct fake_modem *fake, const char *line)
{
  bool is_here = fake->lines_sent++ == fake->fault_at;
  if (is_here && fake->fault == FAULT_LINE) {
    text(fake, "\r\n");
    text(fake, fake->extra_line);
    text(fake, "\r\n");
  }
  if (is_here && fake->fault == FAULT_CLOSED && fake->socket != SOCKET_NONE) {
    close_socket(fake);
    text(fake, fake->is_tls ? "\r\n+QSSLURC: \"closed\",0\r\n" : "\r\n+QIURC: \"closed\",0\r\n");
  }
  if (is_here && fake->fault == FAULT_CONTEXT && fake->has_context) {
    close_socket(fake);
    fake->has_context = false;
    text(fake, "\r\n+QIURC: \"pdpdeact\",1\r\n");
  }
  text(fake, "\r\n");
  text(fake, line);
  text(fake, "\r\n");
}

static void send_data(struct fake_modem *fake)
{
  size_t taken = 0;
  fake->is_cut = false;
  if (fake->has_echo) raw(fake, fake->data, fake->data_length);
  if (fake->socket != SOCKET_OPEN) {
    say(fake, "ERROR");
    return;
  }
  if (fake->send_fails > 0) fake->send_fails--;
  else taken = fake->peer.send(fake->peer.context, fake->data, fake->data_length);
  say(fake, taken > 0 ? "SEND OK" : "SEND FAIL");
}

static void read_data(struct fake_modem *fake, unsigned most)
{
  char line[40];
  size_t count = fake->arrived_length < most ? fake->arrived_length : most;
  if (fake->socket != SOCKET_OPEN) {
    say(fake, "ERROR");
    return;
  }
  snprintf(line, sizeof line, "%s: %zu", fake->is_tls ? "+QSSLRECV" : "+QIRD", count);
  say(fake, line);
  raw(fake, fake->arrived, count);
  memmove(fake->arrived, fake->arrived + count, fake->arrived_length -= count);
  if (fake->arrived_length == 0) fake->is_announced = false;
  if (count > 0) text(fake, "\r\n");
  say(fake, "OK");
}

static void open_socket(struct fake_modem *fake, const char *arguments, bool is_tls)
{
  const char *format = is_tls ? "1,1,0,\"%99[^\"]\",%u,0%n" : "1,0,\"TCP\",\"%99[^\"]\",%u,0,0%n";
  int length = 0;
  bool is_valid = sscanf(arguments, format, fake->host, &fake->port, &length) == 2 && length > 0 &&
                  arguments[length] == '\0';
  if (!is_valid || fake->socket != SOCKET_NONE || !fake->has_context) {
    say(fake, "ERROR");
    return;
  }
  fake->is_tls = is_tls;
  fake->socket = SOCKET_OPENING;
  fake->is_announced = fake->is_end_announced = fake->is_end_known = false;
  fake->arrived_length = 0;
  say(fake, "OK");
}

static void finish_opening(struct fake_modem *fake)
{
  char line[40];
  int result =
      fake->open_error ? fake->open_error : fake->peer.connect(fake->peer.context, fake->host, fake->port);
  if (result < 0) return;
  fake->socket = result == 0 ? SOCKET_OPEN : SOCKET_NONE;
  snprintf(line, sizeof line, "%s: 0,%d", fake->is_tls ? "+QSSLOPEN" : "+QIOPEN", result);
  say(fake, line);
}

static void ask_for_data(struct fake_modem *fake, unsigned count)
{
  if (fake->socket != SOCKET_OPEN || count > sizeof fake->data) {
    say(fake, "ERROR");
    return;
  }
  fake->data_left = count;
  fake->data_length = 0;
  if (fake->prompts_missing > 0) fake->prompts_missing--;
  else text(fake, "\r\n> ");
}

static void answer(struct fake_modem *fake, const char *command)
{
  unsigned number;
  const char *ok = "OK";
  fake->is_cut = false;
  if (strcmp(command, "AT+CPIN?") == 0) {
    if (fake->has_no_sim) ok = "+CME ERROR: 10";
    else say(fake, "+CPIN: READY");
  } else if (strcmp(command, "AT+CEREG?") == 0) {
    say(fake, fake->searches > 0 ? "+CEREG: 0,2" : "+CEREG: 0,1");
    if (fake->searches > 0) fake->searches--;
  } else if (strcmp(command, "AT+CSQ") == 0) {
    say(fake, "+CSQ: 20,99");
  } else if (fake->has_no_ca && strncmp(command, "AT+QSSLCFG=\"cacert", 18) == 0) {
    ok = "ERROR";
  } else if (strcmp(command, "ATE0") == 0) {
    fake->has_echo = false;
  } else if (strcmp(command, "AT+QIACT?") == 0) {
    if (fake->has_context) say(fake, "+QIACT: 1,1,1,\"10.0.0.2\"");
  } else if (strcmp(command, "AT+QIACT=1") == 0) {
    if (fake->has_context) ok = "ERROR";
    fake->has_context = true;
  } else if (strcmp(command, "AT+QIDEACT=1") == 0) {
    fake->has_context = false;
  } else if (strncmp(command, "AT+QIOPEN=", 10) == 0) {
    open_socket(fake, command + 10, false);
    return;
  } else if (strncmp(command, "AT+QSSLOPEN=", 12) == 0) {
    open_socket(fake, command + 12, true);
    return;
  } else if (sscanf(command, "AT+QISEND=0,%u", &number) == 1 ||
             sscanf(command, "AT+QSSLSEND=0,%u", &number) == 1) {
    ask_for_data(fake, number);
    return;
  } else if (sscanf(command, "AT+QIRD=0,%u", &number) == 1 ||
             sscanf(command, "AT+QSSLRECV=0,%u", &number) == 1) {
    read_data(fake, number);
    return;
  } else if (strcmp(command, "AT+QICLOSE=0") == 0 || strcmp(command, "AT+QSSLCLOSE=0") == 0) {
    close_socket(fake);
  } else if (strcmp(command, "AT") != 0 && strncmp(command, "AT+QSSLCFG=", 11) != 0 &&
             strncmp(command, "AT+QICSGP=", 10) != 0) {
    ok = "ERROR";
  }
  say(fake, ok);
}

static void take(struct fake_modem *fake, char byte)
{
  if (fake->data_left > 0) {
    fake->data[fake->data_length++] = (uint8_t)byte;
    if (--fake->data_left == 0) send_data(fake);
  } else if (byte == '\r') {
    fake->line[fake->line_length] = '\0';
    fake->line_length = 0;
    size_t used = strlen(fake->commands);
    if (used + strlen(fake->line) + 2 < sizeof fake->commands)
      snprintf(fake->commands + used, sizeof fake->commands - used, "%s\n", fake->line);
    if (fake->has_echo) {
      fake->is_cut = false;
      text(fake, fake->line);
      text(fake, "\r");
    }
    answer(fake, fake->line);
  } else if (byte != '\n' && fake->line_length < sizeof fake->line - 1) {
    fake->line[fake->line_length++] = byte;
  }
}

void fake_poll(struct fake_modem *fake, uint64_t now_ms)
{
  static const char garbage[] = "\0\xFF\x80";
  size_t count;
  fake->now_ms = now_ms;
  fake->is_cut = false;
  if (fake->is_off && now_ms >= fake->boots_at_ms) {
    bool is_quiet = fake->is_announced;
    fake->is_off = fake->is_announced = false;
    raw(fake, garbage, sizeof garbage - 1);
    if (!is_quiet) say(fake, "RDY");
  }
  if (fake->is_off || fake->is_hung || fake->data_left > 0) return;
  if (fake->socket == SOCKET_OPENING) finish_opening(fake);
  if (fake->socket != SOCKET_OPEN) return;
  count = fake->peer.receive(fake->peer.context, fake->arrived + fake->arrived_length,
                             sizeof fake->arrived - fake->arrived_length);
  fake->arrived_length += count;
  if (fake->arrived_length > 0 && !fake->is_announced) {
    fake->is_announced = true;
    if (!fake->is_silent) say(fake, fake->is_tls ? "+QSSLURC: \"recv\",0" : "+QIURC: \"recv\",0");
  }
  if (!fake->is_end_announced && fake->peer.is_closed(fake->peer.context)) {
    fake->is_end_announced = true;
    say(fake, fake->is_tls ? "+QSSLURC: \"closed\",0" : "+QIURC: \"closed\",0");
  }
}

bool fake_has_output(const struct fake_modem *fake)
{
  return fake->out_at < fake->out_length && fake->now_ms >= fake->stalls_until_ms;
}

static size_t uart_read(void *context, void *bytes, size_t room)
{
  struct fake_modem *fake = context;
  size_t count = fake->out_length - fake->out_at;
  /* Bytes come in pieces, with pauses between them. */
  fake->is_paused = !fake->is_paused;
  if (!fake->is_paused || fake->now_ms < fake->stalls_until_ms) return 0;
  if (count > room) count = room;
  if (count > fake->chunk) count = fake->chunk;
  memcpy(bytes, fake->out + fake->out_at, count);
  fake->out_at += count;
  if (fake->out_at == fake->out_length) fake->out_at = fake->out_length = 0;
  return count;
}

static size_t uart_write(void *context, const void *bytes, size_t count)
{
  struct fake_modem *fake = context;
  if (count > fake->chunk) count = fake->chunk;
  for (size_t i = 0; i < count && !fake->is_off && !fake->is_hung; i++) take(fake, ((const char *)bytes)[i]);
  return count;
}

static bool uart_overrun(void *context)
{
  struct fake_modem *fake = context;
  bool was = fake->was_overrun;
  fake->was_overrun = false;
  return was;
}

static void uart_reset(void *context)
{
  struct fake_modem *fake = context;
  fake->resets++;
  fake->stalls_until_ms = 0;
  fake->out_at = fake->out_length = 0;
  restart(fake, false);
}

struct modem_uart fake_uart(struct fake_modem *fake)
{
  return (struct modem_uart){fake, uart_read, uart_write, uart_overrun, uart_reset};
}

void fake_start(struct fake_modem *fake, const struct peer *peer)
{
  memset(fake, 0, sizeof *fake);
  fake->peer = *peer;
  fake->chunk = 7;
  fake->has_echo = true;
}
