import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import type { CarryOut } from '../../../../server/cluster/messages.ts'
import { createPostgresLocks } from '../../../../server/cluster/postgres/locks.ts'
import { createPostgresMessages } from '../../../../server/cluster/postgres/messages/messages.ts'
import { createPostgresPresence } from '../../../../server/cluster/postgres/presence.ts'
import type { WakeKind } from '../../../../server/cluster/wakeups.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openDatabase } from '../../../../server/storage/postgres/engine/database.ts'
import { AT, bornWith, createShop } from '../../../server/storage/shop.ts'
import type { TestPostgres } from '../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { stillClock, stopDatabaseClock } from './still-time.ts'

export const [HERE, THERE] = ['hub-here', 'hub-there']

/**
 * Two hubs on one database, with a device that `there` has. Wake-ups come at once, unless `isCut`. Time stands still:
 * `laterMs` lets it pass in PostgreSQL alone.
 */
export async function twoHubs({ database, open }: TestPostgres) {
  const url = await database()
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const laterMs = (ms: number) => stopDatabaseClock(client, ms)
  await laterMs(0)
  const storage = await open(url, { hub: THERE })
  const { deviceId, serial } = await createShop(storage).device('SPK-1')
  const owner = { deviceId, sessionId: 'a'.repeat(16) }
  await storage.outbox.begin(owner, AT, { born: bornWith() })
  const sql = async (text: string, values: unknown[] = []) =>
    (await client.query<Record<string, unknown>>(text, values)).rows

  /** The hub has beaten this long ago. */
  async function beat(hub: string, agoMs = -3_600_000) {
    await sql(
      `INSERT INTO hubs (id, host, pid, version, started_at, beat_at, clock_ahead_ms)
       VALUES ($1, '', 1, '', 0, clock_ms() - $2::bigint, 0)
       ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at`,
      [hub, agoMs],
    )
  }
  for (const hub of [HERE, THERE]) await beat(hub)

  const wire = { isCut: false, warnings: [] as string[] }
  const listeners = new Map<string, (kind: WakeKind) => void>()
  async function hub(id: string, after = stillClock.after) {
    const vault = createVault(TEST_MASTER_KEY)
    const { read: query, close } = await openDatabase(url, vault)
    onTestFinished(close)
    const wakeups = {
      wake(kind: WakeKind) {
        for (const [other, listener] of listeners) if (other !== id && !wire.isCut) listener(kind)
      },
      onWake(listener: (kind: WakeKind) => void) {
        listeners.set(id, listener)
        return () => listeners.delete(id)
      },
    }
    const log = createLog('warn', { write: (line) => void wire.warnings.push(line) })
    const base = { query, hub: id, ids: createRandomIds(), clock: { ...stillClock, after } }
    const messages = createPostgresMessages({ ...base, vault, wakeups, log })
    return {
      ...messages,
      serve: (carryOut: CarryOut) => onTestFinished(messages.serve(carryOut)),
      locks: createPostgresLocks(base),
      presence: createPostgresPresence(query, id),
    }
  }
  const [here, there] = [await hub(HERE), await hub(THERE)]
  here.serve(async () => ({ kind: 'failed', reason: 'it is not here' }))

  /** A hub that asks, and waits until it is told that its time is over. */
  async function patientHub() {
    let end: () => void = () => undefined
    const { ask } = await hub('hub-patient', (_, act) => {
      end = act
      return () => undefined
    })
    return { ask, end: () => end() }
  }
  return { here, there, hub, patientHub, wire, deviceId, serial, owner, storage, sql, beat, laterMs }
}
