#ifndef AT_H
#define AT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The serial line of a modem: from bytes to lines, prompts and raw bytes, and back. It knows no command.
 */

/** The part of a line that is kept. The rest of a longer one does not matter. */
#define AT_LINE_BYTES 64

/** No function blocks. */
struct modem_uart {
  void *context;
  /** How many bytes were stored; 0: none has arrived. */
  size_t (*read)(void *context, void *bytes, size_t room);
  /** How many of the bytes were taken. */
  size_t (*write)(void *context, const void *bytes, size_t count);
  /** Whether bytes were lost since the last call. */
  bool (*overrun)(void *context);
  /** Pulses the reset line. */
  void (*reset)(void *context);
};

enum at_event {
  AT_NOTHING,
  /** `line` has a line that is not empty. */
  AT_LINE,
  /** The modem waits for raw bytes. */
  AT_PROMPT,
  /** Raw bytes did not end where they should: some were lost. */
  AT_BROKEN
};

struct at {
  const struct modem_uart *uart;
  /** What the UART has not taken yet. */
  const void *out;
  size_t out_left;
  /** Where raw bytes go, or NULL to drop them; how many are still to come. An empty line follows them. */
  uint8_t *raw;
  size_t raw_left;
  bool is_after_raw;
  /** Places in `in` and `line`. */
  size_t in_at, in_length, line_length;
  /** What was read from the UART, and is not handled yet. */
  uint8_t in[32];
  /** The line so far. A NUL follows when it has ended. */
  char line[AT_LINE_BYTES];
};

/** Sends bytes, which stay where they are until they are sent. */
void at_write(struct at *at, const void *bytes, size_t count);

/** Passes to the UART what it takes. */
void at_flush(struct at *at);

/** Reads until there is an event. */
enum at_event at_read(struct at *at);

/** After a line: these many raw bytes follow it. */
void at_take_raw(struct at *at, uint8_t *raw, size_t count);

/** Forgets what is half sent and half read. */
void at_clear(struct at *at);

#endif
