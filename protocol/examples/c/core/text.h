#ifndef SB1_TEXT_H
#define SB1_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A text that is built in a buffer of fixed size. It always ends with a NUL. */
struct text {
  char *at;
  size_t size;
  size_t length;
  /** Set if a part did not fit. The text is then invalid. */
  bool full;
};

/** An empty text in an array. */
#define TEXT_IN(array) text_in((array), sizeof(array))

struct text text_in(char *buffer, size_t size);
void text_put(struct text *text, const char *piece);
void text_put_bytes(struct text *text, const char *piece, size_t length);
void text_put_number(struct text *text, uint32_t number);

#endif
