/* SPDX-License-Identifier: MIT */
#include "sb1/frame.h"

#include <string.h>

#define MAC_LETTERS 22

static const char TAIL_START[] = ",\"mac\":\"";
static const char TAIL_END[] = "\"}";

void sb1_write_base64url(const uint8_t *bytes, size_t count, char *text)
{
  uint32_t bits = 0;
  unsigned held = 0;
  for (size_t i = 0; i < count; i++) {
    bits = bits << 8 | bytes[i];
    for (held += 8; held >= 6; held -= 6) *text++ = SB1_BASE64URL[bits >> (held - 6) & 63];
  }
  if (held > 0) *text++ = SB1_BASE64URL[bits << (6 - held) & 63];
  *text = '\0';
}

/** The last letter has two unused bits, which must be 0: a key has only one valid spelling. */
bool sb1_read_key(const char *text, uint8_t key[SB1_KEY_BYTES])
{
  const char *letters = SB1_BASE64URL;
  uint32_t bits = 0;
  unsigned held = 0;
  size_t count = 0;
  if (strlen(text) != SB1_KEY_TEXT_BYTES - 1) return false;
  for (; *text; text++) {
    const char *letter = strchr(letters, *text);
    if (!letter) return false;
    bits = bits << 6 | (uint32_t)(letter - letters);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    key[count++] = (uint8_t)(bits >> held);
  }
  return (bits & 3) == 0;
}

bool sb1_derive_keys(const uint8_t k[SB1_KEY_ROOM], struct sb1_keys *keys)
{
  return sb1_key_reveal(k, "sb1/login", keys->login) && sb1_key_derive(k, "sb1/down", keys->down) &&
         sb1_key_derive(k, "sb1/up", keys->up);
}

void sb1_write_password(const struct sb1_keys *keys, char password[SB1_KEY_TEXT_BYTES])
{
  sb1_write_base64url(keys->login, SB1_KEY_BYTES, password);
}

void sb1_write_prefix(char prefix[SB1_PREFIX_BYTES], const char *serial, const char *sid, const char *kind)
{
  struct sb1_text text = sb1_text_in(prefix, SB1_PREFIX_BYTES);
  sb1_text_put(&text, kind ? "sb1|up|" : "sb1|down|");
  sb1_text_put(&text, serial);
  sb1_text_put(&text, "|");
  sb1_text_put(&text, sid);
  sb1_text_put(&text, "|");
  if (!kind) return;
  sb1_text_put(&text, kind);
  sb1_text_put(&text, "|");
}

static bool write_mac(const uint8_t key[SB1_KEY_ROOM], const char *prefix, struct sb1_span signed_part,
                      char letters[MAC_LETTERS + 1])
{
  uint8_t mac[SB1_SHA256_BYTES];
  if (!sb1_key_mac(key, prefix, strlen(prefix), signed_part.at, signed_part.length, mac)) return false;
  sb1_write_base64url(mac, SB1_MAC_BYTES, letters);
  return true;
}

/** Compares in constant time: the duration must not show how many letters are right. */
static bool is_same_mac(const char *a, const char *b)
{
  unsigned char difference = 0;
  for (size_t i = 0; i < MAC_LETTERS; i++) difference |= (unsigned char)(a[i] ^ b[i]);
  return difference == 0;
}

enum sb1_opened sb1_frame_open(const uint8_t key[SB1_KEY_ROOM], const char *prefix, struct sb1_span frame)
{
  char expected[MAC_LETTERS + 1];
  if (frame.length <= SB1_TAIL_BYTES) return SB1_FRAME_NO_MAC;
  struct sb1_span signed_part = {frame.at, frame.length - SB1_TAIL_BYTES};
  const char *tail = frame.at + signed_part.length;
  const char *letters = tail + sizeof TAIL_START - 1;
  if (memcmp(tail, TAIL_START, sizeof TAIL_START - 1) != 0) return SB1_FRAME_NO_MAC;
  if (memcmp(letters + MAC_LETTERS, TAIL_END, sizeof TAIL_END - 1) != 0) return SB1_FRAME_NO_MAC;
  /* Compares letters, not bytes: another spelling of the same 16 bytes is invalid. */
  if (!write_mac(key, prefix, signed_part, expected) || !is_same_mac(expected, letters))
    return SB1_FRAME_BAD_MAC;
  return sb1_json_valid(frame) ? SB1_FRAME_OPEN : SB1_FRAME_BAD_JSON;
}

bool sb1_frame_seal(const uint8_t key[SB1_KEY_ROOM], const char *prefix, struct sb1_text *frame)
{
  char letters[MAC_LETTERS + 1];
  if (frame->full || !write_mac(key, prefix, (struct sb1_span){frame->at, frame->length}, letters))
    return false;
  sb1_text_put(frame, TAIL_START);
  sb1_text_put(frame, letters);
  sb1_text_put(frame, TAIL_END);
  return !frame->full;
}
