import type { Outbox } from '../announcements/ports.ts'
import type { WakeKind, Wakeups } from '../cluster/wakeups.ts'
import type { HealthLog } from '../devices/health.ts'
import type { Departures } from '../events/departures.ts'
import type { Clock } from '../platform/clock.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { Logger } from '../platform/log.ts'
import type { Pacing, Patiently, Session } from './session/ports.ts'

/** The open sessions: the newest one of each device. */
export interface Sessions {
  /** Adds a session. An older one of the device ends (sb/1 3.4). */
  add(session: Session): void
  /** Ends a session, and removes it unless a newer one has replaced it. */
  remove(session: Session): void
  /** Another hub has the device: ends the session and its connection, and lets that hub look at the device. */
  lost(session: Session): void
  /** The device's session if it was born: before that nothing is sent. */
  born(deviceId: string): Session | undefined
  /** As `born`, to tell the device of a change: a session that is just beginning then reads its start again. */
  here(deviceId: string): Session | undefined
  /** As `here`. If the device has no born session in this hub, the others are woken. */
  toTell(deviceId: string, kind: WakeKind): Session | undefined
  /** The device's session, also before its birth. */
  of(deviceId: string): Session | undefined
  /** As `of`. If there is none that was born, the other hubs are woken: the device may be theirs. */
  ofOrWake(deviceId: string, kind: WakeKind): Session | undefined
  /** Born in this hub, its connection is open, and it was heard recently. */
  isConnected(serial: string): boolean
  serials(): string[]
  deviceIds(): string[]
  /** All born sessions. */
  allBorn(): Session[]
  /** Runs work that nobody waits for. A failure is logged, unless the storage is away, and repaired by the next birth. */
  inBackground(what: string, work: Promise<unknown>): void
}

/** The means that the parts of delivery share. */
export interface Parts {
  outbox: Outbox
  patiently: Patiently
  sessions: Sessions
  clock: Clock
  ids: Ids
  log: Logger
}

export function createSessions(deps: {
  pacing: Pacing
  health: Pick<HealthLog, 'left'>
  departures: Pick<Departures, 'left' | 'handedOver'>
  wakeups: Pick<Wakeups, 'wake' | 'isAlone'>
  /** Counts sessions whose device another hub has. */
  fenced: () => void
  clock: Clock
  log: Logger
}): Sessions {
  const { pacing, health, departures, wakeups, fenced, clock, log } = deps
  const bySerial = new Map<string, Session>()
  const byDevice = new Map<string, Session>()

  function born(deviceId: string) {
    const session = byDevice.get(deviceId)
    return session?.isBorn() ? session : undefined
  }

  /** False when a newer session has replaced it. */
  function removeCurrent(session: Session): boolean {
    session.end()
    session.beginning = undefined
    if (byDevice.get(session.deviceId) !== session) return false
    bySerial.delete(session.serial)
    byDevice.delete(session.deviceId)
    return true
  }

  function here(deviceId: string) {
    const session = byDevice.get(deviceId)
    if (session?.beginning) session.beginning.isStale = true
    return born(deviceId)
  }

  function ofOrWake(deviceId: string, kind: WakeKind) {
    const session = byDevice.get(deviceId)
    if (!session?.isBorn()) wakeups.wake(kind, [deviceId])
    return session
  }

  return {
    add(session) {
      bySerial.get(session.serial)?.end()
      bySerial.set(session.serial, session)
      byDevice.set(session.deviceId, session)
    },

    remove(session) {
      const { deviceId, sessionId } = session
      if (!removeCurrent(session)) return
      health.left(deviceId, wakeups.isAlone ? undefined : sessionId)
      departures.left(deviceId)
    },

    lost(session) {
      const { deviceId, serial, sessionId: sid } = session
      if (!removeCurrent(session)) return
      departures.handedOver(deviceId)
      fenced()
      log.info({ serial, sid }, 'the session owns its device no longer')
      session.close()
      wakeups.wake('everything', [deviceId])
    },

    born,

    here,

    toTell: (deviceId, kind) => ofOrWake(deviceId, kind) && here(deviceId),

    of: (deviceId) => byDevice.get(deviceId),

    ofOrWake,

    serials: () => [...bySerial.keys()],

    deviceIds: () => [...byDevice.keys()],

    allBorn: () => [...byDevice.values()].filter((session) => session.isBorn()),

    isConnected(serial) {
      const session = bySerial.get(serial)
      if (!session?.isBorn()) return false
      return clock.elapsed() - session.lastSeenAt <= pacing.offlineAfterKeepalives * session.keepaliveMs
    },

    inBackground(what, work) {
      work.catch((error: unknown) => {
        // The sweep says once that the storage is away.
        if (!isUnavailable(error)) log.error({ err: error }, `${what} failed`)
      })
    },
  }
}
