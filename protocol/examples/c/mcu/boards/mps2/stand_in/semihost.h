#ifndef SEMIHOST_H
#define SEMIHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The host of the emulator, by Arm's semihosting: its files stand for the flash chips and the random
 * generator, and its command line for the wiring. A port has nothing of this.
 */

enum semihost_mode { SEMIHOST_READ = 1, SEMIHOST_CHANGE = 3, SEMIHOST_CREATE = 7 };

/** Opens a file. Returns a handle, or -1. */
int semihost_open(const char *path, enum semihost_mode mode);
void semihost_close(int file);
/** Read or write from an offset. Return how many bytes were read, and whether all were written. */
size_t semihost_read(int file, size_t offset, void *bytes, size_t count);
bool semihost_write(int file, size_t offset, const void *bytes, size_t count);

/** The value of `name=value` on the command line, or NULL. */
const char *semihost_word(const char *name);

/** Ends the emulator with an exit code. */
_Noreturn void semihost_exit(uint32_t code);

#endif
