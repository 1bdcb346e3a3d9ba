#ifndef TASK_H
#define TASK_H

#include "FreeRTOS.h"

#define tskIDLE_PRIORITY ((UBaseType_t)0)

typedef void (*TaskFunction_t)(void *parameter);
typedef struct {
  struct monitor monitor;
  TaskFunction_t function;
  void *parameter;
  uint32_t notifications;
} StaticTask_t;
typedef StaticTask_t *TaskHandle_t;

TaskHandle_t xTaskCreateStatic(TaskFunction_t function, const char *name, uint32_t stack_depth,
                               void *parameter, UBaseType_t priority, StackType_t *stack, StaticTask_t *task);
void vTaskDelay(TickType_t ticks);
/** It overflows soon after the start, so that every test of some seconds has an overflow in it. */
TickType_t xTaskGetTickCount(void);
BaseType_t xTaskNotifyGive(TaskHandle_t task);
uint32_t ulTaskNotifyTake(BaseType_t clears, TickType_t ticks);

#endif
