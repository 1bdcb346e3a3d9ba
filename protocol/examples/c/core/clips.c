/* SPDX-License-Identifier: MIT */
#include "sb1/clips.h"

#include <string.h>

#include "clip_table.h"

static const struct clip *pack(enum sb1_language language, size_t *count)
{
  bool english = language == SB1_LANGUAGE_EN;
  *count = english ? sizeof CLIPS_EN / sizeof *CLIPS_EN : sizeof CLIPS_VI / sizeof *CLIPS_VI;
  return english ? CLIPS_EN : CLIPS_VI;
}

size_t sb1_clip_count(enum sb1_language language)
{
  size_t count;
  pack(language, &count);
  return count;
}

int sb1_clip_find(enum sb1_language language, struct sb1_span id)
{
  size_t count;
  const struct clip *clips = pack(language, &count);
  for (size_t i = 0; i < count; i++)
    if (strlen(clips[i].id) == id.length && memcmp(clips[i].id, id.at, id.length) == 0) return (int)i;
  return -1;
}

#ifndef SB1_NO_WORDS

/** English writes "twenty-one" with a hyphen. All other words have a space between them. */
static bool are_hyphenated(enum sb1_language language, const char *left, const char *right)
{
  bool tens = strlen(left) == 2 && left[0] >= '2' && left[0] <= '9' && left[1] == '0';
  return language == SB1_LANGUAGE_EN && tens && strlen(right) == 1 && *right >= '1' && *right <= '9';
}

/** The first letter of every clip is a-z or đ, so a device needs no Unicode tables. */
static void put_capitalised(struct sb1_text *sentence, const char *word)
{
  size_t first = sentence->length;
  sb1_text_put(sentence, word);
  if (sentence->full) return;
  char *letter = sentence->at + first;
  if (*letter >= 'a' && *letter <= 'z') *letter = (char)(*letter - 'a' + 'A');
  else if (strncmp(letter, "đ", 2) == 0) memcpy(letter, "Đ", 2);
}

void sb1_clip_word(enum sb1_language language, const uint8_t *clips, size_t place, struct sb1_text *sentence)
{
  size_t size;
  const struct clip *all = pack(language, &size);
  const struct clip *clip = &all[clips[place]];
  if (place == 0) {
    put_capitalised(sentence, clip->words);
    return;
  }
  sb1_text_put(sentence, are_hyphenated(language, all[clips[place - 1]].id, clip->id) ? "-" : " ");
  sb1_text_put(sentence, clip->words);
}

void sb1_clip_sentence(enum sb1_language language, const uint8_t *clips, size_t count,
                       struct sb1_text *sentence)
{
  for (size_t i = 0; i < count; i++) sb1_clip_word(language, clips, i, sentence);
}

#endif
