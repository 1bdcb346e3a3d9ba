import type { MissedMark, Outbox } from '../../../../announcements/ports.ts'
import { OPEN, UNSEEN } from '../../../shared/announcement-conditions.ts'
import { FIRST_PAGE, PAGE } from '../../../shared/pages.ts'
import type { OpenDatabase } from '../../engine/database.ts'
import { reading } from '../../engine/map-driver-errors.ts'

/** Announcements that are added up at once. The hub's thread does nothing else for about a millisecond. */
export const SUMMED_AT_ONCE = 1_000
/** Open announcements that a mark names at most. */
const EXCEPTED = 500

interface Mark {
  deviceRowId: number
  upTo: number
  excepted: string
  at: number
}

export type Missed = ReturnType<typeof createMissed>

/** A mark under way: the rows of the next page, and the mark's own row once there is a second page. */
interface Cursor {
  limit: number
  rowId: number | bigint | undefined
}

/**
 * Adds up what a device has missed, and stores what it has shown.
 *
 * Why a mark names its payments by a highest row id without those that were open then: only an open announcement can
 * still become missed. So a mark stays exact while others are missed, and is small however many it names.
 * Why a mark has a row: it counts at once and as a whole, also when the hub dies before all announcements are marked.
 */
export function createMissed({ orm: { $client: sqlite }, commits }: OpenDatabase) {
  const rowIdOf = sqlite.prepare<[id: string], number>('SELECT number FROM devices WHERE id = ?').pluck()
  const newest = sqlite.prepare<[], number | null>('SELECT max(number) FROM announcements').pluck()
  const openOf = sqlite
    .prepare<[device: number], number>(
      `SELECT number FROM announcements WHERE device_number = ? AND ${OPEN} LIMIT ${EXCEPTED + 1}`,
    )
    .pluck()
  const oldestOpenOf = sqlite
    .prepare<[device: number], number>(
      `SELECT min(number) FROM announcements WHERE device_number = ? AND ${OPEN}`,
    )
    .pluck()
  const sumUp = sqlite.prepare<
    [Omit<Mark, 'at'> & { after: number }],
    { count: number; amount: string | null; last: number | null }
  >(
    `SELECT count(*) AS count, cast(sum(amount) AS text) AS amount, max(number) AS last FROM (
       SELECT number, amount FROM announcements
       WHERE device_number = @deviceRowId AND ${UNSEEN} AND number > @after AND number <= @upTo
         AND number NOT IN (SELECT value FROM json_each(@excepted))
         AND NOT EXISTS (
           SELECT 1 FROM missed_marks m
           WHERE m.device_number = @deviceRowId AND m.up_to >= announcements.number
             AND announcements.number NOT IN (SELECT value FROM json_each(m.excepted))
         )
       ORDER BY number LIMIT ${SUMMED_AT_ONCE}
     )`,
  )
  const setShown = sqlite.prepare<[Mark & { limit: number }]>(
    `UPDATE announcements SET missed_shown_at = @at WHERE number IN (
       SELECT number FROM announcements
       WHERE device_number = @deviceRowId AND ${UNSEEN} AND number <= @upTo
         AND number NOT IN (SELECT value FROM json_each(@excepted))
       ORDER BY number LIMIT @limit
     )`,
  )
  const addMark = sqlite.prepare<[Mark]>(
    `INSERT INTO missed_marks (device_number, up_to, excepted, shown_at)
     VALUES (@deviceRowId, @upTo, @excepted, @at)`,
  )
  const removeMark = sqlite.prepare<[rowId: number | bigint]>('DELETE FROM missed_marks WHERE number = ?')
  const marks = sqlite.prepare<[], Mark & { rowId: number }>(
    `SELECT number AS rowId, device_number AS deviceRowId, up_to AS upTo, excepted, shown_at AS at FROM missed_marks`,
  )

  /**
   * The mark of what is missed now. The writer's thread may commit between two reads: what it adds after the first one
   * is not in the mark.
   */
  function markOf(deviceRowId: number): MissedMark {
    const upTo = newest.get() ?? 0
    const except = openOf.all(deviceRowId)
    if (except.length <= EXCEPTED) return { upTo, except }
    return { upTo: (oldestOpenOf.get(deviceRowId) ?? 1) - 1, except: [] }
  }

  function markPage(mark: Mark, { limit, rowId }: Cursor) {
    const { changes } = setShown.run({ ...mark, limit })
    if (changes < limit && rowId !== undefined) removeMark.run(rowId)
    const next =
      changes < limit ? undefined : { limit: PAGE, rowId: rowId ?? addMark.run(mark).lastInsertRowid }
    return { value: undefined, next }
  }

  function finish(mark: Mark, from: Cursor): Promise<void> {
    return commits.writePages<Cursor, undefined>(from, (cursor) => markPage(mark, cursor))
  }

  const missed: Outbox['missed'] = reading(async (deviceId) => {
    const deviceRowId = rowIdOf.get(deviceId)
    if (deviceRowId === undefined) return undefined
    const mark = markOf(deviceRowId)
    const which = { deviceRowId, upTo: mark.upTo, excepted: JSON.stringify(mark.except) }
    let total = { count: 0, amount: 0n }
    for (let after = 0; ; ) {
      const { count, amount, last } = sumUp.get({ ...which, after }) ?? { count: 0, amount: null, last: null }
      total = { count: total.count + count, amount: total.amount + BigInt(amount ?? 0) }
      if (count < SUMMED_AT_ONCE || last === null) break
      after = last
      await new Promise((resolve) => setImmediate(resolve))
    }
    return total.count === 0 ? undefined : { count: total.count, amount: String(total.amount), mark }
  })

  const markMissedShown: Outbox['markMissedShown'] = reading(async (deviceId, { upTo, except }, at) => {
    const deviceRowId = rowIdOf.get(deviceId)
    if (deviceRowId === undefined) return
    const mark = { deviceRowId, upTo, excepted: JSON.stringify(except), at }
    await finish(mark, { limit: FIRST_PAGE, rowId: undefined })
  })

  return {
    missed,
    markMissedShown,
    /** Marks a page of all that the device has missed, inside a commit; the rest with the returned function, after it. */
    markAllShown(deviceRowId: number, at: number): () => Promise<void> {
      const mark = { deviceRowId, upTo: newest.get() ?? 0, excepted: '[]', at }
      const { next } = markPage(mark, { limit: FIRST_PAGE, rowId: undefined })
      return async () => (next ? finish(mark, next) : undefined)
    },
    /** Finishes the marks that the hub had begun when it died. */
    async resume() {
      await Promise.all(marks.all().map(({ rowId, ...mark }) => finish(mark, { limit: PAGE, rowId })))
    },
  }
}
