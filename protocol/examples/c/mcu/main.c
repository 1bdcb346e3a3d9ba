#include "main.h"

#include <string.h>

#include "inputs.h"
#include "net/own_tls.h"

/*
 * The firmware of a speaker: one loop, which polls the link and the sound, ticks the core, and sleeps until
 * something is due or an interrupt has stored something. Nothing in it waits.
 */

#define FIRMWARE "0.1.0"
#define MODEL "mcu-example"
/** The loop turns at least as often, to feed the watchdog. */
#define TURN_MS 2000
/** A part whose work is overdue for as long is no longer served: the watchdog is not fed any more. */
#define OVERDUE_MS 30000
/** To say `bye` before the power goes off. */
#define GOODBYE_MS 5000

static void put_log(void *context, const char *bytes, size_t length)
{
  (void)context;
  board_log(bytes, length);
}

const struct say log_line = {NULL, put_log};

/* The functions of `sb1_world`. */

static uint16_t publish(void *context, enum sb1_kind kind, const char *payload, size_t length)
{
  struct speaker *speaker = context;
  return link_publish(&speaker->link, kind, payload, length);
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

static void look(void *context, struct sb1_status *status)
{
  const struct speaker *speaker = context;
  int signal = modem_signal_dbm(&speaker->link.modem);
  status->battery = speaker->inputs.battery;
  status->charging = speaker->inputs.charging;
  if (signal != 0) status->signal = (int16_t)signal;
  status->reset = board_reset_cause();
  status->uptime_s = (uint32_t)(board_ms() / 1000);
  status->modem = link_cause(&speaker->link);
}

static void tell(void *context, const struct sb1_event *event)
{
  struct speaker *speaker = context;
  const struct sb1 *device = &speaker->device;
  link_hear(&speaker->link, event);
  switch (event->type) {
  /* The first clips stay where they are while the sentence sounds. */
  case SB1_SAY:
    speech_say(&speaker->speech, device->sounds[0].lang, device->clips, device->sounds[0].clip_count);
    break;
  case SB1_BEEP: speech_beep(&speaker->speech); break;
  case SB1_APPLY: speaker->inputs.volume = device->memory.settings.volume; break;
  case SB1_RESTART: leave(speaker, AFTER_RESTART); break;
  /* It stays on without a session and without a word: a restart would write to the same flash again. */
  case SB1_BROKEN: leave(speaker, AFTER_NOTHING); break;
  default: break;
  }
  /* Last, so that a sound does not wait for a slow line. */
  say_event(&log_line, device, event);
}

static bool random_bytes(void *context, void *bytes, size_t count)
{
  (void)context;
  return board_random(bytes, count);
}

static void hear_link(void *context, const struct link_event *event)
{
  static const char *const NAMES[] = {[LINK_NO_NETWORK] = "no-network",
                                      [LINK_OFFLINE] = "offline",
                                      [LINK_DISCONNECTED] = "disconnected",
                                      [LINK_REFUSED] = "refused",
                                      [LINK_DROPPED] = "ignored"};
  (void)context;
  say_start(&log_line, NAMES[event->type]);
  if (event->type == LINK_REFUSED) say_number(&log_line, "code", event->code);
  say_member(&log_line, "reason", event->type == LINK_DROPPED ? "larger than the buffer" : event->reason);
  if (event->type == LINK_OFFLINE || event->type == LINK_REFUSED)
    say_number(&log_line, "retryInMs", event->retry_ms);
  say_end(&log_line);
}

/* The modem's UART. */

static size_t uart_read(void *context, void *bytes, size_t room)
{
  (void)context;
  return board_modem_read(bytes, room);
}

static size_t uart_write(void *context, const void *bytes, size_t count)
{
  (void)context;
  return board_modem_write(bytes, count);
}

static bool uart_overrun(void *context)
{
  (void)context;
  return board_modem_overrun();
}

static void uart_reset(void *context)
{
  (void)context;
  board_modem_reset();
}

/* The start. */

/** Stays on and does nothing but to say why: a person has to look after it. */
_Noreturn static void stop(const char *event, const char *reason)
{
  say_start(&log_line, event);
  say_member(&log_line, "reason", reason);
  say_end(&log_line);
  for (;;) {
    if (board_pin() == 'q') board_power_off();
    board_feed();
    board_sleep(board_ms() + TURN_MS);
  }
}

static void say_boot(void)
{
  const uint32_t at = board_reset_at();
  say_start(&log_line, "boot");
  say_member(&log_line, "fw", FIRMWARE);
  say_member(&log_line, "reset", board_reset_cause());
  /* For addr2line. */
  if (at != 0) say_number(&log_line, "pc", at);
  say_end(&log_line);
}

static void read_factory(struct factory *factory, uint8_t key[SB1_KEY_BYTES])
{
  struct sb1_flash flash = board_flash(BOARD_FACTORY);
  switch (factory_read(&flash, factory, key)) {
  case FACTORY_BLANK: stop("unprovisioned", "the factory area is blank");
  case FACTORY_DAMAGED: stop("unprovisioned", "the factory area is damaged");
  case FACTORY_READ: break;
  }
}

/** Opens both stores. A damaged one must not start as new (sb/1 12.4). */
static void open_stores(struct speaker *speaker, struct sb1_memory *memory, struct sb1_ring *ring)
{
  struct sb1_flash of_memory = board_flash(BOARD_MEMORY), of_keys = board_flash(BOARD_KEYS);
  enum sb1_store_state states[] = {sb1_open_memory(&speaker->memory, &of_memory, memory),
                                   sb1_open_ring(&speaker->ring, &of_keys, ring)};
  for (unsigned i = 0; i < 2; i++) {
    if (states[i] == SB1_STORE_DAMAGED) stop("broken", "the store is damaged");
    if (states[i] == SB1_STORE_BROKEN) stop("broken", "the flash does not work");
  }
}

static void start_device(struct speaker *speaker)
{
  const struct sb1_world world = {.context = speaker,
                                  .publish = publish,
                                  .keep = keep,
                                  .tell = tell,
                                  .keep_ring = keep_ring,
                                  .look = look};
  struct sb1_memory memory = {.settings = {.volume = 80, .lang = SB1_LANGUAGE_VI}};
  struct sb1_ring ring = {.has_next = false};
  struct sb1_config config = {.serial = speaker->factory.serial,
                              .has_part = {[SB1_SCREEN] = true,
                                           [SB1_SPEAKER] = true,
                                           [SB1_QR] = true,
                                           [SB1_REKEY] = true,
                                           [SB1_HEALTH] = true},
                              .firmware = FIRMWARE,
                              .model = MODEL,
                              .rx_bytes = SB1_RX_BYTES};
  size_t bytes;
  const uint8_t *image = board_speech(&bytes);
  bool has_speech = speech_open(&speaker->speech, image, bytes, &speaker->inputs.volume, config.has_pack);
  read_factory(&speaker->factory, ring.current);
  open_stores(speaker, &memory, &ring);
  if (!sb1_init(&speaker->device, &config, &ring, &world, &memory))
    stop("unprovisioned", "the serial is malformed");
  if (!has_speech) {
    speaker->device.audio_works = false;
    say_start(&log_line, "no-speech");
    say_member(&log_line, "reason", image ? "the image of the speech is damaged" : "there is no image");
    say_end(&log_line);
  }
  inputs_start(&speaker->inputs, memory.settings.volume);
}

static bool was_crash(void)
{
  return strcmp(board_reset_cause(), "watchdog") == 0 || strcmp(board_reset_cause(), "fault") == 0;
}

static void start_link(struct speaker *speaker)
{
  enum factory_tls tls = speaker->factory.tls;
  const struct link_config config = {
      .host = speaker->factory.host,
      .port = speaker->factory.port,
      .modem = {.uart = {NULL, uart_read, uart_write, uart_overrun, uart_reset},
                .ca_file = tls == FACTORY_MODEM_TLS ? "ca.pem" : NULL},
      .tls = tls == FACTORY_OWN_TLS ? own_tls(&speaker->device) : NULL,
      .buffers = own_tls_buffers(),
      .context = speaker,
      .random = random_bytes,
      .tell = hear_link};
  /* Without TLS everybody on the way could read the password. */
  if (tls == FACTORY_OWN_TLS && !config.tls) stop("unprovisioned", "no TLS in this build, or no authority");
  link_start(&speaker->link, &speaker->device, &config, board_ms());
}

/* The loop. */

void leave(struct speaker *speaker, enum after after)
{
  if (speaker->is_leaving) return;
  speaker->is_leaving = true;
  speaker->after = after;
  speaker->leave_by_ms = board_ms() + GOODBYE_MS;
  /* `tell` calls this too, and then the core is in the middle of a change: the loop does the rest. */
}

static void say_stack(void)
{
  say_start(&log_line, "stack");
  say_number(&log_line, "used", (uint32_t)board_stack_used());
  say_end(&log_line);
}

static void go_on_leaving(struct speaker *speaker, uint64_t now)
{
  if (speaker->link.state != LINK_OFF && speaker->link.state != LINK_LEAVING) link_leave(&speaker->link);
  if (speaker->link.state != LINK_OFF && now < speaker->leave_by_ms) return;
  say_stack();
  if (speaker->after == AFTER_POWER_OFF) board_power_off();
  if (speaker->after == AFTER_RESTART) board_restart();
  stop("broken", "what was played can't be written");
}

/** The board plays a sound by itself. One that is stuck is ended, or the device would never speak again. */
static void end_sound(struct speaker *speaker, uint64_t now)
{
  enum speech_state state = speech_poll(&speaker->speech, now);
  if (state != SPEECH_GOES_ON) sb1_sound_ended(&speaker->device, state == SPEECH_ENDED, now);
}

static uint64_t due_ms(const struct speaker *speaker, uint64_t now)
{
  uint64_t due = now + TURN_MS;
  if (sb1_due_ms(&speaker->device) < due) due = sb1_due_ms(&speaker->device);
  if (link_due_ms(&speaker->link) < due) due = link_due_ms(&speaker->link);
  if (inputs_due_ms(&speaker->inputs) < due) due = inputs_due_ms(&speaker->inputs);
  if (speaker->is_leaving && speaker->leave_by_ms < due) due = speaker->leave_by_ms;
  return due;
}

int main(void)
{
  static struct speaker speaker;
  board_start();
  say_boot();
  start_device(&speaker);
  start_link(&speaker);
  if (was_crash()) sb1_count_crash(&speaker.device);
  for (;;) {
    uint64_t now = board_ms();
    link_poll(&speaker.link, now);
    inputs_poll(&speaker, now);
    sb1_tick(&speaker.device, now);
    end_sound(&speaker, now);
    /* What the core has published since is sent now. */
    link_poll(&speaker.link, now);
    if (speaker.is_leaving) go_on_leaving(&speaker, now);
    uint64_t due = due_ms(&speaker, now);
    if (due + OVERDUE_MS > now) board_feed();
    board_sleep(due);
  }
}
