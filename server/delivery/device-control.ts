import type { Answer } from '../devices/answer.ts'
import type { DeviceControl } from '../devices/ports.ts'
import type { SettingsSender } from '../settings/ports.ts'
import type { Settings } from '../settings/settings.ts'
import { ask } from './session/ask.ts'
import { createCommand } from './session/command.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

/** Controls devices themselves, apart from announcements and screens. */
export interface DeviceKeeper extends Pick<DeviceControl, 'maintain'>, SettingsSender {
  /** Lets the device beep and flash, and waits until it confirms that it did. */
  identify(session: Session, withinMs: number): Promise<Answer>
  /** A session begins, or begins again: settings, key and firmware may be sent once more (sb/1 2.9, 18.1). */
  mayGiveAgain(session: Session): void
  /** As `configure`, unless the session has sent this version since its last welcome. */
  configureOnce: SettingsSender['configure']
}

export function createDeviceControl(deps: Parts): DeviceKeeper {
  const { sessions, clock } = deps
  /** One beep at a time: all requests that come during it get its answer. */
  const underWay = new Map<string, Promise<Answer>>()
  /** The version of the settings that was sent last since a session's last welcome. */
  const versions = new WeakMap<Session, number>()
  /** The keys and the firmware that were sent since a session's last welcome. */
  const given = new WeakMap<Session, Set<string>>()

  function isNew(session: Session, what: string): boolean {
    const before = given.get(session) ?? new Set()
    given.set(session, new Set([...before, what]))
    return !before.has(what)
  }

  function configure(deviceId: string, settings: Settings, isAgain = true) {
    const session = sessions.toTell(deviceId, 'settings')
    if (!session || (!isAgain && versions.get(session) === settings.ver)) return
    versions.set(session, settings.ver)
    session.push(createCommand(deps, { kind: 'settings', settings }))
  }

  return {
    configure: (deviceId, settings) => configure(deviceId, settings),

    configureOnce: (deviceId, settings) => configure(deviceId, settings, false),

    mayGiveAgain(session) {
      versions.delete(session)
      given.delete(session)
    },

    maintain({ deviceId, rekey, update }) {
      const session = sessions.toTell(deviceId, 'maintenance')
      if (!session) return
      if (rekey && isNew(session, `rekey ${rekey.since}`))
        session.push(createCommand(deps, { kind: 'rekey', nextKey: rekey.nextKey }))
      if (update && isNew(session, `update ${update.since}`))
        session.push(createCommand(deps, { kind: 'update', offer: update.offer }))
    },

    async identify(session, withinMs) {
      const { deviceId } = session
      const running = underWay.get(deviceId)
      if (running !== undefined) return running
      const expiresAt = clock.now() + withinMs
      const command = createCommand(deps, { kind: 'identify' }, { expiresAt })
      const answer = ask(session, command, { clock, withinMs })
      underWay.set(deviceId, answer)
      return answer.finally(() => underWay.delete(deviceId))
    },
  }
}
