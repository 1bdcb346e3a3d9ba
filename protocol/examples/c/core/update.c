/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

/*
 * An offer of firmware (sb/1 18.1 to 18.5). The core decides. The port downloads, verifies the signature and
 * restarts.
 */

static const char *const PROGRESS[] = {"", "downloading", "installing", "declined", "failed"};

const char *sb1_progress_name(enum sb1_progress progress)
{
  return PROGRESS[progress];
}

#ifndef SB1_NO_UPDATE

#define FW_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-"
#define MOST_TRIES 3

/** ASCII without spaces, quotes and backslashes. */
static bool is_url(const char *url)
{
  const char *rest = url + (strncmp(url, "https://", 8) == 0 ? 8 : 7);
  if (rest == url + 7 && strncmp(url, "http://", 7) != 0) return false;
  if (*rest == '\0') return false;
  for (; *rest; rest++)
    if (*rest < '!' || *rest > '~' || *rest == '"' || *rest == '\\') return false;
  return true;
}

static bool read_offer(const struct sb1_span *d, struct sb1_offer *offer)
{
  char sha256[SB1_KEY_TEXT_BYTES];
  struct sb1_span url;
  *offer = (struct sb1_offer){.size = 0};
  return sb1_read_letters(d, "fw", FW_LETTERS, offer->fw, sizeof offer->fw) && offer->fw[0] != '\0' &&
         sb1_read_string(d, "url", sizeof offer->url - 1, &url) &&
         sb1_json_copy(url, offer->url, sizeof offer->url) && is_url(offer->url) &&
         sb1_read_number(d, "size", UINT32_MAX, &offer->size) && offer->size > 0 &&
         sb1_read_letters(d, "sha256", SB1_BASE64URL, sha256, sizeof sha256) &&
         sb1_read_key(sha256, offer->sha256) &&
         (sb1_json_member(*d, "sig").length == 0 ||
          (sb1_read_letters(d, "sig", SB1_BASE64URL, offer->sig, sizeof offer->sig) &&
           offer->sig[0] != '\0'));
}

/** Tells the person at the device at once, and the hub in the next telemetry (sb/1 18.3). */
static void tell_progress(struct sb1 *device, enum sb1_progress progress)
{
  device->progress = progress;
  sb1_tell_number(device, SB1_UPDATING, 0);
  sb1_report_soon(device, device->now_ms);
}

/**
 * The value of `tried` for an image that was never tried: the first 14 bits of its SHA-256. The two bits
 * below them count the tries (sb/1 18.5).
 */
static uint16_t never_tried(const struct sb1_offer *offer)
{
  return (uint16_t)((offer->sha256[0] << 8 | offer->sha256[1]) & ~MOST_TRIES);
}

static bool may_try(const struct sb1 *device)
{
  return device->memory.tried != (never_tried(&device->offer) | MOST_TRIES);
}

/** Counts a try. It survives the restart, and an image that does not run. */
static bool count_try(struct sb1 *device)
{
  uint16_t none = never_tried(&device->offer);
  uint16_t tried = device->memory.tried;
  device->memory.tried = (uint16_t)((tried & ~MOST_TRIES) == none ? tried + 1 : none + 1);
  return sb1_keep(device);
}

static void begin(struct sb1 *device)
{
  const struct sb1_world *world = &device->world;
  device->stored_bytes = 0;
  if (device->offer.size > device->config.image_bytes) tell_progress(device, SB1_DECLINED);
  else if (!may_try(device) || !world->download(world->context, &device->offer))
    tell_progress(device, SB1_UPDATE_FAILED);
  else tell_progress(device, SB1_DOWNLOADING);
}

/** An offer that is under way is not begun again (sb/1 18.5). One that has failed is tried again. */
bool sb1_obey_update(struct sb1 *device, const struct command *command)
{
  struct sb1_offer offer;
  if (!read_offer(&command->d, &offer)) return false;
  if (sb1_is_past(device, command->good_until)) {
    sb1_ack_failed(device, command, SB1_EXPIRED);
    return true;
  }
  sb1_ack_stage(device, command, SB1_RECEIVED);
  bool is_under_way = device->progress == SB1_DOWNLOADING || device->progress == SB1_INSTALLING;
  bool is_same = memcmp(offer.sha256, device->offer.sha256, sizeof offer.sha256) == 0;
  bool is_running = strcmp(offer.fw, device->config.firmware) == 0;
  if (is_running || (is_under_way && is_same)) return true;
  device->offer = offer;
  begin(device);
  return true;
}

bool sb1_image_grew(struct sb1 *device, uint32_t bytes, uint64_t now_ms)
{
  device->now_ms = now_ms;
  if (device->progress != SB1_DOWNLOADING) return false;
  device->stored_bytes = bytes;
  if (bytes <= device->offer.size) return true;
  if (count_try(device)) tell_progress(device, SB1_UPDATE_FAILED);
  return false;
}

void sb1_image_ended(struct sb1 *device, const struct sb1_image *image, uint64_t now_ms)
{
  device->now_ms = now_ms;
  const struct sb1_world *world = &device->world;
  const struct sb1_offer *offer = &device->offer;
  if (device->progress != SB1_DOWNLOADING) return;
  /* Length, SHA-256 and signature, in this order (sb/1 18.2). */
  bool is_right = image && image->size == offer->size &&
                  memcmp(image->sha256, offer->sha256, sizeof offer->sha256) == 0 &&
                  world->is_signed(world->context, offer);
  /* A download that breaks off is no try: the device has not had the image. */
  if (image && !count_try(device)) return;
  tell_progress(device, is_right ? SB1_INSTALLING : SB1_UPDATE_FAILED);
  /* The hub learns it before the device is gone. */
  device->install_at_ms = device->phase == SB1_WELCOMED ? device->telemetry_at_ms : device->now_ms;
}

uint64_t sb1_install_due_ms(const struct sb1 *device)
{
  return device->progress == SB1_INSTALLING && device->sound_count == 0 ? device->install_at_ms : UINT64_MAX;
}

/** Restarts with the new image when nothing sounds or waits (sb/1 18.4). */
void sb1_install(struct sb1 *device)
{
  if (device->now_ms < sb1_install_due_ms(device)) return;
  device->progress = SB1_NO_OFFER;
  sb1_tell_number(device, SB1_RESTART, 0);
}

void sb1_put_progress(const struct sb1 *device, struct sb1_text *report)
{
  const struct sb1_offer *offer = &device->offer;
  if (device->progress == SB1_NO_OFFER) return;
  sb1_put_name(report, "update");
  sb1_text_put(report, "{");
  sb1_put_string(report, "fw", offer->fw);
  sb1_put_string(report, "state", PROGRESS[device->progress]);
  if (device->progress == SB1_DOWNLOADING)
    sb1_put_number(report, "percent", (uint32_t)((uint64_t)device->stored_bytes * 100 / offer->size));
  sb1_text_put(report, "}");
}

#endif
