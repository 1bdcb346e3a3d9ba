#include <string.h>

#include "keys.h"
#include "sb1/frame.h"

#ifdef SB1_HANDLE_BYTES

/* A secure element: keys have slots, and their bytes do not leave it. A handle is the number of a slot. */

enum { NONE, FIRST_K, SECOND_K, DOWN, UP, SLOTS };

static uint8_t slots[SLOTS][SB1_KEY_BYTES];

static const uint8_t *slot_of(const uint8_t handle[SB1_KEY_ROOM])
{
  return slots[handle[0] < SLOTS ? handle[0] : NONE];
}

static void set_handle(uint8_t handle[SB1_KEY_ROOM], uint8_t slot)
{
  memset(handle, 0, SB1_KEY_ROOM);
  handle[0] = slot;
}

bool sb1_key_mac(const uint8_t key[SB1_KEY_ROOM], const void *head, size_t head_length, const void *body,
                 size_t body_length, uint8_t mac[SB1_SHA256_BYTES])
{
  return sb1_hmac_sha256(slot_of(key), SB1_KEY_BYTES, head, head_length, body, body_length, mac);
}

bool sb1_key_reveal(const uint8_t k[SB1_KEY_ROOM], const char *info, uint8_t bytes[SB1_KEY_BYTES])
{
  static const uint8_t no_salt[SB1_SHA256_BYTES] = {0};
  static const uint8_t first_block = 1;
  uint8_t extracted[SB1_SHA256_BYTES];
  return sb1_hmac_sha256(no_salt, sizeof no_salt, slot_of(k), SB1_KEY_BYTES, "", 0, extracted) &&
         sb1_hmac_sha256(extracted, sizeof extracted, info, strlen(info), &first_block, 1, bytes);
}

bool sb1_key_derive(const uint8_t k[SB1_KEY_ROOM], const char *info, uint8_t derived[SB1_KEY_ROOM])
{
  uint8_t slot = strcmp(info, "sb1/down") == 0 ? DOWN : UP;
  set_handle(derived, slot);
  return sb1_key_reveal(k, info, slots[slot]);
}

bool sb1_key_unwrap(const uint8_t k[SB1_KEY_ROOM], const char *info, const uint8_t wrapped[SB1_KEY_BYTES],
                    uint8_t next[SB1_KEY_ROOM])
{
  uint8_t slot = k[0] == FIRST_K ? SECOND_K : FIRST_K;
  uint8_t pad[SB1_KEY_BYTES];
  if (!sb1_key_reveal(k, info, pad)) return false;
  for (size_t i = 0; i < SB1_KEY_BYTES; i++) slots[slot][i] = wrapped[i] ^ pad[i];
  set_handle(next, slot);
  return true;
}

bool key_ring(const char *text, struct sb1_ring *ring)
{
  /* Another device: its keys are nothing to the one before. */
  memset(slots, 0, sizeof slots);
  *ring = (struct sb1_ring){.has_next = false};
  set_handle(ring->current, FIRST_K);
  return sb1_read_key(text, slots[FIRST_K]);
}

void key_add_next(struct sb1_ring *ring, const uint8_t bytes[SB1_KEY_BYTES])
{
  memcpy(slots[SECOND_K], bytes, SB1_KEY_BYTES);
  set_handle(ring->next, SECOND_K);
  ring->has_next = true;
}

const uint8_t *key_bytes(const uint8_t key[SB1_KEY_ROOM])
{
  return slot_of(key);
}

bool key_leaks(const struct sb1 *device)
{
  /* A half of a key is found as well. */
  const size_t part = SB1_KEY_BYTES / 2;
  const uint8_t *memory = (const uint8_t *)device;
  for (size_t i = 0; i + part <= sizeof *device; i++)
    for (unsigned slot = FIRST_K; slot < SLOTS; slot++) {
      bool is_empty = memcmp(slots[slot], slots[NONE], SB1_KEY_BYTES) == 0;
      if (!is_empty && memcmp(memory + i, slots[slot], part) == 0) return true;
    }
  return false;
}

#else

/* Keys are bytes. */

bool key_ring(const char *text, struct sb1_ring *ring)
{
  return sb1_read_ring(text, ring);
}

void key_add_next(struct sb1_ring *ring, const uint8_t bytes[SB1_KEY_BYTES])
{
  memcpy(ring->next, bytes, SB1_KEY_BYTES);
  ring->has_next = true;
}

const uint8_t *key_bytes(const uint8_t key[SB1_KEY_ROOM])
{
  return key;
}

bool key_leaks(const struct sb1 *device)
{
  (void)device;
  return false;
}

#endif
