#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "flash.h"
#include "sb1/sb1.h"

/*
 * Cuts the power at every step of a store's life, and at every step of the start that follows, and prints
 * what was read as one JSON object for each kind of flash.
 */

/** A flash, and what is done to it. */
struct life {
  const char *name;
  struct flash_kind kind;
  /** The first page is full but for 3 slots. */
  bool is_nearly_full;
  /** Records at each of whose steps the power is cut. */
  uint32_t writes;
  /** How often, each time with other random bits. */
  unsigned rounds;
  /** At some steps the starts that follow are cut, too. A page with few slots can't tell so many cuts apart.
   */
  bool has_more_cuts;
};

#define LARGEST_ROOM FLASH_ROOM(2, 131072, 32)

static const struct life LIVES[] = {
    {"double words with ECC", {2, 128, 8, FLASH_FAILS, FLASH_REFUSES}, false, 30, 8, false},
    {"double words with ECC, uncertain", {2, 128, 8, FLASH_MAY_FAIL, FLASH_REFUSES}, false, 30, 8, false},
    {"double words in a ring", {3, 96, 8, FLASH_MAY_FAIL, FLASH_SPOILS}, false, 30, 8, false},
    {"quad words with ECC", {2, 256, 16, FLASH_MAY_FAIL, FLASH_REFUSES}, false, 30, 8, false},
    {"flash words of 32 bytes with ECC", {3, 128, 32, FLASH_MAY_FAIL, FLASH_SPOILS}, false, 30, 16, false},
    {"bytes", {4, 72, 1, FLASH_MIXES, FLASH_OVERWRITES}, false, 12, 2, false},
    {"half-words", {2, 128, 2, FLASH_MIXES, FLASH_REFUSES}, false, 12, 4, false},
    {"words", {2, 128, 4, FLASH_MIXES, FLASH_OVERWRITES}, false, 20, 6, false},
    {"a new device", {2, 512, 8, FLASH_MAY_FAIL, FLASH_REFUSES}, false, 3, 32, true},
    {"end of a page", {2, 1024, 8, FLASH_MIXES, FLASH_OVERWRITES}, true, 4, 64, true},
    {"end of a page with ECC", {2, 1024, 8, FLASH_MAY_FAIL, FLASH_SPOILS}, true, 4, 64, true},
    {"pages of 16 kB", {2, 16384, 4, FLASH_MIXES, FLASH_OVERWRITES}, true, 3, 1, true},
    {"pages of 128 kB", {2, 131072, 32, FLASH_FAILS, FLASH_SPOILS}, true, 3, 1, true},
};

struct counts {
  unsigned cuts, old_read, new_read;
  /** Wrong: neither the old nor the new value, another value at the next start, or not readable. */
  unsigned wrong;
};

static const struct sb1_memory FACTORY = {.settings = {0, 80, SB1_LANGUAGE_VI}};

static struct sb1_memory memory_of(uint32_t write)
{
  if (write == 0) return FACTORY;
  return (struct sb1_memory){write * 1000003u,
                             {write, (uint8_t)(write % 101), write % SB1_LANGUAGES},
                             (uint16_t)(write * 257u),
                             write * 65537u};
}

static bool is_same(struct sb1_memory a, struct sb1_memory b)
{
  return a.played == b.played && a.settings.ver == b.settings.ver && a.settings.volume == b.settings.volume &&
         a.settings.lang == b.settings.lang && a.tried == b.tried && a.crashes == b.crashes;
}

/** Switches the power on and opens the store. */
static enum sb1_store_state restart(struct flash *flash, uint64_t steps, struct sb1_store *store,
                                    struct sb1_memory *memory)
{
  struct sb1_flash interface = flash_interface(flash);
  flash_power(flash, steps);
  *memory = FACTORY;
  return sb1_open_memory(store, &interface, memory);
}

static bool is_usable(enum sb1_store_state state)
{
  return state == SB1_STORE_READ || state == SB1_STORE_BLANK;
}

/** Copies a flash into the room of another. */
static void copy(struct flash *to, const struct flash *from)
{
  const struct flash_kind *kind = &from->kind;
  uint8_t *room = to->bytes;
  memcpy(room, from->bytes, FLASH_ROOM((size_t)kind->pages, kind->page_bytes, kind->unit_bytes));
  *to = *from;
  to->torn = room + (from->torn - from->bytes);
  to->units = room + (from->units - from->bytes);
  to->bytes = room;
}

