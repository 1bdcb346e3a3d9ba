#include "flash.h"

#include <string.h>

static uint8_t random_byte(struct flash *flash)
{
  flash->random = flash->random * 1664525 + 1013904223;
  return (uint8_t)(flash->random >> 24);
}

static void require(bool holds, const char *rule)
{
  if (!holds) flash_misused(rule);
}

/** Takes one step. False if the power is cut at this step or before. */
static bool step(struct flash *flash)
{
  flash->steps++;
  if (flash->steps_left == 0) flash->is_cut = true;
  else flash->steps_left--;
  return !flash->is_cut;
}

/** Reads bytes. The unsure bits are all old, or all new, or any mixture. */
static void look(struct flash *flash, unsigned page, uint32_t offset, uint8_t *to, size_t length)
{
  uint8_t kind = random_byte(flash);
  for (size_t i = 0; i < length; i++) {
    uint8_t mask = kind < 96 ? 0 : kind < 192 ? 0xFF : random_byte(flash);
    to[i] = flash->bytes[page][offset + i] ^ (mask & flash->unsure[page][offset + i]);
  }
}

static void settle(struct flash *flash, unsigned page, uint32_t offset, uint32_t length)
{
  look(flash, page, offset, &flash->bytes[page][offset], length);
  memset(&flash->unsure[page][offset], 0, length);
}

static bool erase(void *context, unsigned page)
{
  struct flash *flash = context;
  if (flash->is_cut) return false;
  require(page < flash->pages, "a page that there is");
  flash->erases++;
  bool is_done = step(flash);
  for (uint32_t i = 0; i < flash->page_bytes; i++) {
    /* Only zeros change: to ones, or to something between. */
    flash->unsure[page][i] = is_done ? 0 : (uint8_t)(flash->unsure[page][i] | ~flash->bytes[page][i]);
    flash->bytes[page][i] = 0xFF;
    if (is_done) flash->used[page][i] = flash->torn[page][i] = false;
  }
  if (!is_done && flash->settles) settle(flash, page, 0, flash->page_bytes);
  return is_done;
}

static bool program(void *context, unsigned page, uint32_t offset, const void *bytes, size_t length)
{
  struct flash *flash = context;
  const uint8_t *from = bytes;
  if (flash->is_cut || flash->is_worn) return false;
  require(page < flash->pages && offset + length <= flash->page_bytes, "inside of a page");
  require(offset % flash->unit_bytes == 0 && length % flash->unit_bytes == 0, "whole units");
  for (size_t i = 0; i < length; i++) {
    uint8_t *byte = &flash->bytes[page][offset + i];
    if (i % flash->unit_bytes == 0 && !step(flash)) flash->is_cut = true;
    if (flash->used[page][offset + i]) {
      /* It may have read as blank. This flash, like those with ECC, refuses to write it again. */
      require(flash->torn[page][offset + i] || *byte == 0xFF, "a unit is programmed once after an erase");
      return false;
    }
    flash->used[page][offset + i] = true;
    *byte = from[i];
    if (!flash->is_cut) continue;
    flash->torn[page][offset + i] = true;
    flash->unsure[page][offset + i] = (uint8_t)~from[i];
    if ((i + 1) % flash->unit_bytes != 0) continue;
    if (flash->settles) settle(flash, page, offset + (uint32_t)i + 1 - flash->unit_bytes, flash->unit_bytes);
    return false;
  }
  return true;
}

static bool read_bytes(void *context, unsigned page, uint32_t offset, void *bytes, size_t length)
{
  struct flash *flash = context;
  if (flash->is_cut) return false;
  require(page < flash->pages && offset + length <= flash->page_bytes, "inside of a page");
  look(flash, page, offset, bytes, length);
  return true;
}

void flash_clear(struct flash *flash, unsigned pages, uint32_t page_bytes, unsigned unit_bytes)
{
  memset(flash, 0, sizeof *flash);
  flash->pages = pages;
  flash->page_bytes = page_bytes;
  flash->unit_bytes = unit_bytes;
  memset(flash->bytes, 0xFF, sizeof flash->bytes);
  flash_power(flash, UINT64_MAX);
}

void flash_power(struct flash *flash, uint64_t steps)
{
  flash->is_cut = false;
  flash->steps_left = steps;
}

struct sb1_flash flash_interface(struct flash *flash)
{
  return (struct sb1_flash){flash, flash->pages, flash->page_bytes, flash->unit_bytes,
                            erase, program,      read_bytes};
}
