import type { Birth, Outbox, Owner, SessionStart } from '../../../../announcements/ports.ts'
import type { Settings } from '../../../../settings/settings.ts'
import type { StorageObserver } from '../../../ports.ts'
import type { StorageRules } from '../../../rules.ts'
import { UNSEEN } from '../../../shared/announcement-conditions.ts'
import type { ReconcileCursor } from '../../../shared/pages.ts'
import { languageOf, toSettings } from '../../../shared/settings-mapping.ts'
import type { PostgresDatabase, Tx } from '../../engine/database.ts'
import {
  type BornRow,
  type BornSession,
  createConfirm,
  readBornRows,
  storeBirths,
  storeStates,
  tellBirths,
} from './births.ts'
import { type LockedDevice, lockDevices, nextNumber } from './device-locks.ts'
import { readOpen } from './open-announcements.ts'
import { type Reconciled, reconcileAll } from './reconcile.ts'
import type { ReadScreens } from './screens.ts'

/** Where the next commit of a birth begins that reconciles many announcements. */
interface Next {
  cursor: ReconcileCursor
  isTakeover: boolean
}

interface Call {
  owner: Owner
  at: number
  birth: Birth | undefined
  from: Next | undefined
}

/** A call that goes on. */
interface Session extends Call, BornSession {
  birth: Birth | undefined
  isTakeover: boolean
}

type Answer =
  | { kind: 'refused' }
  | { kind: 'page'; reconciled: Reconciled; next: Next }
  | { kind: 'started'; reconciled: Reconciled; start: SessionStart }

type Rules = Pick<StorageRules, 'reconcile' | 'isPending' | 'catchUpSettings' | 'languageAfterBirth'>

const NOTHING: Reconciled = { played: [], expired: [], next: undefined }

/**
 * Stores births, and reads all that follows them: see the port. Many in one commit: after a restart of a hub all its
 * devices are born at once.
 */
