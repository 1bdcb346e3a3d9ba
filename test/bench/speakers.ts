import { setTimeout as sleep } from 'node:timers/promises'
import { type PeerBroker, startAedes } from './brokers/brokers.ts'
import { type Line, openLine, plainConnect } from './line.ts'
import { type Market, openMarket } from './market.ts'
import { liveEach, type Memory, residentEach } from './memory.ts'
import { openPocketSpeaker } from './pocket-speaker.ts'
import { cpuMs } from './process.ts'
import { type Figure, kilobytes, perSecond, ratio } from './table.ts'

const SPEAKERS = 5_000
/** Connections on their way at a time: more would measure the queue of the kernel. */
const AT_A_TIME = 64
/** Until garbage of the connecting has been collected, and the tail of the packets has passed. */
const SETTLE_MS = 3_000
export const CONNECTING = { speakers: SPEAKERS, settleMs: SETTLE_MS }

/** A broker to which so many have connected. */
export interface Connected {
  perSecond: number
  /** Of the broker, in microseconds for each; undefined where the system does not tell it. */
  cpuEach: number | undefined
  /** Bytes that each holds: what lives, and what its process has resident for it. */
  live: number
  resident: number
}

/** Connecting 5,000 speakers until each is welcomed, and what each then holds of the hub's memory. */
export async function benchSpeakers(): Promise<Figure[]> {
  const hub = await measureHub()
  const aedes = await measureAedes(await startAedes())
  const peer = 'bare Aedes, subscribed'
  const kept = (what: string, ours: number, theirs: number) => ({
    ...{ what: `${what} for each of ${SPEAKERS} idle speakers`, peer, goal: 'under 20 kB' },
    ...{ value: kilobytes(ours), peerValue: kilobytes(theirs), ratio: ratio(ours, theirs) },
  })
  return [
    {
      what: `speakers connected, to ${SPEAKERS}, each welcomed`,
      value: perSecond(hub.perSecond),
      peer,
      peerValue: perSecond(aedes.perSecond),
      ratio: ratio(hub.perSecond, aedes.perSecond),
    },
    kept('live memory', hub.live, aedes.live),
    kept('resident memory', hub.resident, aedes.resident),
  ]
}

async function measureHub(): Promise<Connected> {
  const market = await openMarket({ shops: SPEAKERS })
  try {
    return await connectShops(market)
  } finally {
    await market.stop()
  }
}

/** Connects the speakers of all shops of a market, and disconnects them once they are measured. */
export function connectShops(market: Market, settleMs = SETTLE_MS): Promise<Connected> {
  const speakers = market.shops.map((shop) => () => openPocketSpeaker(shop, market.mqtt))
  return connectAll(market, speakers, settleMs)
}

async function measureAedes({ url, pid, memory, stop }: PeerBroker): Promise<Connected> {
  try {
    if (!memory) throw new Error('Aedes tells its memory')
    const subscribers = Array.from(
      { length: SPEAKERS },
      (_, number) => () => openLine(url, plainConnect(`bench-${number}`), `sb/1/BENCH-${number}/down`, {}),
    )
    return await connectAll({ pid, memory }, subscribers, SETTLE_MS)
  } finally {
    await stop()
  }
}

async function connectAll(
  { pid, memory }: Pick<Market, 'pid' | 'memory'>,
  all: readonly (() => Promise<Line>)[],
  settleMs: number,
): Promise<Connected> {
  const before = await memory()
  const cpuBefore = cpuMs(pid)
  const startedAt = performance.now()
  const lines: Line[] = []
  const connects = all.values()
  // Whoever has connected one takes the next that nobody has.
  const worker = async () => {
    for (const connect of connects) lines.push(await connect())
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  const tookMs = performance.now() - startedAt
  const cpuAfter = cpuMs(pid)
  await sleep(settleMs)
  const after: Memory = await memory()
  for (const line of lines) line.close()
  const isTold = cpuBefore !== undefined && cpuAfter !== undefined
  return {
    perSecond: (all.length * 1000) / tookMs,
    cpuEach: isTold ? ((cpuAfter - cpuBefore) * 1000) / all.length : undefined,
    live: liveEach(before, after, all.length),
    resident: residentEach(before, after, all.length),
  }
}
