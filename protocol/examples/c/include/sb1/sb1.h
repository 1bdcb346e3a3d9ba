/* SPDX-License-Identifier: MIT */
#ifndef SB1_H
#define SB1_H

#include "sb1/clips.h"
#include "sb1/frame.h"
#include "sb1/store.h"
#include "sb1/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A speaker that implements sb/1, without its hardware. Report events with `sb1_receive`, `sb1_tick` and so
 * on. The core updates its state and calls the three functions of `sb1_world`, in order, to act. It uses no
 * heap, no files, no sockets and no clock: `now_ms` is a monotonic clock of the device.
 */

/*
 * Parts that a build can leave out, with their code and their memory: -DSB1_NO_SCREEN, -DSB1_NO_QR,
 * -DSB1_NO_UPDATE, -DSB1_NO_REKEY. The birth does not name them, and their commands are acked `unsupported`.
 * -DSB1_NO_WORDS leaves out the texts of the clips, for a device that shows no sentences.
 * Compile all files with the same ones: they change `struct sb1`.
 */
#if defined SB1_NO_SCREEN && !defined SB1_NO_QR
#define SB1_NO_QR
#endif

/** The largest receive buffer for a whole PUBLISH in this build (sb/1 6.3). */
#ifndef SB1_RX_BYTES
#define SB1_RX_BYTES 512
#endif
/** Room for the longest frame that the device sends, the birth. */
#define SB1_TX_BYTES 384
/** Waiting and playing sounds: some 20 s of speech. Further ones get no ack (sb/1 7.11). */
#ifndef SB1_SOUNDS
#define SB1_SOUNDS 8
#endif
/** Acks that the hub has not stored yet, and failures that must be repeated. */
#ifndef SB1_ACKS
#define SB1_ACKS 24
#endif
/**
 * Clips of all waiting and playing sounds: the longest sentence of the hub has 27. A single sentence may have
 * as many as the schema allows, so no sentence is refused for its length.
 */
#define SB1_CLIPS (SB1_SOUNDS * 27 > SB1_CLIPS_MOST ? SB1_SOUNDS * 27 : SB1_CLIPS_MOST)

#define SB1_SERIAL_MOST 32
#define SB1_ID_BYTES 27
#define SB1_SID_BYTES 17
#define SB1_CODE_BYTES 7
#define SB1_AMOUNT_BYTES 14
#define SB1_SUM_BYTES 20
#define SB1_CURRENCY_BYTES 4
/** The two texts of a profile or a QR, with a NUL each. The rest of its PUBLISH takes at least 146 bytes. */
#define SB1_TEXTS_BYTES (SB1_RX_BYTES - 144)
/** The texts of an offer of firmware, with a NUL each. */
#define SB1_FW_BYTES 33
#define SB1_URL_BYTES 113
#define SB1_SIG_BYTES 89

/** The messages of a device, each on its own topic (sb/1 4.1). */
enum sb1_kind { SB1_BIRTH, SB1_WILL, SB1_ACK, SB1_TELEMETRY, SB1_SETTINGS };
/** The last level of the topic. */
const char *sb1_kind_name(enum sb1_kind kind);

/** The parts of a device that `caps` names in the birth (sb/1 8.1). */
enum sb1_part { SB1_SCREEN, SB1_SPEAKER, SB1_QR, SB1_REKEY, SB1_UPDATE, SB1_HEALTH };
#define SB1_PARTS 6
const char *sb1_part_name(enum sb1_part part);

enum sb1_stage { SB1_RECEIVED, SB1_SHOWN, SB1_PLAYED, SB1_FAILED };
const char *sb1_stage_name(enum sb1_stage stage);

/** Why a command failed: the codes of sb/1 7.4 that this device uses. */
enum sb1_reason {
  SB1_NO_REASON,
  SB1_EXPIRED,
  SB1_UNSUPPORTED,
  SB1_TOO_LARGE,
  SB1_NO_CLIP,
  SB1_AUDIO_FAILED,
  SB1_DISPLAY_FAILED,
  SB1_MUTED,
  SB1_NOT_READY
};
const char *sb1_reason_name(enum sb1_reason reason);

