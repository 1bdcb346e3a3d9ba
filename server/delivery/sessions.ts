import type { Outbox } from '../announcements/ports.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { WakeKind } from '../cluster/wakeups.ts'
import type { DialectName } from '../devices/device.ts'
import type { HealthLog } from '../devices/health.ts'
import type { MaintenanceRecords } from '../devices/maintenance.ts'
import type { Departures } from '../events/departures.ts'
import type { Clock } from '../platform/clock.ts'
import { isUnavailable } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { Logger } from '../platform/log.ts'
import type { SettingsRecords } from '../settings/ports.ts'
import type { Dialect, KeyedRequest } from './dialect.ts'
import type { Patiently, ReportedStage } from './session/ports.ts'
import type { Session } from './session/session.ts'

export interface DeliveryDeps {
  outbox: Outbox
  maintenance: Pick<MaintenanceRecords, 'due'>
  settings: Pick<SettingsRecords, 'report' | 'due'>
  health: Pick<HealthLog, 'reported' | 'left'>
  departures: Departures
  dialect: Pick<Dialect, 'highestCredibleNumber'>
  /** A person has keyed an amount in at a device. */
  keyed: (deviceId: string, what: KeyedRequest) => Promise<void>
  cluster: Cluster
  patiently: Patiently
  /** Counts sessions whose device another hub has. */
  fenced: () => void
  /** Counts the stages that devices report. */
  reported: (dialect: DialectName, stage: ReportedStage) => void
  clock: Clock
  ids: Ids
  log: Logger
}

/** What the parts of delivery share. */
export interface Parts extends DeliveryDeps {
  sessions: Sessions
}

/** Devices that are looked at together, which takes about 10 ms. Payments are handled in the pause that follows. */
const AT_ONCE = 20
const PAUSE_MS = 1

/** Waits when many devices were looked at one after another. `index`: how many were before this one. */
export async function pauseAt(index: number, clock: Clock) {
  if (index % AT_ONCE === AT_ONCE - 1) await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
}

/** The open sessions: the newest one of each device. */
export class Sessions {
  readonly #deps: DeliveryDeps
  readonly #bySerial = new Map<string, Session>()
  readonly #byDevice = new Map<string, Session>()

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
  }

  /** Adds a session. An older one of the device ends (sb/1 3.4). */
  add(session: Session) {
    this.#bySerial.get(session.serial)?.end()
    this.#bySerial.set(session.serial, session)
    this.#byDevice.set(session.deviceId, session)
  }

  /** Ends a session, and removes it unless a newer one has replaced it. */
  remove(session: Session) {
    const { health, departures, cluster } = this.#deps
    const { deviceId, sessionId } = session
    if (!this.#removeCurrent(session)) return
    health.left(deviceId, cluster.wakeups.isAlone ? undefined : sessionId)
    departures.left(deviceId)
  }

  /** Another hub has the device: ends the session and its connection, and lets that hub look at the device. */
  lost(session: Session) {
    const { departures, cluster, fenced, log } = this.#deps
    const { deviceId, serial, sessionId: sid } = session
    if (!this.#removeCurrent(session)) return
    departures.handedOver(deviceId)
    fenced()
    log.info({ serial, sid }, 'the session owns its device no longer')
    session.close()
    cluster.wakeups.wake('everything', [deviceId])
  }

  /** False when a newer session has replaced it. */
  #removeCurrent(session: Session): boolean {
    session.end()
    session.beginning = undefined
    if (this.#byDevice.get(session.deviceId) !== session) return false
    this.#bySerial.delete(session.serial)
    this.#byDevice.delete(session.deviceId)
    return true
  }

  /** The device's session, also before its birth. */
  of(deviceId: string): Session | undefined {
    return this.#byDevice.get(deviceId)
  }

  /** The device's session if it was born: before that nothing is sent. */
  born(deviceId: string): Session | undefined {
    const session = this.of(deviceId)
    return session?.isBorn() ? session : undefined
  }

  /** As `born`, before a change is sent to the device. A session that is beginning reads its start again. */
  here(deviceId: string): Session | undefined {
    const session = this.of(deviceId)
    if (session?.beginning) session.beginning.isStale = true
    return this.born(deviceId)
  }

  /** As `of`. Without a born session it wakes the other hubs: the device may be connected to one of them. */
  ofOrWake(deviceId: string, kind: WakeKind): Session | undefined {
    if (!this.born(deviceId)) this.#deps.cluster.wakeups.wake(kind, [deviceId])
    return this.of(deviceId)
  }

  /** As `here`. Without a born session it wakes the other hubs. */
  toTell(deviceId: string, kind: WakeKind): Session | undefined {
    return this.ofOrWake(deviceId, kind) && this.here(deviceId)
  }

  serials(): string[] {
    return [...this.#bySerial.keys()]
  }

  /** How many there are of each dialect. */
  countByDialect(): Record<DialectName, number> {
    const counts = { 'sb/1': 0, hemipay: 0, oneway: 0, alink: 0 }
    for (const { rules } of this.#bySerial.values()) counts[rules.dialect] += 1
    return counts
  }

  deviceIds(): string[] {
    return [...this.#byDevice.keys()]
  }

  allBorn(): Session[] {
    return [...this.#byDevice.values()].filter((session) => session.isBorn())
  }

  /** Born in this hub, its connection is open, and it was heard recently. */
  isConnected(serial: string): boolean {
    const session = this.#bySerial.get(serial)
    if (!session?.isBorn()) return false
    const { rules, lastSeenAt, keepaliveMs } = session
    return this.#deps.clock.elapsed() - lastSeenAt <= rules.pacing.offlineAfterKeepalives * keepaliveMs
  }

  /** Runs work that nobody waits for. A failure is logged, unless the storage is away, and repaired by the next birth. */
  inBackground(what: string, work: Promise<unknown>) {
    work.catch((error: unknown) => {
      // The sweep says once that the storage is away.
      if (!isUnavailable(error)) this.#deps.log.error({ err: error }, `${what} failed`)
    })
  }
}
