import { setTimeout as sleep } from 'node:timers/promises'
import { type PeerBroker, startAedes } from './brokers/brokers.ts'
import { type Line, openLine, plainConnect } from './line.ts'
import { openMarket } from './market.ts'
import { liveEach, type Memory, residentEach } from './memory.ts'
import { openPocketSpeaker } from './pocket-speaker.ts'
import { type Figure, perSecond, ratio } from './table.ts'

const SPEAKERS = 5_000
/** Connections on their way at a time: more would measure the queue of the kernel. */
const AT_A_TIME = 64
/** Until garbage of the connecting has been collected, and the tail of the packets has passed. */
const SETTLE_MS = 3_000

interface Measured {
  perSecond: number
  before: Memory
  after: Memory
}

/** Connecting 5,000 speakers until each is welcomed, and what each then holds of the hub's memory. */
export async function benchSpeakers(): Promise<Figure[]> {
  const hub = await measureHub()
  const aedes = await measureAedes(await startAedes())
  return [
    {
      what: `speakers connected, to ${SPEAKERS}, each welcomed`,
      value: perSecond(hub.perSecond),
      peer: 'bare Aedes, subscribed',
      peerValue: perSecond(aedes.perSecond),
      ratio: ratio(hub.perSecond, aedes.perSecond),
    },
    memoryFigure('live memory', liveEach, hub, aedes),
    memoryFigure('resident memory', residentEach, hub, aedes),
  ]
}

function memoryFigure(what: string, each: typeof liveEach, hub: Measured, aedes: Measured): Figure {
  const [ours, theirs] = [hub, aedes].map(({ before, after }) => each(before, after, SPEAKERS) / 1000)
  return {
    what: `${what} for each of ${SPEAKERS} idle speakers`,
    value: `${ours?.toFixed(1)} kB`,
    peer: 'bare Aedes, subscribed',
    peerValue: `${theirs?.toFixed(1)} kB`,
    ratio: ratio(ours ?? Number.NaN, theirs ?? Number.NaN),
    goal: 'under 20 kB',
  }
}

async function measureHub(): Promise<Measured> {
  const market = await openMarket({ shops: SPEAKERS })
  try {
    return await connectAll(market.memory, (number) => {
      const shop = market.shops[number]
      if (!shop) throw new Error('fewer shops than speakers')
      return openPocketSpeaker(shop, market.mqtt)
    })
  } finally {
    await market.stop()
  }
}

async function measureAedes(broker: PeerBroker): Promise<Measured> {
  try {
    const { memory } = broker
    if (!memory) throw new Error('Aedes tells its memory')
    return await connectAll(memory, (number) =>
      openLine(broker.url, plainConnect(`bench-${number}`), `sb/1/BENCH-${number}/down`, {}),
    )
  } finally {
    await broker.stop()
  }
}

async function connectAll(
  memory: () => Promise<Memory>,
  connect: (number: number) => Promise<Line>,
): Promise<Measured> {
  const before = await memory()
  const startedAt = performance.now()
  const lines: Line[] = []
  let next = 0
  const worker = async () => {
    while (next < SPEAKERS) {
      next += 1
      lines.push(await connect(next - 1))
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  const tookMs = performance.now() - startedAt
  await sleep(SETTLE_MS)
  const after = await memory()
  for (const line of lines) line.close()
  return { perSecond: (SPEAKERS * 1000) / tookMs, before, after }
}
