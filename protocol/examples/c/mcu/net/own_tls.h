#ifndef OWN_TLS_H
#define OWN_TLS_H

#include "link.h"

/**
 * TLS in this firmware, in place of the modem's: tls/own.c, or no_tls.c without BearSSL. `device` knows the
 * time of the hub. NULL: this build has none, or the factory has written no authority.
 */
const struct stream_layer *own_tls(const struct sb1 *device);

/** The buffers of MQTT. The handshake of TLS in this firmware, which is over by then, has the same memory. */
struct link_buffers *own_tls_buffers(void);

#endif
