#include "speech.h"

#include <string.h>

#include "board.h"
#include "lib/number.h"

#define HEADER_BYTES 16
#define ENTRY_BYTES 20
#define ID_BYTES 12
#define COVERED_FROM 8
#define SAMPLES_PER_MS 8
/** A block of sound takes 20 ms. If none is taken for as long, the audio has failed. */
#define STUCK_MS 1000

#define BEEPS 3
#define BEEP_SAMPLES (220 * SAMPLES_PER_MS)
#define TONE_SAMPLES (140 * SAMPLES_PER_MS)
#define FADE_SAMPLES (5 * SAMPLES_PER_MS)
/** 1,760 Hz: 2 cos(w) in 1/32768, and 10,000 sin(w), with w = 2 pi 1760 / 8000. */
#define TONE_TURN 12280
#define TONE_START 9823

static const uint8_t *entry_at(const uint8_t *image, unsigned index)
{
  return image + HEADER_BYTES + index * ENTRY_BYTES;
}

/** Whether the samples of an entry are inside of the image. */
static bool is_inside(const uint8_t *entry, size_t bytes)
{
  uint32_t offset = number_at(entry + 12, 4), length = (number_at(entry + 16, 2) + 1) / 2;
  return offset <= bytes && length <= bytes - offset && entry[18] <= 88;
}

/** Whether the clips of a language, which start at an entry, are all those of the core in their order. */
static bool is_in_order(const uint8_t *image, unsigned first, unsigned count, enum sb1_language language)
{
  for (unsigned i = 0; i < count; i++) {
    const char *id = (const char *)entry_at(image, first + i);
    if (id[ID_BYTES - 1] != '\0' || sb1_clip_find(language, (struct sb1_span){id, strlen(id)}) != (int)i)
      return false;
  }
  return count == sb1_clip_count(language);
}

bool speech_open(struct speech *speech, const uint8_t *image, size_t bytes, const uint8_t *volume,
                 bool has_pack[SB1_LANGUAGES])
{
  memset(speech, 0, sizeof *speech);
  speech->volume = volume;
  for (unsigned i = 0; i < SB1_LANGUAGES; i++) has_pack[i] = false;
  if (!image || bytes < HEADER_BYTES || memcmp(image, "SB1V", 4) != 0) return false;
  uint32_t length = number_at(image + 8, 4);
  unsigned count = 1u + image[12] + image[13];
  if (length > bytes || length < HEADER_BYTES + count * ENTRY_BYTES) return false;
  if (sb1_crc32(image + COVERED_FROM, length - COVERED_FROM) != number_at(image + 4, 4)) return false;
  for (unsigned i = 0; i < count; i++)
    if (!is_inside(entry_at(image, i), length)) return false;
  speech->image = image;
  memcpy(speech->counts, image + 12, sizeof speech->counts);
  has_pack[SB1_LANGUAGE_VI] = is_in_order(image, 1, image[12], SB1_LANGUAGE_VI);
  has_pack[SB1_LANGUAGE_EN] = is_in_order(image, 1u + image[12], image[13], SB1_LANGUAGE_EN);
  return true;
}

static void start_clip(struct speech *speech)
{
  unsigned index = 0;
  if (speech->place > 0) index = 1u + speech->clips[speech->place - 1];
  if (speech->place > 0 && speech->language == SB1_LANGUAGE_EN) index += speech->counts[SB1_LANGUAGE_VI];
  const uint8_t *entry = entry_at(speech->image, index);
  speech->codes = speech->image + number_at(entry + 12, 4);
  speech->samples = number_at(entry + 16, 2);
  speech->pause_samples = entry[19] * 10u * SAMPLES_PER_MS;
  speech->step_index = entry[18];
  speech->value = 0;
  speech->sample = 0;
}