const char *sb1_language_name(enum sb1_language language);

struct sb1_settings {
  uint32_t ver;
  /** Percent. */
  uint8_t volume;
  enum sb1_language lang;
};

/** The state that survives a power cut. The hub sends everything else again (sb/1 12.1). */
struct sb1_memory {
  /** The highest n of all announcements whose sound has started (sb/1 7.5). */
  uint32_t played;
  struct sb1_settings settings;
  /** The image of firmware that was tried last, and how often: core/update.c (sb/1 18.5). */
  uint16_t tried;
  /** How often the watchdog or a fault has restarted the device since it was made. */
  uint32_t crashes;
};

/** For a number of `struct sb1_status` that the product does not know. */
#define SB1_UNKNOWN INT16_MAX

/** What only the product knows of its machine. The core starts with "unknown" everywhere. */
struct sb1_status {
  /** Percent. */
  int16_t battery;
  /** dBm, from -150 to 0. */
  int16_t signal;
  /** 1 if the battery is charged, else 0. */
  int16_t charging;
  /** The device's own clock in milliseconds since 1970 (sb/1 8.1), or 0 if it has none or it is not set. */
  uint64_t clock_ms;
  /**
   * Only for a device with the part SB1_HEALTH (sb/1 8.10): why it has started (power, brownout, pin,
   * watchdog, fault, software, update; NULL: unknown), the seconds since then, and why the last connection
   * has ended, in the words of the modem (NULL: unknown). They are cut after 16 and 32 characters.
   */
  const char *reset;
  uint32_t uptime_s;
  const char *modem;
};

/** The keys that survive a power cut: K, and the next K until a welcome has confirmed it (sb/1 2.7,
 * sb/1 2.8). */
struct sb1_ring {
  uint8_t current[SB1_KEY_ROOM];
  uint8_t next[SB1_KEY_ROOM];
  bool has_next;
};
/** A proof of possession: 22 characters and a NUL (sb/1 2.5). */
#define SB1_PROOF_BYTES 23

struct sb1_sound {
  uint32_t n;
  /** Unix seconds on the hub's clock. */
  uint32_t good_until;
  enum sb1_language lang;
  uint8_t clip_count;
  /** True for the beep of `identify`, false for an announcement. */
  bool is_beep;
  char id[SB1_ID_BYTES];
  char amount[SB1_AMOUNT_BYTES];
  char currency[SB1_CURRENCY_BYTES];
};

struct sb1_ack {
  uint32_t n;
  /** The packet identifier of its PUBLISH in this session, or 0. */
  uint16_t packet_id;
  enum sb1_stage stage;
  enum sb1_reason reason;
  bool is_repeat : 1;
  /** The hub has stored it. It is kept only to repeat a failure. */
  bool is_stored : 1;
  /** The failure of an announcement that was acked `received`: nothing is spoken until it is stored
   * (sb/1 7.19). */
  bool is_given_up : 1;
  char id[SB1_ID_BYTES];
};

#ifndef SB1_NO_SCREEN
/** The content of the screen, in UTF-8. `exp` is in Unix seconds of the hub's clock. */
struct sb1_screen {
  bool has_code, has_profile, has_missed;
  /** The partner has locked the device: the idle screen says so, and no QR is shown (sb/1 6.7). */
  bool is_locked;
#ifndef SB1_NO_QR
  bool has_qr;
  uint32_t qr_exp;
  /** They point into `qr` and `name`, behind the first text. In a copy of this structure they still do so. */
  const char *qr_bill, *static_qr;
#endif
  uint32_t code_exp, missed_count;
  /** The command of a notice that was not on the screen yet; an empty id if there is none (sb/1 7.23). */
  uint32_t unseen_n;
  char unseen_id[SB1_ID_BYTES];
  char missed_amount[SB1_SUM_BYTES];
  char code[SB1_CODE_BYTES];
#ifndef SB1_NO_QR
  char qr_amount[SB1_AMOUNT_BYTES];
  char qr[SB1_TEXTS_BYTES];
#endif
  char name[SB1_TEXTS_BYTES];
};
#endif

