/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

/* The screen commands: profile, code, qr, clear, missed (sb/1 7.6). */

#ifndef SB1_NO_SCREEN

#define NO_END UINT32_MAX

static bool has_qr(const struct sb1_screen *screen)
{
#ifdef SB1_NO_QR
  (void)screen;
  return false;
#else
  return screen->has_qr;
#endif
}

/** Whether to show a screen command. If so, acks it `received`; otherwise acks its last stage. */
static bool is_to_be_shown(struct sb1 *device, const struct command *command, uint32_t own_end)
{
  /* Only a higher number is applied: a late repeat can't show an old code or QR again (sb/1 7.6). */
  if (command->n <= device->shown) {
    bool is_unseen = strcmp(command->id, device->screen.unseen_id) == 0;
    sb1_ack_repeat(device, command, is_unseen ? SB1_RECEIVED : SB1_SHOWN);
    return false;
  }
  /* Refuses a code or QR that has already expired. */
  bool has_ended = own_end != NO_END && sb1_is_past(device, own_end);
  if (has_ended || sb1_is_past(device, command->good_until)) {
    sb1_ack_failed(device, command, SB1_EXPIRED);
    return false;
  }
  if (!device->display_works) {
    sb1_ack_failed(device, command, SB1_DISPLAY_FAILED);
    return false;
  }
  /* A QR would invite a payment that nobody hears (sb/1 6.7). */
  if (device->screen.is_locked && sb1_json_says(command->t, "qr")) {
    sb1_ack_failed(device, command, SB1_NOT_READY);
    return false;
  }
  device->shown = command->n;
  sb1_ack_stage(device, command, SB1_RECEIVED);
  return true;
}

static void show(struct sb1 *device, const struct command *command, enum sb1_event_type type)
{
  sb1_tell_number(device, type, command->n);
  sb1_ack_stage(device, command, SB1_SHOWN);
}

/**
 * Shows a notice that nobody has seen as soon as nothing is in front of it. Acked earlier, it would be lost
 * with the power, and the hub would not send it again (sb/1 7.23).
 */
static void show_missed(struct sb1 *device)
{
  struct sb1_screen *screen = &device->screen;
  bool is_unseen = screen->unseen_id[0] != '\0';
  if (!is_unseen || screen->has_code || has_qr(screen) || !device->display_works) return;
  struct command command = {.n = screen->unseen_n};
  memcpy(command.id, screen->unseen_id, sizeof command.id);
  screen->unseen_id[0] = '\0';
  show(device, &command, SB1_SHOW_MISSED);
}

static void tell_cleared(struct sb1 *device, const char *what, const char *why)
{
  sb1_tell(device, &(struct sb1_event){.type = SB1_CLEAR, .what = what, .why = why});
}

/** Removes the code from the screen, if it is there. */
static void clear_code(struct sb1 *device, const char *why)
{
  if (!device->screen.has_code) return;
  device->screen.has_code = false;
  tell_cleared(device, "code", why);
}

static void clear_qr(struct sb1 *device, const char *why)
{
  if (!has_qr(&device->screen)) return;
#ifndef SB1_NO_QR
  device->screen.has_qr = false;
#endif
  tell_cleared(device, "qr", why);
}

/** An optional member. False if it is there and no boolean. */
static bool read_locked(const struct sb1_span *d, bool *is_locked)
{
  struct sb1_span value = sb1_json_member(*d, "locked");
  *is_locked = false;
  return value.length == 0 || sb1_json_bool(value, is_locked);
}

/** What belongs to a shop, but its name, which a profile has replaced. */
static void clear_shop(struct sb1 *device)
{
  device->screen.has_missed = device->screen.is_locked = false;
  device->screen.unseen_id[0] = '\0';
  clear_qr(device, "unlinked");
}

#ifndef SB1_NO_QR
/** What a profile has at least but its texts. A QR has more. */
#define LEAST_PROFILE                                                                                        \
  "{\"t\":\"profile\",\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"n\":1,\"at\":0,\"ttl\":0,"                     \
  "\"d\":{\"name\":\"\",\"qr\":\"\"},\"mac\":\"0123456789012345678901\"}"
/** With the header, the length of the topic, the shortest topic and the packet id. */
#define LEAST_PUBLISH_BYTES (3 + 2 + sizeof "sb/1/S001/down" - 1 + 2 + sizeof LEAST_PROFILE - 1)
/* A text is no longer here than in its frame, but for the NUL. */
_Static_assert(SB1_TEXTS_BYTES >= SB1_RX_BYTES - LEAST_PUBLISH_BYTES + 2, "Any two texts fit.");

/** Keeps two texts of a command, the second one behind the first. */
static bool keep_texts(char texts[SB1_TEXTS_BYTES], struct sb1_span first, struct sb1_span second,
                       const char **second_at)
{
  if (!sb1_json_copy(first, texts, SB1_TEXTS_BYTES - 1)) return false;
  size_t used = strlen(texts) + 1;
  *second_at = texts + used;
  return sb1_json_copy(second, texts + used, SB1_TEXTS_BYTES - used);
}
#endif

