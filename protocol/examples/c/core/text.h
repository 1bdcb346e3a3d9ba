#ifndef SB1_TEXT_H
#define SB1_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Text that is written piece by piece into a buffer of fixed size, always with a NUL behind it. */
struct text {
  char *at;
  size_t size;
  size_t length;
  /** Set once something did not fit; what is there then is worth nothing. */
  bool full;
};

/** An empty text in an array. */
#define TEXT_IN(array) text_in((array), sizeof(array))

struct text text_in(char *buffer, size_t size);
void text_put(struct text *text, const char *piece);
void text_put_bytes(struct text *text, const char *piece, size_t length);
void text_put_number(struct text *text, uint32_t number);

#endif
