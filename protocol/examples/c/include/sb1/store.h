/* SPDX-License-Identifier: MIT */
#ifndef SB1_STORE_H
#define SB1_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A small store in flash that a power cut can't damage (sb/1 12.3). Records of one size are appended to a
 * page. When a page is full, the next page is erased and used: two pages are used in turn, more in a ring. A
 * record has a sequence number and a CRC-32. The valid record with the highest number counts, so a
 * half-written record or page has no effect. A place that can't be read, written or erased is skipped.
 */

/** The flash of a machine: what the port writes. */
struct sb1_flash {
  void *context;
  /** Pages of the store, at least 2, with room for at least 2 records each. A page is what `erase` erases. */
  unsigned pages;
  uint32_t page_bytes;
  /** The smallest unit that can be programmed, at most 32 bytes. Each unit is programmed once after an erase.
   */
  unsigned unit_bytes;
  /**
   * Sets a page to 0xFF, and returns when this is done: after 2 s on some parts with large pages. False if
   * the page can't be erased: the next page is used.
   */
  bool (*erase)(void *context, unsigned page);
  /**
   * Writes whole units, in rising order, and returns when they are durable. `bytes` is aligned to 8. False if
   * a unit can't be programmed: the next place is used.
   */
  bool (*program)(void *context, unsigned page, uint32_t offset, const void *bytes, size_t length);
  /**
   * Reads the flash itself, not a cache. False if these bytes have an error that the ECC can't correct. That
   * is normal after a power cut: the record counts as half-written. After any other error, for example on the
   * bus to the flash, repeat the transfer: the newest record would be lost.
   */
  bool (*read)(void *context, unsigned page, uint32_t offset, void *bytes, size_t length);
};

/** The largest value of a store. */
#define SB1_STORE_VALUE_MOST 88
/** A value, its sequence number and its checksum, in whole units. */
#define SB1_STORE_RECORD_MOST 96

struct sb1_store {
  struct sb1_flash flash;
  size_t value_bytes;
  size_t record_bytes;
  /**
   * Where the next record goes, and its sequence number. The number rises by 1 for each slot, also for one
   * that is skipped.
   */
  unsigned page;
  uint32_t slot;
  uint32_t sequence;
  /** The page of the newest record. It is never erased. */
  unsigned newest_page;
};

enum sb1_store_state {
  /** The value was read. */
  SB1_STORE_READ,
  /**
   * A new device: the flash was blank, or had only what first starts leave that were all cut. The store has
   * the factory value now.
   */
  SB1_STORE_BLANK,
  /** No record is valid, and there is more than a new device leaves (sb/1 12.4). */
  SB1_STORE_DAMAGED,
  /** Nothing can be read, or nothing can be written. */
  SB1_STORE_BROKEN
};

/**
 * Opens a store. `value` has the factory value, and then the value that was read. It is written again before
 * this function returns: after a power cut a half-written bit may read as 0 once and as 1 later, and what was
 * read once must be read ever after.
 */
enum sb1_store_state sb1_store_open(struct sb1_store *store, const struct sb1_flash *flash, void *value,
                                    size_t value_bytes);

/** Writes a value. True only when a power cut can no longer undo it. */
bool sb1_store_write(struct sb1_store *store, const void *value);

/** The CRC-32 of a record, which is zlib's: for other images in flash, too. */
uint32_t sb1_crc32(const void *bytes, size_t length);

/**
 * How often each page of an open store was erased, at most. It follows from the sequence number: nothing is
 * stored for it.
 */
uint32_t sb1_store_wear(const struct sb1_store *store);

#ifdef __cplusplus
}
#endif

#endif
