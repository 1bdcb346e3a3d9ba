import { faultOfLetter } from './keys/faults-menu.tsx'
import type { Action } from './keys/keys.ts'
import type { Controls, SpeakerSource } from './source.ts'

/** What a press of a volume button changes, in percent. */
const VOLUME_STEP = 10

/** Does to the speaker what a key asks for; `false` for what is no act on a speaker. */
export function act(action: Action, speaker: SpeakerSource, controls: Controls): boolean {
  switch (action) {
    case 'reconnect':
      void controls.reconnect()
      return true
    case 'network':
      toggleNetwork(speaker, controls)
      return true
    case 'power':
      if (speaker.snapshot().power) void controls.powerOff()
      else controls.powerOn()
      return true
    case 'dismiss':
      controls.dismiss()
      return true
    case 'quieter':
      changeVolume(speaker, controls, -VOLUME_STEP)
      return true
    case 'louder':
      changeVolume(speaker, controls, VOLUME_STEP)
      return true
    case 'help':
    case 'quit':
    case 'faults':
    case 'invert':
    case 'zoom':
    case 'frame':
    case 'filter':
      return false
  }
}

/** Breaks or repairs what the letter stands for in the list of faults. */
export function toggleFault(letter: string, speaker: SpeakerSource, controls: Controls): void {
  const fault = faultOfLetter(letter)
  if (fault) controls.setFault(fault, !speaker.snapshot().faults.includes(fault))
}

/** At its end it stays: a press there is no change to report. */
function changeVolume(speaker: SpeakerSource, controls: Controls, by: number): void {
  const { volume } = speaker.snapshot().settings
  const next = Math.min(100, Math.max(0, volume + by))
  if (next !== volume) controls.adjust({ volume: next })
}

/** Without a link and without a plan to get one, the cable is out. */
function toggleNetwork(speaker: SpeakerSource, controls: Controls): void {
  const { link, retryInMs } = speaker.snapshot()
  if (link === 'offline' && retryInMs === undefined) controls.start()
  else void controls.cutNetwork()
}
