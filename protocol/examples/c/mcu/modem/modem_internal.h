#ifndef MODEM_INTERNAL_H
#define MODEM_INTERNAL_H

#include "modem.h"
#include "sb1/text.h"

/* Shared by the files of the driver. */

/* An answer that was late must not be taken for the answer to the next command. */
#define MODEM_SETTLE_MS 200
/* A module that boots answers after some seconds, one that works at once. */
#define MODEM_PROBE_MS 500
#define MODEM_PROBES_AT_WORK 10
#define MODEM_PROBES_AT_BOOT 40
/* A module announces bytes once. If this line is lost, the device is deaf until it asks. */
#define MODEM_POLL_MS 5000

/** The names of the same commands for a socket, and for a socket with the TLS of the module. */
struct modem_dialect {
  const char *open, *send, *receive, *close, *news;
};
const struct modem_dialect *modem_dialect(const struct modem *modem);

void modem_set_cause(struct modem *modem, const char *cause);

/** Sends no command for some time. */
void modem_pause(struct modem *modem, uint32_t ms);

/** Whatever has ended: begins again at the first step, and resets a modem that answers none of the probes. */
void modem_start_over(struct modem *modem, unsigned probes);

/** The connection has ended. A command that is under way still gets its answer. */
void modem_lose(struct modem *modem, const char *cause);

/** Gives up the command that is under way: no answer is to be expected, or none is to be believed. */
void modem_drop_command(struct modem *modem, uint32_t pause_ms);

/** The modem is out of step with this driver: ends the connection, and gives up the command. */
void modem_distrust(struct modem *modem, const char *cause);

/** Takes a line of the modem. */
void modem_hear(struct modem *modem, const char *line);

/** Takes the prompt of AT+QISEND. */
void modem_hear_prompt(struct modem *modem);

#endif
