#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../board.h"
#include "../speech.h"

/*
 * Plays a sound with the speech of the firmware on this machine, and writes its mu-law to standard output:
 *   speech-run IMAGE VOLUME beep
 *   speech-run IMAGE VOLUME vi|en ID...
 * Exit codes: 0, 3: the image can't be used, 4: the image lacks the language.
 */

static uint8_t buffers[2][BOARD_AUDIO_BLOCK];
static unsigned first, count;

uint8_t *board_audio_room(void)
{
  return count < 2 ? buffers[(first + count) % 2] : NULL;
}

void board_audio_play(void)
{
  count++;
}

bool board_audio_busy(void)
{
  return count > 0;
}

/** The end of a block. */
static void hear(void)
{
  if (count == 0) return;
  fwrite(buffers[first], 1, BOARD_AUDIO_BLOCK, stdout);
  first ^= 1;
  count--;
}

/** Copies the image to a buffer of its size, so that the sanitizer detects every read outside. */
static uint8_t *read_image(const char *path, size_t *bytes)
{
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) exit(2);
  *bytes = (size_t)ftell(file);
  rewind(file);
  uint8_t *image = malloc(*bytes > 0 ? *bytes : 1);
  if (!image || fread(image, 1, *bytes, file) != *bytes) exit(2);
  fclose(file);
  return image;
}

int main(int argc, char **argv)
{
  static struct speech speech;
  uint8_t clips[SB1_CLIPS_MOST];
  unsigned clip_count = 0;
  size_t bytes;
  bool has_pack[SB1_LANGUAGES];
  if (argc < 4) return 2;
  uint8_t *image = read_image(argv[1], &bytes);
  bool is_usable = speech_open(&speech, image, bytes, has_pack);
  enum sb1_language language = strcmp(argv[3], "en") == 0 ? SB1_LANGUAGE_EN : SB1_LANGUAGE_VI;
  if (is_usable && strcmp(argv[3], "beep") == 0) {
    speech_beep(&speech);
  } else if (is_usable && has_pack[language]) {
    for (int i = 4; i < argc; i++)
      clips[clip_count++] = (uint8_t)sb1_clip_find(language, (struct sb1_span){argv[i], strlen(argv[i])});
    speech_say(&speech, language, clips, clip_count);
  } else {
    free(image);
    return is_usable ? 4 : 3;
  }
  while (!speech_poll(&speech, (unsigned)atoi(argv[2]))) hear();
  free(image);
  return count == 0 ? 0 : 1;
}