/** An offer of firmware (sb/1 18.1). */
struct sb1_offer {
  char fw[SB1_FW_BYTES];
  char url[SB1_URL_BYTES];
  /** Bytes of the image. */
  uint32_t size;
  uint8_t sha256[SB1_KEY_BYTES];
  /** The maker's signature in base64url; empty if it is part of the image. */
  char sig[SB1_SIG_BYTES];
};

/** What the device does with it (sb/1 18.3). */
enum sb1_progress { SB1_NO_OFFER, SB1_DOWNLOADING, SB1_INSTALLING, SB1_DECLINED, SB1_UPDATE_FAILED };
const char *sb1_progress_name(enum sb1_progress progress);

/** What was stored of a download. */
struct sb1_image {
  uint32_t size;
  uint8_t sha256[SB1_KEY_BYTES];
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
  SB1_CLEAR,     /* `what`: code or qr; `why`: command, expired, unlinked or locked */
  SB1_SAY,       /* `n`: play the clips of sounds[0], and call `sb1_sound_ended` when they are over */
  SB1_BEEP,      /* `n`: likewise */
  SB1_SAID,      /* `n` */
  SB1_APPLY,     /* new settings are in force */
  SB1_REFUSED,   /* `t`, `n`, `reason` */
  SB1_REPEAT,    /* `t`, `n`, `stage`, and the `reason` of a failure */
  SB1_IGNORED,   /* `why` */
  SB1_NEXT_KEY,  /* the next K is stored (sb/1 2.7) */
  SB1_NEW_KEY,   /* a welcome has confirmed the next K: it is the only one (sb/1 2.8) */
  SB1_MOVE,      /* publish the will with `bye`, disconnect, and connect again at once: the next K is used */
  SB1_UPDATING,  /* `progress` of the device has changed */
  SB1_RESTART,   /* end the session as for SB1_MOVE, and start the new image; call the core no more */
  SB1_STALLED,   /* no PUBACK came for 60 s: close the connection, and connect again as after a lost one
                    (sb/1 7.26) */
  SB1_BROKEN,    /* the memory could not be written: the device is out of order */
};

/**
 * An event that the device shows or plays. The device's state has the details.
 */
struct sb1_event {
  enum sb1_event_type type;
  uint32_t n;
  /** A raw JSON string without its quotes, valid only until the function returns. */
  struct sb1_span t;
  enum sb1_stage stage;
  enum sb1_reason reason;
  const char *what;
  const char *why;
};

/** The functions that the core needs. None of them may call the core. */
struct sb1_world {
  void *context;
  /**
   * Publishes on a topic. It must copy or send the payload at once. Returns the packet id, or 0.
   */
  uint16_t (*publish)(void *context, enum sb1_kind kind, const char *payload, size_t length);
  /** Returns true only when the data would survive a power cut: a sound starts right after (sb/1 12.2). */
  bool (*keep)(void *context, const struct sb1_memory *memory);
  void (*tell)(void *context, const struct sb1_event *event);
  /** As `keep`, for the keys. Only a device with the part SB1_REKEY needs it. */
  bool (*keep_ring)(void *context, const struct sb1_ring *ring);
  /**
   * Only a device with the part SB1_UPDATE needs this and the next one. Starts to download `offer->url` to
   * where the next image is stored, in place of another download, and returns at once. False if it can't.
   * Report with `sb1_image_grew` and `sb1_image_ended`. The offer stays where it is until then.
   */
  bool (*download)(void *context, const struct sb1_offer *offer);
  /** Whether the maker has signed the stored image: with `offer->sig`, or in the image (sb/1 18.2). */
  bool (*is_signed)(void *context, const struct sb1_offer *offer);
  /**
   * Fills in what the product knows, for the birth and for each telemetry. May be NULL. A device that goes by
   * its own clock is asked at each tick.
   */
  void (*look)(void *context, struct sb1_status *status);
};

