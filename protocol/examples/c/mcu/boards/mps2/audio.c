#include "../../board.h"
#include "mps2.h"
#include "uart.h"

/*
 * The sound: two blocks of 20 ms, of which one sounds while the other is filled, as with DMA and a DAC.
 * SysTick stands for the interrupt of the DMA at the end of a block, and a UART for the DAC.
 */

#define BLOCK_TICKS (CLOCK_HZ / 50)

static uint8_t blocks[2][BOARD_AUDIO_BLOCK];
static board_audio_fill *fill;
static void *context;
/** The block that sounds next, and whether it was filled. */
static unsigned next;
static bool has_next;
static volatile bool is_busy;

static void fill_next(void)
{
  next ^= 1;
  has_next = fill(context, blocks[next]);
}

static void play_next(void)
{
  uart_write(UART_DAC, blocks[next], sizeof blocks[next]);
  fill_next();
}

void audio_interrupt(void)
{
  if (has_next) {
    play_next();
    return;
  }
  board_audio_stop();
  board_wake();
}

void board_audio_start(board_audio_fill *filler, void *filler_context)
{
  fill = filler;
  context = filler_context;
  is_busy = true;
  fill_next();
  if (has_next) play_next();
  /* Only this interrupt ends a sound, also one without a block. */
  SYSTICK_PRIORITY = LOWEST_PRIORITY;
  SYSTICK_RELOAD = BLOCK_TICKS - 1;
  SYSTICK_VALUE = 0;
  SYSTICK_CONTROL = 7;
}

bool board_audio_busy(void)
{
  return is_busy;
}

void board_audio_stop(void)
{
  SYSTICK_CONTROL = 0;
  has_next = false;
  is_busy = false;
}
