/* SPDX-License-Identifier: MIT */
#include "sb1/json.h"

#include <string.h>

/** Replaces an unpaired surrogate, and NUL, which would end a C string too early. */
#define REPLACEMENT 0xFFFD

static uint32_t hex_unit(const char *p)
{
  uint32_t unit = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t c = (unsigned char)p[i];
    unit = unit << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return unit;
}

/**
 * The character of a \u escape, or of two if they are a surrogate pair. `raw` starts after the `u`.
 */
static uint32_t take_unicode(struct sb1_span *raw)
{
  uint32_t first = hex_unit(raw->at);
  size_t taken = 4;
  uint32_t character = first == 0 || (first >= 0xD800 && first <= 0xDFFF) ? REPLACEMENT : first;
  if (first >= 0xD800 && first <= 0xDBFF && raw->length >= 10 && memcmp(raw->at + 4, "\\u", 2) == 0) {
    uint32_t second = hex_unit(raw->at + 6);
    if (second >= 0xDC00 && second <= 0xDFFF) {
      character = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
      taken = 10;
    }
  }
  *raw = (struct sb1_span){raw->at + taken, raw->length - taken};
  return character;
}

static uint32_t take_escape(struct sb1_span *raw)
{
  char letter = *raw->at;
  *raw = (struct sb1_span){raw->at + 1, raw->length - 1};
  switch (letter) {
  case 'b': return '\b';
  case 'f': return '\f';
  case 'n': return '\n';
  case 'r': return '\r';
  case 't': return '\t';
  case 'u': return take_unicode(raw);
  default: return (unsigned char)letter;
  }
}

bool sb1_json_next(struct sb1_span *raw, uint32_t *character)
{
  if (raw->length == 0) return false;
  uint32_t lead = (unsigned char)*raw->at;
  size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint32_t point = bytes == 1 ? lead : lead & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; i++) point = point << 6 | ((unsigned char)raw->at[i] & 0x3F);
  *raw = (struct sb1_span){raw->at + bytes, raw->length - bytes};
  *character = lead == '\\' ? take_escape(raw) : point;
  return true;
}

static size_t write_utf8(uint32_t point, char bytes[4])
{
  if (point < 0x80) {
    bytes[0] = (char)point;
    return 1;
  }
  size_t count = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (size_t i = count - 1; i > 0; i--, point >>= 6) bytes[i] = (char)(0x80 | (point & 0x3F));
  bytes[0] = (char)((0xF00u >> count & 0xF0) | point);
  return count;
}

bool sb1_json_says(struct sb1_span raw, const char *text)
{
  uint32_t character;
  char bytes[4];
  while (sb1_json_next(&raw, &character)) {
    size_t count = write_utf8(character, bytes);
    if (strncmp(text, bytes, count) != 0) return false;
    text += count;
  }
  return *text == '\0';
}

bool sb1_json_copy(struct sb1_span raw, char *text, size_t size)
{
  uint32_t character;
  char bytes[4];
  size_t length = 0;
  while (sb1_json_next(&raw, &character)) {
    size_t count = write_utf8(character, bytes);
    if (length + count >= size) return false;
    memcpy(text + length, bytes, count);
    length += count;
  }
  text[length] = '\0';
  return true;
}
