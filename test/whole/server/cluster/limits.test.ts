import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Ended } from '../../../../server/idempotency/once.ts'
import type { BucketSize } from '../../../../server/platform/token-buckets.ts'
import { sha256 } from '../../../../server/security/digest.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { until } from '../../../support/wait.ts'
import { openHub } from './open-hub.ts'
import { stillDatabase } from './still-time.ts'

const postgres = await startTestPostgres()

describe.skipIf(!postgres)('limits of two hubs on one PostgreSQL', () => {
  if (!postgres) return

  async function twoHubs(rate?: BucketSize) {
    if (!postgres) throw new Error('skipped')
    const url = await stillDatabase(postgres)
    const here = await openHub(postgres, url, undefined, rate)
    const there = await openHub(postgres, url, here, rate)
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    const sql = async (text: string) => (await client.query(text)).rows
    return { here, there, clientId: here.clientId, sql }
  }
  type Hub = Awaited<ReturnType<typeof openHub>>

  describe('requests of a partner', () => {
    const RATE = { perSecond: 0.001, burst: 20 }
    /** More than a hub needs to take in an answer that PostgreSQL has sent. */
    const TURNS = 50

    /** Two hubs, and a partner that has logged in at the first, which counts as a request. */
    async function loggedIn() {
      const hubs = await twoHubs(RATE)
      const { here, clientId, sql } = hubs
      const login = await here.app.request('/api/v1/partner/auth/token', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ clientId, clientSecret: 'secret' }),
      })
      const { accessToken } = (await login.json()) as { accessToken: string }
      expect(login.headers.get('RateLimit')).toMatch(/r=19;/)
      const ask = (hub: Hub) =>
        hub.app.request('/nowhere', { headers: { Authorization: `Bearer ${accessToken}` } })
      /** How many of the requests were let through. */
      async function allowed(hub: Hub, times: number) {
        const answers = await Promise.all(Array.from({ length: times }, () => ask(hub)))
        return answers.filter(({ status }) => status === 404).length
      }
      const level = async () => Math.round((await sql('SELECT tokens FROM request_buckets'))[0]?.tokens)
      const reported = async (tokens: number) => {
        await until(`${tokens} left`, async () => (await level()) === tokens)
        for (let turn = 0; turn < TURNS; turn += 1) await sleep(10)
      }
      return { ...hubs, ask, allowed, level, reported }
    }

    it('are counted over both', async () => {
      const { here, there, ask, allowed, reported } = await loggedIn()
      expect(await allowed(here, 9)).toBe(9)
      await reported(10)
      expect(await allowed(there, 1)).toBe(1)
      await reported(9)
      expect((await ask(there)).headers.get('RateLimit')).toMatch(/r=8;/)
      expect(await allowed(there, 20)).toBe(8)
      await reported(0)
      // The first hub has asked for nothing meanwhile, and learns it with the next request.
      expect(await allowed(here, 1)).toBe(1)
      await reported(-1)
      expect(await allowed(here, 20)).toBe(0)
    })

    it('that come to both at once may be too many, which is taken off what follows', async () => {
      const { here, there, ask, allowed, reported } = await loggedIn()
      const [first, second] = await Promise.all([allowed(here, 30), allowed(there, 30)])
      expect(first + second).toBeGreaterThanOrEqual(19)
      expect(first + second).toBeLessThanOrEqual(39)
      await reported(19 - first - second)
      for (const hub of [here, there]) expect((await ask(hub)).status).toBe(429)
    })

    it('owe one burst at most', async () => {
      const { here, sql, ask, level, reported } = await loggedIn()
      await reported(19)
      await sql('UPDATE request_buckets SET tokens = -20')
      expect((await ask(here)).status).toBe(404)
      await until('a refusal', async () => (await ask(here)).status === 429)
      expect(await level()).toBe(-20)
    })
  })

  describe('an idempotency key', () => {
    const REQUEST = sha256('request')
    const done = (body: string): Ended => ({ outcome: { kind: 'done', status: 200, body }, final: true })
    const failed: Ended = {
      outcome: { kind: 'refused', error: 'DEVICE_NOT_RESPONDING', details: [], retryAfterS: undefined },
      final: false,
    }

    it('carries a request out once, when it comes ten times at once to both', async () => {
      const { here, there, clientId, sql } = await twoHubs()
      const acts: string[] = []
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          (index % 2 ? here : there).verbs.once(clientId, 'key', REQUEST, async () => {
            acts.push('act')
            await sleep(100)
            return done('first')
          }),
        ),
      )
      expect(acts).toEqual(['act'])
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
      expect(new Set(answers.map(({ outcome }) => JSON.stringify(outcome))).size).toBe(1)
      await until(
        'both claims are given back',
        async () => (await sql('SELECT 1 FROM hub_locks')).length === 0,
      )
    })

    it('lets another request wait until the first has ended, wherever it is', async () => {
      const { here, there, clientId, sql } = await twoHubs()
      const first = Promise.withResolvers<Ended>()
      const running = here.verbs.once(clientId, 'key', REQUEST, () => first.promise)
      await until('the claim', async () => (await sql('SELECT 1 FROM hub_locks')).length === 1)
      const other = there.verbs.once(clientId, 'key', sha256('other'), async () => done('other'))
      first.resolve(failed)
      expect((await running).outcome).toEqual(failed.outcome)
      // The first has come to nothing, so the key is free.
      expect(await other).toEqual({ outcome: done('other').outcome, replayed: false })
      await expect(
        here.verbs.once(clientId, 'key', REQUEST, async () => done('first')),
      ).rejects.toMatchObject({ kind: 'IDEMPOTENCY_KEY_REUSED' })
    })

    it('of a hub that beats no more is taken, and the first stored outcome stays', async () => {
      const { here, there, clientId, sql } = await twoHubs()
      const goOn = Promise.withResolvers<Ended>()
      const frozen = here.verbs.once(clientId, 'key', REQUEST, () => goOn.promise)
      await until('the claim', async () => (await sql('SELECT 1 FROM hub_locks')).length === 1)
      const taken = there.verbs.once(clientId, 'key', REQUEST, async () => done('taken'))
      await sql("UPDATE hub_locks SET hub = 'gone'")
      expect(await taken).toEqual({ outcome: done('taken').outcome, replayed: false })
      goOn.resolve(done('late'))
      await frozen
      const repeated = await there.verbs.once(clientId, 'key', REQUEST, async () => done('again'))
      expect(repeated).toEqual({ outcome: done('taken').outcome, replayed: true })
    })
  })

  describe('wrong secrets', () => {
    const guess = (hub: Hub, clientId: string, network = '192.0.2.1') =>
      hub.verbs.logIn(clientId, 'wrong', { network, admit: () => undefined }).then(
        () => 'in',
        (error) => error.kind,
      )

    it('of a partner are counted over both, ten of thirty that come at once', async () => {
      const { here, there, clientId, sql } = await twoHubs()
      const kinds = await Promise.all(
        Array.from({ length: 30 }, (_, index) => guess(index % 2 ? here : there, clientId)),
      )
      expect(kinds.filter((kind) => kind === 'INVALID_CLIENT')).toHaveLength(10)
      expect(kinds.filter((kind) => kind === 'TOO_MANY_LOGIN_FAILURES')).toHaveLength(20)
      const [row] = await sql('SELECT times, last_at FROM login_failures')
      expect(row.times).toHaveLength(10)
      expect(row.times[0]).toBe(row.last_at)
    })

    it('make only that network wait, until the tenth newest is five minutes old', async () => {
      const { here, there, clientId, sql } = await twoHubs()
      for (let count = 0; count < 10; count += 1) await guess(here, clientId)
      const from = { network: '192.0.2.1', admit: () => undefined }
      const refused = await there.verbs.logIn(clientId, 'wrong', from).catch((error) => error)
      expect(refused).toMatchObject({ kind: 'TOO_MANY_LOGIN_FAILURES' })
      expect(refused.retryAfterS).toBe(300)
      expect(await guess(there, clientId, '192.0.2.2')).toBe('INVALID_CLIENT')

      // The oldest one has left the window: one more guess, and no second one.
      await sql('UPDATE login_failures SET times[10] = times[10] - 300000 WHERE wait_ms > 0')
      expect(await guess(there, clientId)).toBe('INVALID_CLIENT')
      expect(await guess(here, clientId)).toBe('TOO_MANY_LOGIN_FAILURES')
    })

    it('leave no row once they are five minutes old', async () => {
      const { here, there, clientId, sql } = await twoHubs()
      for (const network of ['192.0.2.1', '192.0.2.2']) await guess(here, clientId, network)
      await sql('UPDATE login_failures SET last_at = last_at - 300000')
      await guess(there, clientId, '192.0.2.3')
      expect(await sql('SELECT 1 FROM login_failures')).toHaveLength(1)
    })

    it('of strangers take no room in the database', async () => {
      const { here, sql } = await twoHubs()
      for (let count = 0; count < 10; count += 1)
        expect(await guess(here, 'sbc_nobody')).toBe('INVALID_CLIENT')
      expect(await guess(here, 'sbc_nobody')).toBe('TOO_MANY_LOGIN_FAILURES')
      expect(await sql('SELECT 1 FROM login_failures')).toEqual([])
    })
  })
})
