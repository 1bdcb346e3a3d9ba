#include <string.h>

#include "../../../../vectors/flash.h"
#include "../../../board.h"
#include "chips.h"
#include "semihost.h"

/*
 * The flash chips: files of the host. The flash of the device is the model of vectors/flash.h, so the rules
 * of NOR hold, and a power cut tears what is being written. The file has the bytes of all pages, and then the
 * notes of the model. What a file lacks is blank.
 *
 * Words of the command line:
 *   flash=FILE
 *   kind=nor|strict|ecc|ecc-corrects  what torn units do (see KINDS)
 *   cut=N        the N-th unit that is programmed or page that is erased is torn, and the emulator ends with
 *                exit code 9: a power cut
 *   speech=FILE
 */

#define PAGES 5
#define PAGE_BYTES 4096
#define UNIT_BYTES 8
#define ROOM_BYTES FLASH_ROOM(PAGES, PAGE_BYTES, UNIT_BYTES)
#define SPEECH_BYTES (1024 * 1024)
#define EXIT_CUT 9
#define EXIT_MISUSED 70

/** The first page and the number of pages of each area. */
static const struct {
  uint8_t first, count;
} AREAS[] = {[BOARD_FACTORY] = {0, 1}, [BOARD_MEMORY] = {1, 2}, [BOARD_KEYS] = {3, 2}};

static const struct {
  const char *name;
  enum flash_read read;
  enum flash_again again;
} KINDS[] = {{"nor", FLASH_MIXES, FLASH_OVERWRITES},
             {"strict", FLASH_MIXES, FLASH_REFUSES},
             {"ecc", FLASH_FAILS, FLASH_SPOILS},
             {"ecc-corrects", FLASH_MAY_FAIL, FLASH_REFUSES}};

static uint8_t room[ROOM_BYTES] __attribute__((section(".hardware")));
static uint8_t speech[SPEECH_BYTES] __attribute__((section(".hardware")));
static struct flash chip __attribute__((section(".hardware")));
static struct sb1_flash model __attribute__((section(".hardware")));
static int file __attribute__((section(".hardware")));

static void save_part(const uint8_t *part, size_t length)
{
  semihost_write(file, (size_t)(part - room), part, length);
}

/** The notes come before the bytes: if the emulator is killed in between, no unit is written twice. */
static void save(unsigned page)
{
  save_part(chip.units + page * PAGE_BYTES / UNIT_BYTES, PAGE_BYTES / UNIT_BYTES);
  save_part(chip.torn + page * PAGE_BYTES, PAGE_BYTES);
  save_part(chip.bytes + page * PAGE_BYTES, PAGE_BYTES);
}

static uint64_t steps_until_cut(void)
{
  const char *digits = semihost_word("cut");
  uint64_t number = 0;
  if (!digits) return UINT64_MAX;
  for (; *digits >= '0' && *digits <= '9'; digits++) number = number * 10 + (uint64_t)(*digits - '0');
  return number > 0 ? number - 1 : 0;
}

static struct flash_kind kind(void)
{
  const char *name = semihost_word("kind");
  struct flash_kind kind = {PAGES, PAGE_BYTES, UNIT_BYTES, KINDS[0].read, KINDS[0].again};
  for (size_t i = 0; name && i < sizeof KINDS / sizeof *KINDS; i++) {
    if (strcmp(name, KINDS[i].name) != 0) continue;
    kind.read = KINDS[i].read;
    kind.again = KINDS[i].again;
  }
  return kind;
}

/** Reads the file, and gives it its whole length: what lay in between would read as zeros. */
static void open_file(void)
{
  const char *path = semihost_word("flash");
  file = path ? semihost_open(path, SEMIHOST_CHANGE) : -1;
  if (path && file < 0) file = semihost_open(path, SEMIHOST_CREATE);
  if (semihost_read(file, 0, room, sizeof room) < sizeof room) save_part(room, sizeof room);
}

void chips_start(void)
{
  struct flash_kind of_words = kind();
  flash_clear(&chip, &of_words, room);
  open_file();
  flash_power(&chip, steps_until_cut());
  board_random(&chip.random, sizeof chip.random);
  model = flash_interface(&chip);
}

/** Saves what the model has done. Then the power goes off, if it was cut in the middle of it. */
static bool end(unsigned page, bool is_done)
{
  save(page);
  if (chip.is_cut) semihost_exit(EXIT_CUT);
  if (!chip.broken_rule) return is_done;
  board_log(chip.broken_rule, strlen(chip.broken_rule));
  semihost_exit(EXIT_MISUSED);
}

static unsigned page_of(void *context, unsigned page)
{
  return *(const uint8_t *)context + page;
}

static bool erase(void *context, unsigned page)
{
  page = page_of(context, page);
  return end(page, model.erase(&chip, page));
}

static bool program(void *context, unsigned page, uint32_t offset, const void *bytes, size_t length)
{
  page = page_of(context, page);
  return end(page, model.program(&chip, page, offset, bytes, length));
}

static bool read_bytes(void *context, unsigned page, uint32_t offset, void *bytes, size_t length)
{
  return model.read(&chip, page_of(context, page), offset, bytes, length);
}

struct sb1_flash board_flash(enum board_area area)
{
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
