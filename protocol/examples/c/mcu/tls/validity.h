#ifndef TLS_VALIDITY_H
#define TLS_VALIDITY_H

#include <bearssl.h>

/*
 * Certificates for a device without a clock. It knows only a time that has passed, so a certificate that is
 * newer is valid: BearSSL would say that it is not valid yet, and a device that was made before the hub's last
 * certificate could never connect. One that has ended before this time is refused.
 */

/** The day of 1970-01-01, as BearSSL counts them. */
#define DAYS_TO_1970 719528

struct validity {
  /** First, so that BearSSL's pointer to it is one to all of this. */
  br_x509_minimal_context x509;
  br_x509_class class;
  /** Bytes that fit the start of a validity (RFC 5280, 4.1.2.5), and year, month and day in it. */
  unsigned matched;
  unsigned date[3];
};

/** After the other settings of `x509`: the Unix seconds that have passed for sure. */
void validity_start(struct validity *validity, uint64_t unix_seconds);

#endif
