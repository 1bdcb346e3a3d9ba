import type { Announcer, Birth, Outbox, SessionStart } from '../announcements/ports.ts'
import { ALONE, type Cluster } from '../cluster/cluster.ts'
import type { Born } from '../devices/device.ts'
import type { HealthLog } from '../devices/health.ts'
import type { MaintenanceRecords } from '../devices/maintenance.ts'
import type { DeviceControl, Presence, Screens } from '../devices/ports.ts'
import { type Departures, NO_DEPARTURES } from '../events/departures.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Logger } from '../platform/log.ts'
import type { SettingsRecords, SettingsSender } from '../settings/ports.ts'
import { createAnnounce } from './announce.ts'
import { createAsks } from './asks.ts'
import { createDepartures } from './departures.ts'
import { createDeviceControl } from './device-control.ts'
import { Breach, type Dialect, type Heard } from './dialect.ts'
import { createElsewhere } from './elsewhere.ts'
import { MissedNotices } from './missed.ts'
import { createReceive } from './receive.ts'
import { createScreens } from './screens.ts'
import { createCommand } from './session/command.ts'
import type { CommandWriter, DeviceLink, Patiently, SessionIdentity } from './session/ports.ts'
import { Session } from './session/session.ts'
import { type Parts, Sessions } from './sessions.ts'
import { Sweep } from './sweep.ts'

export interface DeliveryDeps {
  outbox: Outbox
  maintenance: Pick<MaintenanceRecords, 'due'>
  settings: Pick<SettingsRecords, 'report' | 'due'>
  health: Pick<HealthLog, 'reported' | 'left'>
  /** Without them nobody is told which devices are offline. */
  departures?: Departures
  dialect: Pick<Dialect, 'pacing' | 'proof' | 'highestCredibleNumber'>
  cluster?: Cluster
  patiently: Patiently
  /** Counts sessions whose device another hub has. */
  fenced: () => void
  clock: Clock
  ids: Ids
  log: Logger
}

/** Sends commands to connected devices, and takes in what they say. */
export interface Delivery extends Announcer, Screens, DeviceControl, SettingsSender {
  /** A device has connected. An older session of it ends. */
  open(identity: SessionIdentity, ends: { writer: CommandWriter; link: DeviceLink }): Session
  /**
   * A device has said something. Resolves when it is stored: to true for an ack that moved an announcement of an older
   * session. Throws or rejects with a Breach when the connection must be closed.
   */
  receive(session: Session, heard: Heard): Promise<boolean>
  /** A device's connection has ended. */
  leave(session: Session): void
  /** Whether a device is connected, to this hub or to another one. */
  presence: Presence
  /** As `presence`, to this hub. */
  isConnected(serial: string): boolean
  connectedSerials(): string[]
  /** The ids of the same devices. */
  connectedDevices(): string[]
  /** Starts the sweep, and listens to other hubs. The returned function stops both, and stores which sessions have ended. */
  start(): () => Promise<void>
}

