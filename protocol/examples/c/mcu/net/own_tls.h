#ifndef OWN_TLS_H
#define OWN_TLS_H

#include "sb1/sb1.h"
#include "stream.h"

/**
 * TLS in this firmware, in place of the modem's: tls/own.c, or no_tls.c without BearSSL. `device` knows the
 * time of the hub. NULL: this build has none, or the factory has written no authority.
 */
const struct stream_layer *own_tls(const struct sb1 *device);

#endif
