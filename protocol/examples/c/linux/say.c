#include "say.h"

#include <inttypes.h>

/** The longest word is "seventeen", and a space follows each word. */
#define SENTENCE_BYTES (SB1_CLIPS_MOST * 16)

void say_text(FILE *out, const char *name, const char *text)
{
  fprintf(out, "\"%s\":\"", name);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fprintf(out, "\\%c", *text);
    else if ((unsigned char)*text < 0x20) fprintf(out, "\\u%04x", (unsigned)*text);
    else fputc(*text, out);
  }
  fputc('"', out);
}

static void start(FILE *out, const char *event)
{
  fputc('{', out);
  say_text(out, "event", event);
}

static void text(FILE *out, const char *name, const char *value)
{
  fputc(',', out);
  say_text(out, name, value);
}

static void number(FILE *out, const char *name, uint32_t value)
{
  fprintf(out, ",\"%s\":%" PRIu32, name, value);
}

/** A raw JSON string, which is already escaped. */
static void raw(FILE *out, const char *name, struct sb1_span value)
{
  fprintf(out, ",\"%s\":\"%.*s\"", name, (int)value.length, value.at);
}

static void announcement(FILE *out, const struct sb1 *device)
{
  const struct sb1_sound *sound = &device->sounds[0];
  char buffer[SENTENCE_BYTES];
  struct sb1_text sentence = SB1_TEXT_IN(buffer);
  sb1_clip_sentence(sound->lang, device->clips, sound->clip_count, &sentence);
  start(out, "announce");
  number(out, "n", sound->n);
  text(out, "amount", sound->amount);
  text(out, "currency", sound->currency);
  text(out, "lang", sb1_language_name(sound->lang));
  text(out, "text", buffer);
}

#ifndef SB1_NO_SCREEN
static void screen(FILE *out, const struct sb1_screen *screen, const struct sb1_event *event)
{
  switch (event->type) {
  case SB1_SHOW_CODE:
    start(out, "code");
    text(out, "code", screen->code);
    number(out, "exp", screen->code_exp);
    break;
#ifndef SB1_NO_QR
  case SB1_SHOW_QR:
    start(out, "qr");
    text(out, "qr", screen->qr);
    text(out, "amount", screen->qr_amount);
    text(out, "bill", screen->qr_bill);
    number(out, "exp", screen->qr_exp);
    break;
  case SB1_SHOW_PAID:
    start(out, "paid");
    number(out, "n", event->n);
    text(out, "bill", screen->qr_bill);
    text(out, "amount", screen->qr_amount);
    break;
#endif
  case SB1_SHOW_PROFILE: start(out, "profile"); text(out, "name", screen->name);
#ifndef SB1_NO_QR
    text(out, "qr", screen->static_qr);
#endif
    if (screen->is_locked) fprintf(out, ",\"locked\":true");
    break;
  default:
    start(out, "missed");
    number(out, "count", screen->missed_count);
    text(out, "amount", screen->missed_amount);
  }
}
#endif

static void say(FILE *out, const struct sb1 *device, const struct sb1_event *event)
{
  const struct sb1_settings *settings = &device->memory.settings;
  switch (event->type) {
  case SB1_CONNECTED:
    start(out, "connected");
    fprintf(out, ",\"linked\":%s", device->linked == SB1_LINKED ? "true" : "false");
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
    start(out, "cleared");
    text(out, "what", event->what);
    text(out, "why", event->why);
    break;
  case SB1_SAY: announcement(out, device); break;
  case SB1_BEEP:
    start(out, "identify");
    number(out, "n", event->n);
    break;
  case SB1_SAID:
    start(out, "played");
    number(out, "n", event->n);
    break;
  case SB1_APPLY:
    start(out, "settings");
    number(out, "ver", settings->ver);
    number(out, "volume", settings->volume);
    text(out, "lang", sb1_language_name(settings->lang));
    break;
  case SB1_NEXT_KEY:
  case SB1_MOVE:
  case SB1_NEW_KEY:
    start(out, "rekey");
    text(out, "key",
         event->type == SB1_NEXT_KEY ? "stored"
         : event->type == SB1_MOVE   ? "in use"
                                     : "confirmed");
    break;
  case SB1_UPDATING:
#ifndef SB1_NO_UPDATE
    start(out, "update");
    text(out, "fw", device->offer.fw);
    text(out, "state", sb1_progress_name(device->progress));
#endif
    break;
  case SB1_RESTART: start(out, "restart"); break;
  case SB1_REFUSED:
    start(out, "failed");
    raw(out, "t", event->t);
    number(out, "n", event->n);
    text(out, "rc", sb1_reason_name(event->reason));
    break;
  case SB1_REPEAT:
    start(out, "repeat");
    raw(out, "t", event->t);
    number(out, "n", event->n);
    text(out, "stage", sb1_stage_name(event->stage));
    break;
  case SB1_IGNORED:
    start(out, "ignored");
    text(out, "reason", event->why);
    break;
  case SB1_STALLED: start(out, "stalled"); break;
  case SB1_BROKEN:
    start(out, "broken");
    text(out, "reason", "what was played can't be written");
    break;
  }
}

void say_event(FILE *out, const struct sb1 *device, const struct sb1_event *event)
{
  say(out, device, event);
  fputs("}\n", out);
}
