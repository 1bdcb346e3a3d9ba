#ifndef STORE_H
#define STORE_H

#include <limits.h>

#include "sb1.h"

/*
 * The device's memory across power cuts: one line of text with a checksum in <folder>/<serial>.sb1. A write
 * goes to a second file, which is synced and then renamed over the first. After a power cut the file has
 * either the old or the new content (sb/1 12.3). An incomplete second file is never read.
 */

struct store {
  const char *serial;
  char folder[PATH_MAX];
  char path[PATH_MAX];
  char temporary[PATH_MAX];
  /**
   * A lock while the device is on: two devices with one serial would overwrite each other's memory.
   */
  int lock;
};

enum store_error {
  STORE_OK,
  /** Another process has locked the store. */
  STORE_BUSY,
  /** The file is damaged: a device that continued would speak payments twice (sb/1 12.4). */
  STORE_DAMAGED,
  /** A system call failed. See errno. */
  STORE_UNUSABLE
};

/** Opens the store of a serial and reads the memory. Without a file it has the factory values. */
enum store_error store_open(struct store *store, const char *folder, const char *serial,
                            struct sb1_memory *memory);

/** Stores the memory. True only when it is on disk. */
bool store_keep(const struct store *store, const struct sb1_memory *memory);

#endif
