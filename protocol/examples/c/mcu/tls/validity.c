#include "validity.h"

#define DAY_SECONDS 86400
/** The day of 2000-03-01: a year that begins in March has its leap day at the end. */
#define DAYS_TO_MARCH_2000 (DAYS_TO_1970 + 11017)
#define MARCH 3

/** A sequence of 30 bytes, and in it a UTCTime of 13: dates until 2049 have this form. */
static const uint8_t HEAD[] = {0x30, 30, 0x17, 13};
#define HEAD_BYTES 4u
#define DATE_DIGITS 6u

static uint32_t day_of(const unsigned date[3])
{
  unsigned year = date[0], month = date[1];
  if (month < MARCH) year--, month += 12;
  return DAYS_TO_MARCH_2000 + year * 365 + year / 4 + ((month - MARCH) * 306 + 5) / 10 + date[2] - 1;
}

/** Raises the time to the end of the day on which a certificate begins to be valid. */
static void begin(struct validity *validity)
{
  uint32_t day = day_of(validity->date);
  /* From 50 on it is the twentieth century. */
  if (validity->date[0] >= 50 || day < validity->x509.days) return;
  br_x509_minimal_set_time(&validity->x509, day, DAY_SECONDS - 1);
}

static void match(struct validity *validity, uint8_t byte)
{
  if (validity->matched < HEAD_BYTES) {
    validity->matched = byte == HEAD[validity->matched] ? validity->matched + 1 : byte == HEAD[0];
    return;
  }
  unsigned place = validity->matched++ - HEAD_BYTES, *number = &validity->date[place / 2];
  *number = (place % 2 == 0 ? 0 : *number * 10) + byte - (unsigned)'0';
  if (place < DATE_DIGITS - 1) return;
  begin(validity);
  validity->matched = 0;
}

/** Bytes of a certificate. BearSSL compares its dates when their last byte has come. */
static void append(const br_x509_class **context, const unsigned char *bytes, size_t count)
{
  struct validity *validity = (struct validity *)(void *)context;
  for (size_t i = 0; i < count; i++) {
    match(validity, bytes[i]);
    br_x509_minimal_vtable.append(context, &bytes[i], 1);
  }
}

void validity_start(struct validity *validity, uint64_t unix_seconds)
{
  validity->class = br_x509_minimal_vtable;
  validity->class.append = append;
  validity->x509.vtable = &validity->class;
  validity->matched = 0;
  br_x509_minimal_set_time(&validity->x509, (uint32_t)(unix_seconds / DAY_SECONDS) + DAYS_TO_1970,
                           (uint32_t)(unix_seconds % DAY_SECONDS));
}
