#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#include <string.h>

#include "audio_task.h"
#include "clock.h"
#include "core_task.h"
#include "network_task.h"

/** In words. */
#define STACK 1024
#define PRIORITY (tskIDLE_PRIORITY + 2)
/** Events in the queue: each ack in flight, one sound, one PUBLISH, and the end of the connection. */
#ifndef CORE_EVENTS
#define CORE_EVENTS 16
#endif
/** The longest wait. */
#define TURN_MS 2000
/** The hub closes the connection at a DISCONNECT. */
#define GOODBYE_MS 3000

_Static_assert(sizeof(struct event) == 8, "the queue has events of 8 bytes");

static QueueHandle_t events;

void core_send(struct event event)
{
  /* What is full waits: a PUBACK that is lost would silence the device until the next session (sb/1 7.19). */
  xQueueSend(events, &event, portMAX_DELAY);
}

/* The functions of `sb1_world`. */

static uint16_t publish(void *context, enum sb1_kind kind, const char *payload, size_t length)
{
  (void)context;
  return network_publish(kind, payload, length);
}

static bool keep(void *context, const struct sb1_memory *memory)
{
  struct core *core = context;
  return sb1_write_memory(core->memory, memory);
}

static bool keep_ring(void *context, const struct sb1_ring *ring)
{
  struct core *core = context;
  return sb1_write_ring(core->ring, ring);
}

static void look(void *context, struct sb1_status *status)
{
  struct core *core = context;
  port_look(status);
  status->modem = core->last_end;
}

static void play(const struct sb1 *device, bool is_beep)
{
  struct sound sound = {.lang = device->sounds[0].lang, .volume = device->memory.settings.volume};
  if (!is_beep) {
    sound.clip_count = device->sounds[0].clip_count;
    memcpy(sound.clips, device->clips, sound.clip_count);
  }
  audio_play(&sound);
}

static void tell(void *context, const struct sb1_event *event)
{
  struct core *core = context;
  say_event(core->log, &core->device, event);
  switch (event->type) {
  case SB1_CONNECTED:
    /* Only a welcome proves that the hub works, so only a welcome restarts the backoff (sb/1 13.3). */
    core->was_welcomed = true;
    core->failures = 0;
    core->answer_by_ms = UINT64_MAX;
    break;
  case SB1_SAY:
  case SB1_BEEP: play(&core->device, event->type == SB1_BEEP); break;
  case SB1_MOVE: core->wants_move = true; break;
  case SB1_STALLED: network_end("no PUBACK in time"); break;
  default: break;
  }
}

struct sb1_world core_world(struct core *core)
{
  return (struct sb1_world){
      .context = core, .publish = publish, .keep = keep, .tell = tell, .keep_ring = keep_ring, .look = look};
}

/* The session. */

static void say_end_of_session(const struct core *core, uint8_t code, uint32_t wait_ms)
{
  bool is_refused = code != 0, is_disconnected = !is_refused && core->was_welcomed;
  say_start(core->log, is_refused ? "refused" : is_disconnected ? "disconnected" : "offline");
  if (is_refused) say_number(core->log, "code", code);
  say_member(core->log, "reason", core->last_end);
  if (!is_disconnected) say_number(core->log, "retryInMs", wait_ms);
  say_end(core->log);
}

/** Takes note of the end, and plans the next session. */
static void end_session(struct core *core, const char *why, uint8_t code, uint64_t now_ms)
{
  struct sb1_text cause = SB1_TEXT_IN(core->last_end);
  uint32_t random = (uint32_t)now_ms * 2654435761u;
  port_random(&random, sizeof random);
  sb1_text_put(&cause, core->is_off      ? "switched off"
                       : core->is_moving ? "the device uses its next key"
                                         : why);
  sb1_closed(&core->device);
  /* With another key the next attempt is no repeat (sb/1 2.7, sb/1 2.8). */
  bool has_other_key = core->is_moving || (code == 4 && sb1_refused(&core->device));
  uint32_t wait_ms = has_other_key ? 0 : sb1_retry_ms(++core->failures, code != 0, random);
  core->connect_at_ms = now_ms + wait_ms;
  core->answer_by_ms = UINT64_MAX;
  core->has_session = core->is_moving = core->wants_move = false;
  if (!core->is_off || core->was_welcomed) say_end_of_session(core, code, wait_ms);
  core->was_welcomed = false;
}

