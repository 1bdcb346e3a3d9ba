#ifndef SAY_H
#define SAY_H

#include "sb1/sb1.h"

/*
 * The device's events as lines of JSON, one object each, like the simulator's headless mode. The lines are
 * passed on in pieces, so no buffer must hold the longest one.
 */

struct say {
  void *context;
  void (*put)(void *context, const char *bytes, size_t length);
};

/** Writes the line of an event of the core. */
void say_event(const struct say *out, const struct sb1 *device, const struct sb1_event *event);

/* A line of another event: its start, its members, its end. */

/** `{"event":"name"` */
void say_start(const struct say *out, const char *event);
/** `,"name":"value"` with JSON escapes. */
void say_member(const struct say *out, const char *name, const char *value);
/** `,"name":number` */
void say_number(const struct say *out, const char *name, uint32_t value);
/** The brace, and the end of the line. */
void say_end(const struct say *out);

/** `"name":"text"` with JSON escapes. */
void say_text(const struct say *out, const char *name, const char *text);

#endif