bool sb1_obey_profile(struct sb1 *device, const struct command *command)
{
  struct sb1_screen *screen = &device->screen;
  struct sb1_span name, qr;
  bool is_locked;
  if (!sb1_read_string(&command->d, "name", 128, &name) || !sb1_read_string(&command->d, "qr", 1024, &qr) ||
      !read_locked(&command->d, &is_locked))
    return false;
  if (!is_to_be_shown(device, command, NO_END)) return true;
#ifdef SB1_NO_QR
  screen->has_profile = sb1_json_copy(name, screen->name, sizeof screen->name);
#else
  screen->has_profile = keep_texts(screen->name, name, qr, &screen->static_qr);
#endif
  screen->is_locked = is_locked;
  device->linked = name.length > 0 || qr.length > 0 ? SB1_LINKED : SB1_UNLINKED;
  show(device, command, SB1_SHOW_PROFILE);
  if (device->linked == SB1_UNLINKED) clear_shop(device);
  if (screen->is_locked) clear_qr(device, "locked");
  show_missed(device);
  return true;
}

bool sb1_obey_code(struct sb1 *device, const struct command *command)
{
  struct sb1_screen *screen = &device->screen;
  char code[SB1_CODE_BYTES];
  uint32_t exp;
  if (!sb1_read_letters(&command->d, "code", "0123456789", code, sizeof code) || strlen(code) != 6 ||
      !sb1_read_number(&command->d, "exp", UINT32_MAX, &exp))
    return false;
  if (!is_to_be_shown(device, command, exp)) return true;
  screen->has_code = true;
  screen->code_exp = exp;
  memcpy(screen->code, code, sizeof code);
  show(device, command, SB1_SHOW_CODE);
  return true;
}

bool sb1_obey_missed(struct sb1 *device, const struct command *command)
{
  struct sb1_screen *screen = &device->screen;
  char amount[SB1_SUM_BYTES];
  uint32_t count;
  if (!sb1_read_number(&command->d, "count", UINT32_MAX, &count) || count == 0 ||
      !sb1_read_amount(&command->d, amount, sizeof amount))
    return false;
  if (!is_to_be_shown(device, command, NO_END)) return true;
  screen->has_missed = true;
  screen->missed_count = count;
  memcpy(screen->missed_amount, amount, sizeof amount);
  screen->unseen_n = command->n;
  memcpy(screen->unseen_id, command->id, sizeof screen->unseen_id);
  show_missed(device);
  return true;
}

bool sb1_obey_clear(struct sb1 *device, const struct command *command)
{
  struct sb1_span what;
  if (!sb1_read_string(&command->d, "what", 4, &what)) return false;
  bool is_code = sb1_json_says(what, "code");
  if (!is_code && !sb1_json_says(what, "qr")) return false;
  if (!is_to_be_shown(device, command, NO_END)) return true;
  if (is_code) clear_code(device, "command");
  else clear_qr(device, "command");
  sb1_ack_stage(device, command, SB1_SHOWN);
  show_missed(device);
  return true;
}

void sb1_unlink(struct sb1 *device)
{
  device->screen.has_profile = false;
  clear_shop(device);
}

void sb1_elapse_screen(struct sb1 *device)
{
  if (sb1_is_past(device, device->screen.code_exp)) clear_code(device, "expired");
#ifndef SB1_NO_QR
  if (sb1_is_past(device, device->screen.qr_exp)) clear_qr(device, "expired");
#endif
  show_missed(device);
}

uint64_t sb1_screen_due_ms(const struct sb1 *device)
{
  const struct sb1_screen *screen = &device->screen;
  uint64_t code_ms = screen->has_code ? sb1_past_at_ms(device, screen->code_exp) : UINT64_MAX;
#ifndef SB1_NO_QR
  uint64_t qr_ms = screen->has_qr ? sb1_past_at_ms(device, screen->qr_exp) : UINT64_MAX;
  if (qr_ms < code_ms) return qr_ms;
#endif
  return code_ms;
}

#ifndef SB1_NO_QR

bool sb1_obey_qr(struct sb1 *device, const struct command *command)
{
  struct sb1_screen *screen = &device->screen;
  char amount[SB1_AMOUNT_BYTES];
  struct sb1_span qr, bill;
  uint32_t exp;
  if (!sb1_read_string(&command->d, "qr", 1024, &qr) || qr.length == 0 ||
      !sb1_read_amount(&command->d, amount, sizeof amount) ||
      !sb1_read_string(&command->d, "bill", 64, &bill) ||
      !sb1_read_number(&command->d, "exp", UINT32_MAX, &exp))
    return false;
  if (!is_to_be_shown(device, command, exp)) return true;
  screen->has_qr = keep_texts(screen->qr, qr, bill, &screen->qr_bill);
  screen->qr_exp = exp;
  memcpy(screen->qr_amount, amount, sizeof amount);
  show(device, command, SB1_SHOW_QR);
  return true;
}

void sb1_show_if_paid(struct sb1 *device, const struct sb1_sound *sound, struct sb1_span bill)
{
  struct sb1_screen *screen = &device->screen;
  if (!screen->has_qr || bill.length == 0) return;
  if (!sb1_json_says(bill, screen->qr_bill) || strcmp(sound->amount, screen->qr_amount) != 0) return;
  screen->has_qr = false;
  sb1_tell_number(device, SB1_SHOW_PAID, sound->n);
  show_missed(device);
}

#endif

#endif
