#include <stddef.h>
#include <stdint.h>

#include "mps2.h"

/*
 * From the reset to `main`, and the exceptions. A fault does not stay in an endless loop: it notes where it
 * happened and restarts, because a speaker has nobody who watches it.
 */

extern uint32_t stack_end[], stack_top[], data_start[], data_end[], bss_start[], bss_end[];
extern const uint32_t data_image[];
int main(void);
_Noreturn void reset(void);

/** The pattern of a stack that was never used. */
#define PAINT 0x5AFEC0DEu

__attribute__((naked)) _Noreturn void reset(void)
{
  /* A pulled-up stack pointer: a debugger and a fault may start here with another one. */
  __asm__ volatile("movw r0, #:lower16:stack_top\n movt r0, #:upper16:stack_top\n msr msp, r0\n b reset_c");
}

__attribute__((used)) _Noreturn static void start(void) __asm__("reset_c");
_Noreturn static void start(void)
{
  const uint32_t *from = data_image;
  for (uint32_t *word = data_start; word < data_end; word++) *word = *from++;
  for (uint32_t *word = bss_start; word < bss_end; word++) *word = 0;
  uint32_t *here;
  __asm__ volatile("mov %0, sp" : "=r"(here));
  for (uint32_t *word = stack_end; word < here; word++) *word = PAINT;
  main();
  reset_because(RESET_SOFTWARE, 0);
}

size_t board_stack_used(void);
size_t board_stack_used(void)
{
  const uint32_t *word = stack_end;
  while (word < stack_top && *word == PAINT) word++;
  return (size_t)(stack_top - word) * sizeof *word;
}

/** The program counter that the exception has stacked, if its frame is in the RAM of the stack. */
__attribute__((used)) _Noreturn static void fail(const uint32_t *frame, uint32_t exception) __asm__("fail_c");
_Noreturn static void fail(const uint32_t *frame, uint32_t exception)
{
  uint32_t at = frame >= stack_end && frame + 8 <= stack_top ? frame[6] : 0;
  reset_because(exception == 2 ? RESET_WATCHDOG : RESET_FAULT, at);
}

/* The stack may be the reason, so it starts anew. */
__attribute__((naked)) static void on_fault(void)
{
  __asm__ volatile("mrs r0, msp\n mrs r1, ipsr\n movw r2, #:lower16:stack_top\n movt r2, "
                   "#:upper16:stack_top\n msr msp, r2\n b fail_c");
}

static void on_interrupt(void)
{
  uint32_t exception;
  __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
  if (exception - 16 == 9) wake_interrupt();
  else uart_interrupt(exception - 16);
  board_wake();
}

typedef void handler(void);

__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  handler *handlers[15 + 20];
} VECTORS = {stack_top,
             {
                 (handler *)reset,
                 on_fault, /* NMI: the first time-out of the watchdog */
                 on_fault,
                 on_fault,
                 on_fault,
                 on_fault,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 on_fault,
                 on_fault,
                 NULL,
                 on_fault,
                 audio_interrupt,
                 /* UART 0 to 2, receive and send; the timers; UART 3 */
                 on_interrupt,
                 on_interrupt,
                 on_interrupt,
                 on_interrupt,
                 on_interrupt,
                 on_interrupt,
                 NULL,
                 NULL,
                 NULL,
                 on_interrupt,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 on_interrupt,
                 on_interrupt,
             }};
