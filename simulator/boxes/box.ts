import { textOf } from '#platform'
import { type Clock, systemClock } from '../platform/clock.ts'
import { refusedDelayMs, retryDelayMs } from '../speaker/connection/backoff.ts'
import { createFeed, type Feed } from '../speaker/feed.ts'
import type { BoxEffect } from './core/effects.ts'
import { type BoxFault, withBoxFault } from './core/faults.ts'
import type { Firmware, Login } from './core/firmware.ts'
import type { BoxLine } from './core/lines.ts'
import { type BoxConfig, type BoxEvent, type BoxState, bootedBox } from './core/state.ts'
import { boxDueAtMs, stepBox } from './core/step.ts'
import { type BoxPacket, BoxSession } from './line/session.ts'

export interface BoxOptions {
  firmware: Firmware
  config: BoxConfig
  url: string
  faults?: readonly BoxFault[]
  /** Give up when the very first login is refused. */
  stopWhenRefused?: boolean
  clock?: Clock
  /** [0, 1), for the jitter between attempts. */
  random?: () => number
}

/** What a box tells, in order. */
export type BoxItem = { atMs: number } & (
  | { kind: 'event'; event: BoxLine }
  | { kind: 'packet'; packet: BoxPacket }
)

/** A box at one moment. */
export interface BoxSnapshot {
  power: boolean
  /** Whether the network cable is plugged in. */
  plugged: boolean
  state: BoxState
  nowMs: number
}

const CUT = 'the network is cut'

/** A box with its line: feeds events to `stepBox` and performs the effects. */
export class Box {
  readonly firmware: Firmware
  readonly subscribe: Feed<BoxItem>['subscribe']
  readonly #options: BoxOptions
  readonly #clock: Clock
  readonly #feed = createFeed<BoxItem>()
  #state: BoxState
  #powered = true
  #plugged = true
  #session: BoxSession | undefined
  #failures = 0
  #everConnected = false
  #cancelTick = () => {}
  #cancelTimer = () => {}

  constructor(options: BoxOptions) {
    this.#options = options
    this.firmware = options.firmware
    this.subscribe = this.#feed.subscribe
    this.#clock = options.clock ?? systemClock
    this.#state = bootedBox(options.config, options.faults ?? [])
  }

  start(): void {
    this.#plugged = true
    if (this.#powered && !this.#session) this.#connect()
  }

  stop(): void {
    this.#unplug('switched off')
    this.#cancelTick()
  }

  /** Pulls the network cable; `start` plugs it in. */
  cutNetwork(): void {
    this.#unplug(CUT)
  }

  /** Cuts the power: all that is in RAM is lost. */
  powerOff(): void {
    if (!this.#powered) return
    this.#powered = false
    this.#cancelTick()
    this.#cancelTimer()
    this.#session?.drop('no power')
    this.#state = bootedBox(this.#options.config, this.#state.faults)
    this.#emit({ event: 'power', on: false })
  }

  powerOn(): void {
    if (this.#powered) return
    this.#cancelTimer()
    this.#powered = true
    this.#emit({ event: 'power', on: true })
    if (this.#plugged) this.start()
    else this.#dispatch({ type: 'closed', reason: CUT, retryInMs: undefined })
  }

  setFault(fault: BoxFault, on: boolean): void {
    if (this.#powered) this.#dispatch({ type: 'fault', fault, on })
    else if (this.#state.faults.includes(fault) !== on) {
      this.#state = { ...this.#state, faults: withBoxFault(this.#state.faults, fault, on) }
      this.#emit({ event: 'fault', fault, on })
    }
    this.#session?.stall(this.#has('stalls'))
  }

  /** Presses a key of its keypad: a digit, `000`, `enter`, `back` or `clear`. */
  press(key: string): void {
    if (this.#powered) this.#dispatch({ type: 'key', key })
  }

  snapshot(): BoxSnapshot {
    return { power: this.#powered, plugged: this.#plugged, state: this.#state, nowMs: this.#clock.now() }
  }

  #has(fault: BoxFault): boolean {
    return this.#state.faults.includes(fault)
  }

  #connect(): void {
    const { url } = this.#options
    this.#cancelTimer()
    this.#dispatch({ type: 'connecting' })
    this.#session = new BoxSession(url, this.#login(), {
      clock: this.#clock,
      stalled: this.#has('stalls'),
      listener: {
        packet: (packet) => this.#feed.publish({ atMs: this.#clock.now(), kind: 'packet', packet }),
        connected: () => this.#dispatch({ type: 'connected' }),
        subscribed: () => {
          this.#failures = 0
          this.#everConnected = true
          this.#dispatch({ type: 'subscribed' })
        },
        message: (topic, bytes) => this.#receive(topic, bytes),
        ended: (end) => this.#ended(end),
      },
    })
  }

  #login(): Login {
    const login = this.firmware.login(this.#options.config)
    return this.#has('recites') ? { ...login, clean: false } : login
  }

  #receive(topic: string, payload: Uint8Array): boolean {
    const event = { type: 'message', topic, payload: textOf(payload), bytes: payload.length } as const
    const effects = this.#dispatch(event)
    return !effects.some(({ type }) => type === 'withhold')
  }

  #unplug(reason: string): void {
    this.#plugged = false
    if (this.#powered) this.#cancelTimer()
    if (this.#session) this.#session.drop(reason)
    else if (this.#powered) this.#dispatch({ type: 'closed', reason, retryInMs: undefined })
  }

  #ended({ reason, code }: { reason: string; code?: number }): void {
    this.#session = undefined
    if (!this.#powered) return
    this.#dispatch({ type: 'closed', reason, code, retryInMs: this.#planRetry(code) })
  }

  #planRetry(code: number | undefined): number | undefined {
    const { stopWhenRefused = false, random = Math.random } = this.#options
    if (!this.#plugged || (stopWhenRefused && code !== undefined && !this.#everConnected)) return undefined
    this.#failures += 1
    const delayMs = code === undefined ? retryDelayMs(this.#failures, random) : refusedDelayMs(random)
    this.#cancelTimer = this.#clock.wakeAt(this.#clock.now() + delayMs, () => this.#connect())
    return delayMs
  }

  #dispatch(event: BoxEvent): readonly BoxEffect[] {
    const { state, effects } = stepBox(this.firmware, this.#state, event, this.#clock.now())
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    this.#planTick()
    return effects
  }

  #perform(effect: BoxEffect) {
    switch (effect.type) {
      case 'subscribe':
      case 'publish':
        return this.#session?.perform(effect)
      case 'emit':
        return this.#emit(effect.event)
      case 'die':
        this.powerOff()
        this.#cancelTimer = this.#clock.wakeAt(this.#clock.now() + effect.forMs, () => this.powerOn())
        return
      case 'withhold':
    }
  }

  #emit(event: BoxLine): void {
    this.#feed.publish({ atMs: this.#clock.now(), kind: 'event', event })
  }

  #planTick(): void {
    this.#cancelTick()
    const dueMs = this.#powered ? boxDueAtMs(this.#state) : undefined
    if (dueMs === undefined) return
    this.#cancelTick = this.#clock.wakeAt(dueMs, () => void this.#dispatch({ type: 'tick' }))
  }
}
