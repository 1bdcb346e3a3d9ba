import { connect, createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../../protocol/conformance/wire/clock.ts'
import { type Dial, linePair } from './line.ts'

/** A network between device and kit. */
export interface Network {
  eachWayMs: number
  /** The share of segments that come later, and how much: as after a loss on the air. */
  lateShare?: number
  lateMs?: number
}

/** What carries the segments of a network: time, and chance from 0 to 1. */
export interface Carrier {
  clock: Clock
  random: () => number
}

/** A line over a network, for a device in this process. */
export function slowLine(dial: Dial, network: Network, carrier: Carrier): Dial {
  return () => {
    const [device, near] = linePair()
    joinSlowly(near, dial(), network, carrier)
    return device
  }
}

/** Listens for a device in another process, and carries its connections to a port of this machine. */
export async function slowPort(port: number, network: Network, carrier: Carrier) {
  const host = '127.0.0.1'
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (device) => {
    joinSlowly(device, connect({ port, host, allowHalfOpen: true, noDelay: true }), network, carrier)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  return { port: Object(address).port as number, close: () => void server.close() }
}

/** Carries what arrives at each of the two to the other one. */
export function joinSlowly(one: Duplex, other: Duplex, network: Network, carrier: Carrier): void {
  carry(one, other, network, carrier)
  carry(other, one, network, carrier)
}

/**
 * Each segment has a delay of its own, and none overtakes another one, as in TCP. Segments that wait behind a late one are
 * delivered together with it, as one chunk.
 */
function carry(from: Duplex, to: Duplex, network: Network, { clock, random }: Carrier): void {
  const { eachWayMs, lateShare = 0, lateMs = 0 } = network
  /** An entry without `bytes` is the end of the line. One that `waits` could not overtake the one before it. */
  const underway: { atMs: number; waits: boolean; bytes?: Buffer }[] = []
  let isOver = false
  const wakeForNext = () => {
    const [next] = underway
    if (next) clock.wakeAt(next.atMs, arrived)
  }
  const arrived = () => {
    const after = underway.findIndex(({ waits, bytes }, index) => index > 0 && !(waits && bytes))
    const together = underway.splice(0, after < 0 ? underway.length : after)
    if (!together[0]?.bytes) to.destroy()
    else if (!to.destroyed) to.write(Buffer.concat(together.flatMap(({ bytes = [] }) => bytes)))
    wakeForNext()
  }
  const send = (bytes?: Buffer) => {
    const ownAtMs = clock.now() + eachWayMs + (random() < lateShare ? lateMs : 0)
    const lastAtMs = underway.at(-1)?.atMs ?? 0
    const waits = lastAtMs > ownAtMs
    underway.push({ atMs: waits ? lastAtMs : ownAtMs, waits, ...(bytes && { bytes }) })
    if (underway.length === 1) wakeForNext()
  }
  const end = () => {
    if (!isOver) send()
    isOver = true
  }
  from.on('data', send)
  // A reset and a close end the line alike, behind what is on its way. A 'close' event follows both.
  from.on('error', () => undefined)
  from.on('end', end)
  from.on('close', end)
}
