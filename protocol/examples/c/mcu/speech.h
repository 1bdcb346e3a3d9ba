#ifndef SPEECH_H
#define SPEECH_H

#include "sb1/sb1.h"

/*
 * The sound: sentences from the clips of an image in flash, and the beep. The image is one file that is
 * programmed beside the firmware; `npm run speech:image` writes it. Numbers are little-endian:
 *
 *   0    4  "SB1V"
 *   4    4  CRC-32 (zlib's) of all bytes from 8 on
 *   8    4  bytes of the whole image
 *  12    2  number of clips in vi and in en; 0: not in this image
 *  14    2  0
 *  16       the entries: the chime that begins a sentence, the clips of vi, those of en. Each has 20 bytes:
 *           12  id, filled up with NULs
 *            4  offset in the image
 *            2  number of samples
 *            1  the first step of the decoder, 0 to 88
 *            1  the pause after it, in 10 ms
 *           then IMA ADPCM, 8 kHz: two samples a byte, the first one in the low bits
 */

struct speech {
  const uint8_t *image;
  /** Clips in each language. */
  uint8_t counts[SB1_LANGUAGES];

  /** Percent. */
  const uint8_t *volume;

  bool is_sounding;
  /** How many blocks were filled, how many of them were seen by `speech_poll`, and when it saw a new one. */
  volatile uint32_t block_count;
  uint32_t seen_count;
  uint64_t seen_at_ms;

  /* While something sounds, only the interrupt uses the members below. */

  /* What sounds: clips of a sentence from place 1 on, after the chime; or beeps. */
  bool is_beep;
  enum sb1_language language;
  const uint8_t *clips;
  unsigned place, place_count;

  /* The clip that sounds: its samples, and the silence after it. */
  const uint8_t *codes;
  uint32_t sample, samples, pause_samples;
  int32_t value;
  int step_index;
  /** The oscillator of the beep: its last two samples. */
  int32_t waves[2];
};

/**
 * Checks an image: its CRC, and that its clips are those of the core, in their order. False if it can't be
 * used: the device has no sound. `has_pack` is then what the image has. `volume` is read for each block.
 */
bool speech_open(struct speech *speech, const uint8_t *image, size_t bytes, const uint8_t *volume,
                 bool has_pack[SB1_LANGUAGES]);

/** Starts a sentence. The clips stay where they are until it has ended. */
void speech_say(struct speech *speech, enum sb1_language language, const uint8_t *clips, unsigned count);
/** Starts the beep of `identify`. */
void speech_beep(struct speech *speech);

enum speech_state {
  SPEECH_GOES_ON,
  /** The sound has just ended: its last block was heard. */
  SPEECH_ENDED,
  /** The board has taken no block for a second, and the sound was ended. */
  SPEECH_STUCK
};
enum speech_state speech_poll(struct speech *speech, uint64_t now_ms);

#endif
