#ifndef MODEM_H
#define MODEM_H

#include "at.h"
#include "../net/stream.h"

/*
 * A driver for a cellular modem with AT commands in the style of Quectel (BG95, EC200): one TCP socket in
 * buffer access mode, with or without the TLS of the module. It brings the modem to the network by itself and
 * keeps it there. Call `modem_poll` when bytes have arrived, and at `modem_due_ms`. Nothing blocks.
 *
 * The driver trusts no answer to come. Whenever a connection has ended, for whatever reason, it starts again
 * at `AT` and asks for each step whether it is done. A modem that does not answer is reset.
 */

/** Bytes from the module that nobody has read yet. One AT+QIRD asks for as many. */
#ifndef MODEM_RX_BYTES
#define MODEM_RX_BYTES 512
#endif
/** Bytes that the module has not taken yet. One AT+QISEND sends as many. */
#ifndef MODEM_TX_BYTES
#define MODEM_TX_BYTES 512
#endif
/** AT+QSSLOPEN with a host of 127 characters fits. */
#define MODEM_COMMAND_BYTES 160
/** A cause and its NUL: `health.modem` has at most 32 characters. */
#define MODEM_CAUSE_BYTES 33

struct modem_config {
  struct modem_uart uart;
  /** The access point name, or NULL for that of the network. Without quotes. */
  const char *apn;
  /** A certificate authority in the module's files, such as "ca.pem": the module does TLS. NULL: it does not.
   */
  const char *ca_file;
};

enum modem_state {
  /** It boots, registers or activates its context. */
  MODEM_DOWN,
  /** It is on the network: `modem_open` may be called. */
  MODEM_READY,
  MODEM_OPENING,
  MODEM_OPEN
};

/**
 * What the driver asks of the modem. The first ones are the way to the network, in this order. Those of TLS
 * stand together.
 */
enum modem_step {
  STEP_PROBE,
  STEP_ECHO,
  STEP_CLOSE,
  STEP_SIM,
  STEP_REGISTRATION,
  STEP_APN,
  STEP_CONTEXT,
  STEP_ACTIVATE,
  STEP_TLS_VERSION,
  STEP_TLS_LEVEL,
  STEP_TLS_CA,
  STEP_TLS_NAME,
  STEP_TLS_HOST,
  STEP_READY,
  STEP_DEACTIVATE,
  STEP_OPEN,
  STEP_SEND,
  STEP_RECEIVE,
  STEP_SIGNAL,
  STEP_NONE
};

struct modem {
  enum modem_state state;
  /** How far it is on the way to the network. */
  enum modem_step step;
  /** The command that waits for its answer, or STEP_NONE. */
  enum modem_step command;
  /** The line or the prompt that the command asks for has come. */
  bool has_info;
  /** The module may have bytes. The peer has closed: what is left is read first. */
  bool may_receive, is_closing;
  uint16_t port;
  const char *host;
  const struct modem_config *config;
  /** The number in that line. */
  uint32_t info;
  unsigned probes_left;
  /** Attempts to connect since a byte of a peer has arrived. */
  unsigned barren_attempts;
  int signal_dbm;
  /** `rx_ready` bytes of `rx` are whole answers. Those after them still arrive. */
  size_t rx_at, rx_ready;
  /** The first `sending` bytes of `tx` are in the command that waits for its answer. */
  size_t tx_length, sending;

  uint64_t now_ms;
  /** No command is sent before this time. */
  uint64_t pause_until_ms;
  /** The modem is reset if it is not on the network by then. */
  uint64_t network_by_ms;
  uint64_t signal_at_ms;
  /** When the answer to the command must have come. */
  uint64_t answer_by_ms;
  uint64_t poll_at_ms, send_at_ms;

  struct at at;
  char cause[MODEM_CAUSE_BYTES];
  /** The command that was sent last. */
  char text[MODEM_COMMAND_BYTES];
  uint8_t rx[MODEM_RX_BYTES];
  uint8_t tx[MODEM_TX_BYTES];
};

/** Starts the driver. The modem may be on or off, or in the middle of anything. `config` stays in place. */
void modem_start(struct modem *modem, const struct modem_config *config, uint64_t now_ms);

/** Reads and writes what is there, and goes on. */
void modem_poll(struct modem *modem, uint64_t now_ms);

/** When `modem_poll` has something to do although no byte arrives, or UINT64_MAX. */
uint64_t modem_due_ms(const struct modem *modem);

/**
 * Opens a connection in MODEM_READY. The state becomes MODEM_OPENING, then MODEM_OPEN or, if it has failed,
 * MODEM_DOWN. The caller decides how long to wait. `host` stays where it is.
 */
void modem_open(struct modem *modem, const char *host, uint16_t port);

/** Ends the connection or the attempt, without waiting for unsent bytes. The state becomes MODEM_DOWN. */
void modem_close(struct modem *modem);

/** The bytes of the connection. What has arrived can still be read when it is closed. */
struct stream modem_stream(struct modem *modem);

/** Why the last connection has ended or could not be opened, in the words of the modem; empty: none has. */
const char *modem_cause(const struct modem *modem);

/** The strength of the signal in dBm, or 0 if it is not known. */
int modem_signal_dbm(const struct modem *modem);

#endif
