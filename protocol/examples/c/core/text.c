/* SPDX-License-Identifier: MIT */
#include "internal.h"

#include <string.h>

struct sb1_text sb1_text_in(char *buffer, size_t size)
{
  buffer[0] = '\0';
  return (struct sb1_text){buffer, size, 0, false};
}

void sb1_text_put_bytes(struct sb1_text *text, const char *piece, size_t length)
{
  if (text->full || length >= text->size - text->length) {
    text->full = true;
    return;
  }
  memcpy(text->at + text->length, piece, length);
  text->length += length;
  text->at[text->length] = '\0';
}

void sb1_text_put(struct sb1_text *text, const char *piece)
{
  sb1_text_put_bytes(text, piece, strlen(piece));
}

void sb1_text_put_number(struct sb1_text *text, uint32_t number)
{
  char digits[10];
  size_t first = sizeof digits;
  do {
    digits[--first] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  sb1_text_put_bytes(text, digits + first, sizeof digits - first);
}

void sb1_put_name(struct sb1_text *object, const char *name)
{
  bool is_first = object->length > 0 && object->at[object->length - 1] == '{';
  sb1_text_put(object, is_first ? "\"" : ",\"");
  sb1_text_put(object, name);
  sb1_text_put(object, "\":");
}

void sb1_put_number(struct sb1_text *object, const char *name, uint32_t number)
{
  sb1_put_name(object, name);
  sb1_text_put_number(object, number);
}

void sb1_put_string(struct sb1_text *object, const char *name, const char *value)
{
  sb1_put_name(object, name);
  sb1_text_put(object, "\"");
  sb1_text_put(object, value);
  sb1_text_put(object, "\"");
}
