#include "frames.h"

#include <stdio.h>
#include <string.h>

#include "../linux/say.h"
#include "keys.h"
#include "state.h"

static void print_hex(const char *name, const uint8_t key[SB1_KEY_BYTES])
{
  printf("\"%s\":\"", name);
  for (size_t i = 0; i < SB1_KEY_BYTES; i++) printf("%02x", key[i]);
  printf("\",");
}

/** derive KEY [SERIAL] */
static void derive(char **words)
{
  static struct sb1 device;
  struct sb1_keys keys = {0};
  char password[SB1_KEY_TEXT_BYTES], proof[SB1_PROOF_BYTES];
  device.config.serial = words[2];
  if (!key_ring(words[1], &device.ring) || !sb1_derive_keys(device.ring.current, &keys) ||
      !sb1_write_proof(&device, proof)) {
    printf("{\"error\":\"no key\"}\n");
    return;
  }
  sb1_write_password(&keys, password);
  printf("{");
  print_hex("login", keys.login);
  print_hex("down", key_bytes(keys.down));
  print_hex("up", key_bytes(keys.up));
  printf("\"password\":\"%s\",\"proof\":\"%s\"}\n", password, proof);
}

/** seal KEY SERIAL SID KIND|- HEX, and the same for open. The kind `-` means down. */
static void seal_or_open(char **words)
{
  static char buffer[LINE_BYTES];
  static const char *const OPENED[] = {"open", "no_mac", "bad_mac", "bad_json"};
  struct sb1_text frame = SB1_TEXT_IN(buffer);
  struct sb1_ring ring;
  struct sb1_keys keys = {0};
  char prefix[SB1_PREFIX_BYTES];
  bool is_down = strcmp(words[4], "-") == 0;
  if (!key_ring(words[1], &ring) || !sb1_derive_keys(ring.current, &keys)) return;
  const uint8_t *key = is_down ? keys.down : keys.up;
  sb1_write_prefix(prefix, words[2], words[3], is_down ? NULL : words[4]);
  struct sb1_span bytes = unhex(words[5]);
  if (strcmp(words[0], "open") == 0) {
    printf("{\"opened\":\"%s\"}\n", OPENED[sb1_frame_open(key, prefix, bytes)]);
    return;
  }
  sb1_text_put_bytes(&frame, bytes.at, bytes.length);
  sb1_frame_seal(key, prefix, &frame);
  printf("{");
  say_text(stdout, "frame", frame.at);
  printf("}\n");
}

bool answer_frame(char **words)
{
  if (strcmp(words[0], "derive") == 0) derive(words);
  else if (strcmp(words[0], "seal") == 0 || strcmp(words[0], "open") == 0) seal_or_open(words);
  else return false;
  return true;
}