/**
 * Writes records until `last`, or until the power is cut at a step. Returns the last that was reported as
 * done.
 */
static uint32_t live(struct flash *flash, uint64_t steps, uint32_t done, uint32_t last)
{
  struct sb1_store store;
  struct sb1_memory memory;
  if (!is_usable(restart(flash, steps, &store, &memory))) return done;
  while (done < last) {
    struct sb1_memory next = memory_of(done + 1);
    if (!sb1_write_memory(&store, &next)) break;
    done++;
  }
  return done;
}

/** Fills the first page but for 3 slots. Returns how many records were written. */
static uint32_t fill(struct flash *flash)
{
  struct sb1_store store;
  struct sb1_memory memory;
  uint32_t done = 0;
  restart(flash, UINT64_MAX, &store, &memory);
  while ((store.slot + 4) * store.record_bytes <= flash->kind.page_bytes) {
    memory = memory_of(++done);
    sb1_write_memory(&store, &memory);
  }
  return done;
}

/** What a start reads must be the old or the new value, and the same ever after. */
static void judge(struct flash *flash, uint32_t done, struct counts *counts)
{
  struct sb1_store store;
  struct sb1_memory first, again, next = memory_of(done + 7);
  bool is_right = is_usable(restart(flash, UINT64_MAX, &store, &first));
  bool is_old = is_same(first, memory_of(done)), is_new = is_same(first, memory_of(done + 1));
  for (int start = 0; start < 3; start++)
    is_right = is_right && is_usable(restart(flash, UINT64_MAX, &store, &again)) && is_same(again, first);
  is_right = is_right && sb1_write_memory(&store, &next) &&
             restart(flash, UINT64_MAX, &store, &again) == SB1_STORE_READ && is_same(again, next);
  if (flash->broken_rule != NULL) fprintf(stderr, "the store breaks a rule: %s\n", flash->broken_rule);
  counts->cuts++;
  if (!is_right || !(is_old || is_new) || flash->broken_rule != NULL) counts->wrong++;
  else if (is_old) counts->old_read++;
  else counts->new_read++;
}

/** Cuts the power at every step of a start, and of every second start then at some step of some more starts.
 */
static void cut_starts(const struct flash *after_cut, struct flash *flash, bool has_more_cuts, uint32_t done,
                       struct counts *counts)
{
  struct sb1_store store;
  struct sb1_memory memory;
  for (uint64_t step = 0;; step++) {
    copy(flash, after_cut);
    flash->random += (uint32_t)step;
    restart(flash, step, &store, &memory);
    if (!flash->is_cut) break;
    for (uint32_t more = has_more_cuts ? flash->random >> 29 : 0; more % 2 == 1; more >>= 1)
      if (is_usable(restart(flash, flash->random >> 16 & 3, &store, &memory))) break;
    judge(flash, done, counts);
  }
}

/** Cuts the power at every step; then also at every step of the start that follows. */
static void cut_everywhere(const struct life *life)
{
  static uint8_t rooms[3][LARGEST_ROOM];
  struct flash before, after_cut, flash;
  struct counts counts = {0};
  flash_clear(&before, &life->kind, rooms[0]);
  flash_clear(&after_cut, &life->kind, rooms[1]);
  flash_clear(&flash, &life->kind, rooms[2]);
  uint32_t first = life->is_nearly_full ? fill(&before) : 0;
  copy(&flash, &before);
  live(&flash, UINT64_MAX, first, first + life->writes);
  uint64_t steps = flash.steps - before.steps, erases = flash.erases - before.erases;
  for (uint64_t cut = 0; cut < steps * life->rounds; cut++) {
    copy(&after_cut, &before);
    after_cut.random = (uint32_t)cut * 2654435761u;
    uint32_t done = live(&after_cut, cut % steps, first, first + life->writes);
    copy(&flash, &after_cut);
    judge(&flash, done, &counts);
    cut_starts(&after_cut, &flash, life->has_more_cuts, done, &counts);
  }
  printf("{\"flash\":\"%s\",\"pages\":%u,\"pageBytes\":%" PRIu32 ",\"unitBytes\":%u,\"erases\":%" PRIu64
         ",\"cuts\":%u,\"old\":%u,\"new\":%u,\"wrong\":%u}\n",
         life->name, life->kind.pages, life->kind.page_bytes, life->kind.unit_bytes, erases, counts.cuts,
         counts.old_read, counts.new_read, counts.wrong);
}

