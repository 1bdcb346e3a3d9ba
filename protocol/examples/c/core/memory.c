/* SPDX-License-Identifier: MIT */
#include "sb1/sb1.h"

#include <string.h>

/*
 * What survives a power cut, as values of stores: `played`, `ver`, `volume`, `lang`, the tried image and the
 * crashes; and the keys.
 */

#define MEMORY_BYTES 16
#define RING_BYTES (2 * SB1_KEY_ROOM + 1)

static void pack(const struct sb1_memory *memory, uint8_t bytes[MEMORY_BYTES])
{
  memset(bytes, 0, MEMORY_BYTES);
  for (int i = 0; i < 4; i++) {
    bytes[i] = (uint8_t)(memory->played >> 8 * i);
    bytes[4 + i] = (uint8_t)(memory->settings.ver >> 8 * i);
    bytes[12 + i] = (uint8_t)(memory->crashes >> 8 * i);
  }
  bytes[8] = memory->settings.volume;
  bytes[9] = (uint8_t)memory->settings.lang;
  bytes[10] = (uint8_t)memory->tried;
  bytes[11] = (uint8_t)(memory->tried >> 8);
}

static bool unpack(const uint8_t bytes[MEMORY_BYTES], struct sb1_memory *memory)
{
  *memory = (struct sb1_memory){0};
  for (int i = 0; i < 4; i++) {
    memory->played |= (uint32_t)bytes[i] << 8 * i;
    memory->settings.ver |= (uint32_t)bytes[4 + i] << 8 * i;
    memory->crashes |= (uint32_t)bytes[12 + i] << 8 * i;
  }
  memory->settings.volume = bytes[8];
  memory->settings.lang = bytes[9] == SB1_LANGUAGE_EN ? SB1_LANGUAGE_EN : SB1_LANGUAGE_VI;
  memory->tried = (uint16_t)(bytes[10] | bytes[11] << 8);
  return bytes[8] <= 100 && bytes[9] < SB1_LANGUAGES;
}

enum sb1_store_state sb1_open_memory(struct sb1_store *store, const struct sb1_flash *flash,
                                     struct sb1_memory *memory)
{
  uint8_t bytes[MEMORY_BYTES];
  pack(memory, bytes);
  enum sb1_store_state state = sb1_store_open(store, flash, bytes, sizeof bytes);
  if ((state == SB1_STORE_READ || state == SB1_STORE_BLANK) && !unpack(bytes, memory))
    return SB1_STORE_DAMAGED;
  return state;
}

bool sb1_write_memory(struct sb1_store *store, const struct sb1_memory *memory)
{
  uint8_t bytes[MEMORY_BYTES];
  pack(memory, bytes);
  return sb1_store_write(store, bytes);
}

static void pack_ring(const struct sb1_ring *ring, uint8_t bytes[RING_BYTES])
{
  memcpy(bytes, ring->current, SB1_KEY_ROOM);
  memcpy(bytes + SB1_KEY_ROOM, ring->next, SB1_KEY_ROOM);
  bytes[2 * SB1_KEY_ROOM] = ring->has_next;
}

enum sb1_store_state sb1_open_ring(struct sb1_store *store, const struct sb1_flash *flash,
                                   struct sb1_ring *ring)
{
  uint8_t bytes[RING_BYTES];
  pack_ring(ring, bytes);
  enum sb1_store_state state = sb1_store_open(store, flash, bytes, sizeof bytes);
  memcpy(ring->current, bytes, SB1_KEY_ROOM);
  memcpy(ring->next, bytes + SB1_KEY_ROOM, SB1_KEY_ROOM);
  ring->has_next = bytes[2 * SB1_KEY_ROOM] == 1;
  return state;
}

bool sb1_write_ring(struct sb1_store *store, const struct sb1_ring *ring)
{
  uint8_t bytes[RING_BYTES];
  pack_ring(ring, bytes);
  return sb1_store_write(store, bytes);
}
