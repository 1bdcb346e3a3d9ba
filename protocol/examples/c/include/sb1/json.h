/* SPDX-License-Identifier: MIT */
#ifndef SB1_JSON_H
#define SB1_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A reader for JSON (RFC 8259) that works in place. Call `sb1_json_valid` first; the other functions trust
 * the syntax and scan the text on each call. A frame is half a kilobyte, so scanning twice is cheaper than
 * building a tree. There is no recursion, so the use of the stack is bounded.
 */

/** A part of the frame's bytes. It is valid as long as the frame's buffer. */
struct sb1_span {
  const char *at;
  size_t length;
};

/** A literal as a span. */
#ifdef __cplusplus
#define SB1_SPAN(literal) (sb1_span{(literal), sizeof(literal) - 1})
#else
#define SB1_SPAN(literal) ((struct sb1_span){(literal), sizeof(literal) - 1})
#endif

/** Whether the bytes are one JSON object in UTF-8, nested at most 32 deep. */
bool sb1_json_valid(struct sb1_span text);

/**
 * The value of a member, or a span of length 0 if there is none. If a name occurs twice, the last one counts.
 */
struct sb1_span sb1_json_member(struct sb1_span object, const char *name);

/** Whether a value is an object. */
bool sb1_json_is_object(struct sb1_span value);

/** Reads an integer from 0 to `most`, written only with digits. */
bool sb1_json_number(struct sb1_span value, uint32_t most, uint32_t *number);

bool sb1_json_bool(struct sb1_span value, bool *truth);

/** Reads a string of at most `most` Unicode characters. `raw` is the text between its quotes. */
bool sb1_json_string(struct sb1_span value, size_t most, struct sb1_span *raw);

/** Takes the next character from a raw string and resolves escapes. False at the end. */
bool sb1_json_next(struct sb1_span *raw, uint32_t *character);

/** Whether a raw string equals this UTF-8 text. */
bool sb1_json_says(struct sb1_span raw, const char *text);

/** Writes a raw string as UTF-8 with a final NUL. False if it needs more than `size` bytes. */
bool sb1_json_copy(struct sb1_span raw, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
