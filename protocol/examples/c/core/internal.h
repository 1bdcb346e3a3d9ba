#ifndef SB1_INTERNAL_H
#define SB1_INTERNAL_H

#include "sb1.h"

/* What the core's own files share. */

/** A command whose envelope is well formed (sb/1 6.1). The spans point into the frame. */
struct command {
  struct span t;
  char id[SB1_ID_BYTES];
  uint32_t n;
  uint64_t good_until;
  /** Its body. */
  struct span d;
};

/**
 * Does what a command asks. Answers false, with nothing done, when the body has another shape: the command is
 * then acked as unsupported (sb/1 7.8).
 */
typedef bool obey(struct sb1 *device, const struct command *command, uint64_t now_ms);
obey sb1_obey_welcome, sb1_obey_settings, sb1_obey_announce, sb1_obey_identify;
obey sb1_obey_profile, sb1_obey_code, sb1_obey_qr, sb1_obey_clear, sb1_obey_missed;

void sb1_tell(struct sb1 *device, const struct sb1_event *event);
/** Keeps the memory; false, and the device is out of order, when it could not be written. */
bool sb1_keep(struct sb1 *device);

/** Starts a frame in the device's buffer. */
struct text sb1_start_frame(struct sb1 *device, const char *start);
/** Adds `,"name":number`. */
void sb1_put_number(struct text *frame, const char *name, uint32_t number);
/** Seals and publishes it. Answers the packet id, 0 when it did not go out. */
uint16_t sb1_send(struct sb1 *device, enum sb1_kind kind, struct text *frame);

/** Tells the hub that a command has reached a stage (sb/1 7.4). */
void sb1_ack_stage(struct sb1 *device, const struct command *command, enum sb1_stage stage);
/** The same of a command that has come again. */
void sb1_ack_repeat(struct sb1 *device, const struct command *command, enum sb1_stage stage);
/** Ends a command as failed (sb/1 7.11). */
void sb1_ack_failed(struct sb1 *device, const struct command *command, enum sb1_reason reason);
/** Answers a command that has failed before; false when this one has not. */
bool sb1_ack_failed_again(struct sb1 *device, const struct command *command);
/** Sends every ack that the hub has not stored. */
void sb1_resend_acks(struct sb1 *device);
/** No ack has a packet on the way any more. */
void sb1_forget_packets(struct sb1 *device);

/** Whether a second of the hub's clock is over (sb/1 11.3). The second itself still counts as good. */
bool sb1_is_past(const struct sb1 *device, uint64_t hub_seconds, uint64_t now_ms);
/** When it will be, on the device's own clock. */
uint64_t sb1_past_at_ms(const struct sb1 *device, uint64_t hub_seconds);

/** Not registered: the shop's money is no longer this device's (sb/1 7.13). */
void sb1_unlink(struct sb1 *device);
/** Takes off the screen what has had its time (sb/1 6.5). */
void sb1_elapse_screen(struct sb1 *device, uint64_t now_ms);
/** An announcement was received: shows the QR that it pays as paid (sb/1 7.12). */
void sb1_show_if_paid(struct sb1 *device, const struct sb1_sound *sound, struct span bill);

/** Readers of a body's members; false when there is none of that shape. */
bool sb1_read_number(struct span d, const char *name, uint32_t most, uint32_t *number);
bool sb1_read_string(struct span d, const char *name, size_t most, struct span *raw);
/** Text of these letters alone, as many as `size` has room for, or fewer. */
bool sb1_read_letters(struct span d, const char *name, const char *letters, char *text, size_t size);
/** `amount`: decimal digits without a leading zero. */
bool sb1_read_amount(struct span d, char *amount, size_t size);
bool sb1_read_language(struct span d, enum language *language);

#endif
