/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

/* A session, from CONNECT to its end (sb/1 3.1, sb/1 10.2, sb/1 13.1). */

#define LEAST_TELEMETRY_S 30
#define MOST_TELEMETRY_S 900
#define FIRST_RETRY_MS 1000u
#define LAST_RETRY_MS 60000u
/* Fifteen minutes, and up to five more (sb/1 13.2). */
#define REFUSED_MS 900000u
#define REFUSED_SPREAD_MS 300000u

static const char *const KINDS[] = {"birth", "will", "ack", "telemetry", "settings"};
static const char *const PARTS[] = {"screen", "speaker", "qr", "rekey", "update", "health"};
static const char *const LANGUAGE_NAMES[] = {"vi", "en"};

const char *sb1_kind_name(enum sb1_kind kind)
{
  return KINDS[kind];
}

const char *sb1_part_name(enum sb1_part part)
{
  return PARTS[part];
}

const char *sb1_language_name(enum sb1_language language)
{
  return LANGUAGE_NAMES[language];
}

static bool is_serial(const char *serial)
{
  size_t length = strlen(serial);
  return length >= 4 && length <= SB1_SERIAL_MOST && strspn(serial, SB1_BASE64URL) == length;
}

/** The build may lack what the hardware has. */
static void leave_out_parts(bool has_part[SB1_PARTS])
{
  (void)has_part;
#ifdef SB1_NO_SCREEN
  has_part[SB1_SCREEN] = false;
#endif
#ifdef SB1_NO_QR
  has_part[SB1_QR] = false;
#endif
#ifdef SB1_NO_REKEY
  has_part[SB1_REKEY] = false;
#endif
#ifdef SB1_NO_UPDATE
  has_part[SB1_UPDATE] = false;
#endif
}

bool sb1_init(struct sb1 *device, const struct sb1_config *config, const struct sb1_ring *ring,
              const struct sb1_world *world, const struct sb1_memory *memory)
{
  memset(device, 0, sizeof *device);
  device->config = *config;
  device->world = *world;
  device->memory = *memory;
  device->ring = *ring;
#ifndef SB1_NO_REKEY
  device->uses_next = ring->has_next;
#endif
#ifndef SB1_NO_QR
  device->screen.qr_bill = device->screen.static_qr = "";
#endif
  leave_out_parts(device->config.has_part);
  device->display_works = device->audio_works = true;
  if (config->telemetry_s == 0) device->config.telemetry_s = LEAST_TELEMETRY_S;
  const bool *has_part = device->config.has_part;
  return is_serial(config->serial) && config->rx_bytes <= SB1_RX_BYTES &&
         device->config.telemetry_s >= LEAST_TELEMETRY_S && device->config.telemetry_s <= MOST_TELEMETRY_S &&
         (!has_part[SB1_REKEY] || world->keep_ring) &&
         (!has_part[SB1_UPDATE] || (world->download && world->is_signed)) && sb1_use_key(device);
}

void sb1_tell(struct sb1 *device, const struct sb1_event *event)
{
  device->world.tell(device->world.context, event);
}

void sb1_tell_number(struct sb1 *device, enum sb1_event_type type, uint32_t n)
{
  sb1_tell(device, &(struct sb1_event){.type = type, .n = n});
}

bool sb1_keep(struct sb1 *device)
{
  if (device->world.keep(device->world.context, &device->memory)) return true;
  /* Without a stored `played` the device would speak payments twice, so it stops speaking (sb/1 12.4). */
  sb1_break(device);
  return false;
}

void sb1_break(struct sb1 *device)
{
  device->phase = SB1_OUT_OF_ORDER;
  sb1_tell_number(device, SB1_BROKEN, 0);
}

struct sb1_text sb1_start_frame(struct sb1 *device)
{
  struct sb1_text frame = SB1_TEXT_IN(device->tx);
  sb1_text_put(&frame, "{");
  return frame;
}

