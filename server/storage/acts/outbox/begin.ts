import type { Birth, Outbox, Owner, SessionStart } from '../../../announcements/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { UNSEEN } from '../../shared/announcement-conditions.ts'
import type { Page, ReconcileCursor } from '../../shared/pages.ts'
import { type Act, type Engine, type PageCall, together } from '../act.ts'
import { type BornRow, type BornSession, createBirths } from './births.ts'
import { type DeviceStates, type LockedDevice, nextNumber } from './device-states.ts'
import type { Moves } from './moves.ts'
import type { ReadOpen } from './open-announcements.ts'
import { createReconcile, type Reconciled } from './reconcile.ts'
import type { createReadScreens } from './screens.ts'

interface Call {
  owner: Owner
  at: number
  birth: Birth | undefined
}

/** Where the next commit of a birth begins that reconciles many announcements. */
interface Cursor {
  reconcile: ReconcileCursor
  isTakeover: boolean
}

/** A call that goes on. */
interface Session extends BornSession {
  owner: Owner
  isTakeover: boolean
  from: ReconcileCursor | undefined
}

/** What a page has done. The last one has the start, unless the call was refused. */
interface Begun extends Pick<Reconciled, 'played' | 'expired'> {
  start: SessionStart | undefined
}

const NOTHING: Reconciled = { played: [], expired: [], next: undefined }

interface Parts {
  states: DeviceStates
  announcements: Moves
  readOpen: ReadOpen
  readScreens: ReturnType<typeof createReadScreens>
}

/**
 * Stores births, and reads all that follows them: see the port. In PostgreSQL many in one commit: after a restart of a hub
 * all its devices are born at once.
 *
 * Why one act: as acts of their own, its parts make a connect wait for five commits. And SQLite's writer reads from pages
 * that it has just written, while the hub's thread drops all its pages at each commit and reads them again. Figures:
 * test/bench/README.md.
 */
