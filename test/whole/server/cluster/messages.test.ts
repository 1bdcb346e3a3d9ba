import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../../../support/clock.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { until } from '../../../support/wait.ts'
import { stillClock } from './still-time.ts'
import { HERE, THERE, twoHubs } from './two-hubs.ts'

const postgres = await startTestPostgres()
const IN_TIME_MS = 60_000
/** How long a lock is held without a renewal, of which there are three in that time. */
const HOLD_MS = 15_000
const leavesTimeToAnswer = (ms: number) => ms > 0 && ms <= IN_TIME_MS - 500

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
      const { here, there, patientHub, deviceId, sql } = await twoHubs(postgres)
      const patient = await patientHub()
      const answer = patient.ask(deviceId, { kind: 'identify' }, IN_TIME_MS)
      await until('the row', async () => (await sql('SELECT 1 FROM hub_messages')).length === 1)
      patient.end()
      expect(await answer).toEqual({ kind: 'not_responding' })
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
      const { there, deviceId, patientHub, sql } = await twoHubs(postgres)
      there.serve(async () => ({ kind: 'done' }))
      // It serves nothing, so it does not look either.
      const deaf = await patientHub()
      const answer = deaf.ask(deviceId, { kind: 'identify' }, IN_TIME_MS)
      const answered = 'SELECT 1 FROM hub_messages WHERE answer IS NOT NULL'
      await until('the answer', async () => (await sql(answered)).length === 1)
      deaf.end()
      expect(await answer).toEqual({ kind: 'done' })
    })

    it('that shows a code for which nobody waits any more is followed by a clear', async () => {
      const { patientHub, there, deviceId, sql } = await twoHubs(postgres)
      const kinds: string[] = []
      there.serve(async (_, { kind }) => {
        kinds.push(kind)
        if (kind === 'showCode') await sql('DELETE FROM hub_messages')
        return { kind: 'done' }
      })
      const message = { kind: 'showCode', code: '482915', expiresAt: 0 } as const
      const patient = await patientHub()
      const answer = patient.ask(deviceId, message, IN_TIME_MS)
      await until('the clear', () => kinds.length === 2)
      patient.end()
      expect(await answer).toEqual({ kind: 'not_responding' })
      expect(kinds).toEqual(['showCode', 'clearCode'])
    })

    it('of another release is ignored', async () => {
      const { patientHub, there, deviceId, wire, sql } = await twoHubs(postgres)
      there.serve(async () => ({ kind: 'done' }))
      const unknown = JSON.parse('{"kind":"sing"}')
      const patient = await patientHub()
      const answer = patient.ask(deviceId, unknown, IN_TIME_MS)
      await until(
        'the row is taken',
        async () => (await sql('SELECT 1 FROM hub_messages WHERE taken')).length === 1,
      )
      patient.end()
      expect(await answer).toEqual({ kind: 'not_responding' })
      expect(wire.warnings).toEqual([])
    })

    it('shows its code in no table', async () => {
      const { patientHub, deviceId, sql } = await twoHubs(postgres)
      const patient = await patientHub()
      const asked = patient.ask(deviceId, { kind: 'showCode', code: '482915', expiresAt: 0 }, IN_TIME_MS)
      await until('the row', async () => (await sql('SELECT 1 FROM hub_messages')).length === 1)
      const [row] = await sql("SELECT encode(sealed, 'escape') AS sealed FROM hub_messages")
      expect(JSON.stringify(row)).not.toContain('482915')
      patient.end()
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
          await sleep(20)
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
      const { hub, sql, laterMs } = await twoHubs(postgres)
      const clock = createVirtualClock()
      const here = await hub(HERE, clock.after)
      let tries = 0
      const there = await hub(THERE, (ms, act) => {
        tries += 1
        return stillClock.after(ms, act)
      })
      const goOn = Promise.withResolvers<void>()
      const order: string[] = []
      const holder = here.locks.run('key', async () => {
        await goOn.promise
        order.push('here')
      })
      const isHeldFor = (ms: number) => async () =>
        (await sql('SELECT 1 FROM hub_locks WHERE until = clock_ms() + $1::bigint', [ms])).length === 1
      await until('the lock', isHeldFor(HOLD_MS))
      const next = there.locks.run('key', async () => void order.push('there'))
      for (let renewal = 0; renewal < 4; renewal += 1) {
        await laterMs(HOLD_MS / 3)
        await clock.wind(HOLD_MS / 3)
        await until('the renewal', isHeldFor(HOLD_MS))
        const before = tries
        await until('another try', () => tries >= before + 2)
      }
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
