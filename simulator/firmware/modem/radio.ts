import { isIP } from 'node:net'
import type { Clock } from '../../platform/clock.ts'
import { type Faults, isReachable } from './faults.ts'
import type { Connection, ConnectionListener, Endpoint, Network } from './network.ts'
import { Way } from './way.ts'

/** How long a hub keeps a connection whose device has vanished, at most: its TCP then gets a reset. */
const VANISHED_MS = 60_000
/** The longest time for `AT+QIOPEN` is 150 s; the TCP of a module gives up before. */
const CONNECT_WITHIN_MS = 75_000

/** A connection over the air. */
export interface AirConnection {
  send(bytes: Uint8Array): void
  /** Bytes that have not arrived. */
  unsent(): number
  /** Ends with a FIN. */
  close(): void
  /** The module no longer knows the connection, and the hub is not told. */
  vanish(): void
}

interface Line {
  up: Way
  down: Way
  /** Undefined before the first segment has reached the network. */
  real: Connection | undefined
  cancelTimer: () => void
}

/** The air between the module and the network: it delays, holds back, and forgets. */
export class Radio {
  readonly #clock: Clock
  readonly #network: Network
  readonly #faults: () => Faults
  readonly #lines = new Set<Line>()

  constructor(clock: Clock, network: Network, faults: () => Faults) {
    this.#clock = clock
    this.#network = network
    this.#faults = faults
  }

  open(to: Endpoint, listener: ConnectionListener): AirConnection {
    const way = (delay: 'upMs' | 'downMs') =>
      new Way(this.#clock, () => {
        const faults = this.#faults()
        const burstMs = delay === 'downMs' ? faults.burstMs : 0
        return { delayMs: faults[delay], burstMs, isOpen: isReachable(faults) }
      })
    const line: Line = { up: way('upMs'), down: way('downMs'), real: undefined, cancelTimer: () => {} }
    this.#lines.add(line)
    let told: ConnectionListener | undefined = listener
    let unsent = 0
    const endIn = (ms: number, tell = () => {}) => {
      line.cancelTimer()
      if (!this.#lines.has(line)) return
      line.cancelTimer = this.#clock.wakeAt(this.#clock.now() + ms, () => {
        tell()
        this.#end(line)
      })
    }
    endIn(CONNECT_WITHIN_MS, () => told?.failed('connect'))
    const comes = (tell: (listener: ConnectionListener) => void, isLast = false) =>
      line.down.send(() => {
        if (told) {
          line.cancelTimer()
          tell(told)
        }
        if (isLast) this.#end(line)
      })
    line.up.send(() => {
      if (this.#faults().noDns && isIP(to.host) === 0) return comes((it) => it.failed('dns'), true)
      line.real = this.#network.open(to, {
        opened: () => comes((it) => it.opened()),
        failed: (why) => comes((it) => it.failed(why), true),
        received: (bytes) => comes((it) => it.received(bytes)),
        closed: () => comes((it) => it.closed(), true),
      })
    })
    const leave = () => {
      told = undefined
      endIn(VANISHED_MS)
    }
    return {
      send: (bytes) => {
        unsent += bytes.length
        line.up.send(() => {
          unsent -= bytes.length
          line.real?.send(bytes)
        })
      },
      unsent: () => unsent,
      close: () => {
        leave()
        line.up.send(() => line.real?.end())
      },
      vanish: () => {
        leave()
        line.up.clear()
      },
    }
  }

  /** Call it when the faults have changed. */
  run(): void {
    for (const { up, down } of this.#lines) {
      up.run()
      down.run()
    }
  }

  /** Ends every connection at once. */
  close(): void {
    for (const line of this.#lines) this.#end(line)
  }

  #end(line: Line): void {
    line.cancelTimer()
    line.up.clear()
    line.down.clear()
    line.real?.destroy()
    this.#lines.delete(line)
  }
}
