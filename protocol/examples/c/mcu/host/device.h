#ifndef DEVICE_H
#define DEVICE_H

#include "../../linux/flash_file.h"
#include "../../linux/options.h"
#include "../net/link.h"
#include "fake_modem.h"

/* Shared by the files of the firmware's line on Linux. */

struct speaker {
  struct options options;
  struct sb1 device;
  struct flash_file memory_file, ring_file;
  struct sb1_store memory, ring;
  struct link link;
  struct fake_modem fake;
  struct link_buffers buffers;
  uint64_t sound_ends_ms;
};

/**
 * Opens the UART: the socket named by the environment variable MODEM_UART, or the modem for tests, whose
 * network is that of this machine. The reset line is a byte R on the socket MODEM_PINS, if it is set.
 */
bool open_uart(struct speaker *speaker, struct modem_uart *uart);

/** Carries the modem for tests on. Returns what to wait for, or -1. */
int poll_uart(struct speaker *speaker, uint64_t now_ms);

#endif
