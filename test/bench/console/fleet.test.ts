import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { mixFleet, SQLITE_PRESENCE } from './fleet.ts'

const NOW = 1_800_000_000_000
const [HOUR_MS, DAY_MS] = [60 * 60_000, 24 * 60 * 60_000]

it('makes devices of each kind, so many of a thousand', async () => {
  const sqlite = new Database(':memory:')
  sqlite.exec(`
    CREATE TABLE devices (number INTEGER PRIMARY KEY, client_id, user_id, last_birth_at, revoked_at, active);
    CREATE TABLE device_stores (device_number);
    CREATE TABLE device_health (device_number, battery, signal, volume, queue, reported_at, left_at);
    WITH RECURSIVE g (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 10000)
    INSERT INTO devices SELECT i, 'one', 'one', 0, NULL, 1 FROM g;
    INSERT INTO device_stores SELECT number FROM devices`)
  await mixFleet(async (text) => void sqlite.exec(text), NOW, SQLITE_PRESENCE)
  const count = (condition: string) =>
    sqlite
      .prepare(
        `SELECT count(*) FROM devices d LEFT JOIN device_health h ON h.device_number = d.number WHERE ${condition}`,
      )
      .pluck()
      .get()
  expect({
    free: count('client_id IS NULL AND number NOT IN (SELECT device_number FROM device_stores)'),
    never: count('last_birth_at IS NULL AND reported_at IS NULL'),
    revoked: count('revoked_at IS NOT NULL'),
    locked: count('NOT active'),
    silent: count(`left_at > last_birth_at AND left_at <= ${NOW - DAY_MS}`),
    offline: count(`left_at > last_birth_at AND left_at > ${NOW - DAY_MS}`),
    connected: count(`last_birth_at = ${NOW} AND left_at IS NULL AND reported_at > ${NOW - HOUR_MS}`),
    unpowered: count('reported_at IS NOT NULL AND battery IS NULL'),
    low: count('battery <= 15'),
  }).toEqual({
    ...{ free: 20, never: 50, revoked: 30, locked: 20, silent: 150, offline: 350, connected: 9_400 },
    ...{ unpowered: expect.closeTo(3_000, -2), low: expect.closeTo(70, -1) },
  })
  for (const text of SQLITE_PRESENCE.restart) sqlite.exec(text)
  expect(count(`last_birth_at >= ${NOW}`)).toBe(0)
})
