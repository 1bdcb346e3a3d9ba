#ifndef SB1_JSON_H
#define SB1_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A reader for JSON (RFC 8259) that leaves the bytes where they are. `json_valid` is asked once; the other
 * functions then trust the syntax and look again at each question. A frame is half a kilobyte: looking twice
 * is cheaper than a tree. Nothing recurses, so the stack that it takes is known.
 */

/** A piece of the frame's own bytes: good for as long as the frame's buffer is. */
struct span {
  const char *at;
  size_t length;
};

/** A literal as a span. */
#define SPAN(literal) ((struct span){(literal), sizeof(literal) - 1})

/** Whether the bytes are one JSON object in UTF-8, nested at most 32 deep. */
bool json_valid(struct span text);

/**
 * The value of a member, or a span of length 0 when there is none. Of several with one name the last counts.
 */
struct span json_member(struct span object, const char *name);

/** Whether a value is an object. */
bool json_is_object(struct span value);

/** Reads a whole number of 0 to `most`, written as digits alone. */
bool json_number(struct span value, uint32_t most, uint32_t *number);

bool json_bool(struct span value, bool *truth);

/** Reads a string of at most `most` characters of Unicode. What stands between its quotes is `raw`. */
bool json_string(struct span value, size_t most, struct span *raw);

/** Takes the next character off a raw string, its escapes resolved; false at the end. */
bool json_next(struct span *raw, uint32_t *character);

/** Whether a raw string says this text, which is UTF-8. */
bool json_says(struct span raw, const char *text);

/** Writes a raw string as UTF-8 with a NUL behind it; false when it needs more than `size` bytes. */
bool json_copy(struct span raw, char *text, size_t size);

#endif
