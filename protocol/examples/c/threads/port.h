#ifndef PORT_H
#define PORT_H

#include "../mcu/net/stream.h"
#include "sb1/sb1.h"

/* What a machine does for the tasks. Write it anew for another one: posix/port.c is for Linux. */

/** Random bytes, fit for session ids. */
bool port_random(void *bytes, size_t count);

/** `look` of `sb1_world`. Only the core task calls it. */
void port_look(struct sb1_status *status);

/** Switches the device off. `code`: not 0 if the memory is not writable. */
_Noreturn void port_off(int code);

/* One connection. Only the network task calls these, one at a time with the functions of the stream. */

/** Looks the name up and connects. Blocks, for about `most_ms`. Returns NULL, or why it has failed. */
const char *port_connect(const char *host, uint16_t port, uint32_t most_ms);
struct stream port_stream(void);
/** False once all that came before the end of the connection was read. */
bool port_is_connected(void);
/** Waits until bytes have come, or until there is room to send, if `wants_to_send`; at most so long. */
void port_wait(bool wants_to_send, uint32_t most_ms);
void port_disconnect(void);

/** A sentence, or a beep if it has no clips. */
struct sound {
  enum sb1_language lang;
  /** Percent. */
  uint8_t volume;
  uint8_t clip_count;
  uint8_t clips[SB1_CLIPS_MOST];
};

/** Plays a sound to its end. Only the audio task calls it. False if the audio has failed. */
bool port_play(const struct sound *sound);

#endif
