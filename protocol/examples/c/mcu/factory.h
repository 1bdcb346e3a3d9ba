#ifndef FACTORY_H
#define FACTORY_H

#include "sb1/sb1.h"

/*
 * What the factory writes into a device: who it is, and where its hub is. The bytes at the start of the first
 * page of flash; numbers are little-endian, texts end with a NUL and are filled up with NULs:
 *
 *   0    4  "SB1F"
 *   4    1  version of this layout: 1
 *   5    1  TLS: 0: none, 1: of the modem, 2: of this firmware, with the authority of tls/anchor.h
 *   6    2  port
 *   8   32  K (sb/1 2.1)
 *  40   36  serial, at most 32 characters
 *  76  128  host of the hub, a name or an address, at most 127 characters
 * 204    4  CRC-32 (zlib's) of bytes 0 to 203
 */
#define FACTORY_BYTES 208
#define FACTORY_HOST_BYTES 128

enum factory_tls { FACTORY_NO_TLS, FACTORY_MODEM_TLS, FACTORY_OWN_TLS };

struct factory {
  char serial[SB1_SERIAL_MOST + 1];
  char host[FACTORY_HOST_BYTES];
  uint16_t port;
  enum factory_tls tls;
};

/** FACTORY_BLANK: nobody has provisioned the device. FACTORY_DAMAGED: not this layout, or a wrong CRC. */
enum factory_state { FACTORY_READ, FACTORY_BLANK, FACTORY_DAMAGED };

/** The key has one place in memory: that of the core. */
enum factory_state factory_read(const struct sb1_flash *flash, struct factory *factory,
                                uint8_t key[SB1_KEY_BYTES]);

#endif
