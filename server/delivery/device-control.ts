import type { DeviceControl, Identified } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { SettingsSender } from '../settings/ports.ts'
import { identifyCommand, settingsCommand } from './session/command.ts'
import type { Session } from './session/ports.ts'
import type { Sessions } from './sessions.ts'

/** The device must confirm within this time that it beeps. It may be speaking a payment first. */
const IDENTIFIED_WITHIN_MS = 10_000

/** Controls devices themselves, apart from announcements and screens. */
export function createDeviceControl(deps: {
  sessions: Sessions
  clock: Clock
  ids: Ids
}): Pick<DeviceControl, 'identify'> & SettingsSender {
  const { sessions, clock, ids } = deps
  /** One beep at a time: all requests that come during it get its result. */
  const underWay = new Map<string, Promise<Identified>>()

  function identifyOn(session: Session): Promise<Identified> {
    const { promise, resolve } = Promise.withResolvers<Identified>()
    const id = ids.commandId()
    const cancelTimeout = clock.after(IDENTIFIED_WITHIN_MS, () => {
      resolve({ kind: 'not_responding' })
      session.withdraw((command) => command.id === id)
    })
    session.push(
      identifyCommand(id, clock.now() + IDENTIFIED_WITHIN_MS, (end) => {
        cancelTimeout()
        if (end.kind === 'done') resolve({ kind: 'played' })
        else if (end.kind === 'failed') resolve({ kind: 'failed', reason: end.reason })
        else resolve({ kind: session.isBorn() ? 'not_responding' : 'offline' })
      }),
    )
    return promise
  }

  return {
    configure(deviceId, settings) {
      sessions.born(deviceId)?.push(settingsCommand(ids.commandId(), clock.now(), settings))
    },

    async identify(deviceId) {
      const session = sessions.born(deviceId)
      if (!session) return { kind: 'offline' }
      const running = underWay.get(deviceId)
      if (running) return running
      const identified = identifyOn(session).finally(() => underWay.delete(deviceId))
      underWay.set(deviceId, identified)
      return identified
    },
  }
}
