import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnHub } from '../support/processes/own-hub.ts'
import { waitUntil } from '../support/wait.ts'
import { type Cluster, type ClusterSize, underPayments } from './parts/cluster.ts'
import { readMetrics } from './parts/metrics.ts'
import { scenario } from './scenario.ts'

const QUICK: ClusterSize = { speakers: 10, perSecond: 20, fsync: 'off', wait: 0.1 }
const FULL: ClusterSize = { speakers: 100, perSecond: 30, fsync: 'on', wait: 1 }
/** A hub drains for up to 10 s, and then closes. */
const ENDED_WITHIN_MS = 15_000
/** Answers that are listed one by one. */
const MOST_TOLD = 10

/** kill -9 of one hub after another, while the others go on. */
export const clusterKill = scenario({
  name: 'cluster-kill',
  promise: 'every payment answered with 200 is on file once and heard once, whichever hub is killed',
  scales: {
    quick: { ...QUICK, kills: 1, payments: 20 },
    full: { ...FULL, kills: 6, payments: 100 },
  },
  run: ({ kills, payments, ...size }, stage) =>
    underPayments(size, stage, async (cluster) => {
      for (const [hub, round] of inTurn(cluster, kills)) {
        await cluster.untilAnswered(payments)
        await hub.kill()
        await cluster.untilAnswered(payments)
        await hub.start()
        await cluster.untilWhole()
        cluster.say(`killed a hub ${round} times`)
      }
      await cluster.untilAnswered(payments)
      return { did: `hubs were killed ${kills} times in turn`, figures: { kills }, broken: [] }
    }),
})

/** SIGSTOP of one hub after another: it closes nothing, and wakes up with its old sessions. */
export const clusterFreeze = scenario({
  name: 'cluster-freeze',
  promise: 'every payment is heard once while a hub hangs, and after it wakes up with its old sessions',
  scales: {
    quick: { ...QUICK, freezes: 1, frozenMs: 5_000, payments: 20 },
    full: { ...FULL, freezes: 3, frozenMs: 20_000, payments: 200 },
  },
  run: ({ freezes, frozenMs, payments, ...size }, stage) =>
    underPayments(size, stage, async (cluster) => {
      const { ears } = cluster
      const movedMs: number[] = []
      for (const [hub, round] of inTurn(cluster, freezes)) {
        await cluster.untilAnswered(payments)
        process.kill(hub.pid(), 'SIGSTOP')
        const frozenAt = performance.now()
        await waitUntil(() => ears.online() < ears.all.length, frozenMs)
        await ears.untilOnline(frozenMs)
        movedMs.push(performance.now() - frozenAt)
        await sleep(Math.max(0, frozenAt + frozenMs - performance.now()))
        process.kill(hub.pid(), 'SIGCONT')
        await cluster.untilWhole()
        cluster.say(`froze a hub ${round} times`)
      }
      await cluster.untilAnswered(payments)
      const fenced = await Promise.all(cluster.hubs.map(fencedAt))
      return {
        did: `a hub was frozen for ${frozenMs / 1000} s, ${freezes} times in turn,`,
        figures: {
          freezes,
          'all speakers at other hubs, ms (longest)': Math.round(Math.max(...movedMs)),
          'fenced sessions': fenced.reduce((sum, one) => sum + one, 0),
        },
        broken: [],
      }
    }),
})

/** kill -9 of all processes of PostgreSQL: what a power cut does to them. */
export const postgresKill = scenario({
  name: 'postgres-kill',
  promise:
    'every payment answered with 200 is on file once and heard once, however often PostgreSQL is killed',
  scales: {
    quick: { ...QUICK, kills: 1, payments: 20, awayMs: 500 },
    full: { ...FULL, kills: 5, payments: 100, awayMs: 2_000 },
  },
  async run({ kills, payments, awayMs, ...size }, stage) {
    if (process.platform !== 'linux')
      return { kind: 'skipped', why: 'the processes of PostgreSQL are found in /proc of Linux' }
    return underPayments(size, stage, async (cluster) => {
      const unavailableMs: number[] = []
      for (let killed = 1; killed <= kills; killed += 1) {
        await cluster.untilAnswered(payments)
        const killedAt = performance.now()
        await cluster.postgres.killAll()
        await sleep(awayMs)
        await cluster.postgres.start()
        await cluster.untilAnswered(1)
        unavailableMs.push(performance.now() - killedAt)
        await cluster.untilWhole()
        cluster.say(`killed PostgreSQL ${killed} times`)
      }
      await cluster.untilAnswered(payments)
      return {
        did: `PostgreSQL was killed ${kills} times, and was away for ${awayMs} ms,`,
        figures: { kills, 'killed to the next 200, ms (longest)': Math.round(Math.max(...unavailableMs)) },
        broken: [],
      }
    })
  },
})

/** SIGTERM and start of one hub after another: an upgrade. */
export const rolling = scenario({
  name: 'rolling',
  promise:
    'while one hub after another restarts, the others answer every callback with 200 and nothing is missed',
  scales: {
    quick: { ...QUICK, rounds: 1, payments: 20 },
    full: { ...FULL, rounds: 2, payments: 100 },
  },
  run: ({ rounds, payments, ...size }, stage) =>
    underPayments({ ...size, mayMiss: false }, stage, async (cluster) => {
      const { hubs, answered, untilAnswered, untilWhole, say } = cluster
      const broken: string[] = []
      const drains: number[] = []
      const away: { base: string; from: number; until: number }[] = []
      for (const [hub, restarts] of inTurn(cluster, rounds * hubs.length)) {
        await untilAnswered(payments)
        const from = performance.now()
        const { code, ms } = await hub.terminate()
        drains.push(ms)
        if (code !== 0) broken.push(`a hub exited with ${code}: ${hub.complaints()}`)
        if (ms > ENDED_WITHIN_MS) broken.push(`a hub took ${Math.round(ms)} ms to end`)
        await hub.start()
        away.push({ base: hub.http, from, until: performance.now() })
        await untilWhole()
        say(`restarted ${restarts} hubs`)
      }
      await untilAnswered(payments)
      const elsewhere = answered.filter(
        (one) =>
          one.answer !== 200 &&
          !away.some(({ base, from, until }) => one.base === base && one.from <= until && one.until >= from),
      )
      for (const { base, answer } of elsewhere.slice(0, MOST_TOLD))
        broken.push(`${base}, which was not restarting, answered ${answer}`)
      return {
        did: `all hubs were restarted ${rounds} times in turn by SIGTERM`,
        figures: {
          restarts: away.length,
          'other than 200 at the other hubs': elsewhere.length,
          'SIGTERM to exit, ms (longest)': Math.round(Math.max(...drains)),
        },
        broken,
      }
    }),
})

/** So many rounds over the hubs of a cluster. Each has its number from 1. */
function inTurn({ hubs }: Cluster, rounds: number): [OwnHub, number][] {
  return Array.from({ length: Math.ceil(rounds / hubs.length) }, () => hubs)
    .flat()
    .slice(0, rounds)
    .map((hub, index) => [hub, index + 1])
}

async function fencedAt(hub: OwnHub): Promise<number> {
  return (await readMetrics(hub))('hub_fenced_total')
}
