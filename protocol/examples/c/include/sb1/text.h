/* SPDX-License-Identifier: MIT */
#ifndef SB1_TEXT_H
#define SB1_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A text that is built in a buffer of fixed size. It always ends with a NUL. */
struct sb1_text {
  char *at;
  size_t size;
  size_t length;
  /** Set if a part did not fit. The text is then invalid. */
  bool full;
};

/** An empty text in an array. */
#define SB1_TEXT_IN(array) sb1_text_in((array), sizeof(array))

struct sb1_text sb1_text_in(char *buffer, size_t size);
void sb1_text_put(struct sb1_text *text, const char *piece);
void sb1_text_put_bytes(struct sb1_text *text, const char *piece, size_t length);
void sb1_text_put_number(struct sb1_text *text, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif
