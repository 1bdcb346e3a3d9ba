import type { Clock } from '../../platform/clock.ts'
import type { SpeakerSource } from '../../screen/source.ts'
import type { DeviceConfig } from '../../speaker/device/state/state.ts'
import { DEFAULT_CONFIG, switchedOn } from '../../speaker/device/state/state.ts'
import { createFeed } from '../../speaker/feed.ts'
import { FACTORY_MEMORY } from '../../speaker/memory/memory.ts'
import { snapshotOf, switchedOff } from '../../speaker/snapshot.ts'
import type { DeviceLine } from './device.ts'
import { afterLine, atTime, eventOf } from './screen-state.ts'

/** What the simulator's screen draws, fed with the lines of the device. */
export interface DeviceSource extends SpeakerSource {
  line(line: DeviceLine): void
  /** A line of the dialogue with the module, for the log. */
  traffic(direction: 'up' | 'down', text: string): void
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
      const snapshot = snapshotOf(serial, state, clock.now())
      return isOn ? snapshot : switchedOff(snapshot, snapshot.battery)
    },
    line(line) {
      const atMs = clock.now()
      state = afterLine(state, line, atMs)
      if (line.event === 'power') isOn = line.on === true
      const event = eventOf(line)
      if (event) feed.publish({ kind: 'event', atMs, event })
    },
    traffic(direction, text) {
      const note = { direction: direction === 'up' ? ('out' as const) : ('in' as const), packet: text }
      feed.publish({ kind: 'packet', atMs: clock.now(), note })
    },
  }
}
