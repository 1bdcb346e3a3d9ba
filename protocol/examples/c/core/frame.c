#include "frame.h"

#include <string.h>

#include "crypto.h"

#define MAC_LETTERS 22

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char TAIL_START[] = ",\"mac\":\"";
static const char TAIL_END[] = "\"}";

void write_base64url(const uint8_t *bytes, size_t count, char *text)
{
  uint32_t bits = 0;
  unsigned held = 0;
  for (size_t i = 0; i < count; i++) {
    bits = bits << 8 | bytes[i];
    for (held += 8; held >= 6; held -= 6) *text++ = LETTERS[bits >> (held - 6) & 63];
  }
  if (held > 0) *text++ = LETTERS[bits << (6 - held) & 63];
  *text = '\0';
}

/** Reads K. The last letter has two unused bits, which must be 0: a key has only one valid spelling. */
bool read_key(const char *text, uint8_t key[KEY_BYTES])
{
  uint32_t bits = 0;
  unsigned held = 0;
  size_t count = 0;
  if (strlen(text) != KEY_TEXT_BYTES - 1) return false;
  for (; *text; text++) {
    const char *letter = strchr(LETTERS, *text);
    if (!letter) return false;
    bits = bits << 6 | (uint32_t)(letter - LETTERS);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    key[count++] = (uint8_t)(bits >> held);
  }
  return (bits & 3) == 0;
}

/** HKDF-SHA256 with an empty salt for 32 bytes: one block of output (RFC 5869, 2.2 and 2.3). */
bool derive_key(const uint8_t key[KEY_BYTES], const char *info, uint8_t out[KEY_BYTES])
{
  static const uint8_t no_salt[CRYPTO_SHA256_BYTES] = {0};
  static const uint8_t first_block = 1;
  uint8_t extracted[CRYPTO_SHA256_BYTES];
  return crypto_hmac_sha256(no_salt, sizeof no_salt, key, KEY_BYTES, "", 0, extracted) &&
         crypto_hmac_sha256(extracted, sizeof extracted, info, strlen(info), &first_block, 1, out);
}

bool derive_keys(const uint8_t key[KEY_BYTES], struct keys *keys)
{
  return derive_key(key, "sb1/login", keys->login) && derive_key(key, "sb1/down", keys->down) &&
         derive_key(key, "sb1/up", keys->up);
}

void write_password(const struct keys *keys, char password[KEY_TEXT_BYTES])
{
  write_base64url(keys->login, KEY_BYTES, password);
}

void write_prefix(char prefix[PREFIX_BYTES], const char *serial, const char *sid, const char *kind)
{
  struct text text = text_in(prefix, PREFIX_BYTES);
  text_put(&text, kind ? "sb1|up|" : "sb1|down|");
  text_put(&text, serial);
  text_put(&text, "|");
  text_put(&text, sid);
  text_put(&text, "|");
  if (!kind) return;
  text_put(&text, kind);
  text_put(&text, "|");
}

static bool write_mac(const uint8_t key[KEY_BYTES], const char *prefix, struct span signed_part,
                      char letters[MAC_LETTERS + 1])
{
  uint8_t mac[CRYPTO_SHA256_BYTES];
  if (!crypto_hmac_sha256(key, KEY_BYTES, prefix, strlen(prefix), signed_part.at, signed_part.length, mac))
    return false;
  write_base64url(mac, MAC_BYTES, letters);
  return true;
}

/** Compares in constant time: the duration must not show how many letters are right. */
static bool is_same_mac(const char *a, const char *b)
{
  unsigned char difference = 0;
  for (size_t i = 0; i < MAC_LETTERS; i++) difference |= (unsigned char)(a[i] ^ b[i]);
  return difference == 0;
}

enum opened frame_open(const uint8_t key[KEY_BYTES], const char *prefix, struct span frame)
{
  char expected[MAC_LETTERS + 1];
  if (frame.length <= TAIL_BYTES) return FRAME_NO_MAC;
  struct span signed_part = {frame.at, frame.length - TAIL_BYTES};
  const char *tail = frame.at + signed_part.length;
  const char *letters = tail + sizeof TAIL_START - 1;
  if (memcmp(tail, TAIL_START, sizeof TAIL_START - 1) != 0) return FRAME_NO_MAC;
  if (memcmp(letters + MAC_LETTERS, TAIL_END, sizeof TAIL_END - 1) != 0) return FRAME_NO_MAC;
  /* Compares letters, not bytes: another spelling of the same 16 bytes is invalid. */
  if (!write_mac(key, prefix, signed_part, expected) || !is_same_mac(expected, letters)) return FRAME_BAD_MAC;
  return json_valid(frame) ? FRAME_OPEN : FRAME_BAD_JSON;
}

bool frame_seal(const uint8_t key[KEY_BYTES], const char *prefix, struct text *frame)
{
  char letters[MAC_LETTERS + 1];
  if (frame->full || !write_mac(key, prefix, (struct span){frame->at, frame->length}, letters)) return false;
  text_put(frame, TAIL_START);
  text_put(frame, letters);
  text_put(frame, TAIL_END);
  return !frame->full;
}
