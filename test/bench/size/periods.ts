import type { Client } from 'pg'

/** Partitions of the history. The hub makes some eight for the time for which rows are kept. */
const PERIODS = 9
/** Numbers of payments and announcements begin anew, so far above those of the period before. */
const WIDTH = 10_000_000_000

/** What the numbers of a history are made of. */
export interface Periods {
  /** 0 while the tables have no partitions. */
  periods: number
  payments: number
}

/** The time of a history. */
interface Past {
  periods: number
  startedAt: number
  lengthMs: number
}

/** The row number of a payment of the history and of its announcement. A payment has one announcement. */
export function rowNumberOf(index: number, { periods, payments }: Periods): number {
  const period = periods === 0 ? 0 : 1 + Math.floor((index * periods) / payments)
  return period * WIDTH + index + 1
}

/** Names the partition of a row of the history, or its table where that has none. */
export function partsOf({
  periods,
  startedAt,
  lengthMs,
}: Past): (table: string, row: readonly unknown[]) => string {
  const spanMs = lengthMs / periods
  return (table, [first, second]) => {
    if (periods === 0) return table
    // Their first columns are their numbers.
    if (table === 'payments' || table === 'announcements')
      return `${table}_${Math.floor(Number(first) / WIDTH)}`
    if (table !== 'events') return table
    // Their second column is their seq.
    const period = 1 + Math.floor((Number(second) - seqOf(startedAt)) / seqOf(spanMs))
    return `${table}_${Math.min(period, periods)}`
  }
}

/** Event seqs are microseconds: so many kinds of events may have the same millisecond. */
export const seqOf = (at: number, place = 0) => at * 1_000 + place

/**
 * Makes the partitions of a past, as the hub would have made them in this time, and the empty ones behind them. Returns how
 * many there are for the history: 0 where tables have none.
 */
export async function layPeriods(
  client: Client,
  { startedAt, lengthMs }: Omit<Past, 'periods'>,
): Promise<number> {
  const { rows } = await client.query('SELECT to_regclass(\'partitions\') IS NOT NULL AS "arePartitioned"')
  if (!rows[0]?.arePartitioned) return 0
  const spanMs = lengthMs / PERIODS
  // The period behind those of the history is ahead: the last one goes on meanwhile.
  const begunAt = (number: number) => startedAt + (number <= PERIODS ? number - 1 : number) * spanMs
  await client.query(`
    DELETE FROM partitions WHERE number > 0;
    DROP TABLE payments_1, announcements_1, events_1;
    ALTER TABLE events DETACH PARTITION events_0;
    ALTER TABLE events ATTACH PARTITION events_0 FOR VALUES FROM (MINVALUE) TO (${seqOf(startedAt)})`)
  for (let number = 1; number <= PERIODS + 1; number += 1) {
    const isAhead = number > PERIODS
    const [least, leastSeq] = [number * WIDTH, seqOf(begunAt(number))]
    const numbers = `FOR VALUES FROM (${least}) TO (${least + WIDTH})`
    const belowSeq = isAhead ? 'MAXVALUE' : seqOf(begunAt(number + 1))
    await client.query(`
      CREATE TABLE payments_${number} PARTITION OF payments ${numbers};
      CREATE TABLE announcements_${number} PARTITION OF announcements ${numbers} WITH (fillfactor = 80);
      CREATE UNIQUE INDEX announcements_${number}_id_key ON announcements_${number} (id);
      CREATE TABLE events_${number} PARTITION OF events FOR VALUES FROM (${leastSeq}) TO (${belowSeq});
      INSERT INTO partitions (series, number, least, is_whole, begun_at, copied_to) VALUES
        ('payments', ${number}, ${least}, true, ${isAhead ? 'NULL' : begunAt(number)}, 0),
        ('events', ${number}, ${leastSeq}, true, ${begunAt(number)}, 0)`)
  }
  return PERIODS
}
