#include "flash.h"

#include <string.h>

enum unit { BLANK, WRITTEN, TORN, TORN_ERASE, SPOILED };

static uint8_t random_byte(struct flash *flash)
{
  flash->random = flash->random * 1664525 + 1013904223;
  return (uint8_t)(flash->random >> 24);
}

static bool require(struct flash *flash, bool holds, const char *rule)
{
  if (!holds && flash->broken_rule == NULL) flash->broken_rule = rule;
  return holds;
}

static bool is_inside(struct flash *flash, unsigned page, uint32_t offset, size_t length)
{
  return require(flash, page < flash->kind.pages && offset + length <= flash->kind.page_bytes,
                 "inside of a page");
}

/** Takes one step. False if the power is cut at this step or before. */
static bool step(struct flash *flash)
{
  flash->steps++;
  if (flash->steps_left == 0) flash->is_cut = true;
  else flash->steps_left--;
  return !flash->is_cut;
}

static bool is_blank(const uint8_t *bytes, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (bytes[i] != 0xFF) return false;
  return true;
}

static bool erase(void *context, unsigned page)
{
  struct flash *flash = context;
  uint32_t length = flash->kind.page_bytes, unit_bytes = flash->kind.unit_bytes;
  if (flash->is_cut || !is_inside(flash, page, 0, length) || flash->no_erase >> page & 1) return false;
  flash->erases++;
  bool is_done = step(flash);
  uint8_t *bytes = flash->bytes + page * length, *torn = flash->torn + page * length;
  for (uint32_t i = 0; i < length; i++) {
    /* Only zeros change: to ones, or to something between. */
    torn[i] = is_done ? 0 : (uint8_t)(torn[i] | ~bytes[i]);
    bytes[i] = 0xFF;
  }
  memset(flash->units + page * length / unit_bytes, is_done ? BLANK : TORN_ERASE, length / unit_bytes);
  return is_done;
}

/** Programs a unit that is not blank. */
static bool program_again(struct flash *flash, size_t unit, const uint8_t *from, bool is_done)
{
  size_t unit_bytes = flash->kind.unit_bytes;
  uint8_t *bytes = flash->bytes + unit * unit_bytes, *torn = flash->torn + unit * unit_bytes;
  /* One that is torn, or that was programmed with ones, may read as blank. */
  require(flash, flash->units[unit] > WRITTEN || is_blank(bytes, unit_bytes),
          "a unit is programmed once after an erase");
  if (flash->kind.again == FLASH_REFUSES) return false;
  if (flash->kind.again == FLASH_SPOILS) flash->units[unit] = SPOILED;
  for (size_t i = 0; i < unit_bytes; i++) {
    uint8_t zeros = (uint8_t)~from[i];
    /* A half-written bit that gets a one is still half-written. */
    torn[i] = (uint8_t)(((torn[i] | ~bytes[i]) & ~zeros) | (is_done ? 0 : zeros));
    bytes[i] = from[i];
  }
  return is_done;
}

static bool program_unit(struct flash *flash, size_t unit, const uint8_t *from)
{
  size_t unit_bytes = flash->kind.unit_bytes;
  bool is_done = step(flash);
  if (flash->units[unit] != BLANK || !is_blank(flash->bytes + unit * unit_bytes, unit_bytes))
    return program_again(flash, unit, from, is_done);
  memcpy(flash->bytes + unit * unit_bytes, from, unit_bytes);
  flash->units[unit] = is_done ? WRITTEN : TORN;
  for (size_t i = 0; !is_done && i < unit_bytes; i++) flash->torn[unit * unit_bytes + i] = (uint8_t)~from[i];
  return is_done;
}

static bool program(void *context, unsigned page, uint32_t offset, const void *bytes, size_t length)
{
  struct flash *flash = context;
  size_t unit_bytes = flash->kind.unit_bytes;
  size_t unit = (page * flash->kind.page_bytes + offset) / unit_bytes;
  if (flash->is_cut || !is_inside(flash, page, offset, length)) return false;
  if (flash->no_program >> page & 1) return flash->kind.again != FLASH_REFUSES;
  if (!require(flash, offset % unit_bytes == 0 && length % unit_bytes == 0, "whole units")) return false;
  for (size_t i = 0; i < length; i += unit_bytes)
    if (!program_unit(flash, unit++, (const uint8_t *)bytes + i)) return false;
  return true;
}

/** Whether a read of a torn unit fails. */
static bool fails(struct flash *flash, uint8_t unit)
{
  if (unit == SPOILED) return true;
  if (flash->kind.read == FLASH_MIXES) return false;
  if (flash->kind.read == FLASH_FAILS && unit == TORN) return true;
  return random_byte(flash) % 3 == 0;
}

static bool read_bytes(void *context, unsigned page, uint32_t offset, void *bytes, size_t length)
{
  struct flash *flash = context;
  uint8_t *to = bytes;
  if (flash->is_cut || !is_inside(flash, page, offset, length)) return false;
  size_t start = page * flash->kind.page_bytes + offset, unit_bytes = flash->kind.unit_bytes;
  bool is_torn = false;
  memcpy(to, flash->bytes + start, length);
  for (size_t unit = start / unit_bytes; unit * unit_bytes < start + length; unit++) {
    if (flash->units[unit] <= WRITTEN) continue;
    if (fails(flash, flash->units[unit])) return false;
    is_torn = true;
  }
  /* The torn bits are all new, or all old, or any mixture. */
  uint8_t mixture = random_byte(flash);
  for (size_t i = 0; is_torn && i < length; i++) {
    uint8_t mask = mixture < 96 ? 0 : mixture < 192 ? 0xFF : random_byte(flash);
    to[i] ^= mask & flash->torn[start + i];
    if (mixture > 240 && flash->kind.read == FLASH_MAY_FAIL &&
        flash->units[(start + i) / unit_bytes] > WRITTEN)
      to[i] ^= (uint8_t)(random_byte(flash) & random_byte(flash));
  }
  return true;
}

void flash_attach(struct flash *flash, const struct flash_kind *kind, void *room)
{
  size_t length = (size_t)kind->pages * kind->page_bytes;
  uint8_t *bytes = room;
  *flash = (struct flash){.kind = *kind, .bytes = bytes, .torn = bytes + length, .units = bytes + 2 * length};
  flash_power(flash, UINT64_MAX);
}

void flash_clear(struct flash *flash, const struct flash_kind *kind, void *room)
{
  size_t length = (size_t)kind->pages * kind->page_bytes;
  flash_attach(flash, kind, room);
  memset(flash->bytes, 0xFF, length);
  memset(flash->torn, 0, length + length / kind->unit_bytes);
}

void flash_power(struct flash *flash, uint64_t steps)
{
  flash->is_cut = false;
  flash->steps_left = steps;
}

void flash_spoil(struct flash *flash)
{
  size_t units = (size_t)flash->kind.pages * flash->kind.page_bytes / flash->kind.unit_bytes;
  for (size_t unit = 0; unit < units; unit++)
    if (flash->units[unit] != BLANK) flash->units[unit] = SPOILED;
}

struct sb1_flash flash_interface(struct flash *flash)
{
  return (struct sb1_flash){flash,   flash->kind.pages, flash->kind.page_bytes, flash->kind.unit_bytes, erase,
                            program, read_bytes};
}
