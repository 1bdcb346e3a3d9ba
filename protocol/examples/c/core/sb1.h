#ifndef SB1_H
#define SB1_H

#include "clips.h"
#include "frame.h"

/*
 * A speaker that obeys sb/1, without its hardware: something happens (`sb1_receive`, `sb1_tick`, …), the
 * state moves on, and what the world shall do about it is asked for, in order, by the three functions of
 * `sb1_world`. No heap, no files, no sockets, no clock: `now_ms` is any clock of the device's own that only
 * moves forward.
 */

/** The largest receive buffer for a whole PUBLISH that this build can have (sb/1 6.3). */
#define SB1_RX_BYTES 512
/** The longest frame that goes up, the birth, with room to spare. */
#define SB1_TX_BYTES 384
/** Sounds that wait or sound: some 20 s of speech. What comes on top stays unanswered (sb/1 7.11). */
#define SB1_SOUNDS 8
/** Acks that the hub has not stored yet, and failures to be told again. */
#define SB1_ACKS 24

#define SB1_SERIAL_MOST 32
#define SB1_ID_BYTES 27
#define SB1_SID_BYTES 17
#define SB1_CODE_BYTES 7
#define SB1_AMOUNT_BYTES 14
#define SB1_SUM_BYTES 20
#define SB1_CURRENCY_BYTES 4
/** 64 and 128 characters take up to four bytes of UTF-8 each. */
#define SB1_BILL_BYTES 257
#define SB1_NAME_BYTES 513

/** What travels up, each on its own topic (sb/1 4.1). */
enum sb1_kind { SB1_BIRTH, SB1_WILL, SB1_ACK, SB1_TELEMETRY, SB1_SETTINGS };
/** The last level of the topic. */
const char *sb1_kind_name(enum sb1_kind kind);

enum sb1_stage { SB1_RECEIVED, SB1_SHOWN, SB1_PLAYED, SB1_FAILED };
const char *sb1_stage_name(enum sb1_stage stage);

/** Why a command failed: those codes of sb/1 7.4 that this device has a use for. */
enum sb1_reason {
  SB1_NO_REASON,
  SB1_EXPIRED,
  SB1_UNSUPPORTED,
  SB1_TOO_LARGE,
  SB1_NO_CLIP,
  SB1_AUDIO_FAILED,
  SB1_DISPLAY_FAILED,
  SB1_MUTED
};
const char *sb1_reason_name(enum sb1_reason reason);

const char *sb1_language_name(enum language language);

struct sb1_settings {
  uint32_t ver;
  /** Percent. */
  uint8_t volume;
  enum language lang;
};

/** What is kept over a power cut; everything else is learnt anew from the hub (sb/1 12.1). */
struct sb1_memory {
  /** The highest announcement whose sound has ever started (sb/1 7.5). */
  uint32_t played;
  struct sb1_settings settings;
};

struct sb1_sound {
  /** The beep of `identify`; else an announcement. */
  bool is_beep;
  uint32_t n;
  char id[SB1_ID_BYTES];
  /** Unix seconds on the hub's clock. */
  uint64_t good_until;
  char amount[SB1_AMOUNT_BYTES];
  char currency[SB1_CURRENCY_BYTES];
  enum language lang;
  uint8_t clip_count;
  /** Indexes of the language's clip pack. */
  uint8_t clips[CLIPS_MOST];
};

struct sb1_ack {
  char id[SB1_ID_BYTES];
  uint32_t n;
  enum sb1_stage stage;
  enum sb1_reason reason;
  bool is_repeat;
  /** The hub has it; it is kept only to tell a failure again. */
  bool is_stored;
  /** Of its PUBLISH in this session; 0 when there was none. */
  uint16_t packet_id;
};

/** All that a screen may have to show, as UTF-8. `exp` is Unix seconds on the hub's clock. */
struct sb1_screen {
  bool has_code;
  char code[SB1_CODE_BYTES];
  uint32_t code_exp;

  bool has_qr;
  char qr[SB1_RX_BYTES];
  char qr_amount[SB1_AMOUNT_BYTES];
  char qr_bill[SB1_BILL_BYTES];
  uint32_t qr_exp;

  bool has_profile;
  char name[SB1_NAME_BYTES];
  char static_qr[SB1_RX_BYTES];

  bool has_missed;
  uint32_t missed_count;
  char missed_amount[SB1_SUM_BYTES];
};

enum sb1_phase { SB1_OFFLINE, SB1_CONNECTING, SB1_BORN, SB1_WELCOMED, SB1_OUT_OF_ORDER };
enum sb1_linked { SB1_LINK_UNKNOWN, SB1_UNLINKED, SB1_LINKED };

