/* SPDX-License-Identifier: MIT */
#include "sb1/store.h"

#include <string.h>

#define NUMBER_BYTES 4
/** A slot that can't be written is skipped: power cuts may have left units half-written that read as blank.
 */
#define ATTEMPTS 8
/**
 * From a slot that may be half-written to the next that is used. The slot between may be half-written, too,
 * and read as blank, and not every flash reports that a unit was not blank.
 */
#define SKIP 2
/**
 * A record in the first slots of a page, with more behind it than so many cut starts leave, is in a page
 * whose erase was cut. It was half-written, and older records count: their page would be erased next.
 */
#define CUT_STARTS 8

/* Bitwise: a table of 1 KiB would save microseconds for each payment, and some time at a start. */
uint32_t sb1_crc32(const void *bytes, size_t length)
{
  const uint8_t *at = bytes;
  uint32_t crc = 0xFFFFFFFF;
  while (length-- > 0) {
    crc ^= *at++;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

static void put_number(uint8_t *bytes, uint32_t number)
{
  for (int i = 0; i < NUMBER_BYTES; i++) bytes[i] = (uint8_t)(number >> 8 * i);
}

static uint32_t number_at(const uint8_t *bytes)
{
  uint32_t number = 0;
  for (int i = 0; i < NUMBER_BYTES; i++) number |= (uint32_t)bytes[i] << 8 * i;
  return number;
}

/** A record: sequence number, value, checksum, and zeros up to the end of the last unit. */
static void write_record(const struct sb1_store *store, uint32_t sequence, const void *value,
                         uint8_t record[SB1_STORE_RECORD_MOST])
{
  size_t covered = NUMBER_BYTES + store->value_bytes;
  memset(record, 0, SB1_STORE_RECORD_MOST);
  put_number(record, sequence);
  memcpy(record + NUMBER_BYTES, value, store->value_bytes);
  put_number(record + covered, sb1_crc32(record, covered));
}

static bool is_valid(const struct sb1_store *store, const uint8_t *record)
{
  size_t covered = NUMBER_BYTES + store->value_bytes;
  return number_at(record + covered) == sb1_crc32(record, covered);
}

static bool is_blank(const uint8_t *record, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (record[i]) return false;
  return true;
}

static uint32_t slots_of(const struct sb1_store *store)
{
  return store->flash.page_bytes / (uint32_t)store->record_bytes;
}

/** In flash every bit is inverted: a blank record reads as zeros. */
static void invert(uint8_t *bytes, size_t length)
{
  for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)~bytes[i];
}

static bool read_record(const struct sb1_store *store, unsigned page, uint32_t slot,
                        uint8_t record[SB1_STORE_RECORD_MOST])
{
  uint32_t offset = slot * (uint32_t)store->record_bytes;
  bool is_read = store->flash.read(store->flash.context, page, offset, record, store->record_bytes);
  invert(record, store->record_bytes);
  return is_read;
}

/** What the flash contains. */
struct scan {
  bool is_readable;
  /** The newest record, in `store->newest_page`. */
  bool has_record;
  uint32_t slot, number;
  /** Something was written that the first starts of a new device don't write, even if all of them are cut. */
  bool is_used;
};

/**
 * Reads a page from its end: most of its records are older than the first that is found, and need no
 * checksum. Returns the slot behind the last that is not blank.
 */
static uint32_t scan_page(struct sb1_store *store, unsigned page, void *value, struct scan *found)
{
  uint8_t record[SB1_STORE_RECORD_MOST];
  uint32_t end = 0;
  for (uint32_t slot = slots_of(store); slot-- > 0;) {
    bool is_read = read_record(store, page, slot, record);
    found->is_readable |= is_read;
    if (is_read && is_blank(record, store->record_bytes)) continue;
    if (end == 0) end = slot + 1;
    /*
     * A new device writes to slot 0, and after a cut to slot 2, 4 and so on. The record that follows the one
     * of a start is in the slot behind it, or in the next page, behind a page full of records.
     */
    if (slot % SKIP != 0) found->is_used = true;
    bool is_half_erased = slot < SKIP * CUT_STARTS && end - slot > SKIP * CUT_STARTS;
    bool is_newer = !found->has_record || number_at(record) > found->number;
    if (!is_read || is_half_erased || !is_newer || !is_valid(store, record)) continue;
    found->has_record = true;
    found->slot = slot;
    found->number = number_at(record);
    store->newest_page = page;
    memcpy(value, record + NUMBER_BYTES, store->value_bytes);
  }
  return end;
}

/** Reads all records. `value` becomes that of the newest one, and the position is behind it. */
static void scan(struct sb1_store *store, void *value, struct scan *found)
{
  for (unsigned page = 0; page < store->flash.pages; page++) {
    uint32_t end = scan_page(store, page, value, found);
    /* A new device is in its first page. */
    if (page == store->newest_page && end > 0) store->slot = end - 1 + SKIP;
  }
  store->page = store->newest_page;
  /*
   * The records between are half-written. If one becomes readable later, it must not win: its number is lower
   * than that of any later slot.
   */
  store->sequence = found->number + store->slot - found->slot;
}

enum sb1_store_state sb1_store_open(struct sb1_store *store, const struct sb1_flash *flash, void *value,
                                    size_t value_bytes)
{
  struct scan found = {0};
  if (flash->unit_bytes == 0 || flash->pages < 2) return SB1_STORE_BROKEN;
  size_t units = (2 * NUMBER_BYTES + value_bytes + flash->unit_bytes - 1) / flash->unit_bytes;
  *store = (struct sb1_store){
      .flash = *flash, .value_bytes = value_bytes, .record_bytes = units * flash->unit_bytes};
  if (store->record_bytes > SB1_STORE_RECORD_MOST || slots_of(store) < SKIP) return SB1_STORE_BROKEN;
  scan(store, value, &found);
  if (!found.is_readable) return SB1_STORE_BROKEN;
  if (!found.has_record && found.is_used) return SB1_STORE_DAMAGED;
  if (!sb1_store_write(store, value)) return SB1_STORE_BROKEN;
  return found.has_record ? SB1_STORE_READ : SB1_STORE_BLANK;
}

/**
 * To the next page that can be erased. Never to that of the newest record, also if nothing could be written
 * to the pages behind it.
 */
static bool turn_page(struct sb1_store *store)
{
  store->sequence += slots_of(store) - store->slot;
  store->slot = slots_of(store);
  for (unsigned i = 0; i < store->flash.pages; i++) {
    store->page = (store->page + 1) % store->flash.pages;
    if (store->page == store->newest_page || !store->flash.erase(store->flash.context, store->page)) continue;
    store->slot = 0;
    return true;
  }
  return false;
}

static bool program_slot(struct sb1_store *store, const uint8_t *value)
{
  uint8_t record[SB1_STORE_RECORD_MOST];
  _Alignas(8) uint8_t written[SB1_STORE_RECORD_MOST];
  uint32_t offset = store->slot * (uint32_t)store->record_bytes;
  write_record(store, store->sequence, value, record);
  memcpy(written, record, store->record_bytes);
  invert(written, store->record_bytes);
  bool is_done =
      store->flash.program(store->flash.context, store->page, offset, written, store->record_bytes) &&
      read_record(store, store->page, store->slot, written) &&
      memcmp(record, written, store->record_bytes) == 0;
  uint32_t step = is_done ? 1 : SKIP;
  store->slot += step;
  store->sequence += step;
  if (is_done) store->newest_page = store->page;
  return is_done;
}

bool sb1_store_write(struct sb1_store *store, const void *value)
{
  for (unsigned page = 0; page < store->flash.pages; page++) {
    if (page > 0 && !turn_page(store)) return false;
    for (int attempt = 0; attempt < ATTEMPTS && store->slot < slots_of(store); attempt++)
      if (program_slot(store, value)) return true;
  }
  return false;
}

uint32_t sb1_store_wear(const struct sb1_store *store)
{
  uint32_t erases = store->sequence / slots_of(store);
  return (erases + store->flash.pages - 1) / store->flash.pages;
}
