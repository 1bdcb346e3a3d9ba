#ifndef NETWORK_TASK_H
#define NETWORK_TASK_H

#include "sb1/sb1.h"

/*
 * The network task: MQTT on a connection of the port, one session after another. All that takes long happens
 * here, as looking up a name. The core task calls these functions. They wait at most while the other task
 * reads or writes what is there.
 */

#define NETWORK_WILL_BYTES 64

/** What a CONNECT says of its session. */
struct network_login {
  char password[SB1_KEY_TEXT_BYTES];
  char will[NETWORK_WILL_BYTES];
};

/** Starts the task. The texts stay where they are. `answer_ms`: how long to wait for each answer. */
void network_start(const char *serial, const char *host, uint16_t port, uint32_t answer_ms);

/** Starts a session: at the start, and after EVENT_ENDED. */
void network_open(const struct network_login *login);

/** The payload of an EVENT_FRAME in the receive buffer, which is the core task's until `network_go_on`. */
struct sb1_span network_frame(uint16_t at, uint16_t length);
void network_go_on(void);

/** As `publish` of `sb1_world`. */
uint16_t network_publish(enum sb1_kind kind, const char *payload, size_t length);

/** Publishes a will and disconnects. False if this is not possible. EVENT_ENDED comes when the hub closes. */
bool network_leave(const char *bye, size_t length);

/** Ends the session without a word. EVENT_ENDED follows. */
void network_end(const char *why);

/** Why the session has ended. Valid from EVENT_ENDED to `network_open`. */
const char *network_cause(void);

#endif
