#include "../../board.h"

#include <string.h>

#include "mps2.h"
#include "stand_in/chips.h"
#include "stand_in/semihost.h"
#include "uart.h"

/* Time, sleep, watchdog, reset, random bytes and power of the board. */

struct timer {
  volatile uint32_t control, value, reload, interrupt;
};
#define CLOCK ((struct timer *)0x40000000)
#define ALARM ((struct timer *)0x40001000)
#define ALARM_INTERRUPT 9
#define TIMER_ON 1u
#define TIMER_INTERRUPT 8u

struct watchdog {
  volatile uint32_t load, value, control, clear, raw, masked, unused[762], lock;
};
#define WATCHDOG ((struct watchdog *)0x40008000)
#define WATCHDOG_KEY 0x1ACCE551u
/** The first time-out is an NMI that notes the program counter and restarts; the second is a reset. */
#define WATCHDOG_MS 10000u

/** The clock is read at least as often, so that its overflow after 171 s is not missed. */
#define SLEEP_MOST_MS 5000u

/** Survives a reset; after power on it has no mark. */
static struct {
  uint32_t mark;
  enum reset_cause cause;
  uint32_t at;
} kept __attribute__((section(".kept")));
#define MARK 0xB0A2D5EDu

static enum reset_cause last_cause;
static uint32_t last_at;
static bool was_powered;
static volatile bool is_woken;

void board_start(void)
{
  was_powered = kept.mark != MARK;
  last_cause = kept.cause;
  last_at = kept.at;
  kept.mark = MARK;
  kept.cause = RESET_RUNNING;
  CLOCK->reload = CLOCK->value = UINT32_MAX;
  CLOCK->control = TIMER_ON;
  interrupt_enable(ALARM_INTERRUPT);
  uart_start();
  chips_start();
  WATCHDOG->lock = WATCHDOG_KEY;
  board_feed();
  WATCHDOG->control = 3;
}

const char *board_reset_cause(void)
{
  if (was_powered) return "power";
  switch (last_cause) {
  case RESET_PIN: return "pin";
  case RESET_SOFTWARE: return "software";
  case RESET_FAULT: return "fault";
  /* The last start did not say that it ends: only the watchdog resets without a word. */
  case RESET_RUNNING:
  case RESET_WATCHDOG: break;
  }
  return "watchdog";
}

uint32_t board_reset_at(void)
{
  return was_powered ? 0 : last_at;
}

_Noreturn void reset_because(enum reset_cause cause, uint32_t at)
{
  kept.cause = cause;
  kept.at = at;
  __asm__ volatile("dsb" ::: "memory");
  RESET_CONTROL = RESET_REQUEST;
  for (;;) continue;
}

_Noreturn void board_restart(void)
{
  reset_because(RESET_SOFTWARE, 0);
}

_Noreturn void board_power_off(void)
{
  semihost_exit(0);
}

uint64_t board_ms(void)
{
  static uint32_t before, rest;
  static uint64_t ms;
  uint32_t now = ~CLOCK->value;
  rest += now - before;
  before = now;
  ms += rest / (CLOCK_HZ / 1000);
  rest %= CLOCK_HZ / 1000;
  return ms;
}

void board_wake(void)
{
  is_woken = true;
}

void wake_interrupt(void)
{
  ALARM->control = 0;
  ALARM->interrupt = 1;
}

void board_sleep(uint64_t until_ms)
{
  uint64_t now = board_ms();
  if (until_ms > now) {
    uint64_t wait_ms = until_ms - now < SLEEP_MOST_MS ? until_ms - now : SLEEP_MOST_MS;
    ALARM->reload = ALARM->value = (uint32_t)wait_ms * (CLOCK_HZ / 1000);
    ALARM->control = TIMER_ON | TIMER_INTERRUPT;
    /* An interrupt between the test and WFI stays pending, and ends the WFI. */
    uint32_t mask = interrupts_off();
    if (!is_woken) __asm__ volatile("dsb\n wfi" ::: "memory");
    interrupts_restore(mask);
    ALARM->control = 0;
  }
  is_woken = false;
}

void board_feed(void)
{
  WATCHDOG->load = WATCHDOG_MS * (CLOCK_HZ / 1000);
}

bool board_random(void *bytes, size_t count)
{
  int file = semihost_open("/dev/urandom", SEMIHOST_READ);
  bool is_read = file >= 0 && semihost_read(file, 0, bytes, count) == count;
  if (file >= 0) semihost_close(file);
  return is_read;
}

size_t board_modem_read(void *bytes, size_t room)
{
  return uart_read(UART_MODEM, bytes, room);
}

size_t board_modem_write(const void *bytes, size_t count)
{
  return uart_write(UART_MODEM, bytes, count);
}

bool board_modem_overrun(void)
{
  return uart_overrun(UART_MODEM);
}

void board_modem_reset(void)
{
  uart_write(UART_PINS, "R", 1);
}

void board_log(const char *bytes, size_t length)
{
  /* A log that nobody reads must not stop the device: what does not fit in time is lost. */
  uint64_t until_ms = board_ms() + 100;
  while (length > 0) {
    size_t taken = uart_write(UART_LOG, bytes, length);
    bytes += taken;
    length -= taken;
    if (taken == 0 && board_ms() >= until_ms) return;
  }
}

int board_pin(void)
{
  uint8_t pin;
  return uart_read(UART_PINS, &pin, 1) == 1 ? pin : -1;
}
