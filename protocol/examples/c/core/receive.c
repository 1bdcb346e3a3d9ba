/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

/* From the bytes of a PUBLISH to the execution of a command: the checks of sb/1 10.1 in their order. */

/** A part that every device has. */
#define NO_PART SB1_PARTS

static const struct {
  const char *t;
  obey *obey;
  /** The part without which the device can't carry it out. */
  unsigned needs;
} COMMANDS[] = {
    {"announce", sb1_obey_announce, SB1_SPEAKER},
    {"identify", sb1_obey_identify, SB1_SPEAKER},
#ifndef SB1_NO_SCREEN
    {"code", sb1_obey_code, SB1_SCREEN},
    {"profile", sb1_obey_profile, SB1_SCREEN},
    {"missed", sb1_obey_missed, SB1_SCREEN},
    {"clear", sb1_obey_clear, SB1_SCREEN},
#endif
#ifndef SB1_NO_QR
    {"qr", sb1_obey_qr, SB1_QR},
#endif
    {"settings", sb1_obey_settings, NO_PART},
#ifndef SB1_NO_REKEY
    {"rekey", sb1_obey_rekey, SB1_REKEY},
#endif
#ifndef SB1_NO_UPDATE
    {"update", sb1_obey_update, SB1_UPDATE},
#endif
    {"welcome", sb1_obey_welcome, NO_PART},
};

bool sb1_read_number(const struct sb1_span *d, const char *name, uint32_t most, uint32_t *number)
{
  return sb1_json_number(sb1_json_member(*d, name), most, number);
}

bool sb1_read_string(const struct sb1_span *d, const char *name, size_t most, struct sb1_span *raw)
{
  return sb1_json_string(sb1_json_member(*d, name), most, raw);
}

bool sb1_read_letters(const struct sb1_span *d, const char *name, const char *letters, char *text,
                      size_t size)
{
  struct sb1_span raw;
  return sb1_read_string(d, name, size - 1, &raw) && sb1_json_copy(raw, text, size) &&
         strspn(text, letters) == strlen(text);
}

bool sb1_read_amount(const struct sb1_span *d, char *amount, size_t size)
{
  return sb1_read_letters(d, "amount", "0123456789", amount, size) && *amount >= '1' && *amount <= '9';
}

bool sb1_read_language(const struct sb1_span *d, enum sb1_language *language)
{
  struct sb1_span raw;
  if (!sb1_read_string(d, "lang", 2, &raw)) return false;
  *language = sb1_json_says(raw, "en") ? SB1_LANGUAGE_EN : SB1_LANGUAGE_VI;
  return *language == SB1_LANGUAGE_EN || sb1_json_says(raw, "vi");
}

/** A ULID: 26 letters of Crockford's base32. The digits are last, so that the linker has them once. */
static bool read_id(const struct sb1_span *frame, char id[SB1_ID_BYTES])
{
  return sb1_read_letters(frame, "id", "ABCDEFGHJKMNPQRSTVWXYZ0123456789", id, SB1_ID_BYTES) &&
         strlen(id) == SB1_ID_BYTES - 1;
}

static bool read_envelope(const struct sb1_span *frame, struct command *command)
{
  uint32_t at, ttl;
  if (!sb1_read_string(frame, "t", 32, &command->t) || command->t.length == 0 ||
      !read_id(frame, command->id) || !sb1_read_number(frame, "n", UINT32_MAX, &command->n) ||
      !sb1_read_number(frame, "at", UINT32_MAX, &at) || !sb1_read_number(frame, "ttl", UINT32_MAX, &ttl))
    return false;
  /* No later second can be told: `now` of a welcome has as many bits. */
  command->good_until = ttl < UINT32_MAX - at ? at + ttl : UINT32_MAX;
  command->d = sb1_json_member(*frame, "d");
  return true;
}

/**
 * Opens a frame. Returns why it is dropped, or NULL if it holds a command. A dropped frame gets no ack.
 */
static const char *open_command(struct sb1 *device, struct sb1_span frame, struct command *command)
{
  char prefix[SB1_PREFIX_BYTES];
  sb1_write_prefix(prefix, device->config.serial, device->sid, NULL);
  switch (sb1_frame_open(device->keys.down, prefix, frame)) {
  case SB1_FRAME_NO_MAC: return "no_mac";
  case SB1_FRAME_BAD_MAC: return "bad_mac";
  case SB1_FRAME_BAD_JSON: return "bad_json";
  case SB1_FRAME_OPEN: break;
  }
  return read_envelope(&frame, command) ? NULL : "malformed";
}

/** NULL if the device does not know the command, or lacks the part for it (sb/1 7.17). */
static obey *find_obey(const struct sb1 *device, struct sb1_span t)
{
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
    if (!sb1_json_says(t, COMMANDS[i].t)) continue;
    unsigned needs = COMMANDS[i].needs;
    return needs == NO_PART || device->config.has_part[needs] ? COMMANDS[i].obey : NULL;
  }
  return NULL;
}

/**
 * Bytes of the whole PUBLISH: fixed header, topic sb/1/{serial}/down, packet id, payload (MQTT 3.1.1, 3.3).
 */
static size_t publish_bytes(const struct sb1 *device, size_t payload)
{
  size_t rest = 2 + sizeof "sb/1//down" - 1 + strlen(device->config.serial) + 2 + payload;
  size_t length_bytes = rest < 128 ? 1 : rest < 16384 ? 2 : 3;
  return 1 + length_bytes + rest;
}

static void drop(struct sb1 *device, const char *why)
{
  sb1_tell(device, &(struct sb1_event){.type = SB1_IGNORED, .why = why});
}

void sb1_receive(struct sb1 *device, struct sb1_span frame, uint64_t now_ms)
{
  if (device->phase != SB1_BORN && device->phase != SB1_WELCOMED) return;
  sb1_tick(device, now_ms);

  /* 2 to 4: the MAC, then JSON, then the envelope. A failure drops the frame (sb/1 5.3, sb/1 5.5). */
  struct command command;
  const char *why = open_command(device, frame, &command);
  if (why) {
    drop(device, why);
    return;
  }
  /* 5: drops other commands before the welcome (sb/1 7.14). Without an ack the hub resends them. */
  obey *act = find_obey(device, command.t);
  if (act == sb1_obey_welcome && act(device, &command)) return;
  if (device->phase != SB1_WELCOMED) {
    drop(device, "before_welcome");
    return;
  }
  /* 6: a failed command stays failed (sb/1 7.11). */
  if (sb1_ack_failed_again(device, &command)) return;
  /* 1: refuses a frame that is too large only now: it is verified, so the device may ack it (sb/1 6.3). */
  bool is_known = act && act != sb1_obey_welcome;
  if (is_known && publish_bytes(device, frame.length) > device->config.rx_bytes)
    sb1_ack_failed(device, &command, SB1_TOO_LARGE);
  /* 7 to 13: each command checks its body (sb/1 7.8), its n and its time. */
  else if (!is_known || !act(device, &command)) sb1_ack_failed(device, &command, SB1_UNSUPPORTED);
}
