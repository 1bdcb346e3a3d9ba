import { faultOfLetter } from './keys/faults-menu.tsx'
import type { Action } from './keys/keys.ts'
import type { Controls, SpeakerSource } from './source.ts'

/** Percent per press of a volume key. */
const VOLUME_STEP = 10

/** Performs a key's action on the speaker; false when the action concerns only the view. */
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
    case 'log':
    case 'search':
      return false
  }
}

/** Switches the fault of this letter on or off. */
export function toggleFault(letter: string, speaker: SpeakerSource, controls: Controls): void {
  const fault = faultOfLetter(letter)
  if (fault) controls.setFault(fault, !speaker.snapshot().faults.includes(fault))
}

/** At 0 or 100 a press changes nothing and reports nothing. */
function changeVolume(speaker: SpeakerSource, controls: Controls, by: number): void {
  const { volume } = speaker.snapshot().settings
  const next = Math.min(100, Math.max(0, volume + by))
  if (next !== volume) controls.adjust({ volume: next })
}

/** Offline with no planned retry means that the cable is unplugged. */
function toggleNetwork(speaker: SpeakerSource, controls: Controls): void {
  const { link, retryInMs } = speaker.snapshot()
  if (link === 'offline' && retryInMs === undefined) controls.start()
  else void controls.cutNetwork()
}
