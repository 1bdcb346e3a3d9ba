#ifndef SAY_H
#define SAY_H

#include <stdio.h>

#include "sb1.h"

/* What the device shows and says, as one JSON object a line: the events of the simulator's headless mode. */

/** Writes an event. */
void say_event(FILE *out, const struct sb1 *device, const struct sb1_event *event);

/** Writes `"name":"text"`, escaped as JSON wants it. */
void say_text(FILE *out, const char *name, const char *text);

#endif
