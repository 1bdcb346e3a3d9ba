#include "semihost.h"

#include <string.h>

/* The operations of Arm's semihosting (Semihosting for AArch32 and AArch64, 5). */
#define SYS_OPEN 0x01
#define SYS_CLOSE 0x02
#define SYS_WRITE 0x05
#define SYS_READ 0x06
#define SYS_SEEK 0x0A
#define SYS_GET_CMDLINE 0x15
#define SYS_EXIT_EXTENDED 0x20
#define APPLICATION_EXIT 0x20026

#define LINE_BYTES 1024

static uint32_t ask(uint32_t operation, const void *block)
{
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = block;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static uint32_t address(const void *at)
{
  return (uint32_t)(uintptr_t)at;
}

int semihost_open(const char *path, enum semihost_mode mode)
{
  return (int)ask(SYS_OPEN, (uint32_t[]){address(path), mode, (uint32_t)strlen(path)});
}

void semihost_close(int file)
{
  ask(SYS_CLOSE, (uint32_t[]){(uint32_t)file});
}

static bool seek(int file, size_t offset)
{
  return ask(SYS_SEEK, (uint32_t[]){(uint32_t)file, (uint32_t)offset}) == 0;
}

size_t semihost_read(int file, size_t offset, void *bytes, size_t count)
{
  if (!seek(file, offset)) return 0;
  uint32_t missing = ask(SYS_READ, (uint32_t[]){(uint32_t)file, address(bytes), (uint32_t)count});
  return missing <= count ? count - missing : 0;
}

bool semihost_write(int file, size_t offset, const void *bytes, size_t count)
{
  return seek(file, offset) &&
         ask(SYS_WRITE, (uint32_t[]){(uint32_t)file, address(bytes), (uint32_t)count}) == 0;
}

const char *semihost_word(const char *name)
{
  /* Each call returns a part of the line, which is read anew after a reset. */
  static char line[LINE_BYTES] __attribute__((section(".hardware")));
  size_t length = strlen(name);
  uint32_t block[] = {address(line), sizeof line};
  if (ask(SYS_GET_CMDLINE, block) != 0) return NULL;
  char *found = NULL;
  for (char *word = line; word;) {
    char *space = strchr(word, ' ');
    if (space) *space = '\0';
    if (strncmp(word, name, length) == 0 && word[length] == '=') found = word + length + 1;
    word = space ? space + 1 : NULL;
  }
  if (!found) return NULL;
  /* The value stays valid: it moves to the start of the line, and the next call of another name is later. */
  memmove(line, found, strlen(found) + 1);
  return line;
}

_Noreturn void semihost_exit(uint32_t code)
{
  ask(SYS_EXIT_EXTENDED, (uint32_t[]){APPLICATION_EXIT, code});
  for (;;) continue;
}
