#include "sb1.h"

#include <string.h>

/* The device's memory as a value of a store: `played`, `ver`, `volume` and `lang`. */

#define MEMORY_BYTES 12

static void pack(const struct sb1_memory *memory, uint8_t bytes[MEMORY_BYTES])
{
  memset(bytes, 0, MEMORY_BYTES);
  for (int i = 0; i < 4; i++) {
    bytes[i] = (uint8_t)(memory->played >> 8 * i);
    bytes[4 + i] = (uint8_t)(memory->settings.ver >> 8 * i);
  }
  bytes[8] = memory->settings.volume;
  bytes[9] = (uint8_t)memory->settings.lang;
}

static bool unpack(const uint8_t bytes[MEMORY_BYTES], struct sb1_memory *memory)
{
  *memory = (struct sb1_memory){0};
  for (int i = 0; i < 4; i++) {
    memory->played |= (uint32_t)bytes[i] << 8 * i;
    memory->settings.ver |= (uint32_t)bytes[4 + i] << 8 * i;
  }
  memory->settings.volume = bytes[8];
  memory->settings.lang = bytes[9] == LANGUAGE_EN ? LANGUAGE_EN : LANGUAGE_VI;
  return bytes[8] <= 100 && bytes[9] < LANGUAGES;
}

enum store_state sb1_open_memory(struct sb1_store *store, const struct sb1_flash *flash,
                                 struct sb1_memory *memory)
{
  uint8_t bytes[MEMORY_BYTES];
  pack(memory, bytes);
  enum store_state state = store_open(store, flash, bytes, sizeof bytes);
  if ((state == STORE_READ || state == STORE_BLANK) && !unpack(bytes, memory)) return STORE_DAMAGED;
  return state;
}

bool sb1_write_memory(struct sb1_store *store, const struct sb1_memory *memory)
{
  uint8_t bytes[MEMORY_BYTES];
  pack(memory, bytes);
  return store_write(store, bytes);
}
