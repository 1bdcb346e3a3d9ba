#ifndef SPEAKER_H
#define SPEAKER_H

#include <mosquitto.h>

#include "options.h"
#include "store.h"

/* What the files of the device on Linux share. */

/** The longest nap: a signal that comes right before it is heard right after. */
#define NAP_MS 250

struct speaker {
  struct options options;
  struct sb1 device;
  struct store store;
  /** One for each session; NULL while there is none. */
  struct mosquitto *client;
  /** What the hub has answered to the CONNECT: -1 nothing yet. */
  int connack;
  bool was_welcomed;
  unsigned failures;
  uint64_t connect_at_ms;
  uint64_t welcome_by_ms;
  uint64_t sound_ends_ms;
};

/** A clock that only moves forward. */
uint64_t now_ms(void);

/** Publishes for the device: see `sb1_world`. The context is a speaker. */
uint16_t link_publish(void *context, enum sb1_kind kind, const char *payload, size_t length);

/** Begins a session: a CONNECT goes out. */
void link_begin(struct speaker *speaker);

/** Lets packets pass both ways for so long at most; ends the session when the line does. */
void link_carry(struct speaker *speaker, uint64_t wait_ms);

/** Says goodbye, if there is a session, and disconnects. */
void link_leave(struct speaker *speaker);

#endif
