#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "queue.h"
#include "semphr.h"
#include "task.h"

/* FreeRTOS asserts in these cases, too. */
static void check(bool is_right)
{
  if (!is_right) abort();
}

static void start(struct monitor *monitor)
{
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monitor->changed, &attributes);
  pthread_mutex_init(&monitor->mutex, NULL);
}

static struct timespec after(TickType_t ticks)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_sec += ticks / configTICK_RATE_HZ;
  time.tv_nsec += (long)(ticks % configTICK_RATE_HZ) * 1000000L * portTICK_PERIOD_MS;
  time.tv_sec += time.tv_nsec / 1000000000L;
  time.tv_nsec %= 1000000000L;
  return time;
}

/** Waits for a change, with the mutex taken. False if the time is over. */
static bool wait_for_change(struct monitor *monitor, TickType_t ticks, const struct timespec *until)
{
  if (ticks == portMAX_DELAY) return pthread_cond_wait(&monitor->changed, &monitor->mutex) == 0;
  return ticks > 0 && pthread_cond_timedwait(&monitor->changed, &monitor->mutex, until) == 0;
}

static void change(struct monitor *monitor)
{
  pthread_cond_broadcast(&monitor->changed);
  pthread_mutex_unlock(&monitor->mutex);
}

/* Queues. */

QueueHandle_t xQueueCreateStatic(UBaseType_t length, UBaseType_t item_size, uint8_t *storage,
                                 StaticQueue_t *queue)
{
  *queue = (StaticQueue_t){.items = storage, .item_size = item_size, .length = length};
  start(&queue->monitor);
  return queue;
}

BaseType_t xQueueSend(QueueHandle_t queue, const void *item, TickType_t ticks)
{
  struct timespec until = after(ticks);
  pthread_mutex_lock(&queue->monitor.mutex);
  while (queue->count == queue->length && wait_for_change(&queue->monitor, ticks, &until)) continue;
  bool has_room = queue->count < queue->length;
  if (has_room) {
    size_t last = (queue->first + queue->count++) % queue->length;
    memcpy(queue->items + last * queue->item_size, item, queue->item_size);
  }
  change(&queue->monitor);
  return has_room;
}

BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks)
{
  struct timespec until = after(ticks);
  pthread_mutex_lock(&queue->monitor.mutex);
  while (queue->count == 0 && wait_for_change(&queue->monitor, ticks, &until)) continue;
  bool has_item = queue->count > 0;
  if (has_item) {
    memcpy(item, queue->items + queue->first * queue->item_size, queue->item_size);
    queue->first = (queue->first + 1) % queue->length;
    queue->count--;
  }
  change(&queue->monitor);
  return has_item;
}

/* Mutexes. */

SemaphoreHandle_t xSemaphoreCreateMutexStatic(StaticSemaphore_t *semaphore)
{
  pthread_mutex_init(&semaphore->mutex, NULL);
  return semaphore;
}

BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks)
{
  check(ticks == portMAX_DELAY);
  return pthread_mutex_lock(&semaphore->mutex) == 0;
}

BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore)
{
  return pthread_mutex_unlock(&semaphore->mutex) == 0;
}

/* Tasks. */

static _Thread_local StaticTask_t *own;

static void *run(void *task)
{
  own = task;
  own->function(own->parameter);
  check(false); /* A task must not return. */
  return NULL;
}

TaskHandle_t xTaskCreateStatic(TaskFunction_t function, const char *name, uint32_t stack_depth,
                               void *parameter, UBaseType_t priority, StackType_t *stack, StaticTask_t *task)
{
  pthread_t thread;
  (void)name, (void)stack_depth, (void)priority, (void)stack;
  *task = (StaticTask_t){.function = function, .parameter = parameter};
  start(&task->monitor);
  check(pthread_create(&thread, NULL, run, task) == 0 && pthread_detach(thread) == 0);
  return task;
}

void vTaskDelay(TickType_t ticks)
{
  struct timespec until = after(ticks);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

TickType_t xTaskGetTickCount(void)
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static uint64_t first;
  pthread_mutex_lock(&mutex);
  struct timespec now = after(0);
  uint64_t ticks =
      (uint64_t)now.tv_sec * configTICK_RATE_HZ + (uint64_t)now.tv_nsec / (1000000000u / configTICK_RATE_HZ);
  if (first == 0) first = ticks;
  ticks -= first;
  pthread_mutex_unlock(&mutex);
  return (TickType_t)ticks - 1000u;
}

BaseType_t xTaskNotifyGive(TaskHandle_t task)
{
  pthread_mutex_lock(&task->monitor.mutex);
  task->notifications++;
  change(&task->monitor);
  return pdTRUE;
}

uint32_t ulTaskNotifyTake(BaseType_t clears, TickType_t ticks)
{
  struct timespec until = after(ticks);
  pthread_mutex_lock(&own->monitor.mutex);
  while (own->notifications == 0 && wait_for_change(&own->monitor, ticks, &until)) continue;
  uint32_t count = own->notifications;
  if (count > 0) own->notifications = clears ? 0 : count - 1;
  pthread_mutex_unlock(&own->monitor.mutex);
  return count;
}