uint16_t sb1_send(struct sb1 *device, enum sb1_kind kind, struct sb1_text *frame)
{
  char prefix[SB1_PREFIX_BYTES];
  sb1_write_prefix(prefix, device->config.serial, device->sid, KINDS[kind]);
  if (!sb1_frame_seal(device->keys.up, prefix, frame)) return 0;
  return device->world.publish(device->world.context, kind, frame->at, frame->length);
}

void sb1_connect(struct sb1 *device, const uint8_t random[8])
{
  static const char digits[] = "0123456789abcdef";
  if (device->phase == SB1_OUT_OF_ORDER || !sb1_use_key(device)) return;
#ifndef SB1_NO_REKEY
  device->move_by_ms = 0;
#endif
  for (size_t i = 0; i < 8; i++) {
    device->sid[2 * i] = digits[random[i] >> 4];
    device->sid[2 * i + 1] = digits[random[i] & 15];
  }
  device->phase = SB1_CONNECTING;
}

void sb1_write_will(const struct sb1 *device, const char *reason, struct sb1_text *will)
{
  sb1_text_put(will, "{");
  sb1_put_string(will, "sid", device->sid);
  sb1_put_string(will, "reason", reason);
  sb1_text_put(will, "}");
}

/** Adds `"name":["…"]` with the names that the device has. */
static void put_list(struct sb1_text *frame, const char *name, const char *const names[], const bool has[],
                     size_t count)
{
  bool is_first = true;
  sb1_put_name(frame, name);
  sb1_text_put(frame, "[");
  for (size_t i = 0; i < count; i++) {
    if (!has[i]) continue;
    sb1_text_put(frame, is_first ? "\"" : ",\"");
    sb1_text_put(frame, names[i]);
    sb1_text_put(frame, "\"");
    is_first = false;
  }
  sb1_text_put(frame, "]");
}

void sb1_subscribed(struct sb1 *device)
{
  const struct sb1_config *config = &device->config;
  if (device->phase != SB1_CONNECTING) return;
  device->phase = SB1_BORN;
#ifndef SB1_NO_REKEY
  device->refused = 0;
#endif
  sb1_void_waiting(device);
  sb1_void_received(device);
  struct sb1_text birth = sb1_start_frame(device);
  sb1_put_string(&birth, "t", "birth");
  sb1_put_string(&birth, "sid", device->sid);
  sb1_put_string(&birth, "fw", config->firmware);
  sb1_put_string(&birth, "model", config->model);
  put_list(&birth, "caps", PARTS, config->has_part, SB1_PARTS);
  put_list(&birth, "lang", LANGUAGE_NAMES, config->has_pack, SB1_LANGUAGES);
  sb1_put_number(&birth, "rx", config->rx_bytes);
  sb1_put_number(&birth, "played", device->memory.played);
  sb1_put_number(&birth, "settings", device->memory.settings.ver);
  uint64_t clock_s = sb1_status_of(device).clock_ms / 1000;
  if (clock_s > 0 && clock_s <= UINT32_MAX) sb1_put_number(&birth, "at", (uint32_t)clock_s);
  sb1_send(device, SB1_BIRTH, &birth);
}

/**
 * Sets the clock (sb/1 11.1), resets the count of screen commands, and sends the unconfirmed acks.
 */
