#include "say.h"

#include <string.h>

static void put(const struct say *out, const char *text)
{
  out->put(out->context, text, strlen(text));
}

/** The text between the quotes of a JSON string. */
static void escaped(const struct say *out, const char *text)
{
  while (*text) {
    size_t plain = 0;
    while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\') plain++;
    out->put(out->context, text, plain);
    text += plain;
    if (*text == '\0') return;
    char escape[] = "\\u00xx";
    escape[4] = (char)('0' + (*text >> 4));
    escape[5] = "0123456789abcdef"[*text & 0x0F];
    if (*text == '"' || *text == '\\') escape[1] = *text;
    out->put(out->context, escape, escape[1] == 'u' ? 6 : 2);
    text++;
  }
}

static void name_of(const struct say *out, const char *name)
{
  put(out, "\"");
  put(out, name);
  put(out, "\":");
}

void say_text(const struct say *out, const char *name, const char *text)
{
  name_of(out, name);
  put(out, "\"");
  escaped(out, text);
  put(out, "\"");
}

void say_start(const struct say *out, const char *event)
{
  put(out, "{");
  say_text(out, "event", event);
}

void say_member(const struct say *out, const char *name, const char *value)
{
  put(out, ",");
  say_text(out, name, value);
}

void say_number(const struct say *out, const char *name, uint32_t value)
{
  char digits[11];
  struct sb1_text text = SB1_TEXT_IN(digits);
  sb1_text_put_number(&text, value);
  put(out, ",");
  name_of(out, name);
  put(out, digits);
}

void say_end(const struct say *out)
{
  put(out, "}\n");
}

/** A raw JSON string, which is already escaped. */
static void raw(const struct say *out, const char *name, struct sb1_span value)
{
  put(out, ",");
  name_of(out, name);
  put(out, "\"");
  out->put(out->context, value.at, value.length);
  put(out, "\"");
}

static void announcement(const struct say *out, const struct sb1 *device)
{
  const struct sb1_sound *sound = &device->sounds[0];
  say_start(out, "announce");
  say_number(out, "n", sound->n);
  say_member(out, "amount", sound->amount);
  say_member(out, "currency", sound->currency);
  say_member(out, "lang", sb1_language_name(sound->lang));
  put(out, ",\"text\":\"");
  for (size_t i = 0; i < sound->clip_count; i++) {
    char buffer[SB1_CLIP_WORD_BYTES];
    struct sb1_text word = SB1_TEXT_IN(buffer);
    sb1_clip_word(sound->lang, device->clips, i, &word);
    put(out, buffer);
  }
  put(out, "\"");
}

#ifndef SB1_NO_SCREEN
static void screen(const struct say *out, const struct sb1_screen *screen, const struct sb1_event *event)
{
  switch (event->type) {
  case SB1_SHOW_CODE:
    say_start(out, "code");
    say_member(out, "code", screen->code);
    say_number(out, "exp", screen->code_exp);
    break;
#ifndef SB1_NO_QR
  case SB1_SHOW_QR:
    say_start(out, "qr");
    say_member(out, "qr", screen->qr);
    say_member(out, "amount", screen->qr_amount);
    say_member(out, "bill", screen->qr_bill);
    say_number(out, "exp", screen->qr_exp);
    break;
  case SB1_SHOW_PAID:
    say_start(out, "paid");
    say_number(out, "n", event->n);
    say_member(out, "bill", screen->qr_bill);
    say_member(out, "amount", screen->qr_amount);
    break;
#endif
  case SB1_SHOW_PROFILE: say_start(out, "profile"); say_member(out, "name", screen->name);
#ifndef SB1_NO_QR
    say_member(out, "qr", screen->static_qr);
#endif
    if (screen->is_locked) put(out, ",\"locked\":true");
    break;
  default:
    say_start(out, "missed");
    say_number(out, "count", screen->missed_count);
    say_member(out, "amount", screen->missed_amount);
  }
}
#endif

static void say(const struct say *out, const struct sb1 *device, const struct sb1_event *event)
{
  const struct sb1_settings *settings = &device->memory.settings;
  switch (event->type) {
  case SB1_CONNECTED:
    say_start(out, "connected");
    put(out, device->linked == SB1_LINKED ? ",\"linked\":true" : ",\"linked\":false");
    break;
  case SB1_SHOW_CODE:
  case SB1_SHOW_QR:
  case SB1_SHOW_PAID:
  case SB1_SHOW_PROFILE:
  case SB1_SHOW_MISSED:
#ifndef SB1_NO_SCREEN
    screen(out, &device->screen, event);
#endif
    break;
  case SB1_CLEAR:
    say_start(out, "cleared");
    say_member(out, "what", event->what);
    say_member(out, "why", event->why);
    break;
  case SB1_SAY: announcement(out, device); break;
  case SB1_BEEP:
    say_start(out, "identify");
    say_number(out, "n", event->n);
    break;
  case SB1_SAID:
    say_start(out, "played");
    say_number(out, "n", event->n);
    break;
  case SB1_APPLY:
    say_start(out, "settings");
    say_number(out, "ver", settings->ver);
    say_number(out, "volume", settings->volume);
    say_member(out, "lang", sb1_language_name(settings->lang));
    break;
  case SB1_NEXT_KEY:
  case SB1_MOVE:
  case SB1_NEW_KEY:
    say_start(out, "rekey");
    say_member(out, "key",
               event->type == SB1_NEXT_KEY ? "stored"
               : event->type == SB1_MOVE   ? "in use"
                                           : "confirmed");
    break;
  case SB1_UPDATING:
#ifndef SB1_NO_UPDATE
    say_start(out, "update");
    say_member(out, "fw", device->offer.fw);
    say_member(out, "state", sb1_progress_name(device->progress));
#endif
    break;
  case SB1_RESTART: say_start(out, "restart"); break;
  case SB1_REFUSED:
    say_start(out, "failed");
    raw(out, "t", event->t);
    say_number(out, "n", event->n);
    say_member(out, "rc", sb1_reason_name(event->reason));
    break;
  case SB1_REPEAT:
    say_start(out, "repeat");
    raw(out, "t", event->t);
    say_number(out, "n", event->n);
    say_member(out, "stage", sb1_stage_name(event->stage));
    break;
  case SB1_IGNORED:
    say_start(out, "ignored");
    say_member(out, "reason", event->why);
    break;
  case SB1_STALLED: say_start(out, "stalled"); break;
  case SB1_BROKEN:
    say_start(out, "broken");
    say_member(out, "reason", "what was played can't be written");
    break;
  }
}

void say_event(const struct say *out, const struct sb1 *device, const struct sb1_event *event)
{
  say(out, device, event);
  say_end(out);
}
