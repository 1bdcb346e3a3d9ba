import type { MissedMark, Outbox } from '../../../../announcements/ports.ts'
import { OPEN, UNSEEN } from '../../../shared/announcement-conditions.ts'
import type { OpenDatabase } from '../../engine/database.ts'
import { reading } from '../../engine/map-driver-errors.ts'

/** Announcements that are added up at once. The hub's thread does nothing else for about a millisecond. */
const SUMMED_AT_ONCE = 1_000
/** Open announcements that a mark names at most. */
const EXCEPTED = 500

interface Range {
  deviceRowId: number
  upTo: number
  /** Row ids, as JSON. */
  excepted: string
}

/**
 * Adds up what a device has missed.
 *
 * Why a mark names its payments by a highest row id without those that were open then: only an open announcement can
 * still become missed. So a mark stays exact while others are missed, and is small however many it names.
 */
export function createMissed({ sqlite }: OpenDatabase): Outbox['missed'] {
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
    [Range & { after: number }],
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

  return reading(async (deviceId) => {
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
}