bool sb1_obey_welcome(struct sb1 *device, const struct command *command)
{
  uint32_t now, highest, known_settings = 0;
  bool linked, knows_settings = sb1_json_member(command->d, "settings").length > 0;
  bool first = device->phase == SB1_BORN;
  if (!sb1_read_number(&command->d, "now", UINT32_MAX, &now) ||
      !sb1_read_number(&command->d, "n", UINT32_MAX, &highest) ||
      !sb1_json_bool(sb1_json_member(command->d, "linked"), &linked) ||
      (knows_settings && !sb1_read_number(&command->d, "settings", UINT32_MAX, &known_settings)))
    return false;
  if (!first && command->n <= device->welcome_n) {
    /* A repeat, or a recording of an earlier one: its old `now` must not set the clock back (sb/1 11.7). */
    sb1_ack_repeat(device, command, SB1_RECEIVED);
    return true;
  }
  if (first && !sb1_confirm_key(device)) return true;
  device->phase = SB1_WELCOMED;
  device->welcome_n = command->n;
  device->hub_ahead_ms = (int64_t)now * 1000 - (int64_t)device->now_ms;
  sb1_read_clock(device);
  device->linked = linked ? SB1_LINKED : SB1_UNLINKED;
  if (first) {
    device->shown = device->beeped = 0;
    sb1_tell_number(device, SB1_CONNECTED, 0);
  }
  /* On this connection, earlier acks are under way already (sb/1 7.24). */
  if (first) sb1_resend_acks(device);
  sb1_ack_stage(device, command, SB1_RECEIVED);
  if (first && (!knows_settings || known_settings != device->memory.settings.ver))
    sb1_report_settings(device);
  if (!linked) sb1_unlink(device);
  device->is_first_report |= first;
  if (first) sb1_report_telemetry(device);
  sb1_start_next(device);
  return true;
}

void sb1_closed(struct sb1 *device)
{
  if (device->phase != SB1_OUT_OF_ORDER) device->phase = SB1_OFFLINE;
  /* The next connection has new packet identifiers. */
  sb1_forget_packets(device);
}

void sb1_read_clock(struct sb1 *device)
{
  if (!device->config.goes_by_own_clock) return;
  uint64_t clock_ms = sb1_status_of(device).clock_ms;
  /* A clock that is not set yet leaves the time of the welcome. */
  if (clock_ms > 0) device->hub_ahead_ms = (int64_t)clock_ms - (int64_t)device->now_ms;
}

bool sb1_is_past(const struct sb1 *device, uint32_t hub_seconds)
{
  return (int64_t)device->now_ms + device->hub_ahead_ms >= (int64_t)hub_seconds * 1000 + 1000;
}

uint64_t sb1_past_at_ms(const struct sb1 *device, uint32_t hub_seconds)
{
  int64_t at_ms = (int64_t)hub_seconds * 1000 + 1000 - device->hub_ahead_ms;
  return at_ms > 0 ? (uint64_t)at_ms : 0;
}

void sb1_tick(struct sb1 *device, uint64_t now_ms)
{
  device->now_ms = now_ms;
  if (device->phase == SB1_OUT_OF_ORDER) return;
  sb1_read_clock(device);
  sb1_elapse_screen(device);
  sb1_move(device);
  sb1_watch_pubacks(device);
  if (device->phase == SB1_WELCOMED && device->now_ms >= device->telemetry_at_ms)
    sb1_report_telemetry(device);
  sb1_install(device);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

uint64_t sb1_due_ms(const struct sb1 *device)
{
  uint64_t due =
      earlier(sb1_move_due_ms(device), earlier(sb1_install_due_ms(device), sb1_puback_due_ms(device)));
  if (device->phase == SB1_WELCOMED) due = earlier(due, device->telemetry_at_ms);
  return earlier(due, sb1_screen_due_ms(device));
}

uint32_t sb1_retry_ms(unsigned failures, bool was_refused, uint32_t random)
{
  /*
   * A wrong key does not become right by retrying, and the speakers of a whole town must not reconnect in the
   * same second (sb/1 13.1).
   */
  if (was_refused) return REFUSED_MS + (uint32_t)((uint64_t)random * REFUSED_SPREAD_MS >> 32);
  uint32_t ceiling = failures > 6 ? LAST_RETRY_MS : FIRST_RETRY_MS << (failures > 0 ? failures - 1 : 0);
  return (uint32_t)((uint64_t)random * (ceiling < LAST_RETRY_MS ? ceiling : LAST_RETRY_MS) >> 32);
}
