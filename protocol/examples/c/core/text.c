#include "text.h"

#include <string.h>

struct text text_in(char *buffer, size_t size)
{
  buffer[0] = '\0';
  return (struct text){buffer, size, 0, false};
}

void text_put_bytes(struct text *text, const char *piece, size_t length)
{
  if (text->full || length >= text->size - text->length) {
    text->full = true;
    return;
  }
  memcpy(text->at + text->length, piece, length);
  text->length += length;
  text->at[text->length] = '\0';
}

void text_put(struct text *text, const char *piece)
{
  text_put_bytes(text, piece, strlen(piece));
}

void text_put_number(struct text *text, uint32_t number)
{
  char digits[10];
  size_t first = sizeof digits;
  do {
    digits[--first] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  text_put_bytes(text, digits + first, sizeof digits - first);
}
