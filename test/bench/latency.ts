import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PeerBroker, startAedes, startMosquitto } from './brokers/brokers.ts'
import { type Line, openLine, plainConnect } from './line.ts'
import { type Market, openMarket } from './market.ts'
import { pace } from './pace.ts'
import { pubackOf, publishOf } from './packets.ts'
import { openPocketSpeaker } from './pocket-speaker.ts'
import { type Figure, milliseconds, ratio, shareOf } from './table.ts'

const SHOPS = 500
const RATES = [200, 500, 1_000]
const SECONDS = 6
const WARM_UP_SECONDS = 3
/** What has not come by then never will. */
const STRAGGLERS_MS = 5_000
const SHARES = [0.5, 0.99, 0.999]
const CONNECTIONS = 64

/** Milliseconds from the sending of each message to its coming out of a speaker's socket, at one rate. */
type Measured = Map<number, number[]>

/**
 * From the callback's first byte to the announcement at the device's socket, beside a bare publish of as many bytes
 * through Aedes and through Mosquitto where it is installed, at the same rates to as many subscribers.
 */
export async function benchLatency(): Promise<Figure[]> {
  const hub = await measureHub()
  const peers = [await measureBroker(await startAedes())]
  const mosquitto = await startMosquitto()
  if (mosquitto) peers.push(await measureBroker(mosquitto))
  return RATES.flatMap((rate) =>
    peers.flatMap(({ name, measured }) => SHARES.map((share) => figure(rate, share, hub, name, measured))),
  )
}

function figure(rate: number, share: number, hub: Measured, peer: string, peers: Measured): Figure {
  const value = shareOf(hub.get(rate) ?? [], share)
  const peerValue = shareOf(peers.get(rate) ?? [], share)
  return {
    what: `callback to the device's socket at ${rate}/s, p${share * 100}`,
    value: milliseconds(value),
    peer: `publish through ${peer}`,
    peerValue: milliseconds(peerValue),
    ratio: ratio(value, peerValue),
    ...(rate === 500 && share === 0.99 && { goal: 'under 25 ms' }),
  }
}

async function measureHub(): Promise<Measured> {
  const market = await openMarket({ shops: SHOPS })
  try {
    const watch = createStopwatch()
    const speakers: Line[] = []
    for (const shop of market.shops)
      speakers.push(
        await openPocketSpeaker(shop, market.mqtt, { heard: (amount) => watch.stop(Number(amount)) }),
      )
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
    const measured = await atEachRate(watch, (number) => report(market, agent, number))
    agent.destroy()
    for (const speaker of speakers) speaker.close()
    return measured
  } finally {
    await market.stop()
  }
}

function report(market: Market, agent: Agent, number: number) {
  const shop = market.shops[number % market.shops.length]
  if (!shop) throw new Error('a market without shops')
  const body = market.body(shop, String(number))
  const headers = { ...market.headers, 'Content-Length': Buffer.byteLength(body) }
  const sent = request(
    `${market.http}/api/v1/partner/payment/callback`,
    { method: 'POST', agent, headers },
    (response) => {
      if (response.statusCode !== 200) throw new Error(`a callback was answered ${response.statusCode}`)
      response.resume()
    },
  )
  sent.end(body)
}

async function measureBroker(broker: PeerBroker): Promise<{ name: string; measured: Measured }> {
  try {
    const watch = createStopwatch()
    const lines: Line[] = []
    const topics = Array.from({ length: SHOPS }, (_, number) => `sb/1/BENCH-${number}/down`)
    for (const [number, topic] of topics.entries()) {
      const line: Line = await openLine(broker.url, plainConnect(`bench-${number}`), topic, {
        publish(messageId, payload) {
          watch.stop(Number.parseInt(payload.toString(), 10))
          line.send(pubackOf(messageId))
        },
      })
      lines.push(line)
    }
    const publisher = await openLine(broker.url, plainConnect('bench-publisher'), undefined, {})
    const measured = await atEachRate(watch, (number) =>
      publisher.send(
        publishOf(
          topics[number % topics.length] ?? '',
          (number % 65_535) + 1,
          Buffer.from(`${number} `.padEnd(ANNOUNCEMENT_BYTES)),
        ),
      ),
    )
    for (const line of [...lines, publisher]) line.close()
    return { name: broker.name, measured }
  } finally {
    await broker.stop()
  }
}

/** A frame that announces an amount of five digits in Vietnamese. */
const ANNOUNCEMENT_BYTES = 230

interface Stopwatch {
  start(number: number): void
  stop(number: number): void
  /** What has been measured since the last time. */
  take(): number[]
  pending(): number
}

function createStopwatch(): Stopwatch {
  const startedAt = new Map<number, number>()
  let times: number[] = []
  return {
    start: (number) => void startedAt.set(number, performance.now()),
    stop(number) {
      const start = startedAt.get(number)
      if (start === undefined) return
      startedAt.delete(number)
      times.push(performance.now() - start)
    },
    take() {
      const taken = times
      times = []
      return taken
    },
    pending: () => startedAt.size,
  }
}

async function atEachRate(watch: Stopwatch, send: (number: number) => void): Promise<Measured> {
  // Each message is told from the others by its number, which in the hub is the amount that is announced.
  let next = 10_000
  const run = async (rate: number, seconds: number) => {
    await pace(rate, rate * seconds, () => {
      next += 1
      watch.start(next)
      send(next)
    })
    for (let waitedMs = 0; watch.pending() > 0; waitedMs += 10) {
      if (waitedMs > STRAGGLERS_MS) throw new Error(`${watch.pending()} messages never came`)
      await sleep(10)
    }
    return watch.take()
  }
  await run(RATES.at(-1) ?? 0, WARM_UP_SECONDS)
  const measured: Measured = new Map()
  for (const rate of RATES) measured.set(rate, await run(rate, SECONDS))
  return measured
}
