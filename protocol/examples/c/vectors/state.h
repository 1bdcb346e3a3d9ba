#ifndef VECTORS_STATE_H
#define VECTORS_STATE_H

#include "sb1/sb1.h"

/**
 * The device's clock in a vector. It stands still, and differs from the hub's by decades to reveal code that
 * mixes the two.
 */
#define OWN_MS 86400123

#define WORDS 16

/**
 * Sets a part of the device's state from a line. False if the line is not about the state.
 */
bool set_state(struct sb1 *device, char **words);

/** Writes the whole state as one JSON object a line. */
void print_state(const struct sb1 *device);

/**
 * Decodes hex in place and adds a NUL. `-` means no bytes.
 */
struct sb1_span unhex(char *word);

uint32_t word_number(const char *word);
enum sb1_language word_language(const char *word);
void word_copy(char *to, size_t size, const char *word);

#endif
