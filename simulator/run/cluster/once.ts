import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './parts/cluster.ts'

/** How long PostgreSQL is away. */
const AWAY_MS = 3_000
/** Seconds of payments before and after each failure. */
const PAID_S = 2
/** The steps that follow each other without a pause wait for this many payments at least. */
const LEAST_PAID = 5

/**
 * Kills one hub, freezes one, drains one and kills PostgreSQL, each under payments. Resolves with what it waited for in
 * vain, if anything.
 */
export async function failInTurn(cluster: Cluster, perSecond: number): Promise<string | undefined> {
  const { hubs, waits, accounts } = cluster
  const [first, second, third] = hubs
  if (!first || !second || !third) throw new Error('the cluster has three hubs')

  async function paid() {
    const { answered } = accounts.ledger.totals
    const more = Math.max(LEAST_PAID, Math.round(perSecond * PAID_S))
    await waits.until(`${more} more payments`, () => accounts.ledger.totals.answered >= answered + more)
  }
  /** All speakers are at other hubs. */
  async function left(hub: number) {
    const isElsewhere = () => cluster.isWhole && !cluster.places().includes(hub)
    await waits.until(`all speakers at other hubs than hub ${hub + 1}`, isElsewhere)
  }
  async function ready() {
    const isReady = () => hubs.every((hub, index) => hub.state === 'up' && isReadyAt(index))
    await waits.until('all hubs up and ready', isReady)
  }
  const isReadyAt = (index: number) => cluster.line?.balancer.isReady(index) === true

  await paid()
  cluster.kill(first)
  await waits.until('the end of hub 1', () => first.state === 'dead')
  await left(0)
  await paid()
  cluster.startHub(first)
  await ready()

  cluster.freeze(second)
  await left(1)
  await paid()
  cluster.freeze(second)
  await ready()

  cluster.drain(third)
  await waits.until('the end of hub 3', () => third.state === 'dead')
  await left(2)
  await paid()
  cluster.startHub(third)
  await ready()

  cluster.crashDatabase()
  await waits.until('the end of PostgreSQL', () => cluster.database.state === 'stopped')
  await sleep(AWAY_MS)
  cluster.startDatabase()
  await waits.until('PostgreSQL', () => cluster.database.state === 'up')
  await ready()
  await paid()
  await waits.until('all speakers connected', () => cluster.isWhole)
  return cluster.settle()
}
