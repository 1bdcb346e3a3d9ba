#ifndef CORE_TASK_H
#define CORE_TASK_H

#include "../common/say.h"

/*
 * The core task owns `struct sb1`: it alone calls the core. Other tasks tell it what has happened by events
 * in its queue.
 */

enum event_type {
  /** The SUBACK has come. */
  EVENT_SUBSCRIBED,
  /** A PUBLISH on the topic of the hub: `at` and `length`, see `network_frame`. */
  EVENT_FRAME,
  /** `packet_id`. */
  EVENT_PUBACK,
  /** A packet was larger than the receive buffer (sb/1 10.1). */
  EVENT_DROPPED,
  /** The session, or the attempt, has ended. `code`: of the CONNACK that refused it, or 0. */
  EVENT_ENDED,
  /** `heard`: false if the audio has failed. Exactly one for each sound. */
  EVENT_SOUND_ENDED,
  /** Somebody switches the device off. */
  EVENT_OFF
};

struct event {
  uint8_t type;
  union {
    uint8_t code;
    bool heard;
  };
  uint16_t packet_id;
  uint16_t at, length;
};

struct core {
  struct sb1 device;
  struct sb1_store *memory, *ring;
  const struct say *log;
  /** How long to wait for the welcome. */
  uint32_t answer_ms;

  /** The network task has a session or an attempt, until EVENT_ENDED. */
  bool has_session;
  bool was_welcomed;
  unsigned failures;
  uint64_t connect_at_ms;
  /** When the session is ended because the welcome, or its end, has not come. */
  uint64_t answer_by_ms;
  /** The session must end, so that the device uses its next key; it has said goodbye. */
  bool wants_move, is_moving;
  bool is_off;
  /** Why the last session has ended, for `health.modem`. */
  char last_end[33];
};

/** The world of a device. Its context is the `struct core`. There are no downloads. */
struct sb1_world core_world(struct core *core);

/** Starts the task. The device was initialized, and belongs to the task from now on. */
void core_start(struct core *core);

/** Waits until the queue has room. Call it from any task, but not from the core task. */
void core_send(struct event event);

#endif
