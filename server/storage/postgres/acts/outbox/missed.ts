import type { MissedMark, Outbox } from '../../../../announcements/ports.ts'
import { OPEN, UNSEEN } from '../../../shared/announcement-conditions.ts'
import { FIRST_PAGE, PAGE } from '../../../shared/pages.ts'
import type { PostgresDatabase, Tx } from '../../engine/database.ts'
import { lockDevices } from './device-locks.ts'
import { newestRowId } from './newest-row.ts'
import { inPages } from './pages.ts'

/** Open announcements that a mark names at most. */
const EXCEPTED = 500

/** A notice that the device has shown. */
interface Mark extends MissedMark {
  deviceRowId: number
  at: number
}

/** A mark under way: the rows of the next page, and the mark's own row once there is a second page. */
interface Cursor {
  limit: number
  rowId: number | undefined
}

interface Open {
  /** One more than a mark names, if there are so many. The driver leaves the elements of an array as texts. */
  open: string[]
  oldest: number | null
}

export type Missed = ReturnType<typeof createMissed>

/**
 * Adds up what a device has missed, and stores what it has shown.
 *
 * Why a mark names its payments by a highest row id without those that were open then: only an open announcement can
 * still become missed. So a mark stays exact while others are missed, and is small however many it names.
 * Why a summary locks the device: row ids rise in the order in which rows are written, but a row with a lower one may be
 * committed later. Whoever adds an announcement of the device holds the same lock until its commit.
 * Why a mark has a row: it counts at once and as a whole, also when the hub dies before all announcements are marked.
 */
export function createMissed(database: PostgresDatabase) {
  /** The mark of what is missed now. */
  async function markOf(tx: Tx, deviceRowId: number): Promise<MissedMark> {
    const [upTo, [found]] = await Promise.all([
      newestRowId(tx.query),
      tx.query<Open>(
        'outbox.missed open',
        `SELECT ARRAY(SELECT number FROM announcements WHERE device_number = $1 AND ${OPEN} LIMIT ${EXCEPTED + 1}) AS open,
           (SELECT min(number) FROM announcements WHERE device_number = $1 AND ${OPEN}) AS oldest`,
        [deviceRowId],
      ),
    ])
    const except = (found?.open ?? []).map(Number)
    return except.length <= EXCEPTED ? { upTo, except } : { upTo: (found?.oldest ?? 1) - 1, except: [] }
  }

  async function sumUp(tx: Tx, deviceRowId: number, { upTo, except }: MissedMark) {
    const [sum] = await tx.query<{ count: number; amount: string }>(
      'outbox.missed sum',
      `SELECT count(*) AS count, coalesce(sum(amount), 0)::text AS amount FROM announcements a
       WHERE device_number = $1 AND ${UNSEEN} AND number <= $2 AND number <> ALL($3::bigint[])
         AND NOT EXISTS (
           SELECT 1 FROM missed_marks m
           WHERE m.device_number = $1 AND m.up_to >= a.number AND NOT m.excepted @> to_jsonb(a.number)
         )`,
      [deviceRowId, upTo, except],
    )
    return sum
  }

  /** Marks a page, and adds or removes the mark's row. */
  async function markPage(tx: Tx, mark: Mark, { limit, rowId }: Cursor): Promise<Cursor | undefined> {
    const { deviceRowId, upTo, except, at } = mark
    const shown = await tx.query(
      'outbox.markMissedShown',
      `WITH page AS MATERIALIZED (
         SELECT number FROM announcements
         WHERE device_number = $1 AND ${UNSEEN} AND number <= $2 AND number <> ALL($3::bigint[])
         ORDER BY number LIMIT $4
         FOR NO KEY UPDATE
       )
       UPDATE announcements a SET missed_shown_at = $5 FROM page WHERE a.number = page.number RETURNING 1`,
      [deviceRowId, upTo, except, limit, at],
    )
    if (shown.length < limit) {
      if (rowId !== undefined)
        await tx.query('outbox.markMissedShown end', 'DELETE FROM missed_marks WHERE number = $1', [rowId])
      return undefined
    }
    if (rowId !== undefined) return { limit: PAGE, rowId }
    const [added] = await tx.query<{ rowId: number }>(
      'outbox.markMissedShown add',
      `INSERT INTO missed_marks (device_number, up_to, excepted, shown_at) VALUES ($1, $2, $3, $4)
       RETURNING number AS "rowId"`,
      [deviceRowId, upTo, JSON.stringify(except), at],
    )
    return { limit: PAGE, rowId: added?.rowId }
  }

  const finish = (mark: Mark, first: Cursor) =>
    inPages(first, (cursor) => database.write((tx) => markPage(tx, mark, cursor)))

  const missed: Outbox['missed'] = (deviceId) =>
    database.write(async (tx) => {
      const device = (await lockDevices(tx, [deviceId])).get(deviceId)
      if (!device) return undefined
      const mark = await markOf(tx, device.rowId)
      const sum = await sumUp(tx, device.rowId, mark)
      return sum && sum.count > 0 ? { count: sum.count, amount: sum.amount, mark } : undefined
    })

  const markMissedShown: Outbox['markMissedShown'] = async (deviceId, mark, at) => {
    const [device] = await database.read<{ deviceRowId: number }>(
      'outbox.markMissedShown device',
      'SELECT number AS "deviceRowId" FROM devices WHERE id = $1',
      [deviceId],
    )
    if (device) await finish({ ...mark, ...device, at }, { limit: FIRST_PAGE, rowId: undefined })
  }

  return {
    missed,
    markMissedShown,
    /**
     * Marks a page of all that a device has missed, inside a transaction that has locked the device; the rest with the
     * returned function, after it.
     */
    async markAllShown(tx: Tx, deviceRowId: number, at: number): Promise<() => Promise<void>> {
      const upTo = await newestRowId(tx.query)
      const mark = { deviceRowId, upTo, except: [], at }
      const next = await markPage(tx, mark, { limit: FIRST_PAGE, rowId: undefined })
      return async () => next && finish(mark, next)
    },
    /** Finishes the marks that a hub had begun when it died. Another hub may do so at once. */
    async resume(): Promise<void> {
      const marks = await database.read<Mark & { rowId: number }>(
        'outbox.markMissedShown marks',
        `SELECT number AS "rowId", device_number AS "deviceRowId", up_to AS "upTo", excepted AS except, shown_at AS at
         FROM missed_marks`,
      )
      for (const { rowId, ...mark } of marks) await finish(mark, { limit: PAGE, rowId })
    },
  }
}