enum sb1_event_type {
  SB1_CONNECTED, /* welcomed; `linked` of the device says whether it is registered */
  SB1_SHOW_CODE,
  SB1_SHOW_QR,
  SB1_SHOW_PROFILE,
  SB1_SHOW_MISSED,
  SB1_SHOW_PAID, /* `n`: "paid" takes the place of the QR, whose bill and amount are still there to read */
  SB1_CLEAR,     /* `what`: code or qr; `why`: command, expired or unlinked */
  SB1_SAY,       /* `n`: start the audio of sounds[0], and call `sb1_sound_ended` when it is over */
  SB1_BEEP,      /* `n`: likewise */
  SB1_SAID,      /* `n` */
  SB1_APPLY,     /* new settings are in force */
  SB1_REFUSED,   /* `t`, `n`, `reason` */
  SB1_REPEAT,    /* `t`, `n`, `stage` */
  SB1_IGNORED,   /* `why` */
  SB1_BROKEN,    /* the memory could not be written: the device is out of order */
};

/**
 * What a person before the device would notice, or be told on asking. The rest stands in the device's state.
 */
struct sb1_event {
  enum sb1_event_type type;
  uint32_t n;
  /** A JSON string as it came, without its quotes; good only until the function returns. */
  struct span t;
  enum sb1_stage stage;
  enum sb1_reason reason;
  const char *what;
  const char *why;
};

/** What the device needs of the world. None of the three may call the device back. */
struct sb1_world {
  void *context;
  /**
   * Publishes on a topic; the payload is to be copied or sent at once. Answers the packet id, 0 without one.
   */
  uint16_t (*publish)(void *context, enum sb1_kind kind, const char *payload, size_t length);
  /** Answers true only when a power cut can no longer undo it: a sound starts right after (sb/1 12.2). */
  bool (*keep)(void *context, const struct sb1_memory *memory);
  void (*tell)(void *context, const struct sb1_event *event);
};

/** What does not change while the device is on. */
struct sb1_config {
  const char *serial;
  /** These two are written into the birth as they are: plain letters, no quotes. */
  const char *firmware;
  const char *model;
  /** Of a whole PUBLISH, at most SB1_RX_BYTES. */
  uint16_t rx_bytes;
  /** Which clip packs are there. */
  bool has_pack[LANGUAGES];
};

struct sb1 {
  struct sb1_config config;
  struct sb1_world world;
  struct keys keys;
  struct sb1_memory memory;
  /** What the device's self-test says of its hardware. */
  bool display_works;
  bool audio_works;

  enum sb1_phase phase;
  char sid[SB1_SID_BYTES];
  char welcome_id[SB1_ID_BYTES];
  enum sb1_linked linked;
  /** The hub's clock minus the device's own, from the last welcome (sb/1 11.1). */
  int64_t hub_ahead_ms;
  /** The last screen command applied and the last beep done in this session (sb/1 7.6). */
  uint32_t shown;
  uint32_t beeped;
  uint64_t telemetry_at_ms;

  struct sb1_screen screen;
  /** By rising n. The first one is heard when `is_sounding`. */
  struct sb1_sound sounds[SB1_SOUNDS];
  unsigned sound_count;
  bool is_sounding;
  /** Oldest first. */
  struct sb1_ack acks[SB1_ACKS];
  unsigned ack_count;
  /** The frame that goes up is written here. */
  char tx[SB1_TX_BYTES];
};

/** A device that was just switched on. False when the serial or the key is none, or the buffer too large. */
bool sb1_init(struct sb1 *device, const struct sb1_config *config, const char *key_text,
              const struct sb1_world *world, const struct sb1_memory *memory);

/** Begins a session: `random` becomes its id, new for every CONNECT (sb/1 3.1). */
void sb1_connect(struct sb1 *device, const uint8_t random[8]);

/** Writes the session's will: `reason` is lost in the CONNECT, bye before a DISCONNECT (sb/1 3.2). */
void sb1_write_will(const struct sb1 *device, const char *reason, struct text *will);

/** The SUBACK is here: the birth goes out (sb/1 4.2). */
void sb1_subscribed(struct sb1 *device);

/** A PUBLISH on the down topic is here. The frame is verified and read where it lies. */
void sb1_receive(struct sb1 *device, struct span frame, uint64_t now_ms);

/** The PUBACK to a packet is here: the hub has stored it (sb/1 7.4). */
void sb1_stored(struct sb1 *device, uint16_t packet_id);

/** The sound that SB1_SAY or SB1_BEEP started is over; `heard` is false when the audio broke down. */
void sb1_sound_ended(struct sb1 *device, bool heard, uint64_t now_ms);

/** The link is gone. What waits to be spoken is still spoken (sb/1 10.3). */
void sb1_closed(struct sb1 *device);

/** Does what time alone brings. Call it at `sb1_due_ms`, or more often. */
void sb1_tick(struct sb1 *device, uint64_t now_ms);

/** When the next tick is due, UINT64_MAX when none is. */
uint64_t sb1_due_ms(const struct sb1 *device);

/**
 * How long to wait before the next CONNECT (sb/1 13.1). `failures` counts the attempts since the last
 * welcome, from 1; `was_refused`: the last one ended in CONNACK 4 or 5; `random` is any 32 bits.
 */
uint32_t sb1_retry_ms(unsigned failures, bool was_refused, uint32_t random);

#endif
