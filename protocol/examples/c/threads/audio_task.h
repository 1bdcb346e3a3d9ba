#ifndef AUDIO_TASK_H
#define AUDIO_TASK_H

#include "port.h"

/* The audio task plays one sound after another. */

void audio_start(void);

/** Starts a sound, which is copied. EVENT_SOUND_ENDED follows, whatever happens. */
void audio_play(const struct sound *sound);

#endif
