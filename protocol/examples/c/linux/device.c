#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "inputs.h"
#include "say.h"

/*
 * The device on Linux: libmosquitto is its MQTT client, a file stores its memory, and standard output is its
 * screen and its loudspeaker.
 */

#define BEEP_CLIPS 3
/** As much as a small machine has for an image. */
#define IMAGE_BYTES 262144

/* It would speak again what the hub still considers open, so a person has to decide (sb/1 12.4). */
static const char DAMAGED[] = "The store is damaged: move it away to start as new.";

static volatile sig_atomic_t wants_off = 0;

static void on_signal(int signal)
{
  (void)signal;
  wants_off = 1;
}

uint64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void nap(uint64_t ms)
{
  struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

/* The functions of `sb1_world`. */

static bool keep(void *context, const struct sb1_memory *memory)
{
  struct speaker *speaker = context;
  return sb1_write_memory(&speaker->memory, memory);
}

static bool keep_ring(void *context, const struct sb1_ring *ring)
{
  struct speaker *speaker = context;
  return sb1_write_ring(&speaker->ring, ring);
}

/** This program has no place for another image, so every download fails, and `is_signed` is never asked. */
static bool download(void *context, const struct sb1_offer *offer)
{
  (void)context, (void)offer;
  return false;
}

static bool is_signed(void *context, const struct sb1_offer *offer)
{
  (void)context, (void)offer;
  return false;
}

static void look(void *context, struct sb1_status *status)
{
  const struct speaker *speaker = context;
  struct timespec now;
  *status = speaker->status;
  status->reset = speaker->options.reset;
  status->uptime_s = (uint32_t)((now_ms() - speaker->started_ms) / 1000);
  status->modem = speaker->last_end;
  clock_gettime(CLOCK_REALTIME, &now);
  if (speaker->options.has_clock)
    status->clock_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void tell(void *context, const struct sb1_event *event)
{
  struct speaker *speaker = context;
  const struct sb1_sound *sound = &speaker->device.sounds[0];
  say_event(stdout, &speaker->device, event);
  if (event->type == SB1_CONNECTED) {
    /*
     * Only a welcome proves that the hub works: a connection without one must not reset the backoff
     * (sb/1 13.3).
     */
    speaker->was_welcomed = true;
    speaker->failures = 0;
  }
  if (event->type == SB1_MOVE) speaker->wants_move = true;
  if (event->type == SB1_STALLED) speaker->end_reason = "no PUBACK in time";
  if (event->type == SB1_SAY || event->type == SB1_BEEP) {
    unsigned clips = event->type == SB1_SAY ? sound->clip_count : BEEP_CLIPS;
    speaker->sound_ends_ms = now_ms() + (uint64_t)clips * speaker->options.clip_ms;
  }
}

/* The life of the device. */

static uint64_t next_wait_ms(const struct speaker *speaker, uint64_t now)
{
  uint64_t until = now + NAP_MS;
  uint64_t due = sb1_due_ms(&speaker->device);
  if (due < until) until = due;
  if (speaker->device.is_sounding && speaker->sound_ends_ms < until) until = speaker->sound_ends_ms;
  if (!speaker->client && speaker->connect_at_ms < until) until = speaker->connect_at_ms;
  return until > now ? until - now : 0;
}

static void live(struct speaker *speaker)
{
  while (!wants_off && speaker->device.phase != SB1_OUT_OF_ORDER && !ferror(stdout)) {
    uint64_t now = now_ms();
    if (!speaker->client && now >= speaker->connect_at_ms) link_begin(speaker);
    if (speaker->client) link_carry(speaker, next_wait_ms(speaker, now));
    else nap(next_wait_ms(speaker, now));
    take_inputs(speaker);
    now = now_ms();
    if (speaker->device.is_sounding && now >= speaker->sound_ends_ms)
      sb1_sound_ended(&speaker->device, true, now);
    sb1_tick(&speaker->device, now);
  }
}

static int complain(const char *sentence, int code)
{
  fprintf(stderr, "%s\n", sentence);
  return code;
}

/** Opens the file of one store. Returns the exit code, or -1. */
static int open_flash(const struct options *options, const char *kind, struct flash_file *file,
                      struct sb1_flash *flash)
{
  switch (flash_file_open(file, options->state_folder, options->serial, kind, flash)) {
  case FLASH_OK: return -1;
  case FLASH_BUSY:
    return complain("Another process is this device: stop it, or name another folder with --state.", 1);
  case FLASH_FOREIGN: return complain(DAMAGED, 1);
  case FLASH_UNUSABLE: break;
  }
  return complain(strerror(errno), 1);
}

static int complain_of(enum sb1_store_state state)
{
  if (state == SB1_STORE_DAMAGED) return complain(DAMAGED, 1);
  return state == SB1_STORE_BROKEN ? complain(strerror(errno), 1) : -1;
}

/** Opens both stores. Returns the exit code, or -1. */
static int open_stores(struct speaker *speaker, struct sb1_memory *memory, struct sb1_ring *ring)
{
  struct sb1_flash flash;
  int code = open_flash(&speaker->options, "sb1", &speaker->memory_file, &flash);
  if (code < 0) code = complain_of(sb1_open_memory(&speaker->memory, &flash, memory));
  if (code < 0) code = open_flash(&speaker->options, "keys", &speaker->ring_file, &flash);
  if (code < 0) code = complain_of(sb1_open_ring(&speaker->ring, &flash, ring));
  return code;
}

static bool is_crash(const char *reset)
{
  return strcmp(reset, "watchdog") == 0 || strcmp(reset, "fault") == 0;
}

/** Initializes the device from its stores. Returns the exit code, or -1 if the device is ready. */
static int build(struct speaker *speaker)
{
  const struct options *options = &speaker->options;
  const struct sb1_world world = {.context = speaker,
                                  .publish = link_publish,
                                  .keep = keep,
                                  .tell = tell,
                                  .keep_ring = keep_ring,
                                  .download = download,
                                  .is_signed = is_signed,
                                  .look = look};
  speaker->status =
      (struct sb1_status){.battery = SB1_UNKNOWN, .signal = SB1_UNKNOWN, .charging = SB1_UNKNOWN};
  speaker->started_ms = now_ms();
  struct sb1_memory memory = {.settings = {.volume = 80, .lang = SB1_LANGUAGE_VI}};
  struct sb1_ring ring;
  struct sb1_config config = {.serial = options->serial,
                              .firmware = "0.1.0",
                              .model = "c-example",
                              .rx_bytes = SB1_RX_BYTES,
                              .image_bytes = IMAGE_BYTES,
                              .has_pack = {true, true},
                              .telemetry_s = options->telemetry_s,
                              .goes_by_own_clock = options->goes_by_clock};
  for (enum sb1_part part = 0; part < SB1_PARTS; part++)
    config.has_part[part] = strstr(options->caps, sb1_part_name(part)) != NULL;
  /* Before the stores: their files have the serial in their names. */
  if (!sb1_read_ring(options->key, &ring) || !sb1_init(&speaker->device, &config, &ring, &world, &memory))
    return complain("A serial is 4 to 32 letters, digits, _ or -, a key 43 characters of base64url.", 2);
  int code = open_stores(speaker, &memory, &ring);
  if (code < 0) sb1_init(&speaker->device, &config, &ring, &world, &memory);
  if (code < 0 && is_crash(options->reset)) sb1_count_crash(&speaker->device);
  return code;
}

int main(int argc, char **argv)
{
  static struct speaker speaker;
  int code = read_options(argc, argv, &speaker.options);
  if (code < 0) code = build(&speaker);
  if (code >= 0) return code;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
  /* Every line is an event: flush each one at once. */
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  mosquitto_lib_init();
  live(&speaker);
  link_leave(&speaker);
  mosquitto_lib_cleanup();
  return speaker.device.phase == SB1_OUT_OF_ORDER ? 1 : 0;
}
