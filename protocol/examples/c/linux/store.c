#define _POSIX_C_SOURCE 200809L

#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES 128

static const struct sb1_memory FACTORY = {0, {0, 80, LANGUAGE_VI}};

/** CRC-32 as in zlib and Ethernet. */
static uint32_t crc32(const char *bytes, size_t length)
{
  uint32_t crc = 0xFFFFFFFF;
  for (size_t i = 0; i < length; i++) {
    crc ^= (unsigned char)bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

/** Writes `sb1 SERIAL played ver volume lang crc`. Returns its length. */
static size_t write_line(const struct store *store, const struct sb1_memory *memory, char line[LINE_BYTES])
{
  const struct sb1_settings *settings = &memory->settings;
  int length = snprintf(line, LINE_BYTES, "sb1 %s %" PRIu32 " %" PRIu32 " %u %s", store->serial,
                        memory->played, settings->ver, settings->volume, sb1_language_name(settings->lang));
  uint32_t crc = crc32(line, (size_t)length);
  return (size_t)length +
         (size_t)snprintf(line + length, LINE_BYTES - (size_t)length, " %08" PRIx32 "\n", crc);
}

/** Parses a line. Accepts it only if writing its values gives the same line. */
static bool read_line(const struct store *store, const char *line, struct sb1_memory *memory)
{
  char lang[3], again[LINE_BYTES];
  unsigned volume;
  if (sscanf(line, "sb1 %*s %" SCNu32 " %" SCNu32 " %3u %2s", &memory->played, &memory->settings.ver, &volume,
             lang) != 4)
    return false;
  memory->settings.volume = (uint8_t)volume;
  memory->settings.lang = strcmp(lang, "en") == 0 ? LANGUAGE_EN : LANGUAGE_VI;
  write_line(store, memory, again);
  return volume <= 100 && strcmp(line, again) == 0;
}

static bool take_lock(struct store *store)
{
  char path[PATH_MAX];
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (snprintf(path, sizeof path, "%s/%s.lock", store->folder, store->serial) >= (int)sizeof path)
    return false;
  store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return store->lock >= 0 && fcntl(store->lock, F_SETLK, &whole) == 0;
}

static enum store_error load(const struct store *store, struct sb1_memory *memory)
{
  char line[LINE_BYTES + 1];
  int file = open(store->path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    *memory = FACTORY;
    return errno == ENOENT ? STORE_OK : STORE_UNUSABLE;
  }
  ssize_t length = read(file, line, LINE_BYTES);
  close(file);
  if (length < 0) return STORE_UNUSABLE;
  line[length] = '\0';
  return read_line(store, line, memory) ? STORE_OK : STORE_DAMAGED;
}

enum store_error store_open(struct store *store, const char *folder, const char *serial,
                            struct sb1_memory *memory)
{
  store->serial = serial;
  int a = snprintf(store->folder, sizeof store->folder, "%s", folder);
  int b = snprintf(store->path, sizeof store->path, "%s/%s.sb1", folder, serial);
  int c = snprintf(store->temporary, sizeof store->temporary, "%s/%s.sb1.tmp", folder, serial);
  if (a >= PATH_MAX || b >= PATH_MAX || c >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return STORE_UNUSABLE;
  }
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return STORE_UNUSABLE;
  if (!take_lock(store)) return errno == EACCES || errno == EAGAIN ? STORE_BUSY : STORE_UNUSABLE;
  return load(store, memory);
}

static bool sync_and_close(int file)
{
  bool synced = fsync(file) == 0;
  return close(file) == 0 && synced;
}

bool store_keep(const struct store *store, const struct sb1_memory *memory)
{
  char line[LINE_BYTES];
  size_t length = write_line(store, memory, line);
  int file = open(store->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  bool written = write(file, line, length) == (ssize_t)length;
  if (!sync_and_close(file) || !written || rename(store->temporary, store->path) != 0) return false;
  /* The rename is durable after the folder is synced. */
  int folder = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder >= 0 && sync_and_close(folder);
}
