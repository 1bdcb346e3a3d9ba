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
 * half-written record or page has no effect.
 */

/** The flash of a machine. Every function returns false if the flash fails. */
struct sb1_flash {
  void *context;
  /** Pages of the store, at least 2. A page is what `erase` sets to 0xFF. */
  unsigned pages;
  uint32_t page_bytes;
  /** The smallest unit that can be programmed, at most 32 bytes. Each unit is programmed once after an erase.
   */
  unsigned unit_bytes;
  bool (*erase)(void *context, unsigned page);
  /** Writes whole units, in rising order. Returns when they are durable. */
  bool (*program)(void *context, unsigned page, uint32_t offset, const void *bytes, size_t length);
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
  /** Where the next record goes, and its sequence number. */
  unsigned page;
  uint32_t slot;
  uint32_t sequence;
  /** The page of the newest record. It is never erased. */
  unsigned newest_page;
};

enum sb1_store_state {
  /** The value was read. */
  SB1_STORE_READ,
  /** The flash was blank: a new device. The store has the factory value now. */
  SB1_STORE_BLANK,
  /** The flash is not blank, and no record is valid (sb/1 12.4). */
  SB1_STORE_DAMAGED,
  /** The flash failed. */
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

#ifdef __cplusplus
}
#endif

#endif