export function createBegin(
  database: PostgresDatabase,
  readScreens: ReadScreens,
  rules: Rules,
  { stage: observe }: Pick<StorageObserver, 'stage'>,
  hub: string | undefined,
): Outbox['begin'] {
  const confirm = createConfirm(database.vault)

  /** The session of a call. Undefined when it does not own the device, or when its key is none of the device's. */
  async function admit(tx: Tx, call: Call, device: LockedDevice, row: BornRow): Promise<Session | undefined> {
    const { owner, birth, from } = call
    const isFirst = birth !== undefined && !birth.isAgain && !from
    const isTakeover = isFirst
      ? device.sessionId !== null && device.sessionId !== owner.sessionId
      : (from?.isTakeover ?? false)
    const session = { ...call, isFirst, isTakeover, device, row }
    if (!isFirst) return device.sessionId === owner.sessionId ? session : undefined
    const { born, login } = birth
    if (login !== undefined && !(await confirm(tx, row, login))) return undefined
    device.sessionId = owner.sessionId
    device.n = Math.max(device.n, born.played)
    row.languages = born.languages.join(' ')
    row.lang = rules.languageAfterBirth(row.lang, born.languages)
    return session
  }

  /** What the session must still send, also when it begins again without a birth. A birth may give it another version. */
  function settingsDue({ row, birth }: Session): Settings | undefined {
    if (!row.desiredSettings) return undefined
    const known = toSettings(row)
    if (!birth) return rules.isPending(known) ? known.desired : undefined
    const desired = rules.catchUpSettings(known, birth.born.settingsVersion)
    if (desired && desired.ver !== known.desired?.ver) {
      row.desiredSettings = desired
      row.lang = languageOf(row, known.reported)
    }
    return desired
  }

  async function reconcile(tx: Tx, sessions: Session[]): Promise<Map<Session, Reconciled>> {
    const born = sessions.flatMap((session) => {
      const { birth, device, at, from } = session
      return birth ? [{ session, device, at, played: birth.born.played, cursor: from?.cursor }] : []
    })
    const reconciled = await reconcileAll(tx, born, rules)
    return new Map(born.map(({ session }, index) => [session, reconciled[index] ?? NOTHING]))
  }

  /** All that a session begins with, but for what is read once its birth is stored. */
  function startOf(session: Session) {
    const { device, row, isTakeover } = session
    const first = nextNumber(device)
    return {
      isTakeover,
      highestNumber: first - 1,
      // The welcome and the idle screen follow every birth.
      numbers: [first, nextNumber(device)],
      reportedVersion: row.reportedSettings?.ver,
      hasMaintenance: row.hasMaintenance,
      settings: settingsDue(session),
    }
  }

  /** Carries out calls of different devices. */
  async function beginRound(tx: Tx, calls: Call[]): Promise<Answer[]> {
    const ids = calls.map(({ owner }) => owner.deviceId)
    const [devices, rows] = await Promise.all([lockDevices(tx, ids), readBornRows(tx, ids)])
    const admitted: (Session | undefined)[] = []
    for (const call of calls) {
      const { deviceId } = call.owner
      const [device, row] = [devices.get(deviceId), rows.get(deviceId)]
      admitted.push(device && row && (await admit(tx, call, device, row)))
    }
    const sessions = admitted.flatMap((session) => session ?? [])
    const reconciled = await reconcile(tx, sessions)
    const starting = sessions.filter((session) => !reconciled.get(session)?.next)
    const starts = starting.map(startOf)
    const wanted = starting.map(({ owner: { deviceId }, at }) => ({ deviceId, at, after: 0 }))
    const [open, screens, missing] = await Promise.all([
      readOpen(tx.query, wanted),
      readScreens(tx.query, wanted),
      readMissing(tx, starting),
      storeStates(tx, sessions, hub),
      storeBirths(tx, sessions, rules),
      tellBirths(tx, sessions),
    ])
    return admitted.map((session): Answer => {
      if (!session) return { kind: 'refused' }
      const found = reconciled.get(session) ?? NOTHING
      const { isTakeover, device } = session
      if (found.next) return { kind: 'page', reconciled: found, next: { cursor: found.next, isTakeover } }
      const place = starting.indexOf(session)
      const [start, screen] = [starts[place], screens[place]]
      if (!start || !screen) throw new Error('each start has its screen')
      const announcements = (open[place] ?? []).map(({ announcement }) => announcement)
      return {
        kind: 'started',
        reconciled: found,
        start: { ...start, screen, open: announcements, hasMissed: missing.has(device.rowId) },
      }
    })
  }

  async function beginAll(tx: Tx, calls: Call[]): Promise<Answer[]> {
    const answers = new Map<Call, Answer>()
    for (const round of roundsOf(calls)) {
      const found = await beginRound(tx, round)
      for (const [index, call] of round.entries()) answers.set(call, found[index] ?? { kind: 'refused' })
    }
    return calls.map((call) => answers.get(call) ?? { kind: 'refused' })
  }

  const beginPage = database.batched('outbox.begin', beginAll, ({ owner }) => owner.deviceId)

  return async function begin(owner, at, birth) {
    let from: Next | undefined
    for (;;) {
      const answer = await beginPage({ owner, at, birth, from })
      if (answer.kind === 'refused') return undefined
      for (const { queuedAt } of answer.reconciled.played) observe('played', at - queuedAt)
      for (const { queuedAt } of answer.reconciled.expired) observe('expired', at - queuedAt)
      if (answer.kind === 'started') return answer.start
      from = answer.next
    }
  }
}

/** Calls of one device go into rounds of their own, in their order. Almost always there is one round. */
function roundsOf(calls: Call[]): Call[][] {
  const rounds: Call[][] = []
  const counts = new Map<string, number>()
  for (const call of calls) {
    const { deviceId } = call.owner
    const before = counts.get(deviceId) ?? 0
    counts.set(deviceId, before + 1)
    const round = rounds[before] ?? []
    rounds[before] = round
    round.push(call)
  }
  return rounds
}

/** The row ids of those devices that have missed something, perhaps. */
async function readMissing(tx: Tx, sessions: Session[]): Promise<Set<number>> {
  const rows = await tx.query<{ device: number }>(
    'outbox.begin missing',
    `SELECT w.device FROM unnest($1::bigint[]) AS w(device)
     WHERE EXISTS (SELECT 1 FROM announcements WHERE device_number = w.device AND ${UNSEEN})`,
    [sessions.map(({ device }) => device.rowId)],
  )
  return new Set(rows.map(({ device }) => device))
}
