#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "inputs.h"
#include "print.h"

/*
 * The device on Linux: libmosquitto is its MQTT client, a file stores its memory, and standard output is its
 * screen and its loudspeaker.
 */

#define BEEP_CLIPS 3

static volatile sig_atomic_t wants_off = 0;

static void on_signal(int signal)
{
  (void)signal;
  wants_off = 1;
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
  return sb1_write_memory(&speaker->stores.memory, memory);
}

static bool keep_ring(void *context, const struct sb1_ring *ring)
{
  struct speaker *speaker = context;
  return sb1_write_ring(&speaker->stores.ring, ring);
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
  *status = speaker->status;
  status->reset = speaker->options.reset;
  status->uptime_s = (uint32_t)((now_ms() - speaker->started_ms) / 1000);
  status->modem = speaker->last_end;
  if (speaker->options.has_clock) status->clock_ms = clock_ms();
}

static void tell(void *context, const struct sb1_event *event)
{
  struct speaker *speaker = context;
  const struct sb1_sound *sound = &speaker->device.sounds[0];
  say_event(&print, &speaker->device, event);
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

/** Initializes the device. Returns the exit code, or -1 if it is ready. */
static int build(struct speaker *speaker)
{
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
  return start_device(&speaker->device, &speaker->options, &world, &speaker->stores);
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
