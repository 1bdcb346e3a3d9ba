#include "../../board.h"
#include "mps2.h"
#include "uart.h"

/*
 * The sound: two blocks of 20 ms, of which one sounds while the other is filled, as with DMA and a DAC.
 * SysTick stands for the interrupt of the DMA at the end of a block, and a UART for the DAC.
 */

#define BLOCK_TICKS (CLOCK_HZ / 50)

static uint8_t blocks[2][BOARD_AUDIO_BLOCK];
/** The block that sounds or comes next. */
static unsigned first;
static volatile unsigned count;

static void start_first(void)
{
  uart_write(UART_DAC, blocks[first], sizeof blocks[first]);
}

void audio_interrupt(void)
{
  first ^= 1;
  count--;
  if (count > 0) start_first();
  else SYSTICK_CONTROL = 0;
}

uint8_t *board_audio_room(void)
{
  uint32_t mask = interrupts_off();
  uint8_t *room = count < 2 ? blocks[(first + count) % 2] : NULL;
  interrupts_restore(mask);
  return room;
}

void board_audio_play(void)
{
  uint32_t mask = interrupts_off();
  count++;
  if (count == 1) {
    start_first();
    SYSTICK_RELOAD = BLOCK_TICKS - 1;
    SYSTICK_VALUE = 0;
    SYSTICK_CONTROL = 7;
  }
  interrupts_restore(mask);
}

bool board_audio_busy(void)
{
  return count > 0;
}
