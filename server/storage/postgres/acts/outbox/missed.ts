import type { MissedMark, Outbox } from '../../../../announcements/ports.ts'
import { OPEN, UNSEEN } from '../../../shared/announcement-conditions.ts'
import type { PostgresDatabase, Tx } from '../../engine/database.ts'
import { lockDevices } from './device-locks.ts'
import { newestRowId } from './newest-row.ts'

/** Open announcements that a mark names at most. */
const EXCEPTED = 500

interface Open {
  /** One more than a mark names, if there are so many. The driver leaves the elements of an array as texts. */
  open: string[]
  oldest: number | null
}

/**
 * Adds up what a device has missed.
 *
 * Why a mark names its payments by a highest row id without those that were open then: only an open announcement can
 * still become missed. So a mark stays exact while others are missed, and is small however many it names.
 * Why a summary locks the device: row ids rise in the order in which rows are written, but a row with a lower one may be
 * committed later. Whoever adds an announcement of the device holds the same lock until its commit.
 */
export function createMissed({ write }: Pick<PostgresDatabase, 'write'>): Outbox['missed'] {
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

  return (deviceId) =>
    write(async (tx) => {
      const device = (await lockDevices(tx, [deviceId])).get(deviceId)
      if (!device) return undefined
      const mark = await markOf(tx, device.rowId)
      const sum = await sumUp(tx, device.rowId, mark)
      return sum && sum.count > 0 ? { count: sum.count, amount: sum.amount, mark } : undefined
    })
}
