import { faultOfLetter } from './keys/faults-menu.tsx'
import type { KEYS } from './keys/keys.ts'
import type { Controls, SpeakerSource } from './source.ts'

/** Percent per press of a volume key. */
const VOLUME_STEP = 10

/** What a key does to the speaker. */
export type ControlAction = Extract<(typeof KEYS)[number], { group: 'speaker' | 'line' }>['action']

export function control(action: ControlAction, speaker: SpeakerSource, controls: Controls) {
  switch (action) {
    case 'reconnect':
      return void controls.reconnect()
    case 'network':
      return toggleNetwork(speaker, controls)
    case 'power':
      return speaker.snapshot().power ? void controls.powerOff() : controls.powerOn()
    case 'dismiss':
      return controls.dismiss()
    case 'quieter':
      return changeVolume(speaker, controls, -VOLUME_STEP)
    case 'louder':
      return changeVolume(speaker, controls, VOLUME_STEP)
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
