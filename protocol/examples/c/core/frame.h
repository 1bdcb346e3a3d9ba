#ifndef SB1_FRAME_H
#define SB1_FRAME_H

#include "json.h"
#include "text.h"

/* Keys and frames of sb/1, clauses 2 and 5. */

#define KEY_BYTES 32
#define MAC_BYTES 16
/** The end of a frame: ,"mac":"22 characters"} (sb/1 5.1). */
#define TAIL_BYTES 32
/** 32 bytes as base64url without padding, and a NUL. */
#define KEY_TEXT_BYTES 44
/** sb1|down|{serial}|{sid}| or sb1|up|{serial}|{sid}|telemetry|, and a NUL. */
#define PREFIX_BYTES 72

/** The three keys that hub and device derive from K (sb/1 2.2). */
struct keys {
  uint8_t login[KEY_BYTES];
  uint8_t down[KEY_BYTES];
  uint8_t up[KEY_BYTES];
};

/** Reads K, 43 characters of base64url. False if it is malformed. */
bool read_key(const char *text, uint8_t key[KEY_BYTES]);
/** HKDF-SHA256 of K with an empty salt, for 32 bytes. A shorter key is the start of these. */
bool derive_key(const uint8_t key[KEY_BYTES], const char *info, uint8_t out[KEY_BYTES]);
bool derive_keys(const uint8_t key[KEY_BYTES], struct keys *keys);
/** Writes bytes as base64url without padding (RFC 4648, 5), followed by a NUL. */
void write_base64url(const uint8_t *bytes, size_t count, char *text);

/** The MQTT password: the login key in base64url (sb/1 2.3). */
void write_password(const struct keys *keys, char password[KEY_TEXT_BYTES]);

/** The prefix of a frame's MAC (sb/1 5.2); `kind` is the last level of an up topic, NULL for down. */
void write_prefix(char prefix[PREFIX_BYTES], const char *serial, const char *sid, const char *kind);

enum opened { FRAME_OPEN, FRAME_NO_MAC, FRAME_BAD_MAC, FRAME_BAD_JSON };

/** Verifies a frame in place. Only a verified frame may be parsed (sb/1 5.3). */
enum opened frame_open(const uint8_t key[KEY_BYTES], const char *prefix, struct span frame);

/** Adds the MAC to a JSON object without its last brace. False if there is no room. */
bool frame_seal(const uint8_t key[KEY_BYTES], const char *prefix, struct text *frame);

#endif
