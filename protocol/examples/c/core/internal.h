/* SPDX-License-Identifier: MIT */
#ifndef SB1_INTERNAL_H
#define SB1_INTERNAL_H

#include "sb1/sb1.h"

/* Shared by the core's files. */

/** A command with a valid envelope (sb/1 6.1). The spans point into the frame. */
struct command {
  struct sb1_span t;
  char id[SB1_ID_BYTES];
  uint32_t n;
  /** Unix seconds on the hub's clock. */
  uint32_t good_until;
  /** Its body. */
  struct sb1_span d;
};

/**
 * Carries out a command. Returns false without any effect if the body does not match its schema; the command
 * is then acked `unsupported` (sb/1 7.8).
 */
typedef bool obey(struct sb1 *device, const struct command *command);
obey sb1_obey_welcome, sb1_obey_settings, sb1_obey_rekey, sb1_obey_announce, sb1_obey_identify;
obey sb1_obey_update, sb1_obey_profile, sb1_obey_code, sb1_obey_qr, sb1_obey_clear, sb1_obey_missed;

void sb1_tell(struct sb1 *device, const struct sb1_event *event);
/** Tells an event whose only field is `n`. 0: it has none. */
void sb1_tell_number(struct sb1 *device, enum sb1_event_type type, uint32_t n);
/** Stores the memory. If that fails, returns false, and the device is out of order. */
bool sb1_keep(struct sb1 *device);
/** Puts the device out of order. */
void sb1_break(struct sb1 *device);

/** Derives the keys of the next session. */
bool sb1_use_key(struct sb1 *device);

void sb1_report_telemetry(struct sb1 *device);
void sb1_report_settings(struct sb1 *device);
/** What the product knows now. */
struct sb1_status sb1_status_of(const struct sb1 *device);

/** Starts a frame in the device's buffer: a JSON object without members. */
struct sb1_text sb1_start_frame(struct sb1 *device);
/** Seals and publishes the frame. Returns the packet id, or 0 if it was not sent. */
uint16_t sb1_send(struct sb1 *device, enum sb1_kind kind, struct sb1_text *frame);

/* Members of a JSON object that is written. */

/** Adds `"name":`, after a comma if it is not the first member. */
void sb1_put_name(struct sb1_text *object, const char *name);
void sb1_put_number(struct sb1_text *object, const char *name, uint32_t number);
/** `value` has nothing to escape. */
void sb1_put_string(struct sb1_text *object, const char *name, const char *value);

/** Acks that a command has reached a stage (sb/1 7.4). */
void sb1_ack_stage(struct sb1 *device, const struct command *command, enum sb1_stage stage);
/** Acks a repeat of a command. */
void sb1_ack_repeat(struct sb1 *device, const struct command *command, enum sb1_stage stage);
/** Ends a command as failed (sb/1 7.11). */
void sb1_ack_failed(struct sb1 *device, const struct command *command, enum sb1_reason reason);
/** The same for a sound that was acked `received` before. */
void sb1_ack_given_up(struct sb1 *device, const struct command *command, enum sb1_reason reason);
/** Whether the hub has not stored yet that a sound with a lower number was given up (sb/1 7.19). */
bool sb1_is_giving_up(const struct sb1 *device, uint32_t n);
/** Forgets the acks `received` of earlier sessions: the birth voids them (sb/1 7.18). */
void sb1_void_received(struct sb1 *device);
/** Acks a command that has failed before. False if it has not. */
bool sb1_ack_failed_again(struct sb1 *device, const struct command *command);
/** Sends every ack that the hub has not stored. */
void sb1_resend_acks(struct sb1 *device);
/** Tells that the connection must be closed, if an ack has waited too long for its PUBACK (sb/1 7.26). */
void sb1_watch_pubacks(struct sb1 *device);
uint64_t sb1_puback_due_ms(const struct sb1 *device);
/** Clears the packet identifiers of all acks. */
void sb1_forget_packets(struct sb1 *device);

/** Starts the first waiting sound, if it may start now. */
void sb1_start_next(struct sb1 *device);
/** Forgets the sounds that wait: after the birth the hub sends them again (sb/1 7.18). */
void sb1_void_waiting(struct sb1 *device);

/** Whether a second of the hub's clock is past (sb/1 11.3). During that second itself it is not. */
bool sb1_is_past(const struct sb1 *device, uint32_t hub_seconds);
/** When it will be past, on the device's clock. */
uint64_t sb1_past_at_ms(const struct sb1 *device, uint32_t hub_seconds);
/** Reads the own clock, if the device goes by it. */
void sb1_read_clock(struct sb1 *device);

/** Read a member of a body. False if it is missing or malformed. */
bool sb1_read_number(const struct sb1_span *d, const char *name, uint32_t most, uint32_t *number);
bool sb1_read_string(const struct sb1_span *d, const char *name, size_t most, struct sb1_span *raw);
/** Text of the allowed letters only, which fits `size`. */
bool sb1_read_letters(const struct sb1_span *d, const char *name, const char *letters, char *text,
                      size_t size);
/** `amount`: decimal digits without a leading zero. */
bool sb1_read_amount(const struct sb1_span *d, char *amount, size_t size);
bool sb1_read_language(const struct sb1_span *d, enum sb1_language *language);

/* What a build may leave out. */

#ifndef SB1_NO_REKEY
/** Called for the first welcome of a session. One under the next K makes it the only one (sb/1 2.8). */
bool sb1_confirm_key(struct sb1 *device);
/** The hub has stored the ack of this command. */
void sb1_move_if_stored(struct sb1 *device, uint32_t n);
/** Ends the session after a `rekey`, when that is due (sb/1 2.7). */
void sb1_move(struct sb1 *device);
uint64_t sb1_move_due_ms(const struct sb1 *device);
#else
#define sb1_confirm_key(device) true
#define sb1_move_if_stored(device, n) ((void)0)
#define sb1_move(device) ((void)0)
#define sb1_move_due_ms(device) UINT64_MAX
#endif

#ifndef SB1_NO_UPDATE
/** Restarts with a new image, when that is due (sb/1 18.4). */
void sb1_install(struct sb1 *device);
uint64_t sb1_install_due_ms(const struct sb1 *device);
/** Adds `update` to telemetry, if there is an offer. */
void sb1_put_progress(const struct sb1 *device, struct sb1_text *report);
#else
#define sb1_install(device) ((void)0)
#define sb1_install_due_ms(device) UINT64_MAX
#define sb1_put_progress(device, report) ((void)0)
#endif

#ifndef SB1_NO_SCREEN
/** Called when the device is not registered: clears the shop's data from the screen (sb/1 7.13). */
void sb1_unlink(struct sb1 *device);
/** Removes expired content from the screen (sb/1 6.5). */
void sb1_elapse_screen(struct sb1 *device);
uint64_t sb1_screen_due_ms(const struct sb1 *device);
#else
#define sb1_unlink(device) ((void)0)
#define sb1_elapse_screen(device) ((void)0)
#define sb1_screen_due_ms(device) UINT64_MAX
#endif

#ifndef SB1_NO_QR
/** Called for a received announcement: shows the QR that it pays as paid (sb/1 7.12). */
void sb1_show_if_paid(struct sb1 *device, const struct sb1_sound *sound, struct sb1_span bill);
#else
#define sb1_show_if_paid(device, sound, bill) ((void)(sound), (void)(bill))
#endif

#endif
