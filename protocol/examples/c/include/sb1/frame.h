/* SPDX-License-Identifier: MIT */
#ifndef SB1_FRAME_H
#define SB1_FRAME_H

#include "sb1/crypto.h"
#include "sb1/json.h"
#include "sb1/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Keys and frames of sb/1, clauses 2 and 5. */

#define SB1_MAC_BYTES 16
/** The end of a frame: ,"mac":"22 characters"} (sb/1 5.1). */
#define SB1_TAIL_BYTES 32
/** 32 bytes as base64url without padding, and a NUL. */
#define SB1_KEY_TEXT_BYTES 44
/** sb1|down|{serial}|{sid}| or sb1|up|{serial}|{sid}|telemetry|, and a NUL. */
#define SB1_PREFIX_BYTES 72

/** The three keys that hub and device derive from K (sb/1 2.2). The login key goes over the line. */
struct sb1_keys {
  uint8_t login[SB1_KEY_BYTES];
  uint8_t down[SB1_KEY_ROOM];
  uint8_t up[SB1_KEY_ROOM];
};

/** Reads 32 bytes, such as K, from 43 characters of base64url. False if they are malformed. */
bool sb1_read_key(const char *text, uint8_t key[SB1_KEY_BYTES]);
bool sb1_derive_keys(const uint8_t k[SB1_KEY_ROOM], struct sb1_keys *keys);
/** The letters of base64url (RFC 4648, 5). */
#define SB1_BASE64URL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
/** Writes bytes as base64url without padding, followed by a NUL. */
void sb1_write_base64url(const uint8_t *bytes, size_t count, char *text);

/** The MQTT password: the login key in base64url (sb/1 2.3). */
void sb1_write_password(const struct sb1_keys *keys, char password[SB1_KEY_TEXT_BYTES]);

/** The prefix of a frame's MAC (sb/1 5.2); `kind` is the last level of an up topic, NULL for down. */
void sb1_write_prefix(char prefix[SB1_PREFIX_BYTES], const char *serial, const char *sid, const char *kind);

enum sb1_opened { SB1_FRAME_OPEN, SB1_FRAME_NO_MAC, SB1_FRAME_BAD_MAC, SB1_FRAME_BAD_JSON };

/** Verifies a frame in place. Only a verified frame may be parsed (sb/1 5.3). */
enum sb1_opened sb1_frame_open(const uint8_t key[SB1_KEY_ROOM], const char *prefix, struct sb1_span frame);

/** Adds the MAC to a JSON object without its last brace. False if there is no room. */
bool sb1_frame_seal(const uint8_t key[SB1_KEY_ROOM], const char *prefix, struct sb1_text *frame);

#ifdef __cplusplus
}
#endif

#endif
