#define _POSIX_C_SOURCE 200809L

#include "inputs.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VOLUME_STEP 10

static void turn(struct sb1 *device, int step)
{
  int volume = device->memory.settings.volume + step;
  volume = volume < 0 ? 0 : volume > 100 ? 100 : volume;
  sb1_change_settings(device, (uint8_t)volume, device->memory.settings.lang);
}

static void change_language(struct sb1 *device)
{
  const struct sb1_settings *settings = &device->memory.settings;
  bool is_english = settings->lang == SB1_LANGUAGE_EN;
  sb1_change_settings(device, settings->volume, is_english ? SB1_LANGUAGE_VI : SB1_LANGUAGE_EN);
}

/** A line of `b` or `s`. */
static void read_number(struct speaker *speaker)
{
  int16_t number = (int16_t)strtol(speaker->input + 1, NULL, 10);
  if (speaker->input[0] == 'b') speaker->status.battery = number;
  else speaker->status.signal = number;
  speaker->input_length = 0;
}

static void charge(struct speaker *speaker, bool is_charging)
{
  speaker->status.charging = is_charging;
  sb1_report_soon(&speaker->device, now_ms());
}

static void take(struct speaker *speaker, char letter)
{
  if (speaker->input_length > 0 || letter == 'b' || letter == 's') {
    speaker->input[speaker->input_length] = letter == '\n' ? '\0' : letter;
    if (letter == '\n') read_number(speaker);
    else if (speaker->input_length < sizeof speaker->input - 1) speaker->input_length++;
    return;
  }
  switch (letter) {
  case '+': turn(&speaker->device, VOLUME_STEP); break;
  case '-': turn(&speaker->device, -VOLUME_STEP); break;
  case 'l': change_language(&speaker->device); break;
  case 'c': charge(speaker, true); break;
  case 'd': charge(speaker, false); break;
  default: break;
  }
}

void take_inputs(struct speaker *speaker)
{
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  char letter;
  while (speaker->options.has_inputs && poll(&in, 1, 0) == 1) {
    if (read(STDIN_FILENO, &letter, 1) == 1) take(speaker, letter);
    else speaker->options.has_inputs = false;
  }
}
