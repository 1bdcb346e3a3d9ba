import type { Clock } from '../../platform/clock.ts'
import type { SpeakerSource } from '../../screen/source.ts'
import type { DeviceConfig } from '../../speaker/device/state/state.ts'
import { DEFAULT_CONFIG, NO_SIGNAL, switchedOn } from '../../speaker/device/state/state.ts'
import { createFeed } from '../../speaker/feed.ts'
import { FACTORY_MEMORY } from '../../speaker/memory/memory.ts'
import { snapshotOf, switchedOff } from '../../speaker/snapshot.ts'
import type { DeviceLine } from './device.ts'
import { afterLine, atTime, eventOf } from './screen-state.ts'

/** In dBm, what the module says while it has a line: `+CSQ: 21`. */
const SIGNAL = -71

/** What the simulator's screen draws, fed with the lines of the device. */
export interface DeviceSource extends SpeakerSource {
  line(line: DeviceLine): void
}

/** `times`: how long the clips take, so that the text follows the voice. */
export function deviceSource(serial: string, clock: Clock, times: Partial<DeviceConfig> = {}): DeviceSource {
  const feed = createFeed()
  let state = switchedOn(FACTORY_MEMORY, { ...DEFAULT_CONFIG, ...times })
  let isOn = false
  return {
    subscribe: feed.subscribe,
    snapshot() {
      state = atTime(state, clock.now())
      const signal = state.link.phase === 'welcomed' ? SIGNAL : NO_SIGNAL
      const snapshot = { ...snapshotOf(serial, state, clock.now()), signal }
      return isOn ? snapshot : switchedOff(snapshot, snapshot.battery)
    },
    line(line) {
      const atMs = clock.now()
      state = afterLine(state, line, atMs)
      if (line.event === 'power') isOn = line.on === true
      const event = eventOf(line)
      if (event) feed.publish({ kind: 'event', atMs, event })
    },
  }
}
