#ifndef FLASH_H
#define FLASH_H

#include "sb1/store.h"

/*
 * A flash whose power can be cut. The bits that are being written at that moment are neither old nor new:
 * every read gives other values, until they are erased. If the power is cut a second time, during the start
 * that follows, the bits of that moment get any value, and keep it. A mistake of the store (a second write to
 * a unit, a write outside of a page) ends the process.
 */

/** The most that a flash may have in this build. */
#ifndef FLASH_PAGES
#define FLASH_PAGES 4
#define FLASH_PAGE_BYTES 512
#endif

struct flash {
  unsigned pages;
  uint32_t page_bytes;
  unsigned unit_bytes;
  /** The steps until the power is cut: one for a unit, one for an erase. */
  uint64_t steps_left;
  bool is_cut;
  /** Bits keep the value that a cut gives them. */
  bool settles;
  /** Nothing can be programmed any more. */
  bool is_worn;
  /** All steps so far. */
  uint64_t steps;
  uint64_t erases;
  uint32_t random;
  uint8_t bytes[FLASH_PAGES][FLASH_PAGE_BYTES];
  /** The bits that were being written when the power was cut. */
  uint8_t unsure[FLASH_PAGES][FLASH_PAGE_BYTES];
  /** The bytes that were programmed since the last erase, and those of them that were cut. */
  bool used[FLASH_PAGES][FLASH_PAGE_BYTES];
  bool torn[FLASH_PAGES][FLASH_PAGE_BYTES];
};

/** A blank flash. */
void flash_clear(struct flash *flash, unsigned pages, uint32_t page_bytes, unsigned unit_bytes);
/** Switches the power on, until `steps` more steps are done. */
void flash_power(struct flash *flash, uint64_t steps);
struct sb1_flash flash_interface(struct flash *flash);
/** The program provides this: the store has broken a rule of its flash. */
_Noreturn void flash_misused(const char *rule);

#endif