/** Opens the memory in a store. `memory` has the factory values, and then those that were read. */
enum sb1_store_state sb1_open_memory(struct sb1_store *store, const struct sb1_flash *flash,
                                     struct sb1_memory *memory);
/** Writes the memory: `keep` of `sb1_world` with a store. */
bool sb1_write_memory(struct sb1_store *store, const struct sb1_memory *memory);
/** The same for the keys, in a store of their own: they hardly ever change. */
enum sb1_store_state sb1_open_ring(struct sb1_store *store, const struct sb1_flash *flash,
                                   struct sb1_ring *ring);
bool sb1_write_ring(struct sb1_store *store, const struct sb1_ring *ring);

/** The configuration. It does not change while the device is on. */
struct sb1_config {
  const char *serial;
  /** Its hardware. Commands for a part that it or the build lacks are acked `unsupported` (sb/1 7.17). */
  bool has_part[SB1_PARTS];
  /** Copied into the birth unchanged: use plain letters without quotes. */
  const char *firmware;
  const char *model;
  /** For a whole PUBLISH, at most SB1_RX_BYTES. */
  uint16_t rx_bytes;
  /** Room for an image of firmware. The device declines a larger one. */
  uint32_t image_bytes;
  /** Which clip packs the device has. */
  bool has_pack[SB1_LANGUAGES];
  /** Seconds between two telemetries, 30 to 900 (sb/1 8.9), or 0 for 30. */
  uint16_t telemetry_s;
  /** It judges what is past by `clock_ms`, if that is set, and not by the hub's clock (sb/1 11.1). */
  bool goes_by_own_clock;
};

struct sb1 {
  /* Small members that are used most come first: a Thumb instruction of two bytes reaches only these. */

  enum sb1_phase phase;
  enum sb1_linked linked;
  /** The result of the hardware's self-test. */
  bool display_works;
  bool audio_works;
  /** The next telemetry is the first one of the session. */
  bool is_first_report;
  bool is_sounding;
#ifndef SB1_NO_REKEY
  /** The next session uses the next K. */
  bool uses_next;
  /** The keys that were refused since the last SUBACK: 1 the current, 2 the next. */
  uint8_t refused;
  /** The `rekey` after which the session must end: whether its ack is stored, and its n. */
  bool move_is_stored;
  uint32_t move_n;
#endif
  /** How many are in `sounds` and in `acks`. */
  unsigned sound_count, ack_count;
  /** The n of the last welcome obeyed in this session (sb/1 11.7). */
  uint32_t welcome_n;
  /** The n of the last screen command and of the last beep in this session (sb/1 7.6). */
  uint32_t shown;
  uint32_t beeped;
  struct sb1_memory memory;
  struct sb1_world world;

#ifndef SB1_NO_REKEY
  /** When the session ends after a `rekey`: the earliest and the latest time, or 0. */
  uint64_t move_from_ms;
  uint64_t move_by_ms;
#endif
  /** When a PUBACK must have come, or 0 if this is not known yet (sb/1 7.26). */
  uint64_t puback_by_ms;
  /** `now_ms` of the last call that goes by it. */
  uint64_t now_ms;
  /** The hub's clock minus the device's clock, from the last welcome (sb/1 11.1). */
  int64_t hub_ahead_ms;
  uint64_t telemetry_at_ms;

  struct sb1_config config;
  struct sb1_ring ring;
  struct sb1_keys keys;
  char sid[SB1_SID_BYTES];

#ifndef SB1_NO_UPDATE
  /** What it does with the last offer of firmware, and how much of it is stored. */
  enum sb1_progress progress;
  uint32_t stored_bytes;
  uint64_t install_at_ms;
  struct sb1_offer offer;
#endif

#ifndef SB1_NO_SCREEN
  struct sb1_screen screen;
#endif
  /** By rising n. If `is_sounding`, the first one is playing. */
  struct sb1_sound sounds[SB1_SOUNDS];
  /** The clips of all sounds in their order, as indexes of the clip pack: the first sound's come first. */
  uint8_t clips[SB1_CLIPS];
  /** Oldest first. */
  struct sb1_ack acks[SB1_ACKS];
  /** Buffer for the frame to send. */
  char tx[SB1_TX_BYTES];
};

