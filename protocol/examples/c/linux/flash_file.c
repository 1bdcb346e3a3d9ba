#define _POSIX_C_SOURCE 200809L

#include "flash_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGES 2
#define PAGE_BYTES 4096
#define UNIT_BYTES 4

/** Writes all of it, and returns when it is on disk. */
static bool put(int file, const void *bytes, size_t length, off_t at)
{
  return pwrite(file, bytes, length, at) == (ssize_t)length && fsync(file) == 0;
}

static bool erase(void *context, unsigned page)
{
  const struct flash_file *file = context;
  uint8_t blank[PAGE_BYTES];
  memset(blank, 0xFF, sizeof blank);
  return put(file->file, blank, sizeof blank, (off_t)page * PAGE_BYTES);
}

static bool program(void *context, unsigned page, uint32_t offset, const void *bytes, size_t length)
{
  const struct flash_file *file = context;
  return put(file->file, bytes, length, (off_t)page * PAGE_BYTES + offset);
}

static bool read_bytes(void *context, unsigned page, uint32_t offset, void *bytes, size_t length)
{
  const struct flash_file *file = context;
  return pread(file->file, bytes, length, (off_t)page * PAGE_BYTES + offset) == (ssize_t)length;
}

static bool sync_folder(const char *folder)
{
  int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool synced = opened >= 0 && fsync(opened) == 0;
  if (opened >= 0) close(opened);
  return synced;
}

/** Makes a blank file. It gets its name when it is whole. */
static bool create(struct flash_file *file, const char *folder)
{
  bool made = true;
  file->file = open(file->temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file->file < 0) return false;
  for (unsigned page = 0; page < PAGES; page++) made = made && erase(file, page);
  return made && rename(file->temporary, file->path) == 0 && sync_folder(folder);
}

static bool take_lock(struct flash_file *file, const char *folder, const char *serial)
{
  char path[PATH_MAX];
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (snprintf(path, sizeof path, "%s/%s.lock", folder, serial) >= PATH_MAX) return false;
  file->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return file->lock >= 0 && fcntl(file->lock, F_SETLK, &whole) == 0;
}

enum flash_error flash_file_open(struct flash_file *file, const char *folder, const char *serial,
                                 const char *kind, struct sb1_flash *flash)
{
  struct stat status;
  int a = snprintf(file->path, sizeof file->path, "%s/%s.%s", folder, serial, kind);
  int b = snprintf(file->temporary, sizeof file->temporary, "%s/%s.%s.tmp", folder, serial, kind);
  if (a >= PATH_MAX || b >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return FLASH_UNUSABLE;
  }
  *flash = (struct sb1_flash){file, PAGES, PAGE_BYTES, UNIT_BYTES, erase, program, read_bytes};
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return FLASH_UNUSABLE;
  if (!take_lock(file, folder, serial))
    return errno == EACCES || errno == EAGAIN ? FLASH_BUSY : FLASH_UNUSABLE;
  file->file = open(file->path, O_RDWR | O_CLOEXEC);
  if (file->file < 0) return errno == ENOENT && create(file, folder) ? FLASH_OK : FLASH_UNUSABLE;
  if (fstat(file->file, &status) != 0) return FLASH_UNUSABLE;
  return status.st_size == PAGES * PAGE_BYTES ? FLASH_OK : FLASH_FOREIGN;
}
