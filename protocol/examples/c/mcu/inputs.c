#include "inputs.h"

/** A press of a volume button, in percent. */
#define VOLUME_STEP 10
/** Flash is written when the buttons have rested for as long (sb/1 8.6). */
#define REST_MS 2000

void inputs_start(struct inputs *inputs, uint8_t volume)
{
  *inputs = (struct inputs){.volume = volume,
                            .settle_at_ms = UINT64_MAX,
                            .battery = SB1_UNKNOWN,
                            .charging = SB1_UNKNOWN,
                            .digits = -1};
}

static void turn_volume(struct inputs *inputs, int change, uint64_t now_ms)
{
  int volume = inputs->volume + change;
  inputs->volume = (uint8_t)(volume < 0 ? 0 : volume > 100 ? 100 : volume);
  inputs->settle_at_ms = now_ms + REST_MS;
}

static void say_volume(const struct inputs *inputs)
{
  say_start(&log_line, "volume");
  say_number(&log_line, "volume", inputs->volume);
  say_end(&log_line);
}

/** A digit of a battery level, or its end. */
static void take_digit(struct inputs *inputs, int pin)
{
  if (pin >= '0' && pin <= '9' && inputs->digits <= 100) {
    inputs->digits = inputs->digits * 10 + pin - '0';
    return;
  }
  if (pin == '\n' && inputs->digits <= 100) inputs->battery = (int16_t)inputs->digits;
  inputs->digits = -1;
}

#ifdef FAULTS
/** Needs more stack than there is. */
static uint32_t overflow(uint32_t depth)
{
  volatile uint32_t frame[64] = {depth};
  return depth < UINT16_MAX ? overflow(depth + 1) + frame[depth % 64] : frame[0];
}
#endif

static void take(struct speaker *speaker, int pin, uint64_t now_ms)
{
  struct inputs *inputs = &speaker->inputs;
  if (inputs->digits >= 0) {
    take_digit(inputs, pin);
    return;
  }
  switch (pin) {
  case '+':
  case '-':
    turn_volume(inputs, pin == '+' ? VOLUME_STEP : -VOLUME_STEP, now_ms);
    say_volume(inputs);
    break;
  case 'c':
  case 'd': inputs->charging = pin == 'c'; break;
  case 'b': inputs->digits = 0; break;
  case 'q': leave(speaker, AFTER_POWER_OFF); break;
#ifdef FAULTS
  /* For tests: a loop that hangs, a fault, a stack that overflows. */
  case 'h':
    for (;;) continue;
  case 'f': *(volatile uint32_t *)0xF0000000 = 0; break;
  case 'o': overflow(0); break;
#endif
  default: break;
  }
  if (pin == 'c' || pin == 'd') sb1_report_soon(&speaker->device, now_ms);
}

void inputs_poll(struct speaker *speaker, uint64_t now_ms)
{
  struct inputs *inputs = &speaker->inputs;
  for (int pin; (pin = board_pin()) >= 0;) take(speaker, pin, now_ms);
  if (now_ms < inputs->settle_at_ms) return;
  inputs->settle_at_ms = UINT64_MAX;
  sb1_change_settings(&speaker->device, inputs->volume, speaker->device.memory.settings.lang);
}

uint64_t inputs_due_ms(const struct inputs *inputs)
{
  return inputs->settle_at_ms;
}
