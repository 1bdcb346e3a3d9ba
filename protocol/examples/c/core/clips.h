#ifndef SB1_CLIPS_H
#define SB1_CLIPS_H

#include "json.h"
#include "text.h"

/* The recorded clips of each language and their texts (sb/1 6.2). */

enum language { LANGUAGE_VI, LANGUAGE_EN };
#define LANGUAGES 2

/** `clips` has at most 400 letters, so at most 200 ids. */
#define CLIPS_LETTERS 400
#define CLIPS_MOST 200
/** No id is as long. */
#define CLIP_ID_BYTES 16

/** The index of a clip in its language's pack, or -1 if the pack lacks it. */
int clip_find(enum language language, struct span id);

/** The text of a list of clips, for a screen: "Đã nhận năm mươi nghìn đồng". */
void clip_sentence(enum language language, const uint8_t *clips, size_t count, struct text *sentence);

#endif
