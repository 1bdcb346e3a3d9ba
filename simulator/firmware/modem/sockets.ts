import type { Endpoint } from './network.ts'
import type { AirConnection, Radio } from './radio.ts'

/** The result codes of the TCP/IP and SSL manuals. */
export const RESULT = { ok: 0, pdpNotOpen: 561, idInUse: 563, dns: 565, connect: 566, closed: 567 } as const

/** Bytes that the module keeps until the hub has acknowledged them. */
const SEND_ROOM = 10_240

/** The commands for TCP and for TLS have numbers and names of their own. */
export type SocketKind = 'QI' | 'QSSL'

/** One connection of the module. Its number is in use until the host closes it, whatever becomes of it. */
export class ModemSocket {
  readonly host: string
  readonly port: number
  state: 'opening' | 'open' | 'closed' = 'opening'
  sent = 0
  received = 0
  #buffer = Buffer.alloc(0)
  #isAnnounced = false
  readonly #connection: AirConnection

  constructor(radio: Radio, to: Endpoint, tell: SocketListener) {
    this.host = to.host
    this.port = to.port
    this.#connection = radio.open(to, {
      opened: () => {
        this.state = 'open'
        tell.opened(RESULT.ok)
      },
      failed: (why) => {
        this.state = 'closed'
        tell.opened(RESULT[why])
      },
      received: (bytes) => {
        this.received += bytes.length
        this.#buffer = Buffer.concat([this.#buffer, bytes])
        if (this.#isAnnounced) return
        this.#isAnnounced = true
        tell.received()
      },
      closed: () => {
        this.state = 'closed'
        tell.closed()
      },
    })
  }

  get unread(): number {
    return this.#buffer.length
  }

  get unacknowledged(): number {
    return this.#connection.unsent()
  }

  /** Takes bytes out of the buffer. When it is empty, the next ones are announced. */
  read(most: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, most)
    this.#buffer = this.#buffer.subarray(most)
    if (this.#buffer.length === 0) this.#isAnnounced = false
    return bytes
  }

  /** False when its buffer has no room for all of them. */
  send(bytes: Uint8Array): boolean {
    if (this.unacknowledged + bytes.length > SEND_ROOM) return false
    this.sent += bytes.length
    this.#connection.send(bytes)
    return true
  }

  close(): void {
    this.#connection.close()
  }

  /** The module has restarted, or its context is gone: the hub is not told. */
  vanish(): void {
    this.state = 'closed'
    this.#connection.vanish()
  }
}

export interface SocketListener {
  opened(result: number): void
  received(): void
  closed(): void
}
