#ifndef VECTORS_KEYS_H
#define VECTORS_KEYS_H

#include "sb1/sb1.h"

/*
 * How a test program puts keys into a device and sees them. With SB1_HANDLE_BYTES they are in the secure
 * element of element.c, through a back door that no real element has.
 */

/** Makes a ring of K in base64url. False if it is malformed. */
bool key_ring(const char *text, struct sb1_ring *ring);
/** Gives a ring its next K. */
void key_add_next(struct sb1_ring *ring, const uint8_t bytes[SB1_KEY_BYTES]);
/** The bytes of a key. */
const uint8_t *key_bytes(const uint8_t key[SB1_KEY_ROOM]);
/** Whether the bytes of a secret key are in the memory of a device, where an element does not put them. */
bool key_leaks(const struct sb1 *device);

#endif
