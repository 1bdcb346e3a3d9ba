#ifndef SPEAKER_H
#define SPEAKER_H

#include <mosquitto.h>
#include <pthread.h>

#include "start.h"

/* Shared by the files of the device on Linux. */

/** The longest wait. A signal just before a wait is handled after it. */
#define NAP_MS 250

/** How an attempt to connect has started: an error of libmosquitto, and the system's. */
struct dialled {
  int error;
  int system_error;
};

struct speaker {
  struct options options;
  struct sb1 device;
  struct stores stores;
  /** One for each session; NULL while there is none. */
  struct mosquitto *client;
  /** While this is true the client belongs to `dialler`, which writes a `struct dialled` to the pipe. */
  bool is_dialling;
  pthread_t dialler;
  int dialled[2];
  /** The return code of the CONNACK, or -1 before it. */
  int connack;
  bool was_welcomed;
  /** The session must end, so that the device uses its next key; it has said goodbye. */
  bool wants_move, is_moving;
  /** Why the connection must end without a word, or NULL (sb/1 4.3, sb/1 7.26). */
  const char *end_reason;
  unsigned failures;
  /** What the hardware tells, the end of the last connection, and when the program has started. */
  struct sb1_status status;
  char last_end[48];
  uint64_t started_ms;
  /** A line of standard input, as far as it has come. */
  char input[8];
  unsigned input_length;
  uint64_t connect_at_ms;
  /** The answer of the hub that is due: CONNACK, SUBACK or welcome. */
  const char *awaited;
  uint64_t answer_by_ms;
  uint64_t sound_ends_ms;
};

/** Publishes for the device: see `sb1_world`. The context is a speaker. */
uint16_t link_publish(void *context, enum sb1_kind kind, const char *payload, size_t length);

/** Starts a session: sends a CONNECT. */
void link_begin(struct speaker *speaker);

/** Sends and receives packets for at most this long. Ends the session if the connection is lost. */
void link_carry(struct speaker *speaker, uint64_t wait_ms);

/** Publishes `bye` if there is a session, and disconnects. */
void link_leave(struct speaker *speaker);

#endif
