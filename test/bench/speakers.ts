import { setTimeout as sleep } from 'node:timers/promises'
import { type PeerBroker, startAedes } from './brokers/brokers.ts'
import { type Line, openLine, plainConnect } from './line.ts'
import { openMarket } from './market.ts'
import { openPocketSpeaker } from './pocket-speaker.ts'
import { residentKiB } from './process.ts'
import { type Figure, perSecond, ratio } from './table.ts'

const SPEAKERS = 5_000
/** Connections on their way at a time: more would measure the queue of the kernel. */
const AT_A_TIME = 64
/** Until garbage of the connecting has been collected, and the tail of the packets has passed. */
const SETTLE_MS = 3_000

interface Measured {
  perSecond: number
  /** Of the broker's process, for each idle connection; undefined where the system does not tell it. */
  kib: number | undefined
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
    ...memoryFigure(hub.kib, aedes.kib),
  ]
}

function memoryFigure(hub: number | undefined, aedes: number | undefined): Figure[] {
  if (hub === undefined || aedes === undefined) return []
  return [
    {
      what: `memory for each of ${SPEAKERS} idle speakers`,
      value: `${hub.toFixed(1)} KiB`,
      peer: 'bare Aedes, subscribed',
      peerValue: `${aedes.toFixed(1)} KiB`,
      ratio: ratio(hub, aedes),
      goal: 'under 20 KB',
    },
  ]
}

async function measureHub(): Promise<Measured> {
  const market = await openMarket({ shops: SPEAKERS })
  try {
    return await connectAll(market.pid, (number) => {
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
    return await connectAll(broker.pid, (number) =>
      openLine(broker.url, plainConnect(`bench-${number}`), `sb/1/BENCH-${number}/down`, () => undefined),
    )
  } finally {
    await broker.stop()
  }
}

async function connectAll(
  pid: number | undefined,
  connect: (number: number) => Promise<Line>,
): Promise<Measured> {
  const before = residentKiB(pid)
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
  const after = residentKiB(pid)
  for (const line of lines) line.close()
  return {
    perSecond: (SPEAKERS * 1000) / tookMs,
    kib: before === undefined || after === undefined ? undefined : (after - before) / SPEAKERS,
  }
}