static const char *state_name(enum sb1_store_state state)
{
  return (const char *[]){"read", "blank", "damaged", "broken"}[state];
}

#define DOUBLE_WORDS(pages, again) ((struct flash_kind){pages, 1024, 8, FLASH_FAILS, again})
#define SMALL_ROOM FLASH_ROOM(3, 1024, 8)

/** What is read from a blank flash, from one with records, and after damage. */
static void damage(void)
{
  static uint8_t room[SMALL_ROOM];
  struct flash flash;
  struct sb1_store store;
  struct sb1_memory memory;
  flash_clear(&flash, &DOUBLE_WORDS(2, FLASH_REFUSES), room);
  printf("{\"blank\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  live(&flash, UINT64_MAX, 0, 30);
  printf("\"written\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  for (uint32_t i = 0; i < 2 * flash.kind.page_bytes; i += 8)
    if (flash.units[i / 8]) flash.bytes[i] ^= 1;
  printf("\"bitsFlipped\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  flash_spoil(&flash);
  printf("\"unreadable\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  memset(flash.bytes, 0, 2 * flash.kind.page_bytes);
  memset(flash.units, 0, 2 * flash.kind.page_bytes / 8);
  printf("\"zeros\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  flash_clear(&flash, &DOUBLE_WORDS(2, FLASH_REFUSES), room);
  live(&flash, UINT64_MAX, 0, 1);
  flash_spoil(&flash);
  printf("\"firstUnreadable\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  flash_clear(&flash, &DOUBLE_WORDS(2, FLASH_REFUSES), room);
  flash.no_program = UINT32_MAX;
  printf("\"notWritable\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  struct sb1_flash interface = flash_interface(&flash);
  flash.is_cut = true;
  printf("\"noFlash\":\"%s\"}\n", state_name(sb1_open_memory(&store, &interface, &memory)));
}

/** A new device whose first starts are all cut, at each unit of their record. */
static void first_starts(void)
{
  static uint8_t room[SMALL_ROOM];
  struct flash flash;
  struct sb1_store store;
  struct sb1_memory memory;
  flash_clear(&flash, &DOUBLE_WORDS(2, FLASH_REFUSES), room);
  unsigned cut = 0;
  for (; cut < 20; cut++) restart(&flash, cut % 3, &store, &memory);
  printf("{\"firstStartsCut\":%u,\"start\":\"%s\"}\n", cut,
         state_name(restart(&flash, UINT64_MAX, &store, &memory)));
}

/** Writes to a flash of which a part fails, starts again, and prints what was written and is read. */
static void wear_out(const char *name, unsigned pages, enum flash_again again, uint32_t no_erase,
                     uint32_t no_program)
{
  static uint8_t room[SMALL_ROOM];
  struct flash flash;
  struct sb1_store store;
  struct sb1_memory memory;
  uint32_t written = 30;
  flash_clear(&flash, &DOUBLE_WORDS(pages, again), room);
  live(&flash, UINT64_MAX, 0, written);
  restart(&flash, UINT64_MAX, &store, &memory);
  flash.no_erase = no_erase;
  flash.no_program = no_program;
  for (int attempt = 0; attempt < 1000; attempt++) {
    struct sb1_memory next = memory_of(written + 1);
    written += sb1_write_memory(&store, &next);
  }
  flash.no_erase = flash.no_program = 0;
  enum sb1_store_state state = restart(&flash, UINT64_MAX, &store, &memory);
  printf("{\"wornOut\":\"%s\",\"state\":\"%s\",\"written\":%" PRIu32 ",\"isLast\":%s,\"erases\":%" PRIu64
         ",\"wear\":%" PRIu32 "}\n",
         name, state_name(state), written - 30, is_same(memory, memory_of(written)) ? "true" : "false",
         flash.erases, sb1_store_wear(&store));
}

int main(void)
{
  for (size_t i = 0; i < sizeof LIVES / sizeof LIVES[0]; i++) cut_everywhere(&LIVES[i]);
  wear_out("nothing", 3, FLASH_REFUSES, 0, 0);
  wear_out("all", 2, FLASH_REFUSES, 0, UINT32_MAX);
  wear_out("erase of one page", 3, FLASH_REFUSES, 2, 0);
  wear_out("one page", 3, FLASH_REFUSES, 0, 2);
  wear_out("one page, unreported", 3, FLASH_OVERWRITES, 0, 2);
  wear_out("erase of both pages", 2, FLASH_REFUSES, 3, 0);
  first_starts();
  damage();
  return 0;
}
