import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CarryOut } from '../../../../server/cluster/messages.ts'
import { createPostgresLocks } from '../../../../server/cluster/postgres/locks.ts'
import { createPostgresMessages } from '../../../../server/cluster/postgres/messages.ts'
import { createPostgresPresence } from '../../../../server/cluster/postgres/presence.ts'
import type { WakeKind } from '../../../../server/cluster/wakeups.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openDatabase } from '../../../../server/storage/postgres/engine/database.ts'
import { bornWith, createShop } from '../../../server/storage/shop.ts'
import { startTestPostgres, type TestPostgres } from '../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { until } from '../../../support/wait.ts'

const postgres = await startTestPostgres()
const [HERE, THERE] = ['hub-here', 'hub-there']
const IN_TIME_MS = 60_000
const leavesTimeToAnswer = (ms: number) => ms > 0 && ms <= IN_TIME_MS - 500

/** Two hubs on one database, with a device that `there` has. Wake-ups come at once, unless `isCut`. */
async function twoHubs({ database, open }: TestPostgres) {
  const url = await database()
  const storage = await open(url, { hub: THERE })
  const { deviceId, serial } = await createShop(storage).device('SPK-1')
  const owner = { deviceId, sessionId: 'a'.repeat(16) }
  await storage.outbox.begin(owner, systemClock.now(), { born: bornWith() })
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
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
  async function hub(id: string) {
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
    const base = { query, hub: id, ids: createRandomIds(), clock: systemClock }
    const messages = createPostgresMessages({ ...base, vault, wakeups, log })
    return {
      ...messages,
      serve: (carryOut: CarryOut) => onTestFinished(messages.serve(carryOut)),
      locks: createPostgresLocks(base),
      locksFor: (holdMs: number) => createPostgresLocks({ ...base, holdMs }),
      presence: createPostgresPresence(query, id),
    }
  }
  const [here, there] = [await hub(HERE), await hub(THERE)]
  here.serve(async () => ({ kind: 'failed', reason: 'it is not here' }))
  return { here, there, hub, wire, deviceId, serial, owner, storage, sql, beat }
}

