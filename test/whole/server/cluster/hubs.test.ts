import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { joinCluster } from '../../../../server/cluster/postgres/cluster.ts'
import type { Clock } from '../../../../server/platform/clock.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openStage, quietLine, type Stage } from '../../../server/delivery/stage.ts'
import { amountsOf } from '../../../server/delivery/two-hubs.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { eventually, until } from '../../../support/wait.ts'

const found = await startTestPostgres()

/** A machine whose clock is set by some milliseconds, and whose timers stop while it is frozen. */
function machine(setByMs = 0) {
  const state = { isFrozen: false }
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + setByMs,
    after: (delayMs, act) => systemClock.after(delayMs, () => void (state.isFrozen || act())),
  }
  return { state, clock }
}

describe.skipIf(!found)('hubs on one PostgreSQL', () => {
  if (!found) return
  const { database, open } = found

  async function join(url: string, clock = systemClock) {
    const ids = createRandomIds()
    const hub = ids.uuid()
    const counted: string[] = []
    const cluster = await joinCluster(url, {
      ...{ hub, clock, version: '1.2.3', vault: createVault(TEST_MASTER_KEY), ids },
      ...{ log: createLog('silent'), count: (kind, direction) => void counted.push(`${direction} ${kind}`) },
    })
    onTestFinished(cluster.leave)
    return { ...cluster, hub, counted }
  }

  /** A hub whose own timers run only when its clock is wound: what it does by itself, it does because it was woken. */
  async function openHub(url: string, beside?: Stage) {
    const cluster = await join(url)
    const storage = await open(url, { hub: cluster.hub })
    const stage = await openStage({ storage, cluster, ...(beside && { beside }) })
    return { ...stage, cluster }
  }

  /** Two hubs, and a speaker at the second. */
  async function twoHubs() {
    const url = await database()
    const here = await openHub(url)
    const there = await openHub(url, here)
    const line = await quietLine(there)
    await until('the welcome', async () => {
      await line.obey()
      return line.types().includes('profile')
    })
    return { url, here, there, line }
  }

  async function admin(url: string) {
    const client = new Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    return {
      rows: async (text: string) => (await client.query(text)).rows,
      /** Cuts the connections that carry wake-ups. */
      cut: () =>
        client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'soundbox-hub cluster'`,
        ),
    }
  }

  /** The one of the hubs that carries out a task for all. A hub that gets no answer does not. */
  async function leaderOf(hubs: Awaited<ReturnType<typeof join>>[]) {
    const leading = await until('a leader', async () => {
      const leads = await Promise.all(hubs.map((hub) => hub.leads('retention')))
      return leads.includes(true) && hubs.filter((_, index) => leads[index])
    })
    expect(leading).toHaveLength(1)
    return leading[0] as (typeof hubs)[number]
  }

  it('speak what another one has recorded, because it wakes them', async () => {
    const { here, there, line } = await twoHubs()
    const ftCode = await here.pay('50000')
    await until('the announcement', () => amountsOf(line).length > 0)
    expect(amountsOf(line)).toEqual(['50000'])
    await line.obey()
    expect(await here.trail(ftCode)).toMatchObject({ stage: 'played' })
    await until('the answer to the wake-up', () => here.cluster.counted.includes('sent news'))
    expect(there.cluster.counted).toContain('heard news')
    expect(there.cluster.counted).not.toContain('sent news')
  })

  it('look at everything once their connection is open again, and send the wake-ups that waited', async () => {
    const { url, here, there, line } = await twoHubs()
    const { rows, cut } = await admin(url)
    const connected = async () => {
      const [{ count }] = await rows(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'soundbox-hub cluster'`,
      )
      return count === 2
    }
    await until('both connections', connected)
    const woken: unknown[] = []
    onTestFinished(there.cluster.wakeups.onWake((...wakeup) => void woken.push(wakeup)))
    await cut()
    await here.pay('1')
    await until('the announcement', () => amountsOf(line).length > 0)
    await until('new connections', connected)
    await until('the look at everything', () => woken.some((wakeup) => String(wakeup) === 'everything,'))
    await line.obey()
    await until('the sent wake-up', () => here.cluster.counted.includes('sent news'))
    await here.pay('2')
    await until('the next announcement', () => amountsOf(line).length > 1)
    expect(amountsOf(line)).toEqual(['1', '2'])
  })

  it('wait longer for a connection that is lost again at once', async () => {
    const url = await database()
    const { cut } = await admin(url)
    const delays: number[] = []
    const after: Clock['after'] = (delayMs, act) => {
      delays.push(delayMs)
      return systemClock.after(delayMs, act)
    }
    // For this hub no time passes: each connection is lost at once.
    const { wakeups } = await join(url, { ...systemClock, after, elapsed: () => 0 })
    let opened = 0
    onTestFinished(
      wakeups.onWake(() => {
        opened += 1
      }),
    )
    for (const delayMs of [100, 200, 400]) {
      const before = opened
      await cut()
      await until('a new connection', () => opened > before)
      expect(delays).toContain(delayMs)
    }
  })

  it('find what no wake-up has told, each for its own devices alone', async () => {
    const { here, there, line, url } = await twoHubs()
    // Recorded by a process that is killed before it wakes anybody.
    const killed = await openStage({ storage: await open(url), beside: here })
    await killed.pay('50000')
    const { now } = here.clock
    const waiting = (stage: Stage) => stage.storage.outbox.waiting(now() + 1, now() + 1)
    expect([await waiting(here), await waiting(there), await waiting(killed)]).toEqual([
      [],
      [here.speaker.deviceId],
      [],
    ])
    expect(amountsOf(line)).toEqual([])
    await here.clock.wind(1_500)
    await until('the announcement', () => amountsOf(line).length > 0)
    await line.obey()
    expect(amountsOf(line)).toEqual(['50000'])
    expect(there.cluster.counted).not.toContain('heard news')
  })

  it('end the session of a device that has gone to another one', async () => {
    const { url, here, there, line } = await twoHubs()
    const { rows } = await admin(url)
    const owner = async () => (await rows('SELECT hub FROM device_state'))[0].hub
    expect(await owner()).toBe(there.cluster.hub)
    const next = here.connect()
    await next.born()
    await until('the end of the old session', () => line.state.closed)
    expect(await owner()).toBe(here.cluster.hub)
    expect(await there.metrics.text()).toMatch(/^hub_fenced_total 1$/m)
    expect(await here.metrics.text()).toMatch(/^hub_fenced_total 0$/m)
    here.delivery.leave(next.session)
    await until('no owner', async () => (await owner()) === null)
  })

  it('beat, and are gone five seconds after their last beat', async () => {
    const url = await database()
    const { rows } = await admin(url)
    const now = async () => Number((await rows('SELECT clock_ms() AS now'))[0].now)
    /** The hubs that are there. All others have not beaten for five seconds. */
    async function live() {
      const before = await now()
      const hubs = await rows('SELECT id, beat_at, id IN (SELECT id FROM live_hubs) AS live FROM hubs')
      const after = await now()
      for (const { beat_at, live } of hubs)
        if (live) expect(before - Number(beat_at)).toBeLessThan(5_000)
        else expect(after - Number(beat_at)).toBeGreaterThanOrEqual(5_000)
      return hubs.filter(({ live }) => live).map(({ id }) => id)
    }
    const { state, clock } = machine()
    const [staying, freezing, leaving] = [await join(url), await join(url, clock), await join(url)]
    const [row] = await rows(`SELECT host, pid, version FROM hubs WHERE id = '${staying.hub}'`)
    expect(row).toMatchObject({ pid: process.pid, version: '1.2.3' })
    const all = [staying.hub, freezing.hub, leaving.hub].sort()
    await eventually(async () => expect((await live()).sort()).toEqual(all))

    await leaving.leave()
    state.isFrozen = true
    await eventually(async () => expect(await live()).toEqual([staying.hub]))
    expect((await rows('SELECT id FROM hubs')).length).toBe(2)
  })

  it("go by PostgreSQL's clock, whatever their machines show", async () => {
    const url = await database()
    const { rows } = await admin(url)
    const [ahead, behind] = [3_600_000, -86_400_000]
    const databaseNow = async () => Number((await rows('SELECT clock_ms() AS now'))[0].now)
    for (const setByMs of [ahead, behind]) {
      const { clock, databaseAheadMs } = await join(url, machine(setByMs).clock)
      // As close as the fastest of its last questions.
      await eventually(async () => {
        const before = await databaseNow()
        const now = clock.now()
        expect(now).toBeGreaterThan(before - 250)
        expect(now).toBeLessThan((await databaseNow()) + 250)
        expect(Math.abs(databaseAheadMs() + setByMs)).toBeLessThan(250)
      })
    }
    const hoursAhead = async () =>
      (await rows('SELECT round(clock_ahead_ms / 3600000.0)::int AS hours FROM hubs ORDER BY 1')).map(
        ({ hours }) => hours,
      )
    await until('beats that tell of it', async () => String(await hoursAhead()) === '-24,1')
  })

  it("deal once with PostgreSQL's clock when it is set back, and never with that of a machine", async () => {
    const url = await database()
    const { rows } = await admin(url)
    const jumped = { byMs: 0 }
    // The monotonic clock of a virtual machine that is moved may jump.
    const jumping: Clock = { ...systemClock, elapsed: () => systemClock.elapsed() + jumped.byMs }
    const hubs = [await join(url), await join(url), await join(url, jumping)]
    const acts: number[] = []
    const settle = () =>
      Promise.all(
        hubs.map(({ onceSetBack, clock }) =>
          onceSetBack(async () => {
            acts.push(clock.now())
          }),
        ),
      )
    const behind = (hoursBack: number) =>
      until('clocks that follow', () =>
        hubs.every(({ clock }) => Math.abs(clock.now() - systemClock.now() + hoursBack * 3_600_000) < 60_000),
      )
    await settle()
    jumped.byMs = 3_600_000
    await behind(0)
    await settle()
    expect(acts).toEqual([])

    // A hub that was killed, and what it had.
    await rows(
      `INSERT INTO hubs SELECT 'killed', host, pid, version, started_at, beat_at, 0 FROM hubs LIMIT 1`,
    )
    await rows("INSERT INTO leases VALUES ('retention', 'killed', clock_ms() + 90000)")
    await rows("INSERT INTO hub_locks VALUES ('key', 'killed', 'holder', clock_ms() + 15000)")
    await rows(`CREATE OR REPLACE FUNCTION clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
      RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 3600000`)
    await behind(1)
    await settle()
    expect(acts).toHaveLength(1)
    await until('three beats', async () => (await rows('SELECT id FROM live_hubs')).length === 3)
    expect(await rows('SELECT FROM hub_locks WHERE until > clock_ms() + 20000')).toEqual([])
    await leaderOf(hubs)
    await settle()
    expect(acts).toHaveLength(1)
  })

  it('have one that carries out a task for all, and another one when it is gone', async () => {
    const url = await database()
    const { rows } = await admin(url)
    const hubs = [await join(url), await join(url), await join(url)]
    const first = await leaderOf(hubs)
    expect(await leaderOf(hubs)).toBe(first)
    await first.leave()
    const next = await leaderOf(hubs)
    expect(next).not.toBe(first)
    // It was killed.
    await rows('UPDATE leases SET until = clock_ms() - 1')
    const last = hubs.filter((hub) => hub !== first && hub !== next)
    expect(await leaderOf(last)).toBe(last[0])
    expect(await leaderOf(hubs)).toBe(last[0])
  })
})
