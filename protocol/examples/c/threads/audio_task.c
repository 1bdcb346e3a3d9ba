#include "FreeRTOS.h"
#include "queue.h"
#include "task.h"

#include "audio_task.h"
#include "core_task.h"

/** In words. */
#define STACK 512
#define PRIORITY (tskIDLE_PRIORITY + 3)

static QueueHandle_t sounds;

static void run(void *unused)
{
  struct sound sound;
  (void)unused;
  for (;;) {
    xQueueReceive(sounds, &sound, portMAX_DELAY);
    core_send((struct event){.type = EVENT_SOUND_ENDED, .heard = port_play(&sound)});
  }
}

void audio_start(void)
{
  static StaticQueue_t queue;
  static uint8_t storage[sizeof(struct sound)];
  static StaticTask_t task;
  static StackType_t stack[STACK];
  sounds = xQueueCreateStatic(1, sizeof(struct sound), storage, &queue);
  xTaskCreateStatic(run, "audio", STACK, NULL, PRIORITY, stack, &task);
}

void audio_play(const struct sound *sound)
{
  /* There is always room: the core starts no sound before the one that sounds has ended. */
  xQueueSend(sounds, sound, portMAX_DELAY);
}
