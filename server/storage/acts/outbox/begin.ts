import type { Birth, Outbox, Owner, SessionStart } from '../../../announcements/ports.ts'
import type { StorageObserver } from '../../ports.ts'
import type { StorageRules } from '../../rules.ts'
import { UNSEEN } from '../../shared/announcement-conditions.ts'
import type { Page, ReconcileCursor } from '../../shared/pages.ts'
import { type Act, type Engine, type PageCall, together } from '../act.ts'
import { type BornSession, catchUp, confirmKey, createBirths } from './births.ts'
import { type DeviceStates, nextNumber } from './device-states.ts'
import type { Moves } from './moves.ts'
import type { ReadOpen } from './open-announcements.ts'
import { createReconcile, type Reconciled } from './reconcile.ts'
import type { createReadScreens } from './screens.ts'

interface Call {
  owner: Owner
  at: number
  birth: Birth | undefined
}

/** Where the next commit of a birth begins. One commit reconciles a page of announcements. */
interface Cursor {
  reconcile: ReconcileCursor
  isTakeover: boolean
}

type AskedPage = PageCall<Call, Cursor>

/** A session that owns its device. */
interface Session extends BornSession {
  asked: AskedPage
  owner: Owner
  isTakeover: boolean
}

/** The result of one page. Only the last page has a start, and a refused call has none. */
interface Begun extends Pick<Reconciled, 'played' | 'delivered' | 'expired'> {
  start: SessionStart | undefined
}

type BegunPage = Page<Cursor, Begun>

const NOTHING: Reconciled = { played: [], delivered: [], expired: [], next: undefined }
const REFUSED: BegunPage = {
  value: { played: [], delivered: [], expired: [], start: undefined },
  next: undefined,
}

interface Reads {
  states: DeviceStates
  readOpen: ReadOpen
  readScreens: ReturnType<typeof createReadScreens>
}

type Rules = Pick<StorageRules, 'reconcile' | 'isPending' | 'catchUpSettings' | 'languageAfterBirth'>

/**
 * Stores births, and reads what each session starts with: see the port. In PostgreSQL many births share a commit, because
 * after a restart of a hub all its devices are born at once.
 *
 * Why one act: as acts of their own, its parts make a connect wait for five commits. And SQLite's writer reads from pages
 * that it has just written, while the hub's thread drops all its pages at each commit and reads them again. Figures:
 * test/bench/README.md.
 */
export function createBegin(
  engine: Engine,
  { announcements, ...reads }: Reads & { announcements: Moves },
  rules: Rules,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
): Outbox['begin'] {
  const parts: Parts = { ...reads, ...createParts(engine, announcements, rules) }
  const beginInPages = engine.batchedPages<Call, Cursor, Begun>(
    'outbox.begin',
    (asked) => beginPages(parts, asked),
    ({ owner }) => owner.deviceId,
  )

  return async function begin(owner, at, birth) {
    let started: SessionStart | undefined
    await beginInPages({ owner, at, birth }, ({ played, delivered, expired, start }) => {
      for (const { queuedAt } of played) observe('played', at - queuedAt)
      for (const { queuedAt } of delivered) observe('delivered', at - queuedAt)
      for (const { queuedAt } of expired) observe('expired', at - queuedAt)
      started = start
    })
    return started
  }
}

/** The dependencies of the functions below. */
type Parts = Reads & ReturnType<typeof createParts>

function createParts(engine: Engine, announcements: Moves, rules: Rules) {
  return {
    engine,
    rules,
    births: createBirths(engine, rules),
    reconcile: createReconcile(engine, announcements, rules),
    readMissing: engine.perRow(
      'outbox.begin missing',
      { device: 'bigint' },
      ({ device }, { from }) =>
        `SELECT ${device} AS device ${from}
         WHERE EXISTS (SELECT 1 FROM announcements WHERE device_number = ${device} AND ${UNSEEN})`,
    ),
  }
}

function* beginPages(parts: Parts, asked: readonly AskedPage[]): Act<BegunPage[]> {
  const begun = new Map<AskedPage, BegunPage>()
  for (const round of roundsOf(asked)) {
    const sessions = yield* admit(parts, round)
    const reconciled = yield* reconcileAll(parts, sessions)
    const last = sessions.filter((session) => !reconciled.get(session)?.next)
    const starts = yield* startAll(parts, sessions, last)
    for (const session of sessions) {
      const { played, delivered, expired, next } = reconciled.get(session) ?? NOTHING
      begun.set(session.asked, {
        value: { played, delivered, expired, start: starts.get(session) },
        next: next && { reconcile: next, isTakeover: session.isTakeover },
      })
    }
  }
  return asked.map((one) => begun.get(one) ?? REFUSED)
}

/** Locks the devices of the calls, which are different ones. Leaves out the calls that are refused. */
function* admit({ engine, states, births }: Parts, round: readonly AskedPage[]): Act<Session[]> {
  const ids = round.map(({ call }) => call.owner.deviceId)
  const [devices, rows] = yield* together(states.lock(ids), births.read(ids))
  const sessions: Session[] = []
  for (const asked of round) {
    const { owner, birth } = asked.call
    const [device, row] = [devices.get(owner.deviceId), rows.get(owner.deviceId)]
    if (!device || !row) continue
    const isFirst = birth !== undefined && !birth.isAgain && !asked.cursor
    const isOwner = device.sessionId === owner.sessionId
    const isTakeover = isFirst ? device.sessionId !== null && !isOwner : (asked.cursor?.isTakeover ?? false)
    if (!isFirst && !isOwner) continue
    if (isFirst) {
      if (birth.login !== undefined && !(yield* confirmKey(engine, row, birth.login))) continue
      device.sessionId = owner.sessionId
      device.n = Math.max(device.n, birth.born.played)
    }
    sessions.push({ ...asked.call, asked, isFirst, isTakeover, device, row })
  }
  return sessions
}

function* reconcileAll({ reconcile }: Parts, sessions: readonly Session[]): Act<Map<Session, Reconciled>> {
  const born = sessions.flatMap((session) => {
    const { birth, device, at, asked } = session
    // The second store of one birth is no second session: what is in flight to a box was resent once.
    if (!birth || (birth.isAgain && birth.born.box)) return []
    const { played, box } = birth.born
    return [{ session, device, at, witness: { played, box }, cursor: asked.cursor?.reconcile }]
  })
  const reconciled = yield* reconcile(born)
  return new Map(born.map(({ session }, index) => [session, reconciled[index] ?? NOTHING]))
}

/** Stores the sessions, and reads the starts of `starting`: their announcements are all reconciled. */
function* startAll(
  { engine, rules, births, states, readOpen, readScreens, readMissing }: Parts,
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
      settings: yield* catchUp(engine, rules, session),
    })
  }
  return starts
}

/** Calls of one device go into rounds of their own, in their order. Almost always there is one round. */
function roundsOf(calls: readonly AskedPage[]): (readonly AskedPage[])[] {
  // SQLite has one call for each act.
  if (calls.length === 1) return [calls]
  const ofDevices = [...Map.groupBy(calls, ({ call }) => call.owner.deviceId).values()]
  const rounds = Math.max(...ofDevices.map(({ length }) => length))
  return Array.from({ length: rounds }, (_, round) => ofDevices.flatMap((asked) => asked[round] ?? []))
}
