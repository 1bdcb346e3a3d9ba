#ifndef FLASH_H
#define FLASH_H

#include "sb1/store.h"

/*
 * A flash whose power can be cut, for tests and emulators. Units that are being written or erased at that
 * moment are torn: every read gives other values or fails, until they are erased. It uses no heap and no I/O.
 */

/** What a read of torn units does. */
enum flash_read {
  /** It gives old bits, new bits, or any mixture. */
  FLASH_MIXES,
  /** It fails (ECC). After a torn erase it may also give a mixture. */
  FLASH_FAILS,
  /** It fails, or gives a mixture, or bits that were never written: those that the ECC has "corrected". */
  FLASH_MAY_FAIL
};

/** What happens when a torn unit is programmed that reads as blank. */
enum flash_again {
  FLASH_REFUSES,
  /** Its bits become zeros where the old or the new ones are. */
  FLASH_OVERWRITES,
  /** The flash reports success, and each read of the unit fails. */
  FLASH_SPOILS
};

struct flash_kind {
  unsigned pages;
  uint32_t page_bytes;
  unsigned unit_bytes;
  enum flash_read read;
  enum flash_again again;
};

/** The memory for a flash, in bytes. */
#define FLASH_ROOM(pages, page_bytes, unit_bytes)                                                            \
  ((pages) * (page_bytes)*2 + (pages) * (page_bytes) / (unit_bytes))

struct flash {
  struct flash_kind kind;
  /** Three parts of the memory: the bytes; the bits of them that are torn; one state for each unit. */
  uint8_t *bytes, *torn, *units;
  /** The steps until the power is cut: one for a unit that is programmed, one for an erase. */
  uint64_t steps_left;
  bool is_cut;
  /**
   * Pages that can't be erased and those that can't be programmed: bit 0 is page 0. Only a flash that refuses
   * reports that it could not program.
   */
  uint32_t no_erase, no_program;
  /** All steps and all erases so far. */
  uint64_t steps, erases;
  uint32_t random;
  /** The rule that the store has broken, for example a second write to a unit; or NULL. */
  const char *broken_rule;
};

/** A blank flash in `room`, which has FLASH_ROOM bytes. */
void flash_clear(struct flash *flash, const struct flash_kind *kind, void *room);
/** A flash whose room has its content, for example from a file. Zeros in its 2nd and 3rd part: nothing is
 * torn. */
void flash_attach(struct flash *flash, const struct flash_kind *kind, void *room);
/** Switches the power on, until `steps` more steps are done. */
void flash_power(struct flash *flash, uint64_t steps);
/** Makes all units that were written fail at each read. */
void flash_spoil(struct flash *flash);
struct sb1_flash flash_interface(struct flash *flash);

#endif
