/* SPDX-License-Identifier: MIT */
#include "sb1/json.h"

#include <string.h>

/** Deeper than any message of sb/1; each level takes a bit of a 32-bit word. */
#define DEEPEST 32

static const char *skip_space(const char *p, const char *end)
{
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
  return p;
}

/** Bytes of the well-formed UTF-8 sequence at `p`, 0 when there is none (Unicode 15, table 3-7). */
static size_t sequence_bytes(const char *at, const char *end)
{
  const unsigned char *p = (const unsigned char *)at;
  if (p[0] < 0x80) return 1;
  size_t bytes = p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
  if (bytes == 0 || (size_t)(end - at) < bytes) return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  bool overlong = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
  bool surrogate = p[0] == 0xED && p[1] > 0x9F;
  bool too_high = p[0] == 0xF4 && p[1] > 0x8F;
  return overlong || surrogate || too_high ? 0 : bytes;
}

static bool is_hex(char c)
{
  char lower = (char)(c | 0x20);
  return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f');
}

static const char *skip_escape(const char *p, const char *end)
{
  if (p == end) return NULL;
  if (*p == 'u') {
    if (end - p <= 4) return NULL;
    for (int i = 1; i <= 4; i++)
      if (!is_hex(p[i])) return NULL;
    return p + 5;
  }
  return *p != '\0' && strchr("\"\\/bfnrt", *p) ? p + 1 : NULL;
}

static const char *skip_string(const char *p, const char *end)
{
  if (p == end || *p++ != '"') return NULL;
  while (p && p < end && *p != '"') {
    size_t bytes = sequence_bytes(p, end);
    if (bytes == 0 || (unsigned char)*p < 0x20) return NULL;
    p = *p == '\\' ? skip_escape(p + 1, end) : p + bytes;
  }
  return p && p < end ? p + 1 : NULL;
}

static const char *skip_digits(const char *p, const char *end)
{
  const char *start = p;
  while (p < end && *p >= '0' && *p <= '9') p++;
  return p > start ? p : NULL;
}

static const char *skip_number(const char *p, const char *end)
{
  if (p < end && *p == '-') p++;
  p = p < end && *p == '0' ? p + 1 : skip_digits(p, end);
  if (p && p < end && *p == '.') p = skip_digits(p + 1, end);
  if (p && p < end && (*p == 'e' || *p == 'E')) {
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    p = skip_digits(p, end);
  }
  return p;
}

static const char *skip_word(const char *p, const char *end, const char *word)
{
  size_t length = strlen(word);
  return (size_t)(end - p) >= length && memcmp(p, word, length) == 0 ? p + length : NULL;
}

static const char *skip_scalar(const char *p, const char *end)
{
  switch (*p) {
  case '"': return skip_string(p, end);
  case 't': return skip_word(p, end, "true");
  case 'f': return skip_word(p, end, "false");
  case 'n': return skip_word(p, end, "null");
  default: return skip_number(p, end);
  }
}

/** A member's name and its colon. */
static const char *skip_name(const char *p, const char *end)
{
  p = skip_string(skip_space(p, end), end);
  if (!p) return NULL;
  p = skip_space(p, end);
  return p < end && *p == ':' ? p + 1 : NULL;
}

/**
 * Skips one value with all that is in it; NULL when it is not JSON. Bit 0 of `arrays` is the innermost level.
 */
static const char *skip_value(const char *p, const char *end)
{
  uint32_t arrays = 0;
  unsigned depth = 0;
  for (;;) {
    p = skip_space(p, end);
    if (p == end) return NULL;
    if (*p == '{' || *p == '[') {
      if (depth++ == DEEPEST) return NULL;
      arrays = arrays << 1 | (*p == '[');
      p = skip_space(p + 1, end);
      if (p < end && *p != (arrays & 1 ? ']' : '}')) {
        if (!(arrays & 1) && !(p = skip_name(p, end))) return NULL;
        continue;
      }
    } else if (!(p = skip_scalar(p, end))) {
      return NULL;
    }
    for (;;) {
      if (depth == 0) return p;
      p = skip_space(p, end);
      if (p == end) return NULL;
      if (*p == ',') break;
      if (*p++ != (arrays & 1 ? ']' : '}')) return NULL;
      arrays >>= 1;
      depth--;
    }
    p++;
    if (!(arrays & 1) && !(p = skip_name(p, end))) return NULL;
  }
}

bool sb1_json_valid(struct sb1_span text)
{
  const char *end = text.at + text.length;
  const char *start = skip_space(text.at, end);
  const char *p = start < end && *start == '{' ? skip_value(start, end) : NULL;
  return p && skip_space(p, end) == end;
}

bool sb1_json_is_object(struct sb1_span value)
{
  return value.length > 0 && *value.at == '{';
}

struct sb1_span sb1_json_member(struct sb1_span object, const char *name)
{
  struct sb1_span found = {object.at, 0};
  const char *end = object.at + object.length;
  const char *p = skip_space(object.at, end);
  if (p == end || *p != '{') return found;
  while (p < end && *p != '}') {
    const char *quote = skip_space(p + 1, end);
    const char *after = quote < end ? skip_string(quote, end) : NULL;
    if (!after) break;
    bool wanted = sb1_json_says((struct sb1_span){quote + 1, (size_t)(after - quote) - 2}, name);
    const char *value = skip_space(skip_space(after, end) + 1, end);
    p = skip_value(value, end);
    if (!p) break;
    if (wanted) found = (struct sb1_span){value, (size_t)(p - value)};
    p = skip_space(p, end);
  }
  return found;
}

bool sb1_json_number(struct sb1_span value, uint32_t most, uint32_t *number)
{
  uint64_t sum = 0;
  if (value.length == 0 || value.length > 10) return false;
  for (size_t i = 0; i < value.length; i++) {
    if (value.at[i] < '0' || value.at[i] > '9') return false;
    sum = sum * 10 + (uint64_t)(value.at[i] - '0');
  }
  if (sum > most) return false;
  *number = (uint32_t)sum;
  return true;
}

bool sb1_json_bool(struct sb1_span value, bool *truth)
{
  *truth = value.length > 0 && *value.at == 't';
  return *truth || (value.length > 0 && *value.at == 'f');
}

bool sb1_json_string(struct sb1_span value, size_t most, struct sb1_span *raw)
{
  if (value.length < 2 || *value.at != '"') return false;
  *raw = (struct sb1_span){value.at + 1, value.length - 2};
  struct sb1_span rest = *raw;
  uint32_t character;
  size_t count = 0;
  while (sb1_json_next(&rest, &character)) count++;
  return count <= most;
}
