#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../linux/print.h"
#include "frames.h"
#include "keys.h"
#include "state.h"

/*
 * Runs the core on test vectors. Each input line has words: a part of the state, an event, or a query. Each
 * action of the device is one JSON object on an output line. Bytes are in hex, and `-` means none.
 */

#define IMAGE_BYTES 100000

struct bench {
  struct sb1 device;
  uint16_t packet_id;
  /** Storing the memory fails. */
  bool is_worn_out;
  /** The MQTT client has no room for a packet. */
  bool is_full;
  /** What its product knows, the clock as it was at OWN_MS, and the texts. */
  struct sb1_status status;
  char reset[48], modem[48];
  uint16_t telemetry_s;
  bool goes_by_own_clock;
};

/* The functions of `sb1_world`: they print each call. */

static uint16_t publish(void *context, enum sb1_kind kind, const char *payload, size_t length)
{
  struct bench *bench = context;
  (void)length;
  if (bench->is_full) return 0;
  printf("{\"send\":\"%s\",", sb1_kind_name(kind));
  say_text(&print, "frame", payload);
  printf("}\n");
  return kind == SB1_TELEMETRY ? 0 : ++bench->packet_id;
}

static bool keep(void *context, const struct sb1_memory *memory)
{
  const struct bench *bench = context;
  const struct sb1_settings *settings = &memory->settings;
  if (bench->is_worn_out) return false;
  printf("{\"keep\":{\"played\":%" PRIu32 ",\"ver\":%" PRIu32 ",\"volume\":%u,\"lang\":\"%s\"}}\n",
         memory->played, settings->ver, settings->volume, sb1_language_name(settings->lang));
  return true;
}

static bool keep_ring(void *context, const struct sb1_ring *ring)
{
  const struct bench *bench = context;
  char current[SB1_KEY_TEXT_BYTES], next[SB1_KEY_TEXT_BYTES];
  if (bench->is_worn_out) return false;
  sb1_write_base64url(key_bytes(ring->current), SB1_KEY_BYTES, current);
  sb1_write_base64url(key_bytes(ring->next), SB1_KEY_BYTES, next);
  printf("{\"keepKeys\":{\"current\":\"%s\",\"next\":\"%s\"}}\n", current, ring->has_next ? next : "");
  return true;
}

/** There is no host under `.invalid` (RFC 6761, 6.4). */
static bool download(void *context, const struct sb1_offer *offer)
{
  (void)context;
  printf("{\"download\":\"%s\"}\n", offer->url);
  return strstr(offer->url, ".invalid") == NULL;
}

/** The maker of these tests signs with the word `maker`. */
static bool is_signed(void *context, const struct sb1_offer *offer)
{
  (void)context;
  return strcmp(offer->sig, "maker") == 0;
}

static void look(void *context, struct sb1_status *status)
{
  const struct bench *bench = context;
  *status = bench->status;
}

static void tell(void *context, const struct sb1_event *event)
{
  const struct bench *bench = context;
  say_event(&print, &bench->device, event);
}

/** device SERIAL KEY FIRMWARE MODEL RX PLAYED VER VOLUME LANG PACK,PACK PART,PART */
static void switch_on(struct bench *bench, char **words)
{
  static char serial[64], firmware[512], model[64];
  const struct sb1_world world = {.context = bench,
                                  .publish = publish,
                                  .keep = keep,
                                  .tell = tell,
                                  .keep_ring = keep_ring,
                                  .download = download,
                                  .is_signed = is_signed,
                                  .look = look};
  const struct sb1_memory memory = {
      .played = word_number(words[6]),
      .settings = {word_number(words[7]), (uint8_t)word_number(words[8]), word_language(words[9])}};
  word_copy(serial, sizeof serial, words[1]);
  word_copy(firmware, sizeof firmware, words[3]);
  word_copy(model, sizeof model, words[4]);
  struct sb1_config config = {.serial = serial,
                              .firmware = firmware,
                              .model = model,
                              .rx_bytes = (uint16_t)word_number(words[5]),
                              .image_bytes = IMAGE_BYTES,
                              .has_pack = {strstr(words[10], "vi") != NULL, strstr(words[10], "en") != NULL},
                              .telemetry_s = bench->telemetry_s,
                              .goes_by_own_clock = bench->goes_by_own_clock};
  for (enum sb1_part part = 0; part < SB1_PARTS; part++)
    config.has_part[part] = strstr(words[11], sb1_part_name(part)) != NULL;
  bench->packet_id = 0;
  bench->is_worn_out = bench->is_full = false;
  bench->status = (struct sb1_status){.battery = SB1_UNKNOWN, .signal = SB1_UNKNOWN, .charging = SB1_UNKNOWN};
  struct sb1_ring ring;
  if (!key_ring(words[2], &ring) || !sb1_init(&bench->device, &config, &ring, &world, &memory))
    printf("{\"error\":\"no such device\"}\n");
}

