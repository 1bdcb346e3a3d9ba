/* SPDX-License-Identifier: MIT */
#ifndef SB1_CLIPS_H
#define SB1_CLIPS_H

#include "sb1/json.h"
#include "sb1/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The recorded clips of each language and their texts (sb/1 6.2). */

enum sb1_language { SB1_LANGUAGE_VI, SB1_LANGUAGE_EN };
#define SB1_LANGUAGES 2

/** `clips` has at most 400 letters, so at most 200 ids. */
#define SB1_CLIPS_LETTERS 400
#define SB1_CLIPS_MOST 200
/** No id is as long. */
#define SB1_CLIP_ID_BYTES 16

/** The index of a clip in its language's pack, or -1 if the pack lacks it. */
int sb1_clip_find(enum sb1_language language, struct sb1_span id);

/** The text of a list of clips, for a screen: "Đã nhận năm mươi nghìn đồng". */
void sb1_clip_sentence(enum sb1_language language, const uint8_t *clips, size_t count,
                       struct sb1_text *sentence);

#ifdef __cplusplus
}
#endif

#endif
