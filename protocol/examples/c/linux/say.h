#ifndef SAY_H
#define SAY_H

#include <stdio.h>

#include "sb1/sb1.h"

/* Prints the device's events, one JSON object per line, like the simulator's headless mode. */

/** Writes an event. */
void say_event(FILE *out, const struct sb1 *device, const struct sb1_event *event);

/** Writes `"name":"text"` with JSON escapes. */
void say_text(FILE *out, const char *name, const char *text);

#endif
