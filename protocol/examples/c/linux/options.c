#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "Usage: sb1-device --serial SERIAL --key KEY [options]\n"
    "  --key KEY      the key that `hub device add` printed; or SPEAKER_KEY in the environment\n"
    "  --url URL      address of the hub, mqtt:// or mqtts:// (mqtt://127.0.0.1:1883)\n"
    "  --cafile FILE  certificate authority of the hub's certificate (default: the system's)\n"
    "  --state DIR    folder for the device's memory (./data)\n"
    "  --caps LIST    its parts: screen,speaker,qr,rekey,update,health (all)\n"
    "  --inputs       standard input has what people and hardware do: see linux/inputs.h\n"
    "  --telemetry-s S  seconds between two telemetries, 30 to 900 (30)\n"
    "  --reset WHY    why it has started: watchdog and fault count as crashes (power)\n"
    "  --clock WHOSE  hub: it has no clock; told: its birth has its own; own: it goes by its own (hub)\n"
    "  --clip-ms MS   duration of one clip (220)\n"
    "  --answer-ms MS time for CONNACK, SUBACK and welcome each (30000)\n";

static const struct option LONG[] = {{"serial", required_argument, NULL, 's'},
                                     {"key", required_argument, NULL, 'k'},
                                     {"url", required_argument, NULL, 'u'},
                                     {"cafile", required_argument, NULL, 'c'},
                                     {"state", required_argument, NULL, 'd'},
                                     {"clip-ms", required_argument, NULL, 'm'},
                                     {"answer-ms", required_argument, NULL, 'a'},
                                     {"caps", required_argument, NULL, 'p'},
                                     {"inputs", no_argument, NULL, 'i'},
                                     {"telemetry-s", required_argument, NULL, 't'},
                                     {"reset", required_argument, NULL, 'r'},
                                     {"clock", required_argument, NULL, 'o'},
                                     {"help", no_argument, NULL, 'h'},
                                     {NULL, 0, NULL, 0}};

/** Reads an integer from 1 to `most`. */
static bool read_number(const char *text, long most, long *number)
{
  char *end;
  *number = strtol(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == '\0' && *number >= 1 && *number <= most;
}

static bool read_url(const char *url, struct options *options)
{
  long port;
  options->has_tls = strncmp(url, "mqtts://", 8) == 0;
  if (!options->has_tls && strncmp(url, "mqtt://", 7) != 0) return false;
  const char *host = strstr(url, "://") + 3;
  const char *colon = strrchr(host, ':');
  size_t length = colon ? (size_t)(colon - host) : strlen(host);
  if (length == 0 || length >= sizeof options->host || strcspn(host, "/?#@") < strlen(host)) return false;
  memcpy(options->host, host, length);
  options->host[length] = '\0';
  if (colon && !read_number(colon + 1, 65535, &port)) return false;
  options->port = colon ? (int)port : options->has_tls ? 8883 : 1883;
  return true;
}

static bool read_clock(const char *whose, struct options *options)
{
  options->goes_by_clock = strcmp(whose, "own") == 0;
  options->has_clock = options->goes_by_clock || strcmp(whose, "told") == 0;
  return options->has_clock || strcmp(whose, "hub") == 0;
}

static bool read_option(int letter, const char *argument, struct options *options)
{
  long number;
  switch (letter) {
  case 's': options->serial = argument; return true;
  case 'k': options->key = argument; return true;
  case 'u': return read_url(argument, options);
  case 'c': options->ca_file = argument; return true;
  case 'p': options->caps = argument; return true;
  case 'd': options->state_folder = argument; return true;
  case 'i': return options->has_inputs = true;
  case 'r': options->reset = argument; return true;
  case 'o': return read_clock(argument, options);
  case 't':
    if (!read_number(argument, 900, &number) || number < 30) return false;
    options->telemetry_s = (uint16_t)number;
    return true;
  case 'm':
  case 'a':
    if (!read_number(argument, 60000, &number)) return false;
    *(letter == 'm' ? &options->clip_ms : &options->answer_ms) = (unsigned)number;
    return true;
  default: return false;
  }
}

int read_options(int argc, char **argv, struct options *options)
{
  *options = (struct options){.key = getenv("SPEAKER_KEY"),
                              .host = "127.0.0.1",
                              .port = 1883,
                              .state_folder = "data",
                              .caps = "screen,speaker,qr,rekey,update,health",
                              .reset = "power",
                              .clip_ms = 220,
                              .answer_ms = 30000};
  for (int letter; (letter = getopt_long(argc, argv, "", LONG, NULL)) != -1;) {
    if (letter == 'h') {
      fputs(USAGE, stdout);
      return 0;
    }
    if (!read_option(letter, optarg, options)) {
      fputs(USAGE, stderr);
      return 2;
    }
  }
  if (optind < argc || !options->serial || !options->key) {
    fputs(USAGE, stderr);
    return 2;
  }
  return -1;
}
