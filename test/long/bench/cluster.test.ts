import { expect, it } from 'vitest'
import { benchCluster } from '../../bench/cluster/cluster.ts'
import { findPostgres } from '../../support/processes/postgres.ts'
import { findProgram } from '../../support/processes/program.ts'

const TINY = {
  storage: { shops: 2, warmUpSeconds: 0.1, seconds: 0.2, rounds: 1 },
  callbacks: { shops: 2, connections: [2], warmUpSeconds: 0.01, seconds: 0.2, rounds: 1 },
  wakeups: { shops: 2, warmUpSeconds: 0.01, seconds: 0.5, rounds: 1 },
  several: { shops: 3, warmUp: 1, round: 20, rounds: 1 },
  latency: { shops: 2, rate: 20, warmUpSeconds: 0.2, seconds: 0.5, rounds: 1 },
  connects: { speakers: 3, settleMs: 0, rounds: 1 },
  takeover: { speakers: 6, times: 1 },
}
const isInstalled = (await findPostgres()) !== undefined

it.runIf(isInstalled)('measures what several hubs do and cost', async () => {
  const figures = await benchCluster(TINY)
  const measured = new Map(figures.map((figure) => [`${figure.what}: ${figure.peer}`, figure]))
  for (const what of [
    ...(findProgram('pgbench') ? [/^payments recorded through the ports .*: one a commit by pgbench, /] : []),
    /^payments recorded through the ports .*: the same, one at a time$/,
    /^durable callbacks of a hub on PostgreSQL, 2 connections: on SQLite$/,
    /^durable callbacks of 3 hubs, a wake-up for each: without wake-ups$/,
    /^payments played and stored, 3 hubs: /,
    /^commits for a payment: one hub on the same PostgreSQL$/,
    /^callback to the socket of a speaker at another hub at \d+\/s, p99: at the same hub$/,
    /^speakers connected to a hub on PostgreSQL, to 3, each welcomed: on SQLite$/,
    /^a hub killed, /,
    /^a hub frozen, /,
  ]) {
    const [, figure] = [...measured].find(([name]) => what.test(name)) ?? []
    expect(figure, String(what)).toBeDefined()
    for (const value of [figure?.value, figure?.peerValue])
      expect(Number.parseFloat(value ?? ''), String(what)).toBeGreaterThan(0)
  }
})