export function createBegin(
  engine: Engine,
  { states, announcements, readOpen, readScreens }: Parts,
  rules: Pick<StorageRules, 'reconcile' | 'isPending' | 'catchUpSettings' | 'languageAfterBirth'>,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Outbox['begin'] {
  const births = createBirths(engine, rules)
  const reconcile = createReconcile(engine, announcements, rules)
  const readMissing = engine.perRow(
    'outbox.begin missing',
    { device: 'bigint' },
    ({ device }, { from }) =>
      `SELECT ${device} AS device ${from}
       WHERE EXISTS (SELECT 1 FROM announcements WHERE device_number = ${device} AND ${UNSEEN})`,
  )

  /** The session of a call. Undefined when it does not own the device, or when its key is none of the device's. */
  function* admit(
    { call, cursor }: PageCall<Call, Cursor>,
    device: LockedDevice,
    row: BornRow,
  ): Act<Session | undefined> {
    const { owner, birth } = call
    const isFirst = birth !== undefined && !birth.isAgain && !cursor
    const isOwner = device.sessionId === owner.sessionId
    const isTakeover = isFirst ? device.sessionId !== null && !isOwner : (cursor?.isTakeover ?? false)
    const session = { ...call, isFirst, isTakeover, from: cursor?.reconcile, device, row }
    if (!isFirst) return isOwner ? session : undefined
    if (birth.login !== undefined && !(yield* births.confirm(row, birth.login))) return undefined
    device.sessionId = owner.sessionId
    device.n = Math.max(device.n, birth.born.played)
    return session
  }

  function* reconcileAll(sessions: readonly Session[]): Act<Map<Session, Reconciled>> {
    const born = sessions.flatMap((session) => {
      const { birth, device, at, from } = session
      return birth ? [{ session, device, at, played: birth.born.played, cursor: from }] : []
    })
    const reconciled = yield* reconcile(born)
    return new Map(born.map(({ session }, index) => [session, reconciled[index] ?? NOTHING]))
  }

  /** Stores sessions of different devices, and reads what those begin with whose announcements are all reconciled. */
  function* startAll(
    sessions: readonly Session[],
    starting: readonly Session[],
  ): Act<Map<Session, SessionStart>> {
    // The welcome and the idle screen follow every birth.
    const numbers = starting.map(({ device }) => [nextNumber(device), nextNumber(device)])
    const [open, screens, missing] = yield* together(
      readOpen(starting.map(({ owner: { deviceId }, at }) => ({ deviceId, at, after: 0 }))),
      readScreens(starting.map(({ row, at }) => ({ device: row.rowId, isActive: row.active, at }))),
      readMissing<{ device: number }>(starting.map(({ device }) => ({ device: device.rowId }))),
      states.own(sessions.map(({ device }) => device)),
      births.store(sessions),
    )
    const hasMissed = new Set(missing.map(({ device }) => device))
    const starts = new Map<Session, SessionStart>()
    for (const [place, session] of starting.entries()) {
      const { device, row, isTakeover } = session
      const screen = screens[place]
      if (!screen) throw new Error('each start has its screen')
      starts.set(session, {
        isTakeover,
        highestNumber: device.n - 2,
        numbers: numbers[place] ?? [],
        reportedVersion: row.reportedSettings?.ver,
        screen,
        open: (open[place] ?? []).map(({ announcement }) => announcement),
        hasMissed: hasMissed.has(device.rowId),
        hasMaintenance: row.hasMaintenance,
        settings: yield* births.settingsDue(session),
      })
    }
    return starts
  }

  /** Carries out calls of different devices. */
  function* beginRound(calls: readonly PageCall<Call, Cursor>[]): Act<Page<Cursor, Begun>[]> {
    const ids = calls.map(({ call }) => call.owner.deviceId)
    const [devices, rows] = yield* together(states.lock(ids), births.read(ids))
    const admitted: (Session | undefined)[] = []
    for (const one of calls) {
      const { deviceId } = one.call.owner
      const [device, row] = [devices.get(deviceId), rows.get(deviceId)]
      admitted.push(device && row && (yield* admit(one, device, row)))
    }
    const sessions = admitted.flatMap((session) => session ?? [])
    const reconciled = yield* reconcileAll(sessions)
    const starts = yield* startAll(
      sessions,
      sessions.filter((session) => !reconciled.get(session)?.next),
    )
    return admitted.map((session): Page<Cursor, Begun> => {
      const { played, expired, next } = (session && reconciled.get(session)) ?? NOTHING
      const value = { played, expired, start: session && starts.get(session) }
      return { value, next: session && next && { reconcile: next, isTakeover: session.isTakeover } }
    })
  }

  function* beginAll(calls: readonly PageCall<Call, Cursor>[]): Act<Page<Cursor, Begun>[]> {
    const begun = new Map<PageCall<Call, Cursor>, Page<Cursor, Begun>>()
    for (const round of roundsOf(calls)) {
      const found = yield* beginRound(round)
      for (const [index, one] of found.entries()) {
        const call = round[index]
        if (call) begun.set(call, one)
      }
    }
    return calls.map(
      (call) => begun.get(call) ?? { value: { ...NOTHING, start: undefined }, next: undefined },
    )
  }

  const beginInPages = engine.batchedPages<Call, Cursor, Begun>(
    'outbox.begin',
    beginAll,
    ({ owner }) => owner.deviceId,
  )

  return async function begin(owner, at, birth) {
    let started: SessionStart | undefined
    await beginInPages({ owner, at, birth }, ({ played, expired, start }) => {
      for (const { queuedAt } of played) observe('played', at - queuedAt)
      for (const { queuedAt } of expired) observe('expired', at - queuedAt)
      started = start
    })
    return started
  }
}

/** Calls of one device go into rounds of their own, in their order. Almost always there is one round. */
function roundsOf<C extends PageCall<Call, Cursor>>(calls: readonly C[]): C[][] {
  const rounds: C[][] = []
  const counts = new Map<string, number>()
  for (const call of calls) {
    const { deviceId } = call.call.owner
    const before = counts.get(deviceId) ?? 0
    counts.set(deviceId, before + 1)
    const round = rounds[before] ?? []
    rounds[before] = round
    round.push(call)
  }
  return rounds
}
