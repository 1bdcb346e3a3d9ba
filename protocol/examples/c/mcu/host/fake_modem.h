#ifndef FAKE_MODEM_H
#define FAKE_MODEM_H

#include "../modem/modem.h"

/*
 * A modem for tests, on the other side of the UART: it answers AT commands, has one socket, and can fail at
 * any byte or line that it sends. Written from the manuals of the commands, not from the driver.
 */

/** The network behind its socket. */
struct peer {
  void *context;
  /** 0: open, a positive error of +QIOPEN, or -1: it is still on its way. */
  int (*connect)(void *context, const char *host, unsigned port);
  /** How many bytes were taken; 0: SEND FAIL. */
  size_t (*send)(void *context, const uint8_t *bytes, size_t count);
  size_t (*receive)(void *context, uint8_t *bytes, size_t room);
  bool (*is_closed)(void *context);
  void (*close)(void *context);
};

enum fault {
  NO_FAULT,
  /** At a byte: the rest of this answer is lost. */
  FAULT_CUT,
  /** At a byte: it is lost, and the UART says so, or not. */
  FAULT_LOSS,
  FAULT_OVERRUN,
  /** At a byte: it and all that follows come 8 s later, when nobody waits for them any more. */
  FAULT_STALL,
  /** At a byte: nothing is sent or done from here on, until the reset line is pulsed. */
  FAULT_HANG,
  /** At a byte: it restarts by itself; its first line is broken or not. */
  FAULT_RESTART,
  FAULT_QUIET_RESTART,
  /** Before a line: another line comes in between. */
  FAULT_LINE,
  /** Before a line: the peer closes, or the context is lost. */
  FAULT_CLOSED,
  FAULT_CONTEXT
};

struct fake_modem {
  struct peer peer;
  enum fault fault;
  /** The byte or line at which it happens, counted from 0. */
  size_t fault_at;
  /** The line of FAULT_LINE. */
  const char *extra_line;
  /** It never announces that bytes have come. */
  bool is_silent;
  /** So many times it answers SEND FAIL, or ignores what AT+QISEND asks for, or is not registered. */
  unsigned send_fails, prompts_missing, searches;
  /** Nonzero: +QIOPEN fails with this error. */
  int open_error;
  bool has_no_sim, has_no_ca;
  /** Bytes that the UART passes on in one reading. */
  size_t chunk;

  uint64_t now_ms, boots_at_ms, stalls_until_ms;
  bool is_off, is_hung, has_echo, has_context, was_overrun, is_paused;
  size_t bytes_sent, lines_sent;
  unsigned resets;
  char commands[8192];
  char line[256];
  size_t line_length, data_left, data_length;
  uint8_t data[1500];
  bool is_tls;
  enum { SOCKET_NONE, SOCKET_OPENING, SOCKET_OPEN } socket;
  bool is_announced, is_end_announced, is_end_known;
  char host[100];
  unsigned port;
  uint8_t arrived[1500];
  size_t arrived_length;
  bool is_cut;
  uint8_t out[16384];
  size_t out_at, out_length;
};

/** Switches it on. It works already, as if the device had been reset alone. */
void fake_start(struct fake_modem *fake, const struct peer *peer);
/** Moves bytes between socket and UART. */
void fake_poll(struct fake_modem *fake, uint64_t now_ms);
/** Whether it has something to say. */
bool fake_has_output(const struct fake_modem *fake);
struct modem_uart fake_uart(struct fake_modem *fake);

#endif
