import type { SpeakerSource } from '../../screen/source.ts'
import { NO_SIGNAL } from '../../speaker/device/state/state.ts'
import { FACTORY_MEMORY } from '../../speaker/memory/memory.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'

/** A speaker that has power, and no line because the hub still starts. */
export function startingSpeaker(serial: string): SpeakerSource {
  const snapshot: SpeakerSnapshot = {
    ...{ serial, power: true, display: { screen: 'connecting' }, linked: false, shop: '' },
    ...{ link: 'offline', retryInMs: undefined, offlineReason: 'the hub starts' },
    ...{ settings: FACTORY_MEMORY.settings, faults: [], battery: 100, signal: NO_SIGNAL },
    ...{ sounding: undefined, waiting: 0, played: 0 },
  }
  return { subscribe: () => () => undefined, snapshot: () => snapshot }
}
