/* SPDX-License-Identifier: MIT */
#include "sb1/store.h"

#include <string.h>

#define NUMBER_BYTES 4
/** A slot that can't be written is skipped: power cuts may have left units half-written that read as blank.
 */
#define ATTEMPTS 8

/** Bitwise: a table of 1 KiB would save some microseconds for each payment. */
static uint32_t crc32(const uint8_t *bytes, size_t length)
{
  uint32_t crc = 0xFFFFFFFF;
  for (size_t i = 0; i < length; i++) {
    crc ^= bytes[i];
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
  put_number(record + covered, crc32(record, covered));
}

static bool is_valid(const struct sb1_store *store, const uint8_t *record)
{
  size_t covered = NUMBER_BYTES + store->value_bytes;
  return number_at(record + covered) == crc32(record, covered);
}

/** Whether all ones of some bytes are also ones of others. */
static bool is_part(const uint8_t *bytes, const uint8_t *others, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (bytes[i] & ~others[i]) return false;
  return true;
}

static uint32_t slots_of(const struct sb1_store *store)
{
  return store->flash.page_bytes / (uint32_t)store->record_bytes;
}

/**
 * In flash every bit is inverted, so a blank record reads as zeros. A half-written record then has some of
 * the ones of the whole record, and never others: half of the factory value can't be taken for half of a
 * later one.
 */
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
  /** A valid record was found. The store's position is behind the one with the highest number. */
  bool has_record;
  /** There is something that is neither valid nor the factory value, whole or half-written. */
  bool has_garbage;
};

/** Reads all records. `value` becomes that of the valid record with the highest number. */
static bool scan(struct sb1_store *store, void *value, struct scan *found)
{
  static const uint8_t blank[SB1_STORE_RECORD_MOST] = {0};
  uint8_t record[SB1_STORE_RECORD_MOST], factory[SB1_STORE_VALUE_MOST];
  memcpy(factory, value, store->value_bytes);
  for (unsigned page = 0; page < store->flash.pages; page++) {
    /* In the page of the newest record, and in the first page of a new device, the position moves on. */
    bool is_current = page == 0;
    for (uint32_t slot = 0; slot < slots_of(store); slot++) {
      if (!read_record(store, page, slot, record)) return false;
      if (is_part(record, blank, store->record_bytes)) continue;
      bool is_newest =
          is_valid(store, record) && (!found->has_record || number_at(record) >= store->sequence);
      if (is_newest) {
        found->has_record = is_current = true;
        store->sequence = number_at(record);
        store->page = store->newest_page = page;
        memcpy(value, record + NUMBER_BYTES, store->value_bytes);
      } else if (!is_part(record + NUMBER_BYTES, factory, store->value_bytes)) {
        found->has_garbage = true;
      }
      /* One slot stays free: see `ATTEMPTS`. Not every flash reports that a unit was not blank. */
      if (is_current && store->page == page) store->slot = slot + 2;
    }
  }
  return true;
}

enum sb1_store_state sb1_store_open(struct sb1_store *store, const struct sb1_flash *flash, void *value,
                                    size_t value_bytes)
{
  struct scan found = {false, false};
  size_t units = (2 * NUMBER_BYTES + value_bytes + flash->unit_bytes - 1) / flash->unit_bytes;
  *store = (struct sb1_store){
      .flash = *flash, .value_bytes = value_bytes, .record_bytes = units * flash->unit_bytes};
  if (store->record_bytes > SB1_STORE_RECORD_MOST || slots_of(store) == 0 || flash->pages < 2)
    return SB1_STORE_BROKEN;
  if (!scan(store, value, &found)) return SB1_STORE_BROKEN;
  if (!found.has_record && found.has_garbage) return SB1_STORE_DAMAGED;
  /* A half-written record may have the next number. If it becomes readable later, it must not win. */
  if (found.has_record) store->sequence += 2;
  if (!sb1_store_write(store, value)) return SB1_STORE_BROKEN;
  return found.has_record ? SB1_STORE_READ : SB1_STORE_BLANK;
}

/** Not to the page of the newest record, also if nothing could be written to the pages behind it. */
static bool turn_page(struct sb1_store *store)
{
  unsigned next = (store->page + 1) % store->flash.pages;
  if (next == store->newest_page) next = (next + 1) % store->flash.pages;
  if (!store->flash.erase(store->flash.context, next)) return false;
  store->page = next;
  store->slot = 0;
  return true;
}

static bool program_slot(const struct sb1_store *store, uint32_t slot, const uint8_t *record)
{
  uint8_t written[SB1_STORE_RECORD_MOST];
  uint32_t offset = slot * (uint32_t)store->record_bytes;
  memcpy(written, record, store->record_bytes);
  invert(written, store->record_bytes);
  return store->flash.program(store->flash.context, store->page, offset, written, store->record_bytes) &&
         read_record(store, store->page, slot, written) && memcmp(record, written, store->record_bytes) == 0;
}

bool sb1_store_write(struct sb1_store *store, const void *value)
{
  uint8_t record[SB1_STORE_RECORD_MOST];
  write_record(store, store->sequence, value, record);
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (store->slot >= slots_of(store) && !turn_page(store)) return false;
    if (!program_slot(store, store->slot++, record)) continue;
    store->sequence++;
    store->newest_page = store->page;
    return true;
  }
  return false;
}
