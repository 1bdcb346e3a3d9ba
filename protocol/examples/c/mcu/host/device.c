#define _DEFAULT_SOURCE

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "../../linux/flash_file.h"
#include "../../linux/options.h"
#include "../../linux/print.h"
#include "device.h"

/*
 * The line of the firmware as a process on Linux: core, session, MQTT and driver of the modem, with the modem
 * for tests or one behind a socket. So sanitizers and the conformance kit see the same code that runs on a
 * small machine. It takes the options of linux/device.c and prints the same events.
 */

#define BEEP_CLIPS 3
/** A signal just before a wait is handled after it, and the modem for tests has nobody to wake it. */
#define NAP_MS 20

static volatile sig_atomic_t wants_off = 0;

static void on_signal(int signal)
{
  (void)signal;
  wants_off = 1;
}

static uint64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

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

static uint16_t publish(void *context, enum sb1_kind kind, const char *payload, size_t length)
{
  struct speaker *speaker = context;
  return link_publish(&speaker->link, kind, payload, length);
}

static void tell(void *context, const struct sb1_event *event)
{
  struct speaker *speaker = context;
  say_event(&print, &speaker->device, event);
  link_hear(&speaker->link, event);
  if (event->type != SB1_SAY && event->type != SB1_BEEP) return;
  unsigned clips = event->type == SB1_SAY ? speaker->device.sounds[0].clip_count : BEEP_CLIPS;
  speaker->sound_ends_ms = now_ms() + (uint64_t)clips * speaker->options.clip_ms;
}

static bool random_bytes(void *context, void *bytes, size_t count)
{
  (void)context;
  return getentropy(bytes, count) == 0;
}

static void hear(void *context, const struct link_event *event)
{
  static const char *const NAMES[] = {"no-network", "offline", "disconnected", "refused", "dropped"};
  (void)context;
  printf("{\"event\":\"%s\",", NAMES[event->type]);
  say_text(&print, "reason", event->reason ? event->reason : "");
  if (event->type == LINK_REFUSED) printf(",\"code\":%u", event->code);
  printf(",\"retryInMs\":%" PRIu32 "}\n", event->retry_ms);
}

static bool open_stores(struct speaker *speaker, struct sb1_memory *memory, struct sb1_ring *ring)
{
  const struct options *options = &speaker->options;
  struct sb1_flash flash;
  return flash_file_open(&speaker->memory_file, options->state_folder, options->serial, "sb1", &flash) ==
             FLASH_OK &&
         sb1_open_memory(&speaker->memory, &flash, memory) <= SB1_STORE_BLANK &&
         flash_file_open(&speaker->ring_file, options->state_folder, options->serial, "keys", &flash) ==
             FLASH_OK &&
         sb1_open_ring(&speaker->ring, &flash, ring) <= SB1_STORE_BLANK;
}

static bool build(struct speaker *speaker)
{
  const struct options *options = &speaker->options;
  const struct sb1_world world = {
      .context = speaker, .publish = publish, .keep = keep, .tell = tell, .keep_ring = keep_ring};
  struct sb1_memory memory = {.settings = {.volume = 80, .lang = SB1_LANGUAGE_VI}};
  struct sb1_ring ring;
  struct sb1_config config = {.serial = options->serial,
                              .firmware = "0.1.0",
                              .model = "mcu-host",
                              .rx_bytes = SB1_RX_BYTES,
                              .has_pack = {true, true}};
  for (enum sb1_part part = 0; part < SB1_PARTS; part++)
    config.has_part[part] = part != SB1_UPDATE && strstr(options->caps, sb1_part_name(part)) != NULL;
  if (!sb1_read_ring(options->key, &ring) || !open_stores(speaker, &memory, &ring) ||
      !sb1_init(&speaker->device, &config, &ring, &world, &memory))
    return false;
  struct link_config line = {.host = options->host,
                             .port = (uint16_t)options->port,
                             .buffers = &speaker->buffers,
                             .random = random_bytes,
                             .tell = hear};
  if (!open_uart(speaker, &line.modem.uart)) return false;
  link_start(&speaker->link, &speaker->device, &line, now_ms());
  return true;
}

static void turn(struct speaker *speaker)
{
  struct pollfd input = {.fd = poll_uart(speaker, now_ms()), .events = POLLIN};
  uint64_t now = now_ms();
  if (wants_off) link_leave(&speaker->link);
  link_poll(&speaker->link, now);
  if (speaker->device.is_sounding && now >= speaker->sound_ends_ms)
    sb1_sound_ended(&speaker->device, true, now);
  sb1_tick(&speaker->device, now);
  uint64_t due = link_due_ms(&speaker->link);
  if (sb1_due_ms(&speaker->device) < due) due = sb1_due_ms(&speaker->device);
  if (fake_has_output(&speaker->fake) || due <= now) return;
  poll(&input, 1, due - now < NAP_MS ? (int)(due - now) : NAP_MS);
}

int main(int argc, char **argv)
{
  static struct speaker speaker;
  int code = read_options(argc, argv, &speaker.options);
  if (code >= 0) return code;
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  if (!build(&speaker)) {
    fprintf(stderr, "The device can't start: %s.\n", strerror(errno));
    return 2;
  }
  while (speaker.link.state != LINK_OFF && !ferror(stdout)) turn(&speaker);
  return 0;
}