#ifndef SB1_HANDLE_BYTES
/** Reads K as the hub prints it. False if it is malformed. */
bool sb1_read_ring(const char *key_text, struct sb1_ring *ring);
#endif

/**
 * Initializes a device after power on. False if the serial is malformed, the buffer too large, or
 * `telemetry_s` out of its range.
 */
bool sb1_init(struct sb1 *device, const struct sb1_config *config, const struct sb1_ring *ring,
              const struct sb1_world *world, const struct sb1_memory *memory);

/** Starts a session. `random` becomes its id and must be new for every CONNECT (sb/1 3.1). */
void sb1_connect(struct sb1 *device, const uint8_t random[8]);

/**
 * Call it at a CONNACK 4. True if the device has another key that was not refused: then connect again at once
 * (sb/1 2.8).
 */
bool sb1_refused(struct sb1 *device);

/** Writes the proof of possession, for a jig in the factory (sb/1 2.5). */
bool sb1_write_proof(const struct sb1 *device, char proof[SB1_PROOF_BYTES]);

/** Writes the session's will. `reason` is lost in the CONNECT, and bye before a DISCONNECT (sb/1 3.2). */
void sb1_write_will(const struct sb1 *device, const char *reason, struct sb1_text *will);

/** Call it at the SUBACK. Sends the birth (sb/1 4.2). */
void sb1_subscribed(struct sb1 *device);

/** Call it at a PUBLISH on the down topic. Verifies and reads the frame in place. */
void sb1_receive(struct sb1 *device, struct sb1_span frame, uint64_t now_ms);

/** Call it at a PUBACK: the hub has stored the message (sb/1 7.4). The next sound may start. */
void sb1_stored(struct sb1 *device, uint16_t packet_id, uint64_t now_ms);

/** Call it when the sound of SB1_SAY or SB1_BEEP has ended. `heard` is false if the audio failed. */
void sb1_sound_ended(struct sb1 *device, bool heard, uint64_t now_ms);

#ifndef SB1_NO_UPDATE
/** Call it when so many bytes of the image are stored. False if the download must stop. */
bool sb1_image_grew(struct sb1 *device, uint32_t bytes, uint64_t now_ms);

/** Call it when the download has ended. `image` is what was read back, or NULL if the download has failed. */
void sb1_image_ended(struct sb1 *device, const struct sb1_image *image, uint64_t now_ms);
#endif

/**
 * Call it when somebody has changed the settings on the device itself, with all settings as they are now: the
 * document gets the next `ver`, is kept, and the hub is told (sb/1 8.6). It writes to flash: so wait until a
 * button has rested for a second or two. Nothing happens if nothing has changed. False if the settings are
 * not possible, or could not be kept.
 */
bool sb1_change_settings(struct sb1 *device, uint8_t volume, enum sb1_language lang);

/** Brings the next telemetry forward, as far as sb/1 8.9 allows: people wait to see what has changed. */
void sb1_report_soon(struct sb1 *device, uint64_t now_ms);

/** Call it once after `sb1_init`, if the watchdog or a fault has restarted the device. False as for `keep`.
 */
bool sb1_count_crash(struct sb1 *device);

/** Call it when the connection is lost. Waiting announcements are still spoken (sb/1 10.3). */
void sb1_closed(struct sb1 *device);

/** Handles timeouts. Call it at `sb1_due_ms`, or more often. */
void sb1_tick(struct sb1 *device, uint64_t now_ms);

/** The time of the next tick, or UINT64_MAX if none is due. */
uint64_t sb1_due_ms(const struct sb1 *device);

/**
 * How long to wait before the next CONNECT (sb/1 13.1). `failures` counts the attempts since the last
 * welcome, from 1. `was_refused`: the last attempt ended with CONNACK 1, 2, 4 or 5 (sb/1 1.9). `random` is
 * any 32 bits.
 */
uint32_t sb1_retry_ms(unsigned failures, bool was_refused, uint32_t random);

#ifdef __cplusplus
}
#endif

#endif