/**
 * Puts the parts of delivery together. It is long, because the parts need each other, and the beginning of a session needs
 * nearly all of them.
 */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const { outbox, settings, maintenance, health, dialect, cluster = ALONE, fenced, clock, ids, log } = deps
  const { patiently, departures = NO_DEPARTURES } = deps
  const { wakeups } = cluster
  const { pacing, proof } = dialect
  const sessions = new Sessions({ pacing, health, departures, wakeups, fenced, clock, log })
  const parts: Parts = { outbox, patiently, sessions, clock, ids, log }
  const missed = new MissedNotices(parts)
  const announce = createAnnounce(parts, missed)
  const sessionDeps = {
    ...{ outbox, patiently, pacing, proof, clock, log, isShared: !wakeups.isAlone },
    lost: (session: Session) => sessions.lost(session),
  }
  const screens = createScreens(parts)
  const control = createDeviceControl(parts)
  const asks = createAsks({ sessions, messages: cluster.messages, screens, control })
  const sweep = new Sweep({ ...parts, missed, cluster, welcome })
  const elsewhere = createElsewhere({
    ...parts,
    wakeups,
    announce,
    missed,
    screens,
    control,
    settings,
    maintenance,
  })
  const givenUp = createDepartures(parts)
  const receive = createReceive({ ...parts, missed, settings, health, dialect, born })

  /**
   * A device was born:
   *  1. store what it says of itself and that it has its key (sb/1 2.9), bring the stored stages in line with what it has
   *     played (sb/1 7.9), and read what follows, in one act,
   *  2. welcome it (sb/1 7.1), with the version of its settings that the hub knows (sb/1 8.7),
   *  3. send the announcements that are still fresh, its screen, its settings, and the payments that it has missed,
   *  4. send the new key and the firmware that wait for it.
   */
  async function born(session: Session, born: Born) {
    const { serial, sessionId: sid } = session
    sweep.checkClock()
    await welcome(session, { born, login: session.login })
    log.info({ serial, sid, fw: born.firmware, played: born.played }, 'device born')
  }

  /** Starts a session with a birth, or starts it again. Of several at once the last birth counts, or else the first. */
  async function welcome(session: Session, birth?: Birth) {
    const { deviceId } = session
    for (let isAgain = false; ; isAgain = true) {
      const clockStored = sweep.clockStored()
      await clockStored
      if (sessions.of(deviceId) !== session || (!birth && session.beginning)) return
      const beginning = { isStale: false }
      session.beginning = beginning
      session.hold()
      announce.hold(session)
      const start = await outbox.begin(session.owner, clock.now(), birth && { ...birth, isAgain })
      if (!start && (!birth || isAgain)) return sessions.lost(session)
      if (!start) throw new Breach('birth: under a key that was replaced, or overtaken by another one')
      if (start.isTakeover) wakeups.wake('owner', [deviceId])
      departures.born(deviceId, session.sessionId)
      if (!sessions.of(deviceId)) departures.left(deviceId)
      if (sessions.of(deviceId) !== session) return giveUp(session)
      // A birth has come meanwhile.
      if (session.beginning !== beginning) return
      session.beginning = undefined
      // In the same turn: a later change is told to the session itself.
      if (!beginning.isStale && clockStored === sweep.clockStored()) return follow(session, start, birth)
    }
  }

  /**
   * A session that has ended owns its device no longer. Only other hubs ask for that: a hub by itself spares the acts,
   * of which a broken network would cause thousands at once.
   */
  function giveUp(session: Session) {
    if (wakeups.isAlone) return
    givenUp.add(session.owner)
  }

  /** Sends what a session begins with. No await before the settings: newer ones could come first. */
  async function follow(session: Session, start: SessionStart, birth: Birth | undefined) {
    const { deviceId } = session
    const { highestNumber, screen, reportedVersion: settingsVersion } = start
    control.mayGiveAgain(session)
    session.begin(birth?.born.bufferBytes, start.numbers)
    session.push(
      createCommand(parts, { kind: 'welcome', highestNumber, linked: screen.linked, settingsVersion }),
    )
    // First, before the state of the screen changes. The order of classes still sends announcements before it.
    screens.show(session, screen)
    announce.sendOpen(session, start.open)
    if (start.settings) control.configure(deviceId, start.settings)
    if (start.hasMissed) await missed.show(deviceId)
    if (start.hasMaintenance) for (const one of await maintenance.due([deviceId])) control.maintain(one)
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
    open(identity, ends) {
      const session = new Session(identity, ends, sessionDeps)
      sessions.add(session)
      return session
    },
    leave(session) {
      // Before its birth a session owns nothing. A birth that has failed may have stored its first commits.
      const mayOwn = session.numbers.known > 0 || session.beginning !== undefined
      sessions.remove(session)
      if (mayOwn) giveUp(session)
    },
    connectedSerials: () => sessions.serials(),
    connectedDevices: () => sessions.deviceIds(),
    presence: {
      isConnected: async (serial) => sessions.isConnected(serial) || cluster.presence.isConnected(serial),
    },
    isConnected: (serial) => sessions.isConnected(serial),
    announce(announcements, storeKey) {
      sweep.checkClock()
      announce.announce(announcements, storeKey)
    },
    start() {
      const ends = [sweep.start(), elsewhere.start(), asks.start(), departures.start()]
      return async () => {
        for (const end of ends) end()
        await givenUp.stop()
      }
    },
  }
}
