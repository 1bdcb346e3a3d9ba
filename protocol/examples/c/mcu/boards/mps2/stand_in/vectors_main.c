#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "semihost.h"

/*
 * Runs vectors/vectors.c on the Cortex-M4, with files of the host as its input and output. Words of the
 * command line: `in=FILE` `out=FILE`. Here are the system calls of newlib that it needs.
 */

#define HEAP_BYTES (256 * 1024)

int vectors_main(void);
int _read(int file, void *bytes, size_t room);
int _write(int file, const void *bytes, size_t count);
void *_sbrk(ptrdiff_t change);

static struct {
  int file;
  size_t offset;
} input, output;

int _read(int file, void *bytes, size_t room)
{
  (void)file;
  size_t count = semihost_read(input.file, input.offset, bytes, room);
  input.offset += count;
  return (int)count;
}

/** Only the output goes anywhere: the exit code tells of a mistake in the input. */
int _write(int file, const void *bytes, size_t count)
{
  if (file != STDOUT_FILENO) return (int)count;
  if (!semihost_write(output.file, output.offset, bytes, count)) return -1;
  output.offset += count;
  return (int)count;
}

void *_sbrk(ptrdiff_t change)
{
  static uint8_t heap[HEAP_BYTES];
  static ptrdiff_t used;
  if (change > HEAP_BYTES - used) {
    errno = ENOMEM;
    return (void *)-1;
  }
  used += change;
  return heap + used - change;
}

int main(void)
{
  input.file = semihost_open(semihost_word("in"), SEMIHOST_READ);
  output.file = semihost_open(semihost_word("out"), SEMIHOST_CREATE);
  if (input.file < 0 || output.file < 0) semihost_exit(2);
  exit(vectors_main());
}

void _exit(int code)
{
  semihost_exit((uint32_t)code);
}
