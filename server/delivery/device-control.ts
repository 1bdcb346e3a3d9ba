import type { Answer } from '../devices/answer.ts'
import type { DeviceControl } from '../devices/ports.ts'
import type { SettingsSender } from '../settings/ports.ts'
import { ask } from './ask.ts'
import { createCommand } from './session/command.ts'
import type { Parts } from './sessions.ts'

/** The device must confirm within this time that it beeps. It may be speaking a payment first. */
const IDENTIFIED_WITHIN_MS = 10_000

/** Controls devices themselves, apart from announcements and screens. */
export function createDeviceControl(deps: Parts): Pick<DeviceControl, 'identify'> & SettingsSender {
  const { sessions, clock } = deps
  /** One beep at a time: all requests that come during it get its answer. */
  const underWay = new Map<string, Promise<Answer>>()

  return {
    configure(deviceId, settings) {
      sessions.born(deviceId)?.push(createCommand(deps, { kind: 'settings', settings }))
    },

    async identify(deviceId) {
      const session = sessions.born(deviceId)
      if (!session) return { kind: 'offline' }
      const running = underWay.get(deviceId)
      if (running !== undefined) return running
      const expiresAt = clock.now() + IDENTIFIED_WITHIN_MS
      const command = createCommand(deps, { kind: 'identify' }, { expiresAt })
      const answer = ask(session, command, { clock, withinMs: IDENTIFIED_WITHIN_MS })
      underWay.set(deviceId, answer)
      return answer.finally(() => underWay.delete(deviceId))
    },
  }
}
