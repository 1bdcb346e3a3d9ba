#ifndef STORE_H
#define STORE_H

#include <limits.h>

#include "sb1.h"

/*
 * What the device keeps over a power cut, as one line of text with a checksum in <folder>/<serial>.sb1. A
 * write goes to a second file, is synced, and takes the first one's place: after a cut at any moment the file
 * is whole, the old or the new (sb/1 12.3). What a torn write left in the second file is never read.
 */

struct store {
  const char *serial;
  char folder[PATH_MAX];
  char path[PATH_MAX];
  char temporary[PATH_MAX];
  /**
   * Held open for as long as the device is on: two devices of one serial would forget each other's numbers.
   */
  int lock;
};

enum store_error {
  STORE_OK,
  /** Another process has the store. */
  STORE_BUSY,
  /** The file is there, but not as it was written: whoever goes on would say payments twice (sb/1 12.4). */
  STORE_DAMAGED,
  /** The system refuses; errno says why. */
  STORE_UNUSABLE
};

/** Opens the store of a serial, and reads what is kept; without a file that is what the factory left. */
enum store_error store_open(struct store *store, const char *folder, const char *serial,
                            struct sb1_memory *memory);

/** Keeps the memory: true only when it is on the disk. */
bool store_keep(const struct store *store, const struct sb1_memory *memory);

#endif
