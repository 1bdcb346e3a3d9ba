#include <stdlib.h>
#include <string.h>

#include "../../../../vectors/flash.h"
#include "../../../board.h"
#include "semihost.h"

/*
 * The flash chips: files of the host. The flash of the device is the model of vectors/flash.h, so the rules of
 * NOR hold and a power cut tears what is being written. The file has the bytes of all pages, and after them, if
 * they were ever written, the model's notes about each byte: whether it was programmed, torn, or has unsure
 * bits. A file that is missing or shorter is blank from there.
 *
 * Words of the command line: `flash=FILE` `speech=FILE` `cut=N`: the N-th unit or erase is torn, and the
 * emulator ends with exit code 9, as after a power cut.
 */

#define PAGE_BYTES 4096
#define UNIT_BYTES 8
#define SPEECH_BYTES (1024 * 1024)
#define EXIT_CUT 9

/** The first page and the number of pages of each area. */
static const struct {
  uint8_t first, count;
} AREAS[] = {[BOARD_FACTORY] = {0, 1}, [BOARD_MEMORY] = {1, 2}, [BOARD_KEYS] = {3, 2}};
#define AREA_COUNT (sizeof AREAS / sizeof *AREAS)

static struct flash chip __attribute__((section(".hardware")));
static uint8_t speech[SPEECH_BYTES] __attribute__((section(".hardware")));
static int file;
static struct sb1_flash model;

/** The planes of the file. `used` comes before the bytes: a unit is never written twice, whatever is killed. */
static void save(unsigned page)
{
  const struct {
    const void *rows;
    unsigned place;
  } planes[] = {{chip.used, 1}, {chip.torn, 2}, {chip.unsure, 3}, {chip.bytes, 0}};
  for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
    semihost_write(file, (size_t)(planes[i].place * FLASH_PAGES + page) * PAGE_BYTES,
                   (const uint8_t *)planes[i].rows + (size_t)page * PAGE_BYTES, PAGE_BYTES);
}

static uint64_t cut_word(void)
{
  const char *digits = semihost_word("cut");
  uint64_t number = 0;
  if (!digits) return UINT64_MAX;
  for (; *digits >= '0' && *digits <= '9'; digits++) number = number * 10 + (uint64_t)(*digits - '0');
  return number > 0 ? number - 1 : 0;
}

static void open_chip(void)
{
  const char *path = semihost_word("flash");
  file = path ? semihost_open(path, SEMIHOST_CHANGE) : -1;
  if (path && file < 0) file = semihost_open(path, SEMIHOST_CREATE);
  flash_clear(&chip, FLASH_PAGES, PAGE_BYTES, UNIT_BYTES);
  size_t plane = sizeof chip.bytes;
  size_t count = semihost_read(file, 0, chip.bytes, plane);
  if (semihost_read(file, plane, chip.used, plane) < plane)
    for (size_t i = 0; i < count / UNIT_BYTES * UNIT_BYTES; i++)
      ((bool *)chip.used)[i] = ((uint8_t *)chip.bytes)[i] != 0xFF;
  semihost_read(file, 2 * plane, chip.torn, plane);
  /* A file that is too short has its whole length from now on: what lies in between would read as zeros. */
  if (semihost_read(file, 3 * plane, chip.unsure, plane) < plane)
    for (unsigned page = 0; page < FLASH_PAGES; page++) save(page);
  board_random(&chip.random, sizeof chip.random);
  flash_power(&chip, cut_word());
  model = flash_interface(&chip);
}

/** Writes what the model has done to the file. The power goes off in the middle of it if it was cut. */
static bool end(unsigned page, bool is_done)
{
  save(page);
  if (chip.is_cut) semihost_exit(EXIT_CUT);
  return is_done;
}

static unsigned first_of(void *context)
{
  return *(const uint8_t *)context;
}

static bool erase(void *context, unsigned page)
{
  return end(first_of(context) + page, model.erase(&chip, first_of(context) + page));
}

static bool program(void *context, unsigned page, uint32_t offset, const void *bytes, size_t length)
{
  page += first_of(context);
  return end(page, model.program(&chip, page, offset, bytes, length));
}

static bool read_bytes(void *context, unsigned page, uint32_t offset, void *bytes, size_t length)
{
  return model.read(&chip, first_of(context) + page, offset, bytes, length);
}

struct sb1_flash board_flash(enum board_area area)
{
  if (!model.read) open_chip();
  return (struct sb1_flash){(void *)(uintptr_t)&AREAS[area].first,
                            AREAS[area].count,
                            PAGE_BYTES,
                            UNIT_BYTES,
                            erase,
                            program,
                            read_bytes};
}

const uint8_t *board_speech(size_t *bytes)
{
  const char *path = semihost_word("speech");
  int image = path ? semihost_open(path, SEMIHOST_READ) : -1;
  *bytes = image < 0 ? 0 : semihost_read(image, 0, speech, sizeof speech);
  if (image >= 0) semihost_close(image);
  return *bytes > 0 ? speech : NULL;
}

_Noreturn void flash_misused(const char *rule)
{
  board_log(rule, strlen(rule));
  semihost_exit(70);
}
