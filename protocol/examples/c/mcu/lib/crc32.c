#include "crc32.h"

uint32_t crc32(const void *bytes, size_t count)
{
  /* Four bits at a time: a table for eight would be 1 KiB. */
  static const uint32_t TABLE[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                     0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                     0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
  const uint8_t *at = bytes;
  uint32_t crc = 0xFFFFFFFF;
  while (count-- > 0) {
    crc ^= *at++;
    crc = crc >> 4 ^ TABLE[crc & 15];
    crc = crc >> 4 ^ TABLE[crc & 15];
  }
  return ~crc;
}
