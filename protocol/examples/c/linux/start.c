#define _POSIX_C_SOURCE 200809L

#include "start.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/** As much as a small machine has for an image. */
#define IMAGE_BYTES 262144

/* It would speak again what the hub still considers open, so a person has to decide (sb/1 12.4). */
static const char DAMAGED[] = "The store is damaged: move it away to start as new.";

static uint64_t read_clock(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t now_ms(void)
{
  return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_ms(void)
{
  return read_clock(CLOCK_REALTIME);
}

static int complain(const char *sentence, int code)
{
  fprintf(stderr, "%s\n", sentence);
  return code;
}

/** Opens the file of one store. Returns the exit code, or -1. */
static int open_flash(const struct options *options, const char *kind, struct flash_file *file,
                      struct sb1_flash *flash)
{
  switch (flash_file_open(file, options->state_folder, options->serial, kind, flash)) {
  case FLASH_OK: return -1;
  case FLASH_BUSY:
    return complain("Another process is this device: stop it, or name another folder with --state.", 1);
  case FLASH_FOREIGN: return complain(DAMAGED, 1);
  case FLASH_UNUSABLE: break;
  }
  return complain(strerror(errno), 1);
}

static int complain_of(enum sb1_store_state state)
{
  if (state == SB1_STORE_DAMAGED) return complain(DAMAGED, 1);
  return state == SB1_STORE_BROKEN ? complain(strerror(errno), 1) : -1;
}

/** Opens both stores. Returns the exit code, or -1. */
static int open_stores(const struct options *options, struct stores *stores, struct sb1_memory *memory,
                       struct sb1_ring *ring)
{
  struct sb1_flash flash;
  int code = open_flash(options, "sb1", &stores->memory_file, &flash);
  if (code < 0) code = complain_of(sb1_open_memory(&stores->memory, &flash, memory));
  if (code < 0) code = open_flash(options, "keys", &stores->ring_file, &flash);
  if (code < 0) code = complain_of(sb1_open_ring(&stores->ring, &flash, ring));
  return code;
}

static bool is_crash(const char *reset)
{
  return strcmp(reset, "watchdog") == 0 || strcmp(reset, "fault") == 0;
}

int start_device(struct sb1 *device, const struct options *options, const struct sb1_world *world,
                 struct stores *stores)
{
  struct sb1_memory memory = {.settings = {.volume = 80, .lang = SB1_LANGUAGE_VI}};
  struct sb1_ring ring;
  struct sb1_config config = {.serial = options->serial,
                              .firmware = "0.1.0",
                              .model = "c-example",
                              .rx_bytes = SB1_RX_BYTES,
                              .image_bytes = IMAGE_BYTES,
                              .has_pack = {true, true},
                              .telemetry_s = options->telemetry_s,
                              .goes_by_own_clock = options->goes_by_clock};
  for (enum sb1_part part = 0; part < SB1_PARTS; part++)
    config.has_part[part] = strstr(options->caps, sb1_part_name(part)) != NULL;
  if (!world->download) config.has_part[SB1_UPDATE] = false;
  /* Before the stores: their files have the serial in their names. */
  if (!sb1_read_ring(options->key, &ring) || !sb1_init(device, &config, &ring, world, &memory))
    return complain("A serial is 4 to 32 letters, digits, _ or -, a key 43 characters of base64url.", 2);
  int code = open_stores(options, stores, &memory, &ring);
  if (code < 0) sb1_init(device, &config, &ring, world, &memory);
  if (code < 0 && is_crash(options->reset)) sb1_count_crash(device);
  return code;
}
