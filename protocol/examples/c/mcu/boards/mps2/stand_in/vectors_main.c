#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../mps2.h"
#include "semihost.h"

/*
 * Runs vectors/vectors.c on the Cortex-M4, with files of the host as its input and output. Words of the
 * command line: `in=FILE` `out=FILE`. Here are the system calls of newlib that it needs.
 */

#define HEAP_BYTES (256 * 1024)
/** A fault ends the program. */
#define EXIT_FAULT 70

int vectors_main(void);
int _read(int file, void *bytes, size_t room);
int _write(int file, const void *bytes, size_t count);
int _close(int file);
int _lseek(int file, int offset, int from);
int _fstat(int file, struct stat *status);
int _isatty(int file);
int _kill(int process, int signal);
int _getpid(void);
void _fini(void);
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

int _close(int file)
{
  (void)file;
  return -1;
}

int _lseek(int file, int offset, int from)
{
  (void)file, (void)offset, (void)from;
  return -1;
}

int _fstat(int file, struct stat *status)
{
  (void)file;
  *status = (struct stat){.st_mode = S_IFREG};
  return 0;
}

int _isatty(int file)
{
  (void)file;
  return 0;
}

int _kill(int process, int signal)
{
  (void)process, (void)signal;
  semihost_exit(EXIT_FAULT);
}

int _getpid(void)
{
  return 1;
}

void _fini(void)
{
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

/* What startup.c needs of the board: there are no interrupts here. */

_Noreturn void reset_because(enum reset_cause cause, uint32_t at)
{
  (void)cause, (void)at;
  semihost_exit(EXIT_FAULT);
}

void uart_interrupt(unsigned interrupt)
{
  (void)interrupt;
}

void audio_interrupt(void)
{
}

void wake_interrupt(void)
{
}

void board_wake(void)
{
}
