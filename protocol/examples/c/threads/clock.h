#ifndef CLOCK_H
#define CLOCK_H

#include "FreeRTOS.h"
#include "task.h"

#include <stdint.h>

/*
 * The ticks in 64 bits. Each task has a clock of its own, so nobody sees it half changed. It must be read
 * before the ticks have come around: once in 49 days if a tick is a millisecond.
 */
struct clock {
  TickType_t last;
  uint64_t ticks;
};

static inline uint64_t clock_read_ms(struct clock *clock)
{
  TickType_t now = xTaskGetTickCount();
  clock->ticks += (TickType_t)(now - clock->last);
  clock->last = now;
  return clock->ticks * portTICK_PERIOD_MS;
}

#endif
