#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flash.h"
#include "sb1/sb1.h"

/*
 * Cuts the power at every step of a store's life, and at every step of the start that follows, and prints
 * what was read as one JSON object for each kind of flash.
 */

#define WRITES 30

struct counts {
  unsigned cuts, old_read, new_read;
  /** Wrong: neither the old nor the new value, another value at the next start, or not readable. */
  unsigned wrong;
  uint64_t erases;
};

_Noreturn void flash_misused(const char *rule)
{
  fprintf(stderr, "the store breaks a rule of its flash: %s\n", rule);
  abort();
}

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

/** Lives until the power is cut at a step. Returns the last write that was reported as done. */
static uint32_t live(struct flash *flash, uint64_t steps)
{
  struct sb1_store store;
  struct sb1_memory memory;
  uint32_t done = 0;
  if (!is_usable(restart(flash, steps, &store, &memory))) return 0;
  while (done < WRITES) {
    struct sb1_memory next = memory_of(done + 1);
    if (!sb1_write_memory(&store, &next)) break;
    done++;
  }
  return done;
}

/** What a start reads must be the old or the new value, and the same ever after. */
static void judge(struct flash *flash, uint32_t done, struct counts *counts)
{
  struct sb1_store store;
  struct sb1_memory first, again, next = memory_of(WRITES + 7);
  bool is_right = is_usable(restart(flash, UINT64_MAX, &store, &first));
  bool is_old = is_same(first, memory_of(done)), is_new = is_same(first, memory_of(done + 1));
  for (int start = 0; start < 3; start++)
    is_right = is_right && is_usable(restart(flash, UINT64_MAX, &store, &again)) && is_same(again, first);
  is_right = is_right && sb1_write_memory(&store, &next) &&
             restart(flash, UINT64_MAX, &store, &again) == SB1_STORE_READ && is_same(again, next);
  counts->cuts++;
  if (!is_right || !(is_old || is_new)) counts->wrong++;
  else if (is_old) counts->old_read++;
  else counts->new_read++;
}

/**
 * Cuts the power at every step; then also at every step of the start that follows. Each round has other
 * random bits.
 */
static void cut_everywhere(unsigned pages, uint32_t page_bytes, unsigned unit_bytes, unsigned rounds)
{
  static struct flash flash, after_cut;
  struct counts counts = {0};
  flash_clear(&flash, pages, page_bytes, unit_bytes);
  live(&flash, UINT64_MAX);
  uint64_t steps = flash.steps, erases = flash.erases;
  for (uint64_t cut = 0; cut < steps * rounds; cut++) {
    flash_clear(&flash, pages, page_bytes, unit_bytes);
    flash.random = (uint32_t)cut * 2654435761u;
    uint32_t done = live(&flash, cut % steps);
    after_cut = flash;
    judge(&flash, done, &counts);
    for (uint64_t second = 0;; second++) {
      struct sb1_store store;
      struct sb1_memory memory;
      flash = after_cut;
      flash.settles = true;
      if (is_usable(restart(&flash, second, &store, &memory))) break;
      judge(&flash, done, &counts);
    }
  }
  printf("{\"pages\":%u,\"pageBytes\":%" PRIu32 ",\"unitBytes\":%u,\"writes\":%d,\"erases\":%" PRIu64
         ",\"cuts\":%u,\"old\":%u,\"new\":%u,\"wrong\":%u}\n",
         pages, page_bytes, unit_bytes, WRITES, erases, counts.cuts, counts.old_read, counts.new_read,
         counts.wrong);
}

static const char *state_name(enum sb1_store_state state)
{
  return (const char *[]){"read", "blank", "damaged", "broken"}[state];
}

/** What is read from a blank flash, from one with records, and after damage. */
static void damage(void)
{
  static struct flash flash;
  struct sb1_store store;
  struct sb1_memory memory;
  flash_clear(&flash, 2, 128, 8);
  printf("{\"blank\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  live(&flash, UINT64_MAX);
  printf("\"written\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  for (uint32_t i = 0; i < flash.page_bytes; i += 8)
    for (unsigned page = 0; page < flash.pages; page++)
      if (flash.used[page][i]) flash.bytes[page][i] ^= 1;
  printf("\"bitsFlipped\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  memset(flash.bytes, 0, sizeof flash.bytes);
  printf("\"zeros\":\"%s\",", state_name(restart(&flash, UINT64_MAX, &store, &memory)));
  flash_power(&flash, 0);
  flash.is_cut = true;
  struct sb1_flash interface = flash_interface(&flash);
  printf("\"noFlash\":\"%s\"}\n", state_name(sb1_open_memory(&store, &interface, &memory)));
}

/** A flash that fails: every write says so, and the last value that was written is still there. */
static void wear_out(void)
{
  static struct flash flash;
  struct sb1_store store;
  struct sb1_memory memory, next = memory_of(WRITES + 7);
  flash_clear(&flash, 2, 64, 4);
  live(&flash, UINT64_MAX);
  restart(&flash, UINT64_MAX, &store, &memory);
  flash.is_worn = true;
  unsigned written = 0;
  for (int attempt = 0; attempt < 20; attempt++) written += sb1_write_memory(&store, &next);
  flash.is_worn = false;
  enum sb1_store_state state = restart(&flash, UINT64_MAX, &store, &memory);
  printf("{\"wornOut\":\"%s\",\"written\":%u,\"isLast\":%s}\n", state_name(state), written,
         is_same(memory, memory_of(WRITES)) ? "true" : "false");
}

int main(void)
{
  cut_everywhere(2, 128, 4, 8);
  cut_everywhere(2, 128, 8, 8);
  cut_everywhere(3, 96, 8, 8);
  cut_everywhere(2, 256, 16, 8);
  cut_everywhere(4, 64, 1, 2);
  wear_out();
  damage();
  return 0;
}
