import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/log.ts'
import type { Presence } from './ports.ts'
import type { Session } from './session/session-interface.ts'

/** A device that was silent for this many keepalives counts as gone, even if its link still stands (sb/1 8.2). */
const SILENT_KEEPALIVES = 2.5

/** The sessions that stand, one a device: the newest. */
export interface Sessions extends Presence {
  /** Takes a session in; an older one of the device ends (sb/1 3.4). */
  add(session: Session, keepaliveMs: number): void
  /** Ends a session; only the one that stands leaves the register. */
  remove(session: Session): void
  /** The device's session once it was born: only then is anything sent. */
  born(deviceId: string): Session | undefined
  serials(): string[]
  /** All that were born. */
  allBorn(): Session[]
  /** Runs work that nobody waits for; what goes wrong in it is logged, and comes right at the next birth. */
  inBackground(what: string, work: Promise<void>): void
}

export function createSessions({ clock, log }: { clock: Clock; log: Logger }): Sessions {
  const bySerial = new Map<string, { session: Session; keepaliveMs: number }>()
  const byDevice = new Map<string, Session>()

  return {
    add(session, keepaliveMs) {
      bySerial.get(session.serial)?.session.end()
      bySerial.set(session.serial, { session, keepaliveMs })
      byDevice.set(session.deviceId, session)
    },

    remove(session) {
      session.end()
      if (byDevice.get(session.deviceId) !== session) return
      bySerial.delete(session.serial)
      byDevice.delete(session.deviceId)
    },

    born(deviceId) {
      const session = byDevice.get(deviceId)
      return session?.born() ? session : undefined
    },

    serials: () => [...bySerial.keys()],

    allBorn: () => [...byDevice.values()].filter((session) => session.born()),

    isConnected(serial) {
      const entry = bySerial.get(serial)
      if (!entry?.session.born()) return false
      return clock.elapsed() - entry.session.lastSeenAt <= SILENT_KEEPALIVES * entry.keepaliveMs
    },

    inBackground(what, work) {
      work.catch((error: unknown) => log.error({ err: error }, `${what} failed`))
    },
  }
}
