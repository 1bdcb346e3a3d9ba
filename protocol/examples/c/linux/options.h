#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
  const char *serial;
  const char *key;
  /** The parts of mqtt://host:port or mqtts://host:port. */
  char host[256];
  int port;
  bool has_tls;
  /** The file of the certificate authority for mqtts, or NULL for the system's authorities. */
  const char *ca_file;
  const char *state_folder;
  const char *caps;
  /** Whether standard input is read: see inputs.h. */
  bool has_inputs;
  /** Seconds between two telemetries. */
  uint16_t telemetry_s;
  /** Why the device has started. */
  const char *reset;
  /** It tells the time of the machine in its birth, and goes by it. */
  bool has_clock, goes_by_clock;
  /** The duration of one clip. */
  unsigned clip_ms;
  /** How long to wait for each answer of the hub (sb/1 1.8, sb/1 10.2). */
  unsigned answer_ms;
};

/** Reads the arguments. Returns -1, or the exit code after printing help or an error. */
int read_options(int argc, char **argv, struct options *options);

#endif
