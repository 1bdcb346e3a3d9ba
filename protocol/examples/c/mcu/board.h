#ifndef BOARD_H
#define BOARD_H

#include "sb1/store.h"

/*
 * What a board does for the firmware. Write it anew for another board: boards/mps2/ is the one for the
 * emulator. No function may be called from an interrupt, and only `fill` of a sound is called in one.
 */

/** Starts clocks, UARTs and the watchdog. The first call of `main`. */
void board_start(void);

/** A monotonic clock. It starts at 0 at each reset, and goes on in sleep. */
uint64_t board_ms(void);
/** Sleeps until an interrupt, or until this time, or some seconds. */
void board_sleep(uint64_t until_ms);
/** Feeds the watchdog. Only the main loop calls it. */
void board_feed(void);
/** Random bytes, fit for session ids and for keys. */
bool board_random(void *bytes, size_t count);

/** Why the last start ended: power, pin, watchdog, software, fault or brownout. */
const char *board_reset_cause(void);
/** Where the program was at a fault or when the watchdog ended it, or 0. */
uint32_t board_reset_at(void);
_Noreturn void board_restart(void);
_Noreturn void board_power_off(void);

/** The modem's UART. Neither call waits; each returns how many bytes were read or taken. */
size_t board_modem_read(void *bytes, size_t room);
size_t board_modem_write(const void *bytes, size_t count);
/** Whether received bytes were lost since the last call. */
bool board_modem_overrun(void);
/** Pulses the modem's reset line. */
void board_modem_reset(void);

/** The flash of the device. The factory area is read only. */
enum board_area { BOARD_FACTORY, BOARD_MEMORY, BOARD_KEYS };
struct sb1_flash board_flash(enum board_area area);
/**
 * The image of the speech, mapped into memory. NULL if there is none. The interrupt of the sound reads it: if
 * it is in a chip that can't be read during a write, the write holds this interrupt back.
 */
const uint8_t *board_speech(size_t *bytes);

/** Samples of a block of sound: 20 ms of mu-law at 8 kHz. */
#define BOARD_AUDIO_BLOCK 160
/** Writes the next block of a sound. False if nothing is left: the block is not played. */
typedef bool board_audio_fill(void *context, uint8_t *block);
/**
 * Starts a sound, after the last one has ended. Each block is filled in the interrupt in which the one before
 * it begins to sound, so a loop that is busy for a while makes no gap. The interrupts of the UARTs have a
 * higher priority.
 */
void board_audio_start(board_audio_fill *fill, void *context);
/** Whether a sound was started, and its last block has not been heard. */
bool board_audio_busy(void);
/** Ends the sound at once. `fill` is not called any more. */
void board_audio_stop(void);

/** Writes a part of a line of the log. */
void board_log(const char *bytes, size_t length);
/** The next event of the pins as one character, or -1: see boards/mps2/README.md. */
int board_pin(void);

/** The deepest stack so far, in bytes. */
size_t board_stack_used(void);

#endif
