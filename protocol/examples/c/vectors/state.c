#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../linux/print.h"
#include "keys.h"

/** The first n of the beeps that fill the queue to make the device busy. */
#define FILLER_N 100000

uint32_t word_number(const char *word)
{
  return (uint32_t)strtoul(word, NULL, 10);
}

enum sb1_language word_language(const char *word)
{
  return strcmp(word, "en") == 0 ? SB1_LANGUAGE_EN : SB1_LANGUAGE_VI;
}

void word_copy(char *to, size_t size, const char *word)
{
  struct sb1_text text = sb1_text_in(to, size);
  sb1_text_put(&text, word);
}

struct sb1_span unhex(char *word)
{
  size_t length = strcmp(word, "-") == 0 ? 0 : strlen(word) / 2;
  for (size_t i = 0; i < length; i++) {
    char digits[3] = {word[2 * i], word[2 * i + 1], '\0'};
    word[i] = (char)strtoul(digits, NULL, 16);
  }
  word[length] = '\0';
  return (struct sb1_span){word, length};
}

/** session SID connecting|born|welcomed WELCOME-N CLOCK SHOWN BEEPED */
static void set_session(struct sb1 *device, char **words)
{
  word_copy(device->sid, sizeof device->sid, words[1]);
  device->telemetry_at_ms = UINT64_MAX;
  device->phase = strcmp(words[2], "connecting") == 0 ? SB1_CONNECTING : SB1_BORN;
  if (strcmp(words[2], "welcomed") != 0) return;
  device->phase = SB1_WELCOMED;
  device->welcome_n = word_number(words[3]);
  device->hub_ahead_ms = (int64_t)word_number(words[4]) * 1000 - OWN_MS;
  device->shown = word_number(words[5]);
  device->beeped = word_number(words[6]);
}

/** next-key KEY. A session under it has the same K in its `device`. */
static void set_next_key(struct sb1 *device, const char *word)
{
  uint8_t bytes[SB1_KEY_BYTES];
  if (!sb1_read_key(word, bytes)) return;
#ifndef SB1_NO_REKEY
  device->uses_next = memcmp(bytes, key_bytes(device->ring.current), SB1_KEY_BYTES) == 0;
#endif
  key_add_next(&device->ring, bytes);
}

#ifndef SB1_NO_SCREEN
#ifndef SB1_NO_QR
/** The core keeps the second text of a command behind the first. */
static const char *copy_behind(char texts[SB1_TEXTS_BYTES], const char *word)
{
  size_t used = strlen(texts) + 1;
  word_copy(texts + used, SB1_TEXTS_BYTES - used, word);
  return texts + used;
}
#endif

/** screen code CODE EXP | qr HEX AMOUNT BILL-HEX EXP | profile NAME-HEX QR-HEX locked|open | missed COUNT
 * AMOUNT */
static void set_screen(struct sb1_screen *screen, char **words)
{
  if (strcmp(words[1], "code") == 0) {
    screen->has_code = true;
    word_copy(screen->code, sizeof screen->code, words[2]);
    screen->code_exp = word_number(words[3]);
#ifndef SB1_NO_QR
  } else if (strcmp(words[1], "qr") == 0) {
    screen->has_qr = true;
    word_copy(screen->qr, sizeof screen->qr, unhex(words[2]).at);
    word_copy(screen->qr_amount, sizeof screen->qr_amount, words[3]);
    screen->qr_bill = copy_behind(screen->qr, unhex(words[4]).at);
    screen->qr_exp = word_number(words[5]);
#endif
  } else if (strcmp(words[1], "profile") == 0) {
    screen->has_profile = true;
    word_copy(screen->name, sizeof screen->name, unhex(words[2]).at);
#ifndef SB1_NO_QR
    screen->static_qr = copy_behind(screen->name, unhex(words[3]).at);
#endif
    screen->is_locked = strcmp(words[4], "locked") == 0;
  } else {
    screen->has_missed = true;
    screen->missed_count = word_number(words[2]);
    word_copy(screen->missed_amount, sizeof screen->missed_amount, words[3]);
  }
}
#endif

/** sound announce|identify ID N UNTIL AMOUNT LANG CLIP,CLIP,… */
static void line_up(struct sb1 *device, char **words)
{
  unsigned clips = 0;
  for (unsigned i = 0; i < device->sound_count; i++) clips += device->sounds[i].clip_count;
  struct sb1_sound *sound = &device->sounds[device->sound_count++];
  *sound = (struct sb1_sound){.is_beep = strcmp(words[1], "identify") == 0,
                              .n = word_number(words[3]),
                              .good_until = word_number(words[4]),
                              .currency = "VND",
                              .lang = word_language(words[6])};
  word_copy(sound->id, sizeof sound->id, words[2]);
  word_copy(sound->amount, sizeof sound->amount, words[5]);
  for (char *id = strtok(words[7], ","); id; id = strtok(NULL, ","))
    device->clips[clips + sound->clip_count++] =
        (uint8_t)sb1_clip_find(sound->lang, (struct sb1_span){id, strlen(id)});
}

static void crowd(struct sb1 *device)
{
  for (uint32_t n = FILLER_N; device->sound_count < SB1_SOUNDS; n++)
    device->sounds[device->sound_count++] =
        (struct sb1_sound){.is_beep = true, .n = n, .good_until = UINT32_MAX};
}