/** The next sample of IMA ADPCM. */
static int32_t decode(struct speech *speech, unsigned code)
{
  static const uint16_t STEPS[89] = {
      7,    8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,    25,   28,
      31,   34,    37,    41,    45,    50,    55,    60,    66,    73,    80,    88,    97,    107,  118,
      130,  143,   157,   173,   190,   209,   230,   253,   279,   307,   337,   371,   408,   449,  494,
      544,  598,   658,   724,   796,   876,   963,   1060,  1166,  1282,  1411,  1552,  1707,  1878, 2066,
      2272, 2499,  2749,  3024,  3327,  3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845, 8630,
      9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
  int32_t step = STEPS[speech->step_index], difference = step >> 3;
  if (code & 4) difference += step;
  if (code & 2) difference += step >> 1;
  if (code & 1) difference += step >> 2;
  speech->value += code & 8 ? -difference : difference;
  if (speech->value > INT16_MAX) speech->value = INT16_MAX;
  if (speech->value < INT16_MIN) speech->value = INT16_MIN;
  speech->step_index += code & 4 ? (int)(code & 3) * 2 + 2 : -1;
  if (speech->step_index < 0) speech->step_index = 0;
  if (speech->step_index > 88) speech->step_index = 88;
  return speech->value;
}

/** The next sample of a sentence. False at its end. */
static bool next_of_clips(struct speech *speech, int32_t *value)
{
  while (speech->sample == speech->samples + speech->pause_samples) {
    if (speech->place == speech->place_count) return false;
    speech->place++;
    start_clip(speech);
  }
  uint32_t sample = speech->sample++;
  *value = 0;
  if (sample < speech->samples) {
    unsigned codes = speech->codes[sample / 2];
    *value = decode(speech, codes >> 4 * (sample % 2) & 15);
  }
  return true;
}

/** The next sample of the beep: a recursive oscillator, with soft edges. */
static bool next_of_beep(struct speech *speech, int32_t *value)
{
  if (speech->sample == BEEPS * BEEP_SAMPLES) return false;
  int32_t at = (int32_t)(speech->sample++ % BEEP_SAMPLES), edge = at;
  if (at == 0) {
    speech->waves[0] = 0;
    speech->waves[1] = -TONE_START;
  }
  int32_t wave = speech->waves[0];
  speech->waves[0] = (TONE_TURN * wave >> 15) - speech->waves[1];
  speech->waves[1] = wave;
  if (TONE_SAMPLES - at < edge) edge = TONE_SAMPLES - at;
  if (edge > FADE_SAMPLES) edge = FADE_SAMPLES;
  *value = edge > 0 ? wave * edge / FADE_SAMPLES : 0;
  return true;
}

/** Mu-law (ITU-T G.711): sign, exponent and four bits of the mantissa, all inverted. */
static uint8_t mu_law(int32_t sample)
{
  uint32_t biased = (uint32_t)(sample < 0 ? -sample : sample), exponent = 7;
  biased = (biased > 32635 ? 32635 : biased) + 0x84;
  while (exponent > 0 && !(biased & 0x80u << exponent)) exponent--;
  return (uint8_t) ~((sample < 0 ? 0x80u : 0) | exponent << 4 | (biased >> (exponent + 3) & 15u));
}

/** Silence follows the last sample. */
static bool fill(void *context, uint8_t *block)
{
  struct speech *speech = context;
  unsigned count = 0;
  int32_t value, volume = *speech->volume;
  speech->block_count++;
  while (count < BOARD_AUDIO_BLOCK &&
         (speech->is_beep ? next_of_beep(speech, &value) : next_of_clips(speech, &value)))
    block[count++] = mu_law(value * volume / 100);
  memset(block + count, 0xFF, BOARD_AUDIO_BLOCK - count);
  return count > 0;
}

static void start(struct speech *speech)
{
  speech->is_sounding = true;
  board_audio_start(fill, speech);
}

void speech_say(struct speech *speech, enum sb1_language language, const uint8_t *clips, unsigned count)
{
  speech->is_beep = false;
  speech->language = language;
  speech->clips = clips;
  speech->place = 0;
  speech->place_count = count;
  start_clip(speech);
  start(speech);
}

void speech_beep(struct speech *speech)
{
  speech->is_beep = true;
  speech->sample = 0;
  start(speech);
}

enum speech_state speech_poll(struct speech *speech, uint64_t now_ms)
{
  uint32_t count = speech->block_count;
  if (!speech->is_sounding) return SPEECH_GOES_ON;
  if (count != speech->seen_count) speech->seen_at_ms = now_ms;
  speech->seen_count = count;
  bool is_stuck = now_ms - speech->seen_at_ms >= STUCK_MS;
  if (board_audio_busy() && !is_stuck) return SPEECH_GOES_ON;
  speech->is_sounding = false;
  if (!board_audio_busy()) return SPEECH_ENDED;
  board_audio_stop();
  return SPEECH_STUCK;
}
