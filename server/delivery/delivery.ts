import { createAnnounce } from './announce.ts'
import { createAsks } from './asks.ts'
import { createDeviceControl } from './device-control.ts'
import { createElsewhere } from './elsewhere.ts'
import { MissedNotices } from './missed.ts'
import { createReceive } from './receive.ts'
import { createReleases } from './releases.ts'
import { createScreens } from './screens.ts'
import type { SessionIdentity } from './session/ports.ts'
import { Session } from './session/session.ts'
import { type DeliveryDeps, type Parts, Sessions } from './sessions.ts'
import { Sweep } from './sweep.ts'
import { createWelcome } from './welcome.ts'

export type Delivery = ReturnType<typeof createDelivery>

/** Sends commands to connected devices, and takes in what they say. */
export function createDelivery(deps: DeliveryDeps) {
  const { outbox, patiently, cluster, departures, clock, log } = deps
  const sessions = new Sessions(deps)
  const parts: Parts = { ...deps, sessions }
  const missed = new MissedNotices(parts)
  const sweep = new Sweep(parts, { missed, welcome: (session) => welcome(session) })
  const announce = createAnnounce(parts, { missed, sweep })
  const screens = createScreens(parts)
  const control = createDeviceControl(parts)
  const asks = createAsks(parts, { screens, control })
  const releases = createReleases(parts)
  const welcome = createWelcome(parts, { announce, missed, screens, control, releases, sweep })
  const elsewhere = createElsewhere(parts, { announce, missed, screens, control })
  const receive = createReceive(parts, { missed, sweep, welcome })
  const sessionDeps = {
    ...{ outbox, patiently, clock, log, isShared: !cluster.wakeups.isAlone },
    lost: (session: Session) => sessions.lost(session),
  }

  return {
    ...announce,
    refresh: screens.refresh,
    clearBill: screens.clearBill,
    showCode: asks.showCode,
    clearCode: asks.clearCode,
    identify: asks.identify,
    configure: control.configure,
    maintain: control.maintain,
    receive,
    /** A device has connected. An older session of it ends. */
    open(identity: SessionIdentity, ends: ConstructorParameters<typeof Session>[1]): Session {
      const session = new Session(identity, ends, sessionDeps)
      sessions.add(session)
      return session
    },
    /** A device's connection has ended. */
    leave(session: Session) {
      // Before its birth a session owns nothing. A birth that has failed may have stored its first commits.
      const mayOwn = session.numbers.known > 0 || session.beginning !== undefined
      sessions.remove(session)
      if (mayOwn) releases.add(session.owner)
    },
    connectedSerials: () => sessions.serials(),
    connectedByDialect: () => sessions.countByDialect(),
    /** The ids of the same devices. */
    connectedDevices: () => sessions.deviceIds(),
    /** Whether a device is connected, to this hub or to another one. */
    presence: {
      isConnected: async (serial: string) =>
        sessions.isConnected(serial) || cluster.presence.isConnected(serial),
    },
    /** As `presence`, to this hub. */
    isConnected: (serial: string) => sessions.isConnected(serial),
    /** Starts the sweep, and listens to other hubs. The returned function stops both, and stores which sessions have ended. */
    start() {
      const ends = [sweep.start(), elsewhere.start(), asks.start(), departures.start()]
      return async () => {
        for (const end of ends) end()
        await releases.stop()
      }
    },
  }
}
