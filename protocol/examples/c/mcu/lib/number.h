#ifndef NUMBER_H
#define NUMBER_H

#include <stdint.h>

/** A little-endian number of 1 to 4 bytes. */
static inline uint32_t number_at(const uint8_t *at, unsigned bytes)
{
  uint32_t number = 0;
  while (bytes-- > 0) number = number << 8 | at[bytes];
  return number;
}

#endif
