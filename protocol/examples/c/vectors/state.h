#ifndef VECTORS_STATE_H
#define VECTORS_STATE_H

#include "sb1.h"

/**
 * No clock runs in a vector: the device's own stands here, decades from the hub's, so that whoever mixes the
 * two is caught.
 */
#define OWN_MS 86400123

#define WORDS 16

/**
 * Puts the device into a part of the state that a line describes; false when the line is about something
 * else.
 */
bool set_state(struct sb1 *device, char **words);

/** Writes the whole state as one JSON object a line. */
void print_state(const struct sb1 *device);

/**
 * Turns hex into the bytes that it stands for, where it lies, with a NUL behind them; `-` stands for none.
 */
struct span unhex(char *word);

uint32_t word_number(const char *word);
enum language word_language(const char *word);
void word_copy(char *to, size_t size, const char *word);

#endif
