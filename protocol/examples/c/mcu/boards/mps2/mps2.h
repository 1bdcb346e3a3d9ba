#ifndef MPS2_H
#define MPS2_H

#include <stdint.h>

/* The Cortex-M4 of the board, and what its files share. */

#define CLOCK_HZ 25000000u

/** SysTick, and the registers of the NVIC and the system control block (Armv7-M, B3). */
#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010)
#define SYSTICK_RELOAD (*(volatile uint32_t *)0xE000E014)
#define SYSTICK_VALUE (*(volatile uint32_t *)0xE000E018)
#define SYSTICK_PRIORITY (*(volatile uint8_t *)0xE000ED23)
#define LOWEST_PRIORITY 0xFF
#define NVIC_ENABLE (*(volatile uint32_t *)0xE000E100)
#define RESET_CONTROL (*(volatile uint32_t *)0xE000ED0C)
#define RESET_REQUEST 0x05FA0004u

static inline void interrupt_enable(unsigned number)
{
  NVIC_ENABLE = 1u << number;
}

static inline uint32_t interrupts_off(void)
{
  uint32_t mask;
  __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
  return mask;
}

static inline void interrupts_restore(uint32_t mask)
{
  __asm__ volatile("msr primask, %0" ::"r"(mask) : "memory");
}

/** Called by the interrupts. */
void uart_interrupt(unsigned interrupt);
void audio_interrupt(void);
void wake_interrupt(void);
/** An interrupt has happened: `board_sleep` returns. */
void board_wake(void);

/** Why the last start ended, written before the reset. It stands for the chip's register of reset causes. */
enum reset_cause { RESET_RUNNING, RESET_PIN, RESET_WATCHDOG, RESET_SOFTWARE, RESET_FAULT };
_Noreturn void reset_because(enum reset_cause cause, uint32_t at);

#endif
