import { setTimeout as sleep } from 'node:timers/promises'
import { type PeerBroker, startAedes } from './brokers/brokers.ts'
import { type Market, openMarket } from './parts/market.ts'
import { liveEach, type Memory, residentEach } from './parts/memory.ts'
import { type Line, openLine, plainConnect } from './parts/mqtt/line.ts'
import { openPocketSpeaker } from './parts/mqtt/pocket-speaker.ts'
import { cpuMs } from './parts/process.ts'
import { type Figure, kilobytes, microseconds, perSecond, ratio } from './parts/table.ts'

const SPEAKERS = 5_000
/** Concurrent connection attempts. More would measure the kernel's queue. */
const AT_A_TIME = 64
/** A pause for the last packets and for a garbage collection. */
const SETTLE_MS = 3_000
export const CONNECTING = { speakers: SPEAKERS, settleMs: SETTLE_MS }

/** A broker with connected speakers. */
export interface Connected {
  perSecond: number
  /** CPU of the broker per speaker, in microseconds. Undefined if the system does not report it. */
  cpuEach: number | undefined
  /** Bytes per speaker: live memory, and resident memory of the process. */
  live: number
  resident: number
}

/** Connects 5,000 speakers until each is welcomed, and measures the hub's memory per speaker. */
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
      goal: 'at least 0.50',
    },
    ...cpu(hub.cpuEach, aedes.cpuEach, peer),
    kept('live memory', hub.live, aedes.live),
    kept('resident memory', hub.resident, aedes.resident),
  ]
}

/** Less noisy than the speed: the speakers share the processors. */
function cpu(ours: number | undefined, theirs: number | undefined, peer: string): Figure[] {
  if (ours === undefined || theirs === undefined) return []
  const values = { value: microseconds(ours), peerValue: microseconds(theirs), ratio: ratio(ours, theirs) }
  return [{ what: 'CPU to connect one speaker', peer, ...values }]
}

async function measureHub(): Promise<Connected> {
  const market = await openMarket({ shops: SPEAKERS })
  try {
    return await connectShops(market)
  } finally {
    await market.stop()
  }
}

/**
 * Connects the speakers of all shops of a market, and disconnects them after the measurement. `whileIdle` gets their
 * connections in between, in the order of the shops.
 */
export function connectShops(
  market: Market,
  settleMs = SETTLE_MS,
  whileIdle?: (lines: readonly Line[]) => Promise<void>,
): Promise<Connected> {
  const speakers = market.shops.map((shop) => () => openPocketSpeaker(shop, market.mqtt))
  return connectAll(market, speakers, settleMs, whileIdle)
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

export async function connectAll(
  { pid, memory }: Pick<Market, 'pid' | 'memory'>,
  all: readonly (() => Promise<Line>)[],
  settleMs: number,
  whileIdle?: (lines: readonly Line[]) => Promise<void>,
): Promise<Connected> {
  const before = await memory()
  const cpuBefore = cpuMs(pid)
  const startedAt = performance.now()
  const lines: Line[] = []
  const connects = all.entries()
  // Each worker connects a speaker, then takes the next one.
  const worker = async () => {
    for (const [index, connect] of connects) lines[index] = await connect()
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  const tookMs = performance.now() - startedAt
  const cpuAfter = cpuMs(pid)
  await sleep(settleMs)
  const after: Memory = await memory()
  await whileIdle?.(lines)
  for (const line of lines) line.close()
  const isTold = cpuBefore !== undefined && cpuAfter !== undefined
  return {
    perSecond: (all.length * 1000) / tookMs,
    cpuEach: isTold ? ((cpuAfter - cpuBefore) * 1000) / all.length : undefined,
    live: liveEach(before, after, all.length),
    resident: residentEach(before, after, all.length),
  }
}
