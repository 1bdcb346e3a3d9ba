import type { MissedMark, Outbox } from '../../../announcements/ports.ts'
import { OPEN, UNSEEN } from '../../shared/announcement-conditions.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import type { DeviceStates } from './device-states.ts'

/** Open announcements that a mark names at most. */
const EXCEPTED = 500

interface Sum {
  count: number
  amount: string | null
  last: number | null
}

/** The highest row id of an announcement. */
export function* newestAnnouncement(): Act<number> {
  const found = yield* row<{ newest: number | null }>(
    'outbox newest',
    'SELECT max(number) AS newest FROM announcements',
  )
  return found?.newest ?? 0
}

/**
 * Adds up what a device has missed.
 *
 * Why a mark names its payments by a highest row id without those that were open then: only an open announcement can
 * still become missed. So a mark stays exact while others are missed, and is small however many it names.
 * Why a mark locks the device: in PostgreSQL, row ids rise in the order in which rows are written, but a row with a lower
 * one may be committed later. Whoever adds an announcement of the device holds the same lock until its commit. In SQLite
 * the writer's thread may commit between two reads: what it adds after the first one is not in the mark.
 */
export function createMissed(
  { reading, readingLocked, among, each, scanned, open: opened }: Engine,
  states: Pick<DeviceStates, 'lock'>,
): Outbox['missed'] {
  const markOf = readingLocked(function* (deviceId: string) {
    const device = (yield* states.lock([deviceId])).get(deviceId)
    if (!device) return undefined
    const { rowId } = device
    const newest = yield* newestAnnouncement()
    const open = yield* rows<{ number: number }>(
      'outbox.missed open',
      `SELECT a.number FROM ${opened.from} WHERE ${opened.by}.device_number = $1 AND ${OPEN} LIMIT ${EXCEPTED + 1}`,
      [rowId],
    )
    if (open.length <= EXCEPTED)
      return { rowId, mark: { upTo: newest, except: open.map(({ number }) => number) } }
    const oldest = yield* row<{ number: number }>(
      'outbox.missed oldest',
      `SELECT min(a.number) AS number FROM ${opened.from} WHERE ${opened.by}.device_number = $1 AND ${OPEN}`,
      [rowId],
    )
    return { rowId, mark: { upTo: (oldest?.number ?? 1) - 1, except: [] } }
  })

  /** Adds up those behind `after` that one read looks at. */
  const sumUp = reading(function* (rowId: number, { upTo, except }: MissedMark, after: number) {
    return yield* row<Sum>(
      'outbox.missed sum',
      `SELECT count(*) AS count, cast(sum(amount) AS text) AS amount, max(number) AS last FROM (
         SELECT a.number, a.amount FROM announcements a
         WHERE device_number = $1 AND ${UNSEEN} AND a.number > $2 AND a.number <= $3
           AND NOT (${among('a.number', '$4', 'bigint')})
           AND NOT EXISTS (
             SELECT 1 FROM missed_marks m WHERE m.device_number = $1 AND m.up_to >= a.number
               AND a.number NOT IN (SELECT cast(value AS bigint) FROM ${each('m.excepted')})
           )
         ORDER BY a.number LIMIT ${scanned}
       ) page`,
      [rowId, after, upTo, except],
    )
  })

  return async function missed(deviceId) {
    const marked = await markOf(deviceId)
    if (!marked) return undefined
    const { rowId, mark } = marked
    let total = { count: 0, amount: 0n }
    for (let after: number | undefined = 0; after !== undefined; ) {
      const sum = await sumUp(rowId, mark, after)
      total = { count: total.count + (sum?.count ?? 0), amount: total.amount + BigInt(sum?.amount ?? 0) }
      after = sum?.count === scanned ? (sum.last ?? undefined) : undefined
      // The process goes on between two reads.
      if (after !== undefined) await new Promise((resolve) => setImmediate(resolve))
    }
    return total.count === 0 ? undefined : { count: total.count, amount: String(total.amount), mark }
  }
}
