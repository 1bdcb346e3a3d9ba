#include <string.h>

#include "../../board.h"
#include "mps2.h"
#include "uart.h"

/*
 * The sound: two blocks of 20 ms, of which one sounds while the other is filled, as with DMA and a DAC. SysTick
 * stands for the interrupt of the DMA at the end of a block, and a UART for the DAC.
 */

#define BLOCK_TICKS (CLOCK_HZ / 50)

static uint8_t next[BOARD_AUDIO_BLOCK];
static volatile bool is_sounding, has_next;

static void start_next(void)
{
  uart_write(UART_DAC, next, sizeof next);
  has_next = false;
}

void audio_interrupt(void)
{
  if (has_next) {
    start_next();
    return;
  }
  is_sounding = false;
  SYSTICK_CONTROL = 0;
}

bool board_audio_write(const uint8_t block[BOARD_AUDIO_BLOCK])
{
  if (has_next) return false;
  memcpy(next, block, sizeof next);
  uint32_t mask = interrupts_off();
  has_next = true;
  if (!is_sounding) {
    is_sounding = true;
    start_next();
    SYSTICK_RELOAD = BLOCK_TICKS - 1;
    SYSTICK_VALUE = 0;
    SYSTICK_CONTROL = 7;
  }
  interrupts_restore(mask);
  return true;
}

bool board_audio_busy(void)
{
  return is_sounding;
}
