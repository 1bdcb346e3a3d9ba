#ifndef INPUTS_H
#define INPUTS_H

#include "speaker.h"

/*
 * What people and hardware do to the device, as letters on standard input (`--inputs`):
 *   + -       volume up and down by 10
 *   l         the other language
 *   c d       the charger is connected, disconnected
 *   b80 s-71  battery in percent, signal in dBm; a line end follows
 */

/** Obeys the letters that have come. Never waits. */
void take_inputs(struct speaker *speaker);

#endif
