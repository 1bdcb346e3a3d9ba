#include "factory.h"

#include <string.h>

#include "lib/number.h"

#define KEY_AT 8
#define SERIAL_AT 40
#define SERIAL_ROOM 36
#define HOST_AT 76
#define CRC_AT 204

enum factory_state factory_read(const struct sb1_flash *flash, struct factory *factory,
                                uint8_t key[SB1_KEY_BYTES])
{
  uint8_t bytes[FACTORY_BYTES];
  size_t blank = 0;
  if (!flash->read(flash->context, 0, 0, bytes, sizeof bytes)) return FACTORY_DAMAGED;
  while (blank < sizeof bytes && bytes[blank] == 0xFF) blank++;
  if (blank == sizeof bytes) return FACTORY_BLANK;
  if (memcmp(bytes, "SB1F\1", 5) != 0 || sb1_crc32(bytes, CRC_AT) != number_at(bytes + CRC_AT, 4))
    return FACTORY_DAMAGED;
  if (bytes[SERIAL_AT + sizeof factory->serial - 1] != '\0' || bytes[CRC_AT - 1] != '\0')
    return FACTORY_DAMAGED;
  if (bytes[5] > FACTORY_OWN_TLS) return FACTORY_DAMAGED;
  factory->tls = (enum factory_tls)bytes[5];
  factory->port = (uint16_t)number_at(bytes + 6, 2);
  memcpy(key, bytes + KEY_AT, SB1_KEY_BYTES);
  memcpy(factory->serial, bytes + SERIAL_AT, sizeof factory->serial);
  memcpy(factory->host, bytes + HOST_AT, sizeof factory->host);
  return FACTORY_READ;
}
