#ifndef QUEUE_H
#define QUEUE_H

#include "FreeRTOS.h"

typedef struct {
  struct monitor monitor;
  uint8_t *items;
  size_t item_size, length, first, count;
} StaticQueue_t;
typedef StaticQueue_t *QueueHandle_t;

QueueHandle_t xQueueCreateStatic(UBaseType_t length, UBaseType_t item_size, uint8_t *storage,
                                 StaticQueue_t *queue);
BaseType_t xQueueSend(QueueHandle_t queue, const void *item, TickType_t ticks);
BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks);

#endif