/** A number, or SB1_UNKNOWN for `-`. */
static int16_t fact(const char *word)
{
  return strcmp(word, "-") == 0 ? SB1_UNKNOWN : (int16_t)strtol(word, NULL, 10);
}

/** status BATTERY SIGNAL CHARGING CLOCK UPTIME RESET-HEX MODEM-HEX. Comes after `device`. */
static void set_status(struct bench *bench, char **words)
{
  word_copy(bench->reset, sizeof bench->reset, unhex(words[6]).at);
  word_copy(bench->modem, sizeof bench->modem, unhex(words[7]).at);
  bench->status = (struct sb1_status){
      fact(words[1]), fact(words[2]),        fact(words[3]), (uint64_t)word_number(words[4]) * 1000,
      bench->reset,   word_number(words[5]), bench->modem};
}

/** power-cut: restarts the device with its stored memory. */
static void cut_power(struct sb1 *device)
{
  static struct sb1 fresh;
  memset(&fresh, 0, sizeof fresh);
  fresh.config = device->config;
  fresh.world = device->world;
  fresh.keys = device->keys;
  fresh.ring = device->ring;
#ifndef SB1_NO_REKEY
  fresh.uses_next = device->ring.has_next;
#endif
  fresh.memory = device->memory;
  fresh.display_works = device->display_works;
  fresh.audio_works = device->audio_works;
#ifndef SB1_NO_QR
  fresh.screen.qr_bill = fresh.screen.static_qr = "";
#endif
  *device = fresh;
}

/** Copies the bytes to a buffer of the exact size, so that the sanitizer detects every read outside. */
static void receive(struct sb1 *device, struct sb1_span payload)
{
  char *exact = malloc(payload.length > 0 ? payload.length : 1);
  if (!exact) abort();
  memcpy(exact, payload.at, payload.length);
  sb1_receive(device, (struct sb1_span){exact, payload.length}, OWN_MS);
  free(exact);
}

/** Seals a command as the hub does, so that its MAC is valid. */
static void receive_sealed(struct sb1 *device, struct sb1_span json)
{
  static char buffer[LINE_BYTES];
  struct sb1_text frame = SB1_TEXT_IN(buffer);
  char prefix[SB1_PREFIX_BYTES];
  sb1_write_prefix(prefix, device->config.serial, device->sid, NULL);
  sb1_text_put_bytes(&frame, json.at, json.length);
  if (sb1_frame_seal(device->keys.down, prefix, &frame))
    receive(device, (struct sb1_span){frame.at, frame.length});
}

#ifndef SB1_NO_UPDATE
/** image-grew BYTES */
static void grow(struct sb1 *device, char **words)
{
  if (!sb1_image_grew(device, word_number(words[1]), OWN_MS)) printf("{\"stop\":true}\n");
}

/** image-ended SIZE SHA256-HEX | image-ended: a download that has failed */
static void end_image(struct sb1 *device, char **words)
{
  struct sb1_image image = {.size = word_number(words[1])};
  struct sb1_span sha256 = unhex(words[2]);
  if (sha256.length == sizeof image.sha256) memcpy(image.sha256, sha256.at, sha256.length);
  sb1_image_ended(device, sha256.length > 0 ? &image : NULL, OWN_MS);
}
#endif

