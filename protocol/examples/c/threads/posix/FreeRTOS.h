#ifndef FREERTOS_H
#define FREERTOS_H

#include <pthread.h>
#include <stdint.h>

/*
 * A stand-in for FreeRTOS on POSIX threads: the few functions of its API that the tasks use, for tests on
 * Linux. It has no priorities, and a task starts when it is created. On FreeRTOS leave this folder out.
 */

typedef uint32_t TickType_t;
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef unsigned long StackType_t;

#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define portMAX_DELAY UINT32_MAX
#define configTICK_RATE_HZ 1000u
#define portTICK_PERIOD_MS (1000u / configTICK_RATE_HZ)
#define pdMS_TO_TICKS(ms) ((TickType_t)((uint64_t)(ms)*configTICK_RATE_HZ / 1000u))

/** What a task waits for: a mutex, and a condition on the monotonic clock. */
struct monitor {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
};

#endif
