/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

/* Proof of possession and rotation of K (sb/1 2.5 to 2.8). */

#define INFO_BYTES 48

#ifndef SB1_HANDLE_BYTES
bool sb1_read_ring(const char *key_text, struct sb1_ring *ring)
{
  *ring = (struct sb1_ring){.has_next = false};
  return sb1_read_key(key_text, ring->current);
}
#endif

bool sb1_use_key(struct sb1 *device)
{
#ifndef SB1_NO_REKEY
  if (device->uses_next) return sb1_derive_keys(device->ring.next, &device->keys);
#endif
  return sb1_derive_keys(device->ring.current, &device->keys);
}

bool sb1_write_proof(const struct sb1 *device, char proof[SB1_PROOF_BYTES])
{
  char buffer[INFO_BYTES];
  uint8_t bytes[SB1_KEY_BYTES];
  struct sb1_text info = SB1_TEXT_IN(buffer);
  sb1_text_put(&info, "sb1/proof|");
  sb1_text_put(&info, device->config.serial);
  if (!sb1_key_reveal(device->ring.current, buffer, bytes)) return false;
  sb1_write_base64url(bytes, SB1_MAC_BYTES, proof);
  return true;
}

#ifdef SB1_NO_REKEY

bool sb1_refused(struct sb1 *device)
{
  (void)device;
  return false;
}

#else

#define MOVE_MS 60000
#define MOVE_SPREAD_MS 10000u

static bool keep_ring(struct sb1 *device)
{
  if (device->world.keep_ring(device->world.context, &device->ring)) return true;
  sb1_break(device);
  return false;
}

static bool read_wrapped(const struct command *command, uint8_t wrapped[SB1_KEY_BYTES])
{
  char text[SB1_KEY_TEXT_BYTES];
  struct sb1_span raw;
  return sb1_read_string(&command->d, "key", SB1_KEY_TEXT_BYTES - 1, &raw) &&
         sb1_json_copy(raw, text, sizeof text) && sb1_read_key(text, wrapped);
}

/** The pad belongs to the K of the session, which is the current one (sb/1 2.6). */
static bool unwrap(const struct sb1 *device, const struct command *command,
                   const uint8_t wrapped[SB1_KEY_BYTES], uint8_t next[SB1_KEY_ROOM])
{
  char buffer[INFO_BYTES];
  struct sb1_text info = SB1_TEXT_IN(buffer);
  sb1_text_put(&info, "sb1/rekey|");
  sb1_text_put(&info, command->id);
  return sb1_key_unwrap(device->ring.current, buffer, wrapped, next);
}

/** Spreads the connections of a fleet. The session id is random, so no other random number is needed
 * (sb/1 2.7). */
static uint32_t spread_ms(const struct sb1 *device)
{
  uint32_t bits = 0;
  for (unsigned i = 0; i < 4; i++)
    bits = bits << 4 | (uint32_t)(device->sid[i] <= '9' ? device->sid[i] - '0' : device->sid[i] - 'a' + 10);
  return bits * MOVE_SPREAD_MS >> 16;
}

/** Stores the next K beside the current one, before the ack (sb/1 2.7). A resend is acked in the same way. */
bool sb1_obey_rekey(struct sb1 *device, const struct command *command)
{
  uint8_t wrapped[SB1_KEY_BYTES], next[SB1_KEY_ROOM] = {0};
  if (!read_wrapped(command, wrapped)) return false;
  if (sb1_is_past(device, command->good_until)) {
    sb1_ack_failed(device, command, SB1_EXPIRED);
    return true;
  }
  if (!unwrap(device, command, wrapped, next)) return false;
  bool is_known = device->ring.has_next && memcmp(device->ring.next, next, sizeof next) == 0;
  memcpy(device->ring.next, next, sizeof next);
  device->ring.has_next = true;
  if (!is_known && !keep_ring(device)) return true;
  /* From the next CONNECT on. */
  device->uses_next = true;
  device->refused = 0;
  device->move_n = command->n;
  device->move_is_stored = false;
  device->move_from_ms = device->now_ms + spread_ms(device);
  device->move_by_ms = device->now_ms + MOVE_MS;
  sb1_tell_number(device, SB1_NEXT_KEY, 0);
  sb1_ack_stage(device, command, SB1_RECEIVED);
  return true;
}

bool sb1_confirm_key(struct sb1 *device)
{
  if (!device->uses_next) return true;
  memcpy(device->ring.current, device->ring.next, SB1_KEY_ROOM);
  memset(device->ring.next, 0, SB1_KEY_ROOM);
  device->ring.has_next = device->uses_next = false;
  if (!keep_ring(device)) return false;
  sb1_tell_number(device, SB1_NEW_KEY, 0);
  return true;
}

bool sb1_refused(struct sb1 *device)
{
  if (!device->ring.has_next) return false;
  device->refused |= device->uses_next ? 2 : 1;
  device->uses_next = !device->uses_next;
  return device->refused != 3;
}

void sb1_move_if_stored(struct sb1 *device, uint32_t n)
{
  if (n == device->move_n) device->move_is_stored = true;
}

static bool may_move(const struct sb1 *device)
{
  return device->move_is_stored && device->sound_count == 0;
}

uint64_t sb1_move_due_ms(const struct sb1 *device)
{
  if (device->phase != SB1_WELCOMED || device->move_by_ms == 0) return UINT64_MAX;
  return may_move(device) ? device->move_from_ms : device->move_by_ms;
}

void sb1_move(struct sb1 *device)
{
  if (device->now_ms < sb1_move_due_ms(device)) return;
  device->move_by_ms = 0;
  sb1_tell_number(device, SB1_MOVE, 0);
}

#endif
