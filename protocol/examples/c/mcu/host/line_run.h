#ifndef LINE_RUN_H
#define LINE_RUN_H

#include "../net/link.h"

/* Shared by the files of the program that runs tests. */

size_t read_hex(const char *hex, uint8_t *bytes, size_t room);
/** Prints `{"name":"hex"}`. */
void print_hex(const char *name, const void *bytes, size_t count);

/** A step of a case for the whole line. False if it does not know the word. */
bool run_line(const char *word, const char *rest);

#endif
