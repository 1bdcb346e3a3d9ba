import { SESSION } from '../growth/seed.ts'

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 60 * 60_000, 24 * 60 * 60_000]

/** Runs one statement of both engines. Its instants and numbers are in its text. */
export type RunSql = (text: string) => Promise<void>

/** As autovacuum does it soon after so many changes. */
const VACUUM = 'VACUUM ANALYZE devices, device_state, device_health, device_stores'

/** Spreads the numbers of devices evenly over 0 to 999, so that those of a kind lie all over the table. */
const dice = (prime: number, number = 'number') => `((${number} * ${prime}) % 1000)`
const kindOf = (number: string) => dice(7_919, number)
const [KIND, BATTERY] = [kindOf('number'), dice(104_729)]

/** Of a thousand devices, those of a kind are below its number, and not below the one before. */
const [FREE, NEVER, REVOKED, LOCKED, SILENT, OFFLINE] = [2, 5, 8, 10, 25, 60]

/**
 * Makes a fleet of devices that all look the same a usual one: of a thousand, 2 are not registered and 5 were never seen, 3
 * are revoked, 2 locked, 15 silent for 1 to 30 days, 35 offline for up to 20 hours, and all others are connected and have
 * reported within ten minutes. Three in ten report no battery; of the others, one in a hundred is low.
 */
export async function mixFleet(run: RunSql, now: number, { connect }: Presence) {
  const awayFor = `CASE WHEN ${KIND} < ${SILENT} THEN ${DAY_MS} + (number * 31 % 29) * ${DAY_MS} ELSE ${10 * MINUTE_MS} + (number * 31 % 19) * ${HOUR_MS} END`
  const leftAt = `CASE WHEN ${KIND} >= ${LOCKED} AND ${KIND} < ${OFFLINE} THEN ${now} - (${awayFor}) END`
  await run(`UPDATE devices SET
    last_birth_at = CASE WHEN ${KIND} < ${NEVER} THEN NULL WHEN ${KIND} < ${OFFLINE} THEN coalesce(${leftAt}, ${now - DAY_MS}) - ${HOUR_MS} ELSE ${now} END,
    client_id = CASE WHEN ${KIND} >= ${FREE} THEN client_id END,
    user_id = CASE WHEN ${KIND} >= ${FREE} THEN user_id END,
    revoked_at = CASE WHEN ${KIND} >= ${NEVER} AND ${KIND} < ${REVOKED} THEN ${now - DAY_MS} END,
    active = (${KIND} < ${REVOKED} OR ${KIND} >= ${LOCKED})`)
  await run(
    `DELETE FROM device_stores WHERE device_number IN (SELECT number FROM devices WHERE client_id IS NULL)`,
  )
  await run(`INSERT INTO device_health (device_number, battery, signal, volume, queue, reported_at, left_at)
    SELECT number, CASE WHEN ${BATTERY} < 300 THEN NULL WHEN ${BATTERY} < 307 THEN 1 + number % 15 ELSE 16 + number % 85 END,
      1 + number % 4, 40 + number % 60, 0, coalesce(${leftAt}, ${now} - number % 600000), ${leftAt}
    FROM devices WHERE ${KIND} >= ${NEVER}`)
  for (const text of connect((number) => `${kindOf(number)} >= ${OFFLINE}`)) await run(text)
}

/** How an engine stores who is connected. */
export interface Presence {
  /** Connects the devices of this condition on the number of a device. */
  connect(isConnected: (number: string) => string): string[]
  /** Leaves what was stored before the hub was killed and started again: nobody has come back yet. */
  restart: string[]
}

/** SQLite has the time of the last birth. */
export const SQLITE_PRESENCE: Presence = {
  connect: () => [],
  restart: [`UPDATE devices SET last_birth_at = last_birth_at - ${HOUR_MS}`],
}

/** PostgreSQL has the session of a hub: it is undefined for a hub that does not beat. */
export const postgresPresence = (hub: string | undefined): Presence => ({
  connect(isConnected) {
    const to = (value: string) => `CASE WHEN ${isConnected('device_number')} THEN '${value}' END`
    return [
      `UPDATE device_state SET session_id = ${to(SESSION)}, hub = ${hub === undefined ? 'NULL' : to(hub)}`,
      VACUUM,
    ]
  },
  restart: [
    `UPDATE device_state SET hub = 'killed' WHERE session_id IS NOT NULL`,
    ...SQLITE_PRESENCE.restart,
    VACUUM,
  ],
})
