#ifndef VECTORS_FRAMES_H
#define VECTORS_FRAMES_H

#include <stdbool.h>

/** The longest line of input. */
#define LINE_BYTES 65536

/** Answers a question about keys and frames: derive, seal, open. False if the line is about something else.
 */
bool answer_frame(char **words);

#endif
