#ifndef START_H
#define START_H

#include "flash_file.h"
#include "options.h"
#include "sb1/sb1.h"

/* The start of a device on Linux. */

/** Where a device keeps what survives a power cut. */
struct stores {
  struct flash_file memory_file, ring_file;
  struct sb1_store memory, ring;
};

/**
 * Initializes a device by its options, with what is in its stores. Returns -1 if the device is ready, or the
 * exit code after printing an error.
 */
int start_device(struct sb1 *device, const struct options *options, const struct sb1_world *world,
                 struct stores *stores);

/** A monotonic clock. */
uint64_t now_ms(void);

/** The time of the machine in milliseconds since 1970. */
uint64_t clock_ms(void);

#endif
