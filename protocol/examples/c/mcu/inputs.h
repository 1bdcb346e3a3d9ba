#ifndef INPUTS_H
#define INPUTS_H

#include "main.h"

/* The device's own inputs: each pin event is a character (see board.h). */

void inputs_start(struct inputs *inputs, uint8_t volume);
void inputs_poll(struct speaker *speaker, uint64_t now_ms);
uint64_t inputs_due_ms(const struct inputs *inputs);

#endif
