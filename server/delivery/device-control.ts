import type { DeviceControl, Identified } from '../devices/ports.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { SettingsSender } from '../settings/ports.ts'
import { pushAndWait } from './push-and-wait.ts'
import { createCommand } from './session/command.ts'
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
  const { sessions, clock } = deps
  /** One beep at a time: all requests that come during it get its result. */
  const underWay = new Map<string, Promise<Identified>>()

  async function identifyOn(session: Session): Promise<Identified> {
    const expiresAt = clock.now() + IDENTIFIED_WITHIN_MS
    const command = createCommand(deps, { kind: 'identify' }, { expiresAt })
    const end = await pushAndWait(session, command, { clock, withinMs: IDENTIFIED_WITHIN_MS })
    if (end.kind === 'done') return { kind: 'played' }
    if (end.kind === 'failed') return end
    return { kind: session.isBorn() ? 'not_responding' : 'offline' }
  }

  return {
    configure(deviceId, settings) {
      sessions.born(deviceId)?.push(createCommand(deps, { kind: 'settings', settings }))
    },

    async identify(deviceId) {
      const session = sessions.born(deviceId)
      if (!session) return { kind: 'offline' }
      const running = underWay.get(deviceId)
      if (running !== undefined) return running
      const identified = identifyOn(session).finally(() => underWay.delete(deviceId))
      underWay.set(deviceId, identified)
      return identified
    },
  }
}
