import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnFreePort } from '../support/listen.ts'
import { PLAYS_MS } from './cost.ts'
import { compare, inTurn, type Pair } from './parts/in-turn.ts'
import { type Market, openMarket } from './parts/market.ts'
import { type Usage, usageOf, usedBetween } from './parts/process.ts'
import { openStreet } from './parts/street.ts'
import { type Figure, milliseconds, perSecond, shareOf } from './parts/table.ts'

/** The amount of work. */
export const WEBHOOK = {
  /** Each with a speaker. */
  shops: 100,
  /** Warm-up: V8 compiles the hot code. */
  warmUp: 12_000,
  /** Payments per second, and for how many seconds a round measures each rate. */
  rates: [
    { perSecond: 50, seconds: 8 },
    { perSecond: 200, seconds: 5 },
  ],
  /** Payments of a saturated hub in a round. */
  saturated: 4_000,
  rounds: 3,
}

/** Of each payment, the partner is told that it is recorded and that it is played. */
export const EVENTS = 2
const DELIVERED_WITHIN_MS = 300_000

/** Payments at one pace, until their events are delivered. */
interface Round {
  usage: Usage | undefined
  callbacks: number[]
  /** Payments per second, until `played` is stored. */
  paid: number
  /** Events per second, from the first callback until the last is delivered. */
  delivered: number
}

/** What one webhook, to which all events go, costs a hub: compared with a hub without one, in turn. */
export async function benchWebhook(work = WEBHOOK): Promise<Figure[]> {
  const receiver = await openReceiver()
  const env = { HUB_WEBHOOK_ALLOW: '127.0.0.1' }
  const told = await openMarket({ shops: work.shops }, { env })
  const untold = await openMarket({ shops: work.shops })
  try {
    await createWebhook(told, receiver.url)
    const subject = await openPayments(told, receiver.delivered)
    const baseline = await openPayments(untold)
    const paces = [
      { amount: work.warmUp },
      ...work.rates.map(({ perSecond: rate, seconds }) => ({ amount: Math.ceil(rate * seconds), rate })),
      { amount: work.saturated },
    ]
    const figures: Figure[] = []
    for (const pace of paces) {
      const isWarmUp = pace === paces[0]
      const rounds = await inTurn(
        isWarmUp ? 1 : work.rounds,
        () => subject.pay(pace),
        () => baseline.pay(pace),
      )
      if (!isWarmUp) figures.push(...figuresOf(pace, rounds))
    }
    subject.close()
    baseline.close()
    return figures
  } finally {
    await Promise.all([told.stop(), untold.stop(), receiver.close()])
  }
}

interface Pace {
  amount: number
  /** Payments per second. Undefined: as fast as 64 connections take them. */
  rate?: number
}

function figuresOf({ amount, rate }: Pace, rounds: readonly Pair<Round>[]): Figure[] {
  const at = rate === undefined ? 'saturated' : `at ${rate}/s`
  const beside = (what: string, word: (value: number) => string, of: (round: Round) => number) => {
    const pairs = rounds.map(([told, untold]): Pair => [of(told), of(untold)])
    return compare(`${what}, ${at}`, 'without a webhook', pairs, word)
  }
  const costs = beside(
    `CPU of a payment whose ${EVENTS} events are delivered`,
    twoDigits,
    ({ usage }) => (usage?.cpuMs ?? Number.NaN) / amount,
  )
  if (rate !== undefined)
    return [...costs, ...beside('callback p50', milliseconds, ({ callbacks }) => shareOf(callbacks, 0.5))]
  const deliveries = rounds.map(([{ delivered }]) => delivered)
  return [
    ...costs,
    ...beside('callback to stored "played"', perSecond, ({ paid }) => paid),
    {
      what: 'events delivered, saturated',
      value: perSecond(shareOf(deliveries, 0.5)),
      ...{ peer: '', peerValue: '', ratio: '' },
    },
  ]
}

function twoDigits(ms: number): string {
  return `${ms.toFixed(2)} ms`
}

/** Speakers at a market, and payments for them. With `delivered`, a payment ends when its events are delivered. */
async function openPayments(market: Market, delivered?: () => number) {
  const street = await openStreet(market, { playsMs: PLAYS_MS })
  let payments = 0
  return {
    async pay({ amount, rate }: Pace): Promise<Round> {
      const before = usageOf([market.pid])
      const startedAt = performance.now()
      const { callbacks } =
        rate === undefined
          ? { callbacks: [], ...(await street.pay(amount)) }
          : await street.payAt(rate, amount)
      const paid = (amount * 1000) / (performance.now() - startedAt)
      payments += amount
      const deadline = performance.now() + DELIVERED_WITHIN_MS
      while (delivered && delivered() < EVENTS * payments) {
        if (performance.now() > deadline)
          throw new Error(`${delivered()} of ${EVENTS * payments} events came`)
        await sleep(2)
      }
      const usage = usedBetween(before, usageOf([market.pid]))
      return {
        ...{ usage, callbacks, paid },
        delivered: (EVENTS * amount * 1000) / (performance.now() - startedAt),
      }
    },
    close: street.close,
  }
}

export async function createWebhook({ http, headers }: Market, url: string) {
  const types = ['payment.recorded', 'announcement.played']
  const body = JSON.stringify({ url, types })
  const response = await fetch(`${http}/api/v1/partner/webhook`, { method: 'POST', headers, body })
  if (response.status !== 201) throw new Error(`the hub refused the webhook: ${await response.text()}`)
}

/** Answers 204 at once. Counts each event once. */
export async function openReceiver() {
  const events = new Set<string>()
  const server = createServer((request, response) => {
    events.add(String(request.headers['webhook-id']))
    request.resume().on('end', () => response.writeHead(204).end())
  })
  const port = await listenOnFreePort(server)
  return {
    url: `http://127.0.0.1:${port}/`,
    delivered: () => events.size,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
