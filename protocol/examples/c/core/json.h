#ifndef SB1_JSON_H
#define SB1_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A reader for JSON (RFC 8259) that works in place. Call `json_valid` first; the other functions trust the
 * syntax and scan the text on each call. A frame is half a kilobyte, so scanning twice is cheaper than
 * building a tree. There is no recursion, so the use of the stack is bounded.
 */

/** A part of the frame's bytes. It is valid as long as the frame's buffer. */
struct span {
  const char *at;
  size_t length;
};

/** A literal as a span. */
#define SPAN(literal) ((struct span){(literal), sizeof(literal) - 1})

/** Whether the bytes are one JSON object in UTF-8, nested at most 32 deep. */
bool json_valid(struct span text);

/**
 * The value of a member, or a span of length 0 if there is none. If a name occurs twice, the last one counts.
 */
struct span json_member(struct span object, const char *name);

/** Whether a value is an object. */
bool json_is_object(struct span value);

/** Reads an integer from 0 to `most`, written only with digits. */
bool json_number(struct span value, uint32_t most, uint32_t *number);

bool json_bool(struct span value, bool *truth);

/** Reads a string of at most `most` Unicode characters. `raw` is the text between its quotes. */
bool json_string(struct span value, size_t most, struct span *raw);

/** Takes the next character from a raw string and resolves escapes. False at the end. */
bool json_next(struct span *raw, uint32_t *character);

/** Whether a raw string equals this UTF-8 text. */
bool json_says(struct span raw, const char *text);

/** Writes a raw string as UTF-8 with a final NUL. False if it needs more than `size` bytes. */
bool json_copy(struct span raw, char *text, size_t size);

#endif
