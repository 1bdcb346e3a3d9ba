import { Modem } from '../../../simulator/firmware/modem/modem.ts'
import type { ConnectionListener, Endpoint, Network } from '../../../simulator/firmware/modem/network.ts'
import { type ModemOptions, USUAL_TIMES } from '../../../simulator/firmware/modem/options.ts'
import { WoundClock } from '../support/wound-clock.ts'

/** A connection that the module has opened, seen by the hub. */
export interface HubSide {
  to: Endpoint
  /** What the module has sent. */
  got: Buffer
  /** How the module has ended it. */
  end: 'none' | 'fin' | 'destroyed'
  tell: ConnectionListener
}

/** A module on a clock that the test winds, with a host and a network in the test's hands. */
export class ModemBench {
  readonly clock = new WoundClock()
  readonly modem: Modem
  readonly mistakes: string[] = []
  readonly hubs: HubSide[] = []
  /** Whether the network opens each connection at once. */
  opens = true
  #output = Buffer.alloc(0)

  constructor(options: Partial<ModemOptions> = {}) {
    const network: Network = {
      open: (to, tell) => {
        const side: HubSide = { to, got: Buffer.alloc(0), end: 'none', tell }
        this.hubs.push(side)
        if (this.opens) tell.opened()
        return {
          send: (bytes) => {
            side.got = Buffer.concat([side.got, bytes])
          },
          end: () => {
            side.end = 'fin'
          },
          destroy: () => {
            if (side.end === 'none') side.end = 'destroyed'
          },
        }
      },
    }
    this.modem = new Modem({
      ...{ clock: this.clock, network, times: USUAL_TIMES },
      write: (bytes) => {
        this.#output = Buffer.concat([this.#output, bytes])
      },
      onMistake: (what) => this.mistakes.push(what),
      ...options,
    })
  }

  /** Gives it power, and brings it to an active context, without echo. */
  started(): this {
    this.modem.power(true)
    this.wait(5_000)
    for (const line of ['AT', 'ATE0', 'AT+QIACT=1']) this.say(line)
    return this
  }

  /** As `started`, with a connection on number 0. */
  connected(): this {
    this.started()
    this.say('AT+QIOPEN=1,0,"TCP","hub.example",1883,0,0')
    return this
  }

  /** The hub's side of the newest connection. */
  get hub(): HubSide {
    const side = this.hubs.at(-1)
    if (!side) throw new Error('the module has opened no connection')
    return side
  }

  /** Sends a line, waits, and returns what came meanwhile, with line ends as /. */
  say(line: string, waitMs = 300): string {
    return this.sendRaw(`${line}\r\n`, waitMs)
  }

  sendRaw(bytes: string | Uint8Array, waitMs = 300): string {
    this.output()
    this.modem.receive(Buffer.from(bytes))
    this.wait(waitMs)
    return shown(this.output())
  }

  wait(ms: number): void {
    this.clock.wind(ms)
  }

  /** What came since the last call. */
  output(): Buffer {
    const bytes = this.#output
    this.#output = Buffer.alloc(0)
    return bytes
  }
}

/** Bytes for a comparison: a line end is "/". */
export function shown(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '/')
}
