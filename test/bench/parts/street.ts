import { setTimeout as sleep } from 'node:timers/promises'
import { loadAtRate } from './load/at-rate.ts'
import { type Load, load, type Target } from './load/load.ts'
import { callbacksTo, type Market } from './market.ts'
import type { Line } from './mqtt/line.ts'
import { openPocketSpeaker, type SpeakerHooks } from './mqtt/pocket-speaker.ts'
import { type Usage, usageOf, usedBetween } from './process.ts'

/** With a slower hub the last announcements would expire before they are sent. */
const ALL_PLAYED_WITHIN_MS = 100_000

/** Shops with connected speakers. A payment lasts from its callback until its `played` is stored. */
export interface Street {
  target: Target
  /**
   * Pays as fast as callbacks are answered over 64 connections, or so many. Each payment is a durable callback, an
   * announcement and two durable acks.
   */
  pay(amount: number, connections?: number): Promise<Load & Pick<PaidAtRate, 'used'>>
  /** Pays at a rate. */
  payAt(perSecond: number, amount: number): Promise<PaidAtRate>
  close(): void
}

export interface PaidAtRate {
  /** Milliseconds of each callback. */
  callbacks: number[]
  /** Undefined if the system does not report it. */
  used: Usage | undefined
}

/** Resolves when so many payments of a street are played and stored. */
export type Reaches = (payments: number, signal: AbortSignal) => Promise<unknown>

export function createStreet(target: Target, reaches: Reaches, speakers: readonly Line[]): Street {
  let paid = 0
  async function untilPlayed<T>(amount: number, pay: () => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(ALL_PLAYED_WITHIN_MS)
    const answered = await pay()
    paid += amount
    try {
      await reaches(paid, signal)
    } catch (cause) {
      throw new Error(`not all of ${amount} payments were played`, { cause })
    }
    return answered
  }
  return {
    target,
    async pay(amount, connections) {
      const before = usageOf(target.pids)
      const { startedAt } = await untilPlayed(amount, () => load(target, { amount }, connections))
      const used = usedBetween(before, usageOf(target.pids))
      return {
        used,
        perSecond: (amount * 1000) / (performance.now() - startedAt),
        cpuPerRequest: used && (used.cpuMs * 1000) / amount,
      }
    },
    async payAt(perSecond, amount) {
      const before = usageOf(target.pids)
      const callbacks = await untilPlayed(amount, () => loadAtRate(target, perSecond, amount))
      return { callbacks, used: usedBetween(before, usageOf(target.pids)) }
    },
    close() {
      for (const speaker of speakers) speaker.close()
    },
  }
}

/** Connects a speaker for each shop of the market. Its `others` are hubs on the same database: speakers go to all in turn. */
export async function openStreet(
  market: Market,
  { others = [], ...playing }: Pick<SpeakerHooks, 'playsMs'> & { others?: readonly Market[] } = {},
): Promise<Street> {
  // Payments are counted by their unique amounts, because a resent announcement is acked again.
  const stored = new Set<string>()
  const hooks = { ...playing, stored: (amount: string) => void stored.add(amount) }
  const urls = [market, ...others].map(({ mqtt }) => mqtt)
  const speakers: Line[] = []
  for (const [index, shop] of market.shops.entries())
    speakers.push(await openPocketSpeaker(shop, urls[index % urls.length] ?? market.mqtt, hooks))
  const reaches: Reaches = async (payments, signal) => {
    while (stored.size < payments) {
      signal.throwIfAborted()
      await sleep(2)
    }
  }
  return createStreet(callbacksTo(market, others), reaches, speakers)
}
