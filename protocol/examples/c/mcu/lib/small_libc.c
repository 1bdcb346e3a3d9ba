#include <string.h>

/*
 * The functions of string.h that the firmware uses, in a third of a kilobyte. Those of a library are faster
 * and take 2 KiB more. The compiler must not make them out of calls of themselves: see the Makefile.
 */

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
  return memmove(to, from, count);
}

void *memmove(void *to, const void *from, size_t count)
{
  unsigned char *target = to;
  const unsigned char *source = from;
  if (target <= source)
    while (count-- > 0) *target++ = *source++;
  else
    while (count-- > 0) target[count] = source[count];
  return to;
}

void *memset(void *to, int byte, size_t count)
{
  unsigned char *target = to;
  while (count-- > 0) *target++ = (unsigned char)byte;
  return to;
}

int memcmp(const void *left, const void *right, size_t count)
{
  const unsigned char *a = left, *b = right;
  for (; count > 0; count--, a++, b++)
    if (*a != *b) return *a - *b;
  return 0;
}

size_t strlen(const char *text)
{
  size_t length = 0;
  while (text[length]) length++;
  return length;
}

int strncmp(const char *left, const char *right, size_t count)
{
  for (; count > 0; count--, left++, right++)
    if (*left != *right || *left == '\0') return (unsigned char)*left - (unsigned char)*right;
  return 0;
}

int strcmp(const char *left, const char *right)
{
  return strncmp(left, right, (size_t)-1);
}

char *strchr(const char *text, int letter)
{
  for (; *text != (char)letter; text++)
    if (*text == '\0') return NULL;
  return (char *)(size_t)text;
}

size_t strcspn(const char *text, const char *stops)
{
  size_t length = 0;
  while (text[length] && !strchr(stops, text[length])) length++;
  return length;
}
