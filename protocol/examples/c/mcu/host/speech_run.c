#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../board.h"
#include "../speech.h"

/*
 * Plays a sound with the speech of the firmware on this machine, and writes its mu-law to standard output:
 *   speech-run IMAGE VOLUME beep
 *   speech-run IMAGE VOLUME vi|en ID...
 * With BLOCKS in the environment the board takes no more than so many blocks.
 * Exit codes: 0, 3: the image can't be used, 4: the image lacks the language, 5: the sound was stuck.
 */

#define BLOCK_MS 20

static board_audio_fill *fill;
static void *context;
static unsigned blocks = UINT_MAX;

void board_audio_start(board_audio_fill *filler, void *filler_context)
{
  fill = filler;
  context = filler_context;
}

bool board_audio_busy(void)
{
  return fill != NULL;
}

void board_audio_stop(void)
{
  fill = NULL;
}

/** Plays the next block. */
static void hear(void)
{
  uint8_t block[BOARD_AUDIO_BLOCK];
  if (blocks == 0) return;
  blocks--;
  if (fill(context, block)) fwrite(block, 1, sizeof block, stdout);
  else board_audio_stop();
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
  const char *most = getenv("BLOCKS");
  if (argc < 4) return 2;
  if (most) blocks = (unsigned)atoi(most);
  uint8_t *image = read_image(argv[1], &bytes), volume = (uint8_t)atoi(argv[2]);
  bool is_usable = speech_open(&speech, image, bytes, &volume, has_pack);
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
  enum speech_state state;
  for (uint64_t now_ms = 0; (state = speech_poll(&speech, now_ms)) == SPEECH_GOES_ON; now_ms += BLOCK_MS)
    hear();
  free(image);
  return state == SPEECH_STUCK ? 5 : 0;
}