/** ack ID N STAGE REASON|- stored|open */
static void set_ack(struct sb1 *device, char **words)
{
  struct sb1_ack *ack = &device->acks[device->ack_count++];
  *ack = (struct sb1_ack){.n = word_number(words[2]), .is_stored = strcmp(words[5], "stored") == 0};
  word_copy(ack->id, sizeof ack->id, words[1]);
  ack->is_given_up = strcmp(words[3], "failed") == 0 && !ack->is_stored;
  const char *reason = strcmp(words[4], "-") == 0 ? "" : words[4];
  while (ack->stage < SB1_FAILED && strcmp(sb1_stage_name(ack->stage), words[3]) != 0) ack->stage++;
  while (ack->reason < SB1_NOT_READY && strcmp(sb1_reason_name(ack->reason), reason) != 0) ack->reason++;
}

bool set_state(struct sb1 *device, char **words)
{
  const char *verb = words[0];
  if (strcmp(verb, "session") == 0) set_session(device, words);
#ifndef SB1_NO_SCREEN
  else if (strcmp(verb, "screen") == 0) set_screen(&device->screen, words);
#endif
  else if (strcmp(verb, "linked") == 0)
    device->linked = strcmp(words[1], "yes") == 0 ? SB1_LINKED : SB1_UNLINKED;
  else if (strcmp(verb, "next-key") == 0) set_next_key(device, words[1]);
  else if (strcmp(verb, "sound") == 0) line_up(device, words);
  else if (strcmp(verb, "sounding") == 0) device->is_sounding = true;
  else if (strcmp(verb, "busy") == 0) crowd(device);
  else if (strcmp(verb, "ack") == 0) set_ack(device, words);
  else if (strcmp(verb, "broken") == 0 && strcmp(words[1], "display") == 0) device->display_works = false;
  else if (strcmp(verb, "broken") == 0) device->audio_works = false;
  else return false;
  return true;
}

static void print_text(const char *name, const char *text)
{
  say_text(&print, name, text);
  putchar(',');
}

/** Not every printf of a small machine knows 64 bits. */
static void print_number(const char *name, uint64_t number)
{
  char digits[21] = "";
  size_t first = sizeof digits - 1;
  do {
    digits[--first] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  printf("\"%s\":%s,", name, digits + first);
}

static void print_flag(const char *name, bool is_so)
{
  printf("\"%s\":%s,", name, is_so ? "true" : "false");
}

#ifndef SB1_NO_SCREEN
static void print_screen(const struct sb1_screen *screen)
{
  print_flag("hasCode", screen->has_code);
  print_text("code", screen->code);
  print_number("codeExp", screen->code_exp);
#ifndef SB1_NO_QR
  print_flag("hasQr", screen->has_qr);
  print_text("qr", screen->qr);
  print_text("qrAmount", screen->qr_amount);
  print_text("qrBill", screen->qr_bill);
  print_number("qrExp", screen->qr_exp);
  print_text("staticQr", screen->static_qr);
#endif
  print_flag("hasProfile", screen->has_profile);
  print_text("name", screen->name);
  print_flag("locked", screen->is_locked);
  print_flag("hasMissed", screen->has_missed);
  print_number("missedCount", screen->missed_count);
  print_text("missedAmount", screen->missed_amount);
}
#endif

static void print_sound(const struct sb1_sound *sound, const uint8_t *clips)
{
  char buffer[SB1_CLIPS_MOST * 16];
  struct sb1_text sentence = SB1_TEXT_IN(buffer);
  sb1_clip_sentence(sound->lang, clips, sound->clip_count, &sentence);
  putchar('{');
  print_text("t", sound->is_beep ? "identify" : "announce");
  print_text("id", sound->id);
  print_number("n", sound->n);
  print_number("until", sound->good_until);
  print_text("amount", sound->amount);
  print_text("lang", sb1_language_name(sound->lang));
  say_text(&print, "text", buffer);
  putchar('}');
}

static void print_ack(const struct sb1_ack *ack)
{
  putchar('{');
  print_text("id", ack->id);
  print_number("n", ack->n);
  print_text("st", sb1_stage_name(ack->stage));
  print_text("rc", sb1_reason_name(ack->reason));
  printf("\"stored\":%s}", ack->is_stored ? "true" : "false");
}

void print_state(const struct sb1 *device)
{
  const uint8_t *clips = device->clips;
  char next[SB1_KEY_TEXT_BYTES] = "";
  if (device->ring.has_next) sb1_write_base64url(key_bytes(device->ring.next), SB1_KEY_BYTES, next);
  printf("{\"state\":{");
  print_flag("welcomed", device->phase == SB1_WELCOMED);
  print_number("welcomeN", device->welcome_n);
  print_number("clock", (uint64_t)((OWN_MS + device->hub_ahead_ms) / 1000));
  printf("\"linked\":%s,", (const char *[]){"null", "false", "true"}[device->linked]);
  print_number("played", device->memory.played);
  print_number("shown", device->shown);
  print_number("identified", device->beeped);
  print_number("settingsVer", device->memory.settings.ver);
  print_number("volume", device->memory.settings.volume);
  print_text("lang", sb1_language_name(device->memory.settings.lang));
  print_text("nextKey", next);
#ifndef SB1_NO_SCREEN
  print_screen(&device->screen);
#endif
  print_flag("sounding", device->is_sounding);
  printf("\"sounds\":[");
  for (unsigned i = 0; i < device->sound_count; i++) {
    if (i > 0) putchar(',');
    print_sound(&device->sounds[i], clips);
    clips += device->sounds[i].clip_count;
  }
  printf("],\"acks\":[");
  for (unsigned i = 0; i < device->ack_count; i++) {
    if (i > 0) putchar(',');
    print_ack(&device->acks[i]);
  }
  printf("]}}\n");
}
