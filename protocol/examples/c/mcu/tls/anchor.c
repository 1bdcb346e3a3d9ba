#include "anchor.h"

#include <string.h>

#include "../lib/number.h"

#define HEAD_BYTES 10
#define CRC_BYTES 4

static bool is_key_right(enum anchor_key type, const uint8_t *key, size_t bytes)
{
  switch (type) {
  case ANCHOR_P256: return bytes == 65 && key[0] == 4;
  case ANCHOR_RSA: return bytes >= 256 && bytes <= ANCHOR_KEY_MOST && key[0] != 0;
  default: return false;
  }
}

bool anchor_read(const struct sb1_flash *flash, struct anchor *anchor)
{
  uint8_t *bytes = anchor->bytes;
  if (!flash->read(flash->context, 0, ANCHOR_AT, bytes, ANCHOR_BYTES)) return false;
  if (memcmp(bytes, "SB1A\1", 5) != 0) return false;
  anchor->type = (enum anchor_key)bytes[5];
  anchor->name_bytes = number_at(bytes + 6, 2);
  anchor->key_bytes = number_at(bytes + 8, 2);
  if (anchor->name_bytes > ANCHOR_NAME_MOST || anchor->key_bytes > ANCHOR_KEY_MOST) return false;
  size_t covered = HEAD_BYTES + anchor->name_bytes + anchor->key_bytes;
  if (sb1_crc32(bytes, covered) != number_at(bytes + covered, CRC_BYTES)) return false;
  anchor->name = bytes + HEAD_BYTES;
  anchor->key = anchor->name + anchor->name_bytes;
  return is_key_right(anchor->type, anchor->key, anchor->key_bytes);
}
