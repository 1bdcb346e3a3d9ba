#ifndef SEMPHR_H
#define SEMPHR_H

#include "FreeRTOS.h"

typedef struct {
  pthread_mutex_t mutex;
} StaticSemaphore_t;
typedef StaticSemaphore_t *SemaphoreHandle_t;

SemaphoreHandle_t xSemaphoreCreateMutexStatic(StaticSemaphore_t *semaphore);
/** Waits for as long as it takes: `ticks` must be portMAX_DELAY. */
BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks);
BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore);

#endif
