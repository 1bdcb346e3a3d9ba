#ifndef FLASH_FILE_H
#define FLASH_FILE_H

#include <limits.h>

#include "sb1/store.h"

/* A flash on Linux: a file of two pages, <folder>/<serial>.<kind>. */

struct flash_file {
  int file;
  /**
   * A lock while the device is on: two devices with one serial would overwrite each other's memory.
   */
  int lock;
  char path[PATH_MAX];
  char temporary[PATH_MAX];
};

enum flash_error {
  FLASH_OK,
  /** Another process has locked the file. */
  FLASH_BUSY,
  /** The file is not of this size, so this program did not write it. */
  FLASH_FOREIGN,
  /** A system call failed. See errno. */
  FLASH_UNUSABLE
};

/** Opens the file of a serial as a flash. A new file is blank. */
enum flash_error flash_file_open(struct flash_file *file, const char *folder, const char *serial,
                                 const char *kind, struct sb1_flash *flash);

#endif