static void begin_session(struct core *core, uint64_t now_ms)
{
  struct network_login login;
  struct sb1_text will = SB1_TEXT_IN(login.will);
  uint8_t sid[8];
  bool is_random = port_random(sid, sizeof sid);
  if (is_random) sb1_connect(&core->device, sid);
  if (!is_random || core->device.phase != SB1_CONNECTING) {
    end_session(core, "no session id", 0, now_ms);
    return;
  }
  sb1_write_password(&core->device.keys, login.password);
  sb1_write_will(&core->device, "lost", &will);
  core->has_session = true;
  network_open(&login);
}

/** Says `bye`, so that the hub knows at once that the session has ended (sb/1 3.2). */
static void leave(struct core *core, uint64_t now_ms)
{
  char payload[NETWORK_WILL_BYTES];
  struct sb1_text bye = SB1_TEXT_IN(payload);
  sb1_write_will(&core->device, "bye", &bye);
  bool is_said = core->has_session && network_leave(payload, bye.length);
  core->answer_by_ms = is_said ? now_ms + GOODBYE_MS : now_ms;
}

/* The task. */

static void take(struct core *core, const struct event *event, uint64_t now_ms)
{
  struct sb1 *device = &core->device;
  switch (event->type) {
  case EVENT_SUBSCRIBED:
    core->answer_by_ms = now_ms + core->answer_ms;
    sb1_subscribed(device);
    break;
  case EVENT_FRAME:
    sb1_receive(device, network_frame(event->at, event->length), now_ms);
    network_go_on();
    break;
  case EVENT_PUBACK: sb1_stored(device, event->packet_id, now_ms); break;
  case EVENT_DROPPED:
    say_start(core->log, "ignored");
    say_member(core->log, "reason", "larger than the buffer");
    say_end(core->log);
    break;
  case EVENT_ENDED: end_session(core, network_cause(), event->code, now_ms); break;
  case EVENT_SOUND_ENDED: sb1_sound_ended(device, event->heard, now_ms); break;
  case EVENT_OFF:
    core->is_off = true;
    leave(core, now_ms);
    break;
  }
}

/** Does what is due. */
static void carry_on(struct core *core, uint64_t now_ms)
{
  sb1_tick(&core->device, now_ms);
  bool is_broken = core->device.phase == SB1_OUT_OF_ORDER;
  if (is_broken && !core->is_off) take(core, &(struct event){.type = EVENT_OFF}, now_ms);
  if (core->is_off && (!core->has_session || now_ms >= core->answer_by_ms)) port_off(is_broken);
  if (core->wants_move && !core->is_moving) {
    core->is_moving = true;
    leave(core, now_ms);
  }
  if (core->has_session && now_ms >= core->answer_by_ms) {
    core->answer_by_ms = UINT64_MAX;
    network_end(core->is_moving ? "no end in time" : "no welcome in time");
  }
  if (!core->has_session && !core->is_off && now_ms >= core->connect_at_ms) begin_session(core, now_ms);
}

static TickType_t ticks_to_wait(const struct core *core, uint64_t now_ms)
{
  uint64_t due_ms = now_ms + TURN_MS, tick_ms = sb1_due_ms(&core->device);
  if (tick_ms < due_ms) due_ms = tick_ms;
  if (core->has_session && core->answer_by_ms < due_ms) due_ms = core->answer_by_ms;
  if (!core->has_session && core->connect_at_ms < due_ms) due_ms = core->connect_at_ms;
  /* A wait ends up to a tick early. */
  return due_ms > now_ms ? pdMS_TO_TICKS((TickType_t)(due_ms - now_ms)) + 1 : 0;
}

static void run(void *context)
{
  struct core *core = context;
  struct clock clock = {0};
  struct event event;
  for (;;) {
    uint64_t now_ms = clock_read_ms(&clock);
    carry_on(core, now_ms);
    if (xQueueReceive(events, &event, ticks_to_wait(core, now_ms)) == pdTRUE)
      take(core, &event, clock_read_ms(&clock));
  }
}

void core_start(struct core *core)
{
  static StaticQueue_t queue;
  static uint8_t storage[CORE_EVENTS * sizeof(struct event)];
  static StaticTask_t task;
  static StackType_t stack[STACK];
  core->answer_by_ms = UINT64_MAX;
  events = xQueueCreateStatic(CORE_EVENTS, sizeof(struct event), storage, &queue);
  xTaskCreateStatic(run, "core", STACK, core, PRIORITY, stack, &task);
}
