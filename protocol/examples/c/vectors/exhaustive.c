#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sb1/crypto.h"
#include "sb1/sb1.h"

/*
 * Gives the readers of the core all inputs of some kinds, each in a buffer of its exact size, under the
 * sanitizers, and prints how many. Its HMAC is all zeros: so every input gets past the MAC, and a frame ends
 * with 22 times `A`. Standard input has frames of a hub without their MAC, one in hex on each line.
 */

#define FRAME_MOST 1024
#define KEY_LETTERS (SB1_KEY_TEXT_BYTES - 1)
#define TAIL ",\"mac\":\"AAAAAAAAAAAAAAAAAAAAAA\"}"

bool sb1_hmac_sha256(const uint8_t *key, size_t key_length, const void *head, size_t head_length,
                     const void *body, size_t body_length, uint8_t mac[SB1_SHA256_BYTES])
{
  (void)key, (void)key_length, (void)head, (void)head_length, (void)body, (void)body_length;
  memset(mac, 0, SB1_SHA256_BYTES);
  return true;
}

static void require(bool is_so, const char *what)
{
  if (is_so) return;
  fprintf(stderr, "wrong: %s\n", what);
  abort();
}

static char *exact(size_t size)
{
  char *bytes = malloc(size > 0 ? size : 1);
  require(bytes != NULL, "no memory");
  return bytes;
}

/** Calls `use` for each text of up to `most` letters between a start and an end. Returns how many. */
static unsigned long each(const char *letters, size_t count, size_t most, const char *start, const char *end,
                          void (*use)(struct sb1_span text))
{
  size_t before = strlen(start), after = strlen(end);
  unsigned long inputs = 0;
  for (size_t length = 0; length <= most; length++) {
    char *text = exact(before + length + after);
    size_t digits[8] = {0};
    memcpy(text, start, before);
    memcpy(text + before + length, end, after);
    for (size_t place = 0; place < length; place++) text[before + place] = letters[0];
    for (;;) {
      use((struct sb1_span){text, before + length + after});
      inputs++;
      size_t place = 0;
      while (place < length && ++digits[place] == count) {
        digits[place] = 0;
        text[before + place++] = letters[0];
      }
      if (place == length) break;
      text[before + place] = letters[digits[place]];
    }
    free(text);
  }
  return inputs;
}

static unsigned long valid;

/** Whether a part lies within a text. */
static bool is_within(struct sb1_span part, struct sb1_span text)
{
  return part.at >= text.at && part.at + part.length <= text.at + text.length;
}

/** Copies a string into buffers of all sizes up to the one that is enough. */
static void copy(struct sb1_span raw)
{
  for (size_t size = 1;; size++) {
    char *text = exact(size);
    bool fits = sb1_json_copy(raw, text, size);
    require(!fits || sb1_json_says(raw, text), "a copy says what its string says");
    free(text);
    if (fits) return;
  }
}

static void read_json(struct sb1_span text)
{
  uint32_t number;
  bool truth;
  struct sb1_span raw;
  if (!sb1_json_valid(text)) return;
  valid++;
  struct sb1_span value = sb1_json_member(text, "a");
  require(is_within(value, text), "a value lies within its object");
  sb1_json_number(value, UINT32_MAX, &number);
  sb1_json_bool(value, &truth);
  if (sb1_json_string(value, 100, &raw)) copy(raw);
  if (sb1_json_is_object(value)) require(is_within(sb1_json_member(value, "a"), value), "so do its own");
}

static void read_number(struct sb1_span text)
{
  uint32_t number = 0;
  unsigned long sum = 0;
  bool is_plain = text.length > 0;
  for (size_t i = 0; i < text.length; i++) {
    is_plain = is_plain && text.at[i] >= '0' && text.at[i] <= '9';
    sum = sum * 10 + (unsigned long)(text.at[i] - '0');
  }
  bool is_read = sb1_json_number(text, 4294967295u, &number);
  require(is_read == (is_plain && sum <= 4294967295u), "a number is digits");
  require(!is_read || number == sum, "a number has its value");
  if (is_read) valid++;
}

/** Every byte at every place of a key, and every pair of bytes at its end. */
static unsigned long read_keys(void)
{
  char *text = exact(KEY_LETTERS + 1), again[SB1_KEY_TEXT_BYTES];
  uint8_t key[SB1_KEY_BYTES];
  unsigned long inputs = 0;
  memset(text, 'A', KEY_LETTERS);
  text[KEY_LETTERS] = '\0';
  for (size_t place = 0; place < KEY_LETTERS; place++)
    for (unsigned pair = 0; pair < 65536; pair++) {
      if (place < KEY_LETTERS - 1 && pair > 255) break;
      text[place] = (char)pair;
      if (place == KEY_LETTERS - 1) text[place - 1] = (char)(pair >> 8);
      if (sb1_read_key(text, key)) {
        sb1_write_base64url(key, sizeof key, again);
        require(strcmp(text, again) == 0, "a key has one spelling");
        valid++;
      }
      text[place] = 'A';
      inputs++;
    }
  free(text);
  for (size_t length = 0; length < 2 * KEY_LETTERS; length++, inputs++) {
    text = exact(length + 1);
    memset(text, 'A', length);
    text[length] = '\0';
    require(sb1_read_key(text, key) == (length == KEY_LETTERS), "a key has 43 letters");
    free(text);
  }
  return inputs;
}

/* A device that is welcomed, to which every frame comes. */

static struct sb1 fresh, device;

static uint16_t publish(void *context, enum sb1_kind kind, const char *payload, size_t length)
{
  (void)context, (void)kind;
  require(strlen(payload) == length && length < SB1_TX_BYTES, "a payload has its length");
  return 1;
}

