import type { Answer } from '../devices/answer.ts'
import type { MaintenanceDue } from '../devices/maintenance.ts'
import type { Settings } from '../settings/settings.ts'
import { createCommand } from './session/command.ts'
import type { Session } from './session/session.ts'
import type { Parts } from './sessions.ts'

export type DeviceKeeper = ReturnType<typeof createDeviceControl>

/** Controls devices themselves, apart from announcements and screens. */
export function createDeviceControl(deps: Parts) {
  const { sessions, clock } = deps
  /** One beep at a time: all requests that come during it get its answer. */
  const underWay = new Map<string, Promise<Answer>>()
  /** The settings, keys and firmware that were sent since a session's last welcome. */
  const given = new WeakMap<Session, Set<string>>()

  function isNew(session: Session, what: string): boolean {
    const before = given.get(session) ?? new Set()
    given.set(session, new Set([...before, what]))
    return !before.has(what)
  }

  function configure(deviceId: string, settings: Settings, isAgain = true) {
    const session = sessions.toTell(deviceId, 'settings')
    if (session && (isNew(session, `settings ${settings.ver}`) || isAgain))
      session.push(createCommand(deps, { kind: 'settings', settings }))
  }

  return {
    configure: (deviceId: string, settings: Settings) => configure(deviceId, settings),

    /** As `configure`, unless the session has sent this version since its last welcome. */
    configureOnce: (deviceId: string, settings: Settings) => configure(deviceId, settings, false),

    /** A session begins, or begins again: settings, key and firmware may be sent once more (sb/1 2.9, 18.1). */
    mayGiveAgain(session: Session) {
      given.delete(session)
    },

    maintain({ deviceId, rekey, update }: MaintenanceDue) {
      const session = sessions.toTell(deviceId, 'maintenance')
      if (!session) return
      if (rekey && isNew(session, `rekey ${rekey.since}`))
        session.push(createCommand(deps, { kind: 'rekey', nextKey: rekey.nextKey }))
      if (update && isNew(session, `update ${update.since}`))
        session.push(createCommand(deps, { kind: 'update', offer: update.offer }))
    },

    /** Lets the device beep and flash, and waits until it confirms that it did. */
    async identify(session: Session, withinMs: number): Promise<Answer> {
      const { deviceId } = session
      const running = underWay.get(deviceId)
      if (running !== undefined) return running
      const expiresAt = clock.now() + withinMs
      const command = createCommand(deps, { kind: 'identify' }, { expiresAt })
      const answer = session.ask(command, withinMs)
      underWay.set(deviceId, answer)
      return answer.finally(() => underWay.delete(deviceId))
    },
  }
}
