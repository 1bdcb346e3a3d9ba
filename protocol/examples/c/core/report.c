/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

/* What the device tells of itself: telemetry and settings (sb/1 8.3 to 8.10). */

/* Ten seconds, and one more: two reports may take unequally long to the hub (sb/1 8.9). */
#define LEAST_MS 11000
#define RESET_LETTERS 16
#define MODEM_LETTERS 32
#define MOST_CRASHES INT32_MAX

struct sb1_status sb1_status_of(const struct sb1 *device)
{
  struct sb1_status status = {.battery = SB1_UNKNOWN, .signal = SB1_UNKNOWN, .charging = SB1_UNKNOWN};
  if (device->world.look) device->world.look(device->world.context, &status);
  return status;
}

/** Adds a text of the product. JSON and the hub take only printable letters. */
static void put_words(struct sb1_text *report, const char *name, const char *words, size_t most)
{
  sb1_put_name(report, name);
  sb1_text_put(report, "\"");
  for (size_t i = 0; i < most && words[i]; i++) {
    bool is_plain = words[i] >= ' ' && words[i] <= '~' && words[i] != '"' && words[i] != '\\';
    sb1_text_put_bytes(report, is_plain ? &words[i] : "?", 1);
  }
  sb1_text_put(report, "\"");
}

static void put_status(struct sb1_text *report, const struct sb1_status *status)
{
  if (status->battery != SB1_UNKNOWN) {
    int battery = status->battery < 0 ? 0 : status->battery > 100 ? 100 : status->battery;
    sb1_put_number(report, "battery", (uint32_t)battery);
  }
  if (status->signal != SB1_UNKNOWN) {
    int weakness = status->signal < -150 ? 150 : status->signal > 0 ? 0 : -status->signal;
    sb1_put_name(report, "signal");
    if (weakness > 0) sb1_text_put(report, "-");
    sb1_text_put_number(report, (uint32_t)weakness);
  }
  if (status->charging != SB1_UNKNOWN) {
    sb1_put_name(report, "charging");
    sb1_text_put(report, status->charging ? "true" : "false");
  }
}

/** In the first telemetry of a session (sb/1 8.10). */
static void put_health(const struct sb1 *device, struct sb1_text *report, const struct sb1_status *status)
{
  const char *reset = status->reset && status->reset[0] ? status->reset : "unknown";
  sb1_put_name(report, "health");
  sb1_text_put(report, "{");
  sb1_put_number(report, "uptime", status->uptime_s);
  sb1_put_number(report, "crashes", device->memory.crashes);
  put_words(report, "reset", reset, RESET_LETTERS);
  if (status->modem && status->modem[0]) put_words(report, "modem", status->modem, MODEM_LETTERS);
  sb1_text_put(report, "}");
}

static uint32_t interval_ms(const struct sb1 *device)
{
  return device->config.telemetry_s * 1000u;
}

/** Telemetry needs no MAC (sb/1 8.4). */
void sb1_report_telemetry(struct sb1 *device)
{
  struct sb1_status status = sb1_status_of(device);
  device->telemetry_at_ms = device->now_ms + interval_ms(device);
  struct sb1_text report = sb1_start_frame(device);
  sb1_put_number(&report, "volume", device->memory.settings.volume);
  sb1_put_number(&report, "queue", device->sound_count);
  put_status(&report, &status);
  if (device->is_first_report && device->config.has_part[SB1_HEALTH]) put_health(device, &report, &status);
  device->is_first_report = false;
  sb1_put_progress(device, &report);
  sb1_text_put(&report, "}");
  device->world.publish(device->world.context, SB1_TELEMETRY, report.at, report.length);
}

void sb1_report_soon(struct sb1 *device, uint64_t now_ms)
{
  uint64_t left_ms = device->telemetry_at_ms > now_ms ? device->telemetry_at_ms - now_ms : 0;
  uint32_t spared_ms = interval_ms(device) - LEAST_MS;
  if (device->phase != SB1_WELCOMED) return;
  /* At most LEAST_MS are left if it is due soon, or was brought forward already. */
  if (left_ms > spared_ms) device->telemetry_at_ms -= spared_ms;
  else if (left_ms > LEAST_MS) device->telemetry_at_ms = now_ms;
}

bool sb1_count_crash(struct sb1 *device)
{
  if (device->memory.crashes < MOST_CRASHES) device->memory.crashes++;
  return sb1_keep(device);
}

/** sb/1 8.3. */
void sb1_report_settings(struct sb1 *device)
{
  const struct sb1_settings *settings = &device->memory.settings;
  struct sb1_text report = sb1_start_frame(device);
  sb1_put_string(&report, "t", "settings");
  sb1_put_number(&report, "ver", settings->ver);
  sb1_put_number(&report, "volume", settings->volume);
  sb1_put_string(&report, "lang", sb1_language_name(settings->lang));
  sb1_send(device, SB1_SETTINGS, &report);
}

/** Keeps settings before they are in force. */
static bool apply(struct sb1 *device, const struct sb1_settings *settings)
{
  device->memory.settings = *settings;
  if (!sb1_keep(device)) return false;
  sb1_tell_number(device, SB1_APPLY, 0);
  return true;
}

/** Applies only a newer version, and stores it before reporting it (sb/1 8.5). */
bool sb1_obey_settings(struct sb1 *device, const struct command *command)
{
  struct sb1_settings settings;
  uint32_t volume;
  if (!sb1_read_number(&command->d, "ver", UINT32_MAX, &settings.ver) ||
      !sb1_read_number(&command->d, "volume", 100, &volume) ||
      !sb1_read_language(&command->d, &settings.lang))
    return false;
  settings.volume = (uint8_t)volume;
  if (settings.ver <= device->memory.settings.ver) {
    sb1_ack_repeat(device, command, SB1_RECEIVED);
    sb1_report_settings(device);
  } else if (sb1_is_past(device, command->good_until)) {
    sb1_ack_failed(device, command, SB1_EXPIRED);
  } else {
    if (!apply(device, &settings)) return true;
    sb1_ack_stage(device, command, SB1_RECEIVED);
    sb1_report_settings(device);
  }
  return true;
}

bool sb1_change_settings(struct sb1 *device, uint8_t volume, enum sb1_language lang)
{
  const struct sb1_settings *now = &device->memory.settings;
  struct sb1_settings settings = {now->ver + 1, volume, lang};
  if (device->phase == SB1_OUT_OF_ORDER || volume > 100) return false;
  if (volume == now->volume && lang == now->lang) return true;
  /* No version is above the highest one: the hub could not tell the change from what it knows. */
  if (now->ver == UINT32_MAX || !apply(device, &settings)) return false;
  /* Without a session the next welcome names another version, and the device reports its own (sb/1 8.7). */
  if (device->phase == SB1_WELCOMED) sb1_report_settings(device);
  return true;
}