static bool keep(void *context, const struct sb1_memory *memory)
{
  (void)context;
  return memory->settings.volume <= 100;
}

static bool keep_ring(void *context, const struct sb1_ring *ring)
{
  (void)context, (void)ring;
  return true;
}

static bool download(void *context, const struct sb1_offer *offer)
{
  (void)context;
  return strlen(offer->url) < sizeof offer->url;
}

static bool is_signed(void *context, const struct sb1_offer *offer)
{
  (void)context, (void)offer;
  return true;
}

static void tell(void *context, const struct sb1_event *event)
{
  (void)context;
  struct sb1_span raw = event->t;
  uint32_t character;
  while (sb1_json_next(&raw, &character)) require(character <= 0x10FFFF, "a character is one of Unicode");
  if (event->type != SB1_IGNORED) valid++;
}

static void switch_on(void)
{
  const struct sb1_world world = {.publish = publish,
                                  .keep = keep,
                                  .tell = tell,
                                  .keep_ring = keep_ring,
                                  .download = download,
                                  .is_signed = is_signed};
  const struct sb1_config config = {.serial = "SPK-2026-000123",
                                    .has_part = {true, true, true, true, true, true},
                                    .firmware = "1.0.0",
                                    .model = "SB-1",
                                    .rx_bytes = SB1_RX_BYTES,
                                    .image_bytes = UINT32_MAX,
                                    .has_pack = {true, true}};
  const struct sb1_memory memory = {.settings = {.volume = 80}};
  const struct sb1_ring ring = {.has_next = false};
  require(sb1_init(&fresh, &config, &ring, &world, &memory), "there is a device");
  sb1_connect(&fresh, (const uint8_t[8]){0});
  fresh.phase = SB1_WELCOMED;
  fresh.telemetry_at_ms = UINT64_MAX;
}

/** Before the time of every frame, and then long after it. */
static void receive(struct sb1_span frame)
{
  device = fresh;
  sb1_receive(&device, frame, 0);
  sb1_tick(&device, (uint64_t)UINT32_MAX * 2000);
}

static unsigned long receive_part(const char *frame, size_t length, const char *tail)
{
  size_t more = strlen(tail);
  char *part = exact(length + more);
  memcpy(part, frame, length);
  memcpy(part + length, tail, more);
  receive((struct sb1_span){part, length + more});
  free(part);
  return 1;
}

/** Every start of a frame, with and without a MAC, and every other byte at each of its places. */
static unsigned long receive_all(const char *frame, size_t length)
{
  unsigned long inputs = 0;
  size_t whole = length + sizeof TAIL - 1;
  char *changed = exact(whole);
  memcpy(changed, frame, length);
  memcpy(changed + length, TAIL, sizeof TAIL - 1);
  for (size_t part = 0; part <= whole; part++) inputs += receive_part(changed, part, "");
  for (size_t part = 0; part < length; part++) inputs += receive_part(changed, part, TAIL);
  for (size_t place = 0; place < whole; place++) {
    char right = changed[place];
    for (unsigned byte = 0; byte < 256; byte++, inputs++) {
      changed[place] = (char)byte;
      receive((struct sb1_span){changed, whole});
    }
    changed[place] = right;
  }
  free(changed);
  return inputs;
}

static unsigned long receive_frames(void)
{
  static char line[4 * FRAME_MOST], frame[FRAME_MOST];
  unsigned long inputs = 0;
  while (fgets(line, sizeof line, stdin)) {
    size_t length = strcspn(line, "\n") / 2;
    require(length <= sizeof frame, "a frame fits");
    for (size_t i = 0; i < length; i++) {
      const char digits[3] = {line[2 * i], line[2 * i + 1], '\0'};
      frame[i] = (char)strtoul(digits, NULL, 16);
    }
    inputs += receive_all(frame, length);
  }
  return inputs;
}

#define ANNOUNCE                                                                                             \
  "{\"t\":\"announce\",\"id\":\"00000000000000000000000001\",\"n\":1,\"at\":9,\"ttl\":9,\"d\":"              \
  "{\"amount\":\"5\",\"currency\":\"VND\",\"lang\":\"vi\",\"clips\":\""

static void print(const char *readers, unsigned long inputs)
{
  printf("{\"readers\":\"%s\",\"inputs\":%lu,\"valid\":%lu}\n", readers, inputs, valid);
  valid = 0;
}

int main(void)
{
  static const char json[] = "{}[]\":,\\au01-.e \x01\xc3\xa9\xf0t";
  static const char clips[] = "5a-  \\\"0Au\xc3";
  char bytes[256];
  for (unsigned byte = 0; byte < 256; byte++) bytes[byte] = (char)byte;
  print("json", each(json, sizeof json - 1, 5, "", "", read_json));
  print("object", each(json, sizeof json - 1, 4, "{\"a\":", "}", read_json));
  print("string", each("\\u0dD8cCfF9\"a", 13, 6, "{\"a\":\"\\u", "\"}", read_json));
  print("cut string", each("\\u0dD8cCfF9\"a", 13, 5, "{\"a\":\"\\u", "", read_json));
  print("utf-8", each(bytes, sizeof bytes, 3, "{\"a\":\"", "\"}", read_json));
  print("number", each(bytes, sizeof bytes, 3, "", "", read_number));
  print("long number", each("0249567", 7, 7, "429", "", read_number));
  print("key", read_keys());
  switch_on();
  print("clips", each(clips, sizeof clips - 1, 5, ANNOUNCE, "\"}" TAIL, receive));
  print("long clip", each(clips, sizeof clips - 1, 5, ANNOUNCE "0123456789abcd", "\"}" TAIL, receive));
  print("frame", receive_frames());
  return 0;
}
