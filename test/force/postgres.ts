import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { temporaryFolder } from '../support/folder.ts'
import type { PostgresServer } from '../support/processes/postgres.ts'
import { startStandby } from '../support/processes/standby.ts'
import type { Answered } from '../support/proof/history.ts'
import { FULL, QUICK, underPayments } from './parts/cluster.ts'
import { type Outcome, scenario } from './scenario.ts'

const ONLY_LINUX: Outcome = {
  kind: 'skipped',
  why: 'the processes of PostgreSQL are found in /proc of Linux',
}

/** The timeout of an impatient processor. */
const PROCESSOR_WAITS_MS = 3_000
/** The hubs have found out by then. */
const KNOWN_AFTER_MS = 2_000

const durationOf = ({ from, until }: Answered) => until - from

/** kill -9 of all processes of PostgreSQL: what a power cut does to them. */
export const postgresKill = scenario({
  name: 'postgres-kill',
  promise:
    'every payment answered with 200 is on file once and heard once, however often PostgreSQL is killed',
  scales: {
    quick: { ...QUICK, times: 1, payments: 20, awayMs: 500 },
    full: { ...FULL, times: 5, payments: 100, awayMs: 2_000 },
  },
  async run({ times, payments, awayMs, ...size }, stage) {
    if (process.platform !== 'linux') return ONLY_LINUX
    return underPayments(size, stage, async (cluster) => {
      const unavailableMs: number[] = []
      for (let killed = 1; killed <= times; killed += 1) {
        await cluster.untilAnswered(payments)
        cluster.say(`kills PostgreSQL, ${killed} of ${times}`)
        const killedAt = performance.now()
        await cluster.postgres.killAll()
        await sleep(awayMs)
        await cluster.postgres.start()
        await cluster.untilAnswered(1)
        unavailableMs.push(performance.now() - killedAt)
        await cluster.untilWhole()
      }
      await cluster.untilAnswered(payments)
      return {
        did: `PostgreSQL was killed ${times} times, and was away for ${awayMs} ms,`,
        figures: {
          kills: times,
          'killed to the next 200, ms (longest)': Math.round(Math.max(...unavailableMs)),
        },
        broken: [],
      }
    })
  },
})

/** SIGSTOP of all processes of PostgreSQL: connections stay open, and nothing is answered. */
export const postgresHang = scenario({
  name: 'postgres-hang',
  promise:
    'a processor that waits for 3 s gets an answer to every attempt while PostgreSQL hangs, no speaker loses its connection, and every payment answered with 200 is on file once and heard once',
  scales: {
    quick: { ...QUICK, times: 1, payments: 20, hangsMs: 5_000, isTimed: false },
    full: { ...FULL, times: 3, payments: 100, hangsMs: 20_000, isTimed: true },
  },
  async run({ times, payments, hangsMs, isTimed, ...size }, stage) {
    if (process.platform !== 'linux') return ONLY_LINUX
    return underPayments(size, stage, async (cluster) => {
      const hangs: { from: number; until: number }[] = []
      const backMs: number[] = []
      for (let hung = 1; hung <= times; hung += 1) {
        await cluster.untilAnswered(payments)
        const from = performance.now()
        stage.onEnd(cluster.postgres.goOn)
        cluster.postgres.hang()
        await sleep(hangsMs)
        cluster.postgres.goOn()
        const until = performance.now()
        hangs.push({ from, until })
        await cluster.untilAnswered(1)
        backMs.push(performance.now() - until)
        await cluster.untilWhole()
        cluster.say(`PostgreSQL hung ${hung} times`)
      }
      await cluster.untilAnswered(payments)
      const during = cluster.answered.filter((one) =>
        hangs.some(({ from, until }) => one.until > from && one.from < until),
      )
      const known = during.filter((one) =>
        hangs.some(({ from, until }) => one.from > from + KNOWN_AFTER_MS && one.from < until),
      )
      const late = during.filter((one) => durationOf(one) > PROCESSOR_WAITS_MS)
      const lost = cluster.ears.all.filter(({ sessions }) => sessions > 1)
      const broken = [
        ...(late.length > 0 ? [`${late.length} attempts got no answer within 3 s`] : []),
        ...(lost.length > 0 ? [`${lost.length} speakers lost their connection`] : []),
      ]
      return {
        did: `PostgreSQL hung ${times} times for ${hangsMs} ms`,
        figures: {
          hangs: times,
          'attempts meanwhile': during.length,
          'answered within 3 s': during.length - late.length,
          'longest answer, ms': Math.round(Math.max(...during.map(durationOf))),
          'longest answer of attempts after the first 2 s, ms': Math.round(
            Math.max(...known.map(durationOf)),
          ),
          'SIGCONT to the next 200, ms (longest)': Math.round(Math.max(...backMs)),
          'speakers that lost their connection': lost.length,
        },
        // The gate runs beside other tests: there, a machine without time for the hubs is no broken promise.
        broken: isTimed ? broken : [],
      }
    })
  },
})

/** kill -9 of all processes of the primary, and its standby takes over: the machine of the primary is lost. */
export const postgresFailover = scenario({
  name: 'postgres-failover',
  promise:
    'every payment answered with 200 is on file once and heard once, however often a synchronous standby takes over',
  scales: {
    quick: { ...QUICK, times: 1, payments: 20 },
    full: { ...FULL, times: 3, payments: 100 },
  },
  async run({ times, payments, ...size }, stage) {
    if (process.platform !== 'linux') return ONLY_LINUX
    return underPayments({ ...size, hasStandby: true }, stage, async (cluster) => {
      const { untilAnswered, untilWhole } = cluster
      const unavailableMs: number[] = []
      let { postgres: primary, standby } = cluster
      for (let failed = 1; standby; failed += 1) {
        await untilAnswered(payments)
        cluster.say(`kills the primary, ${failed} of ${times}`)
        const killedAt = performance.now()
        await primary.killAll()
        await promote(standby)
        await untilAnswered(1)
        unavailableMs.push(performance.now() - killedAt)
        await untilWhole()
        if (failed === times) break
        const next = await startStandby(standby, temporaryFolder(stage.onEnd), {
          ...{ synchronous: true, port: portOf(primary) },
        })
        stage.onEnd(() => next.stop())
        primary = standby
        standby = next
      }
      await untilAnswered(payments)
      return {
        did: `the primary was killed ${times} times, and its synchronous standby took over,`,
        figures: {
          failovers: times,
          'killed to the next 200, ms (longest)': Math.round(Math.max(...unavailableMs)),
        },
        broken: [],
      }
    })
  },
})

/** Resolves when the standby takes writes. */
async function promote({ url }: PostgresServer) {
  const client = new Client(url)
  await client.connect()
  await client.query('SELECT pg_promote()')
  await client.end()
}

function portOf({ url }: PostgresServer): number {
  return Number(new URL(url).port)
}
