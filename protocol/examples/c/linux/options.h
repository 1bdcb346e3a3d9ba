#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

struct options {
  const char *serial;
  const char *key;
  /** mqtt://host:port or mqtts://host:port, taken apart. */
  char host[256];
  int port;
  bool has_tls;
  /** The certificate authority's file for mqtts; NULL for those of the system. */
  const char *ca_file;
  const char *state_folder;
  /** How long one clip sounds. */
  unsigned clip_ms;
};

/** Reads the arguments. Help and mistakes are written out; then the answer is the exit code, else -1. */
int read_options(int argc, char **argv, struct options *options);

#endif
