/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

/*
 * Acks: sent at once, kept until the hub has stored them, and resent after the next welcome (sb/1 7.4).
 */

#define PUBACK_MS 60000

static const char *const STAGES[] = {"received", "shown", "played", "failed"};
static const char *const REASONS[] = {"",         "expired",      "unsupported",    "too_large",
                                      "no_clip",  "audio_failed", "display_failed", "muted",
                                      "not_ready"};

const char *sb1_stage_name(enum sb1_stage stage)
{
  return STAGES[stage];
}

const char *sb1_reason_name(enum sb1_reason reason)
{
  return REASONS[reason];
}

static void publish(struct sb1 *device, struct sb1_ack *ack)
{
  struct sb1_text frame = sb1_start_frame(device);
  sb1_put_string(&frame, "t", "ack");
  sb1_put_string(&frame, "id", ack->id);
  sb1_put_number(&frame, "n", ack->n);
  sb1_put_string(&frame, "st", STAGES[ack->stage]);
  if (ack->reason != SB1_NO_REASON) sb1_put_string(&frame, "rc", REASONS[ack->reason]);
  if (ack->is_repeat) sb1_text_put(&frame, ",\"dup\":true");
  ack->packet_id = sb1_send(device, SB1_ACK, &frame);
}

static void forget(struct sb1 *device, unsigned index)
{
  device->ack_count--;
  memmove(&device->acks[index], &device->acks[index + 1], (device->ack_count - index) * sizeof *device->acks);
}

static unsigned find(const struct sb1 *device, const char *id)
{
  unsigned index = 0;
  while (index < device->ack_count && strcmp(device->acks[index].id, id) != 0) index++;
  return index;
}

/** If the table is full, drops the oldest stored ack; if none is stored, the oldest that holds back no sound.
 */
static unsigned least_needed(const struct sb1 *device)
{
  for (unsigned index = 0; index < device->ack_count; index++)
    if (device->acks[index].is_stored) return index;
  for (unsigned index = 0; index < device->ack_count; index++)
    if (!device->acks[index].is_given_up) return index;
  return 0;
}

/**
 * Tells a refusal or a repeat, and acks. A later stage replaces an earlier one: the hub's stages only move
 * forward.
 */
static struct sb1_ack *send(struct sb1 *device, const struct command *command, enum sb1_stage stage,
                            enum sb1_reason reason, bool is_repeat)
{
  struct sb1_ack ack = {.n = command->n, .stage = stage, .reason = reason, .is_repeat = is_repeat};
  if (is_repeat || stage == SB1_FAILED)
    sb1_tell(device, &(struct sb1_event){.type = is_repeat ? SB1_REPEAT : SB1_REFUSED,
                                         .t = command->t,
                                         .n = command->n,
                                         .stage = stage,
                                         .reason = reason});
  memcpy(ack.id, command->id, sizeof ack.id);
  unsigned before = find(device, command->id);
  if (before < device->ack_count) {
    ack.is_given_up = device->acks[before].is_given_up;
    forget(device, before);
  }
  if (device->ack_count == SB1_ACKS) forget(device, least_needed(device));
  struct sb1_ack *kept = &device->acks[device->ack_count++];
  *kept = ack;
  if (device->phase == SB1_WELCOMED) publish(device, kept);
  return kept;
}

void sb1_ack_stage(struct sb1 *device, const struct command *command, enum sb1_stage stage)
{
  send(device, command, stage, SB1_NO_REASON, false);
}

void sb1_ack_repeat(struct sb1 *device, const struct command *command, enum sb1_stage stage)
{
  send(device, command, stage, SB1_NO_REASON, true);
}

void sb1_ack_failed(struct sb1 *device, const struct command *command, enum sb1_reason reason)
{
  send(device, command, SB1_FAILED, reason, false);
}

void sb1_ack_given_up(struct sb1 *device, const struct command *command, enum sb1_reason reason)
{
  send(device, command, SB1_FAILED, reason, false)->is_given_up = true;
}

bool sb1_is_giving_up(const struct sb1 *device, uint32_t n)
{
  for (unsigned index = 0; index < device->ack_count; index++)
    if (device->acks[index].is_given_up && device->acks[index].n < n) return true;
  return false;
}

void sb1_void_received(struct sb1 *device)
{
  for (unsigned index = device->ack_count; index-- > 0;)
    if (device->acks[index].stage == SB1_RECEIVED) forget(device, index);
}

bool sb1_ack_failed_again(struct sb1 *device, const struct command *command)
{
  unsigned index = find(device, command->id);
  if (index == device->ack_count || device->acks[index].stage != SB1_FAILED) return false;
  send(device, command, SB1_FAILED, device->acks[index].reason, true);
  return true;
}

void sb1_resend_acks(struct sb1 *device)
{
  for (unsigned index = 0; index < device->ack_count; index++)
    if (!device->acks[index].is_stored) publish(device, &device->acks[index]);
}

void sb1_forget_packets(struct sb1 *device)
{
  for (unsigned index = 0; index < device->ack_count; index++) device->acks[index].packet_id = 0;
  device->puback_by_ms = 0;
}

uint64_t sb1_puback_due_ms(const struct sb1 *device)
{
  for (unsigned index = 0; index < device->ack_count; index++)
    if (device->acks[index].packet_id != 0) return device->puback_by_ms;
  return UINT64_MAX;
}

void sb1_watch_pubacks(struct sb1 *device)
{
  uint64_t due_ms = sb1_puback_due_ms(device);
  /* No ack waits any more: the next one that is sent has its own 60 s. */
  if (due_ms == UINT64_MAX) device->puback_by_ms = 0;
  if (device->now_ms < due_ms) return;
  bool is_late = device->puback_by_ms != 0;
  device->puback_by_ms = device->now_ms + PUBACK_MS;
  if (is_late) sb1_tell_number(device, SB1_STALLED, 0);
}

void sb1_stored(struct sb1 *device, uint16_t packet_id, uint64_t now_ms)
{
  device->now_ms = now_ms;
  if (packet_id == 0) return;
  for (unsigned index = 0; index < device->ack_count; index++) {
    struct sb1_ack *ack = &device->acks[index];
    if (ack->packet_id != packet_id) continue;
    ack->packet_id = 0;
    device->puback_by_ms = 0;
    ack->is_given_up = false;
    sb1_move_if_stored(device, ack->n);
    if (ack->stage == SB1_FAILED) ack->is_stored = true;
    else forget(device, index);
    sb1_start_next(device);
    return;
  }
}
