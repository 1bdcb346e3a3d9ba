#ifndef MAIN_H
#define MAIN_H

#include "../common/say.h"
#include "board.h"
#include "factory.h"
#include "net/link.h"
#include "speech.h"

/* The firmware's state, shared by its files. */

/** Buttons, battery and charger. */
struct inputs {
  /** What is played with now. The settings follow when the buttons rest. */
  uint8_t volume;
  uint64_t settle_at_ms;
  /** As in `struct sb1_status`. */
  int16_t battery, charging;
  /** The digits of a battery level that is being received, or -1. */
  int digits;
};

/** What comes after the end of the session. */
enum after { AFTER_POWER_OFF, AFTER_RESTART, AFTER_NOTHING };

struct speaker {
  bool is_leaving;
  enum after after;
  uint64_t leave_by_ms;
  struct inputs inputs;
  struct speech speech;
  struct factory factory;
  struct sb1_store memory, ring;
  struct sb1 device;
  struct link link;
};

extern const struct say log_line;

#ifdef NO_LOG
/* A build without a log: neither its code nor its texts are in the image. */
#define say_event(out, device, event) ((void)0)
#define say_start(out, event) ((void)(event))
#define say_member(out, name, value) ((void)(value))
#define say_number(out, name, value) ((void)(value))
#define say_end(out) ((void)0)
#endif

/** Ends the session in order, and then this. */
void leave(struct speaker *speaker, enum after after);

#endif
