import { Agent, request } from 'node:http'
import { type PeerBroker, startAedes, startMosquitto } from './brokers/brokers.ts'
import { callbackUrl, type Market, openMarket } from './parts/market.ts'
import { type Line, openLine, plainConnect } from './parts/mqtt/line.ts'
import { pubackOf, publishOf } from './parts/mqtt/packets.ts'
import { openPocketSpeaker } from './parts/mqtt/pocket-speaker.ts'
import { createStopwatch } from './parts/stopwatch.ts'
import { type Figure, milliseconds, ratio, shareOf } from './parts/table.ts'

/** The number of shops, each with a speaker. */
const SHOPS = 500
/** Messages per second. */
const RATES = [200, 500, 1_000]
const SECONDS = 6
const WARM_UP_SECONDS = 3
export const PACES = { speakers: SHOPS, rates: RATES, seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS }
export const SHARES = [0.5, 0.99, 0.999]
const CONNECTIONS = 64

/** A system that accepts messages and delivers each to the socket of one subscriber. */
export interface Relay {
  /** Milliseconds from sending to delivery for each message, at a given rate. */
  measure(perSecond: number, seconds: number): Promise<number[]>
  close(): void
}

/** By messages per second. */
type Measured = Map<number, number[]>

/**
 * From the callback's first byte to the announcement at the device's socket, compared with a bare publish of the same
 * size through Aedes, and through Mosquitto if it is installed, at the same rates and with as many subscribers.
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
    what: nameOf(rate, share),
    value: milliseconds(value),
    peer: `publish through ${peer}`,
    peerValue: milliseconds(peerValue),
    ratio: ratio(value, peerValue),
    ...(rate === 500 && share === 0.99 && { goal: 'under 25 ms' }),
  }
}

export function nameOf(rate: number, share: number): string {
  return `callback to the device's socket at ${rate}/s, p${share * 100}`
}

async function measureHub(): Promise<Measured> {
  const market = await openMarket({ shops: SHOPS })
  try {
    return await atEachRate(await openHubRelay(market))
  } finally {
    await market.stop()
  }
}

/** Callbacks for the shops of a market, whose speakers are all connected. */
export async function openHubRelay(market: Market): Promise<Relay> {
  const watch = createStopwatch()
  const speakers: Line[] = []
  // The amount identifies the message.
  const heard = (amount: string) => watch.stop(Number(amount))
  for (const shop of market.shops) speakers.push(await openPocketSpeaker(shop, market.mqtt, { heard }))
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  return {
    measure: (rate, seconds) => watch.run(rate, rate * seconds, (number) => report(market, agent, number)),
    close() {
      agent.destroy()
      for (const speaker of speakers) speaker.close()
    },
  }
}

function report(market: Market, agent: Agent, number: number) {
  const shop = market.shops[number % market.shops.length]
  if (!shop) throw new Error('a market without shops')
  const body = market.body(shop, String(number))
  const headers = { ...market.headers, 'Content-Length': Buffer.byteLength(body) }
  const sent = request(callbackUrl(market), { method: 'POST', agent, headers }, (response) => {
    if (response.statusCode !== 200) throw new Error(`a callback was answered ${response.statusCode}`)
    response.resume()
  })
  sent.end(body)
}

async function measureBroker(broker: PeerBroker): Promise<{ name: string; measured: Measured }> {
  try {
    return { name: broker.name, measured: await atEachRate(await openBareRelay(broker)) }
  } finally {
    await broker.stop()
  }
}

async function openBareRelay(broker: PeerBroker): Promise<Relay> {
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
  const publish = (number: number) =>
    publisher.send(
      publishOf(
        topics[number % topics.length] ?? '',
        (number % 65_535) + 1,
        Buffer.from(`${number} `.padEnd(ANNOUNCEMENT_BYTES)),
      ),
    )
  return {
    measure: (rate, seconds) => watch.run(rate, rate * seconds, publish),
    close() {
      for (const line of [...lines, publisher]) line.close()
    },
  }
}

/** An announce frame in Vietnamese with an amount of five digits. */
const ANNOUNCEMENT_BYTES = 230

async function atEachRate(relay: Relay): Promise<Measured> {
  await relay.measure(RATES.at(-1) ?? 0, WARM_UP_SECONDS)
  const measured: Measured = new Map()
  for (const rate of RATES) measured.set(rate, await relay.measure(rate, SECONDS))
  relay.close()
  return measured
}