/** turn VOLUME LANG */
static void turn(struct sb1 *device, char **words)
{
  if (!sb1_change_settings(device, (uint8_t)word_number(words[1]), word_language(words[2])))
    printf("{\"again\":false}\n");
}

/** product TELEMETRY-S hub|own: for the next `device`. */
static void set_product(struct bench *bench, char **words)
{
  bench->telemetry_s = (uint16_t)word_number(words[1]);
  bench->goes_by_own_clock = strcmp(words[2], "own") == 0;
}

static bool happen(struct bench *bench, char **words)
{
  struct sb1 *device = &bench->device;
  const char *verb = words[0];
  const uint64_t at_ms = OWN_MS + word_number(words[1]);
  if (strcmp(verb, "frame") == 0) receive(device, unhex(words[1]));
  else if (strcmp(verb, "sealed") == 0) receive_sealed(device, unhex(words[1]));
  else if (strcmp(verb, "suback") == 0) sb1_subscribed(device);
  else if (strcmp(verb, "sound-end") == 0) sb1_sound_ended(device, true, at_ms);
  else if (strcmp(verb, "sound-break") == 0) sb1_sound_ended(device, false, OWN_MS);
  else if (strcmp(verb, "clock") == 0) sb1_tick(device, at_ms);
#ifndef SB1_NO_UPDATE
  else if (strcmp(verb, "image-grew") == 0) grow(device, words);
  else if (strcmp(verb, "image-ended") == 0) end_image(device, words);
#endif
  else if (strcmp(verb, "power-cut") == 0) cut_power(device);
  else if (strcmp(verb, "closed") == 0) sb1_closed(device);
  else if (strcmp(verb, "connect") == 0) sb1_connect(device, (const uint8_t[8]){0});
  else if (strcmp(verb, "refused") == 0) printf("{\"again\":%s}\n", sb1_refused(device) ? "true" : "false");
  else if (strcmp(verb, "status") == 0) set_status(bench, words);
  else if (strcmp(verb, "turn") == 0) turn(device, words);
  else if (strcmp(verb, "report-soon") == 0) sb1_report_soon(device, at_ms);
  else if (strcmp(verb, "crash") == 0) sb1_count_crash(device);
  else if (strcmp(verb, "worn-out") == 0) bench->is_worn_out = true;
  else if (strcmp(verb, "full") == 0) bench->is_full = true;
  else if (strcmp(verb, "room") == 0) bench->is_full = false;
  else if (strcmp(verb, "puback-all") == 0)
    for (uint16_t id = 1; id <= bench->packet_id; id++) sb1_stored(device, id, at_ms);
  else return false;
  return true;
}

static bool answer(struct bench *bench, char **words)
{
  const char *verb = words[0];
  if (strcmp(verb, "state") == 0) print_state(&bench->device);
  else if (strcmp(verb, "end") == 0) printf("{\"end\":true}\n");
  else if (strcmp(verb, "retry") == 0)
    printf("{\"retryMs\":%" PRIu32 "}\n",
           sb1_retry_ms(word_number(words[1]), strcmp(words[2], "refused") == 0, word_number(words[3])));
  else return false;
  return true;
}

int main(void)
{
  static char line[LINE_BYTES];
  static struct bench bench;
  static char nothing[] = "-";
  while (fgets(line, sizeof line, stdin)) {
    char *words[WORDS];
    size_t count = 0;
    for (char *word = strtok(line, " \n"); word && count < WORDS; word = strtok(NULL, " \n"))
      words[count++] = word;
    if (count == 0) continue;
    while (count < WORDS) words[count++] = nothing;
    if (strcmp(words[0], "product") == 0) set_product(&bench, words);
    else if (strcmp(words[0], "device") == 0) switch_on(&bench, words);
    else if (!set_state(&bench.device, words) && !happen(&bench, words) && !answer(&bench, words) &&
             !answer_frame(words)) {
      fprintf(stderr, "no such word: %s\n", words[0]);
      return 2;
    }
    if (key_leaks(&bench.device)) {
      fprintf(stderr, "the core has a secret key after: %s\n", words[0]);
      return 3;
    }
  }
  return 0;
}