describe.skipIf(!postgres)('hubs on one PostgreSQL', () => {
  if (!postgres) return

  describe('a message', () => {
    it('is carried out by the hub that has the device, and its answer comes back', async () => {
      const { here, there, deviceId, wire, sql } = await twoHubs(postgres)
      const asked: unknown[] = []
      there.serve(async (...call) => {
        asked.push(call)
        return { kind: 'failed', reason: 'display_failed' }
      })
      const message = { kind: 'showCode', code: '482915', expiresAt: 1_234 } as const
      const answer = await here.ask(deviceId, message, IN_TIME_MS)
      expect(answer).toEqual({ kind: 'failed', reason: 'display_failed' })
      expect(asked).toEqual([[deviceId, message, expect.toSatisfy(leavesTimeToAnswer)]])
      await until('the row is gone', async () => (await sql('SELECT 1 FROM hub_messages')).length === 0)
      expect(wire.warnings).toEqual([])
    })

    it('is found without a wake-up, and so is its answer', async () => {
      const { here, there, deviceId, wire } = await twoHubs(postgres)
      there.serve(async () => ({ kind: 'done' }))
      wire.isCut = true
      expect(await here.ask(deviceId, { kind: 'identify' }, IN_TIME_MS)).toEqual({ kind: 'done' })
    })

    it('arrives in the order of the calls, once each', async () => {
      const { here, there, deviceId } = await twoHubs(postgres)
      const codes: string[] = []
      there.serve(async (_, message) => {
        if (message.kind === 'showCode') codes.push(message.code)
        return { kind: 'done' }
      })
      const wanted = Array.from({ length: 20 }, (_, index) => String(index))
      await Promise.all(
        wanted.map((code) => here.ask(deviceId, { kind: 'showCode', code, expiresAt: 0 }, IN_TIME_MS)),
      )
      expect(codes).toEqual(wanted)
    })

    it('to a hub that does not answer is not responding, and is not carried out later', async () => {
      const { here, there, deviceId, sql } = await twoHubs(postgres)
      expect(await here.ask(deviceId, { kind: 'identify' }, 300)).toEqual({ kind: 'not_responding' })
      await until('the row is gone', async () => (await sql('SELECT 1 FROM hub_messages')).length === 0)
      let carriedOut = 0
      there.serve(async () => {
        carriedOut += 1
        return { kind: 'done' }
      })
      expect(await here.ask(deviceId, { kind: 'clearCode' }, IN_TIME_MS)).toEqual({ kind: 'done' })
      expect(carriedOut).toBe(1)
    })

    it('has its answer at the last moment, when no wake-up and no look has told of it', async () => {
      const { there, deviceId, hub } = await twoHubs(postgres)
      there.serve(async () => ({ kind: 'done' }))
      const deaf = await hub('hub-deaf')
      expect(await deaf.ask(deviceId, { kind: 'identify' }, 2_000)).toEqual({ kind: 'done' })
    })

    it('that shows a code for which nobody waits any more is followed by a clear', async () => {
      const { here, there, deviceId, sql } = await twoHubs(postgres)
      const kinds: string[] = []
      there.serve(async (_, { kind }) => {
        kinds.push(kind)
        if (kind === 'showCode') await sql('DELETE FROM hub_messages')
        return { kind: 'done' }
      })
      const message = { kind: 'showCode', code: '482915', expiresAt: 0 } as const
      expect(await here.ask(deviceId, message, 2_000)).toEqual({ kind: 'not_responding' })
      expect(kinds).toEqual(['showCode', 'clearCode'])
    })

    it('of another release is ignored', async () => {
      const { here, there, deviceId, wire } = await twoHubs(postgres)
      there.serve(async () => ({ kind: 'done' }))
      const unknown = JSON.parse('{"kind":"sing"}')
      expect(await here.ask(deviceId, unknown, 300)).toEqual({ kind: 'not_responding' })
      expect(wire.warnings).toEqual([])
    })

    it('shows its code in no table', async () => {
      const { here, deviceId, sql } = await twoHubs(postgres)
      const asked = here.ask(deviceId, { kind: 'showCode', code: '482915', expiresAt: 0 }, 1_000)
      await until('the row', async () => (await sql('SELECT 1 FROM hub_messages')).length === 1)
      const [row] = await sql("SELECT encode(sealed, 'escape') AS sealed FROM hub_messages")
      expect(JSON.stringify(row)).not.toContain('482915')
      await asked
    })

    it('that a killed hub has left is deleted by a later one', async () => {
      const { here, there, deviceId, sql } = await twoHubs(postgres)
      there.serve(async () => ({ kind: 'done' }))
      await sql(
        `INSERT INTO hub_messages (id, hub, device_id, sealed, deadline) VALUES ('left', 'gone', 'x', '', clock_ms() - 61000)`,
      )
      await here.ask(deviceId, { kind: 'clearCode' }, IN_TIME_MS)
      await until('both rows are gone', async () => (await sql('SELECT 1 FROM hub_messages')).length === 0)
    })
  })

  it('a device is connected, and can be asked, while the hub that has it beats', async () => {
    const { here, there, deviceId, serial, owner, storage, beat } = await twoHubs(postgres)
    there.serve(async () => ({ kind: 'done' }))
    const seen = async () => [
      await here.presence.isConnected(serial),
      (await here.ask(deviceId, { kind: 'clearCode' }, IN_TIME_MS)).kind,
      (await storage.lists.devices.find(serial, undefined))?.connected,
    ]
    const [present, absent] = [
      [true, 'done', true],
      [false, 'offline', false],
    ]
    expect(await seen()).toEqual(present)
    // The hub itself asks nobody else.
    expect(await there.presence.isConnected(serial)).toBe(false)
    expect(await there.ask(deviceId, { kind: 'identify' }, IN_TIME_MS)).toEqual({ kind: 'offline' })
    await beat(THERE, 5_001)
    expect(await seen()).toEqual(absent)
    expect(
      (await storage.lists.devices.page({ state: 'offline' }, undefined, { limit: 5 })).rows,
    ).toHaveLength(1)
    await beat(THERE)
    expect(
      (await storage.lists.devices.page({ state: 'online' }, undefined, { limit: 5 })).rows,
    ).toHaveLength(1)
    await storage.outbox.leave([owner])
    expect(await seen()).toEqual(absent)
  })

  describe('a lock', () => {
    it('is held by one hub at a time, also when an act fails', async () => {
      const { here, there } = await twoHubs(postgres)
      const held = { now: 0, most: 0 }
      const acts = [here, there, here, there].map(({ locks }, index) =>
        locks.run('key', async () => {
          held.now += 1
          held.most = Math.max(held.most, held.now)
          await new Promise<void>((resolve) => systemClock.after(20, resolve))
          held.now -= 1
          if (index === 1) throw new Error('the act has failed')
          return index
        }),
      )
      const settled = await Promise.allSettled(acts)
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
      expect(held.most).toBe(1)
    })

    it('makes no other key wait', async () => {
      const { here, there } = await twoHubs(postgres)
      const answer = await here.locks.run('one', () => there.locks.run('two', async () => 'both'))
      expect(answer).toBe('both')
    })

    it('is held as long as its act takes', async () => {
      const { here, there, sql } = await twoHubs(postgres)
      const goOn = Promise.withResolvers<void>()
      const order: string[] = []
      const holder = here.locksFor(150).run('key', async () => {
        await goOn.promise
        order.push('here')
      })
      await until('the lock', async () => (await sql('SELECT 1 FROM hub_locks')).length === 1)
      const next = there.locks.run('key', async () => void order.push('there'))
      await new Promise<void>((resolve) => systemClock.after(600, resolve))
      expect(order).toEqual([])
      goOn.resolve()
      await Promise.all([holder, next])
      expect(order).toEqual(['here', 'there'])
    })

    it('of a hub that is gone, or past its time, is taken, and is not given back by its old holder', async () => {
      const { here, there, beat, sql } = await twoHubs(postgres)
      const goOn = Promise.withResolvers<void>()
      const holder = here.locks.run('key', () => goOn.promise)
      await until('the lock', async () => (await sql('SELECT 1 FROM hub_locks')).length === 1)
      await beat(HERE, 5_001)
      await there.locks.run('key', async () => {
        goOn.resolve()
        await holder
        expect(await sql('SELECT hub FROM hub_locks')).toEqual([{ hub: THERE }])
      })
      await sql(
        `INSERT INTO hub_locks (key, hub, holder, until) VALUES ('key', '${THERE}', 'frozen', clock_ms() - 1)`,
      )
      expect(await here.locks.run('key', async () => 'mine')).toBe('mine')
    })
  })
})
