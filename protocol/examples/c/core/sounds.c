/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

/*
 * The sounds: announce and identify (sb/1 7.5, sb/1 7.16). They share one queue, so that sounds never
 * overlap.
 */

/** Reads `clips`: ids of a-z, 0-9 and `-`, separated by single spaces. Refuses any other form. */
static bool is_clips(struct sb1_span raw)
{
  uint32_t character, before = ' ';
  while (sb1_json_next(&raw, &character)) {
    bool in_id =
        (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9') || character == '-';
    if (!in_id && (character != ' ' || before == ' ')) return false;
    before = character;
  }
  return before != ' ';
}

static unsigned clips_before(const struct sb1 *device, unsigned place)
{
  unsigned count = 0;
  for (unsigned i = 0; i < place; i++) count += device->sounds[i].clip_count;
  return count;
}

/**
 * Looks the ids up, and writes the clips behind those of the queue as far as there is room. False if this
 * device lacks a clip.
 */
static bool find_clips(struct sb1 *device, struct sb1_span raw, struct sb1_sound *sound)
{
  char id[SB1_CLIP_ID_BYTES];
  size_t length = 0;
  uint32_t character;
  bool more;
  unsigned free_place = clips_before(device, device->sound_count);
  if (!device->config.has_pack[sound->lang]) return false;
  do {
    more = sb1_json_next(&raw, &character);
    if (more && character != ' ') {
      if (length == sizeof id) return false;
      id[length++] = (char)character;
      continue;
    }
    int clip = sb1_clip_find(sound->lang, (struct sb1_span){id, length});
    if (clip < 0) return false;
    if (free_place < SB1_CLIPS) device->clips[free_place++] = (uint8_t)clip;
    sound->clip_count++;
    length = 0;
  } while (more);
  return true;
}

static bool read_announcement(const struct sb1_span *d, struct sb1_sound *sound, struct sb1_span *clips,
                              struct sb1_span *bill)
{
  if (!sb1_read_amount(d, sound->amount, sizeof sound->amount) || !sb1_read_language(d, &sound->lang))
    return false;
  if (!sb1_read_letters(d, "currency", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", sound->currency,
                        sizeof sound->currency) ||
      strlen(sound->currency) != 3)
    return false;
  if (!sb1_read_string(d, "clips", SB1_CLIPS_LETTERS, clips) || !is_clips(*clips)) return false;
  *bill = (struct sb1_span){clips->at, 0};
  return sb1_json_member(*d, "bill").length == 0 || sb1_read_string(d, "bill", 64, bill);
}

/** Whether this sound waits or plays. The end of its validity is that of the newest repeat (sb/1 7.7). */
static bool is_waiting(struct sb1 *device, const struct command *command)
{
  for (unsigned i = 0; i < device->sound_count; i++) {
    struct sb1_sound *sound = &device->sounds[i];
    bool same_id = strcmp(sound->id, command->id) == 0;
    if (same_id) sound->good_until = command->good_until;
    if (same_id || sound->n == command->n) return true;
  }
  return false;
}

void sb1_void_waiting(struct sb1 *device)
{
  device->sound_count = device->is_sounding ? 1 : 0;
}

/** Checked on arrival and again before the sound, which may be minutes later (sb/1 7.7). */
static enum sb1_reason refusal_of(const struct sb1 *device, const struct sb1_sound *sound)
{
  if (sb1_is_past(device, sound->good_until)) return SB1_EXPIRED;
  if (!device->audio_works) return SB1_AUDIO_FAILED;
  /* `played` confirms a sound. Without a sound it would be false. */
  if (device->memory.settings.volume == 0) return SB1_MUTED;
  return SB1_NO_REASON;
}

/** The fields of a sound's ack. */
static struct command named(const struct sb1_sound *sound)
{
  struct command command = {.t = sound->is_beep ? SB1_SPAN("identify") : SB1_SPAN("announce"), .n = sound->n};
  memcpy(command.id, sound->id, sizeof command.id);
  return command;
}

static void take_first_off(struct sb1 *device)
{
  unsigned count = device->sounds[0].clip_count;
  device->sound_count--;
  memmove(&device->sounds[0], &device->sounds[1], device->sound_count * sizeof *device->sounds);
  memmove(&device->clips[0], &device->clips[count], SB1_CLIPS - count);
}

/** Ends the first sound: as played, or as failed. */
static void end_first(struct sb1 *device, enum sb1_reason failure)
{
  struct command command = named(&device->sounds[0]);
  bool was_beep = device->sounds[0].is_beep;
  take_first_off(device);
  if (failure == SB1_NO_REASON) {
    if (!was_beep) sb1_tell_number(device, SB1_SAID, command.n);
    sb1_ack_stage(device, &command, SB1_PLAYED);
  } else if (was_beep) {
    sb1_ack_failed(device, &command, failure);
  } else {
    sb1_ack_given_up(device, &command, failure);
  }
}

static void start(struct sb1 *device, const struct sb1_sound *sound)
{
  if (!sound->is_beep) {
    /*
     * Written before the sound starts: a power cut may cut a sentence short, but nobody hears it twice
     * (sb/1 12.2).
     */
    device->memory.played = sound->n;
    if (!sb1_keep(device)) return;
  }
  device->is_sounding = true;
  sb1_tell_number(device, sound->is_beep ? SB1_BEEP : SB1_SAY, sound->n);
}

/** Starts the first waiting sound that is still valid, unless a sound is playing or the hub must know
 * something. */
void sb1_start_next(struct sb1 *device)
{
  if (device->phase == SB1_OUT_OF_ORDER) return;
  while (!device->is_sounding && device->sound_count > 0) {
    const struct sb1_sound *sound = &device->sounds[0];
    enum sb1_reason refusal = refusal_of(device, sound);
    if (refusal == SB1_NO_REASON) {
      /* The birth has told `played`, so it must not rise before the welcome (sb/1 7.20). */
      if (device->phase != SB1_BORN && !sb1_is_giving_up(device, sound->n)) start(device, sound);
      return;
    }
    end_first(device, refusal);
  }
}

/** Moves the last bytes before the others. */
static void rotate(uint8_t *bytes, unsigned before, unsigned last)
{
  for (; last > 0; last--, bytes++) {
    uint8_t moved = bytes[before];
    memmove(bytes + 1, bytes, before);
    *bytes = moved;
  }
}

/**
 * Inserts a sound by its number, so that each sound that starts has a higher number than all before it
 * (sb/1 7.16).
 */
static const struct sb1_sound *enqueue(struct sb1 *device, const struct sb1_sound *sound)
{
  unsigned place = device->is_sounding ? 1 : 0;
  while (place < device->sound_count && device->sounds[place].n < sound->n) place++;
  struct sb1_sound *free_place = &device->sounds[place];
  unsigned first = clips_before(device, place), end = clips_before(device, device->sound_count);
  memmove(free_place + 1, free_place, (device->sound_count - place) * sizeof *device->sounds);
  *free_place = *sound;
  rotate(&device->clips[first], end - first, sound->clip_count);
  device->sound_count++;
  return free_place;
}

static void take(struct sb1 *device, const struct command *command, const struct sb1_sound *sound,
                 struct sb1_span bill)
{
  enum sb1_reason refusal = refusal_of(device, sound);
  if (refusal != SB1_NO_REASON) {
    sb1_ack_failed(device, command, refusal);
    return;
  }
  /*
   * Sends no ack, so that the hub resends it: `failed` would end an announcement that is still valid (sb/1
   * 7.11).
   */
  unsigned used = clips_before(device, device->sound_count);
  if (device->sound_count == SB1_SOUNDS || used + sound->clip_count > SB1_CLIPS) return;
  const struct sb1_sound *waiting = enqueue(device, sound);
  sb1_ack_stage(device, command, SB1_RECEIVED);
  sb1_show_if_paid(device, waiting, bill);
  sb1_start_next(device);
}

/** Acks a sound that waits or was played; false if it is neither. `played`: the highest number of its kind.
 */
static bool ack_repeat(struct sb1 *device, const struct command *command, uint32_t played)
{
  bool waits = is_waiting(device, command);
  if (!waits && command->n > played) return false;
  sb1_ack_repeat(device, command, waits ? SB1_RECEIVED : SB1_PLAYED);
  return true;
}

bool sb1_obey_announce(struct sb1 *device, const struct command *command)
{
  struct sb1_sound sound = {.n = command->n, .good_until = command->good_until};
  struct sb1_span clips, bill;
  if (!read_announcement(&command->d, &sound, &clips, &bill)) return false;
  memcpy(sound.id, command->id, sizeof sound.id);
  if (ack_repeat(device, command, device->memory.played)) return true;
  if (!find_clips(device, clips, &sound)) sb1_ack_failed(device, command, SB1_NO_CLIP);
  else take(device, command, &sound, bill);
  return true;
}

bool sb1_obey_identify(struct sb1 *device, const struct command *command)
{
  struct sb1_sound sound = {.is_beep = true, .n = command->n, .good_until = command->good_until};
  struct sb1_span none = {command->d.at, 0};
  if (!sb1_json_is_object(command->d)) return false;
  memcpy(sound.id, command->id, sizeof sound.id);
  if (!ack_repeat(device, command, device->beeped)) take(device, command, &sound, none);
  return true;
}

void sb1_sound_ended(struct sb1 *device, bool heard, uint64_t now_ms)
{
  device->now_ms = now_ms;
  if (!device->is_sounding || device->phase == SB1_OUT_OF_ORDER) return;
  const struct sb1_sound *sound = &device->sounds[0];
  device->is_sounding = false;
  if (sound->is_beep && sound->n > device->beeped) device->beeped = sound->n;
  end_first(device, heard ? SB1_NO_REASON : SB1_AUDIO_FAILED);
  sb1_start_next(device);
}
