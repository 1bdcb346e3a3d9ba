import type { BoxEffect } from '../../../simulator/boxes/core/effects.ts'
import type { BoxFault } from '../../../simulator/boxes/core/faults.ts'
import type { BoxLine } from '../../../simulator/boxes/core/lines.ts'
import { type BoxConfig, type BoxEvent, bootedBox } from '../../../simulator/boxes/core/state.ts'
import { boxDueAtMs, stepBox } from '../../../simulator/boxes/core/step.ts'
import { type BoxKind, FIRMWARE } from '../../../simulator/boxes/kinds.ts'
import { START_MS } from '../../simulator/boxes/bench.ts'
import type { VirtualClock } from '../../support/clock.ts'
import type { DownPacket } from '../../support/mqtt/packets.ts'
import { Line, type Reachable, type Witness } from './line.ts'

/** What breaks at the next announcement that reaches the box. */
export type Break = {
  at: 'message' | 'puback' | 'confirmed'
  /** Runs then. `line` passes nothing any more unless it says otherwise. */
  act: () => void
}

const RECONNECT_MS = 5_000

/**
 * A simulated box on a line of the tests, without sockets: the firmware is the simulator's, which shares no code with
 * the hub. The line passes bytes at once, until a test cuts or stalls it.
 */
export class BoxOnLine {
  readonly lines: BoxLine[] = []
  readonly witnesses: Witness[] = []
  /** Milliseconds by the clock's `elapsed` at which sounds with an amount began. */
  readonly heardAt: { amount: string; at: number }[] = []
  /** All that the hub has published to it. */
  readonly sent: { topic: string; payload: string }[] = []
  /** Codes of refused CONNECTs. */
  readonly refused: number[] = []
  readonly #kind: BoxKind
  readonly #clock: VirtualClock
  #config: BoxConfig
  #state
  #hub: Reachable
  #line: Line | undefined
  #powered = false
  #plugged = true
  #cancelTick = () => {}
  #cancelRetry = () => {}
  /** What breaks, at most once each. */
  breaks: Break[] = []

  constructor(kind: BoxKind, config: BoxConfig, { clock, hub }: { clock: VirtualClock; hub: Reachable }) {
    this.#kind = kind
    this.#config = config
    this.#clock = clock
    this.#hub = hub
    this.#state = bootedBox(config, [])
  }

  /** It reaches this hub from the next connection on. */
  use(hub: Reachable) {
    this.#hub = hub
  }

  get state() {
    return this.#state
  }

  /** The texts of its sounds. */
  get heard(): string[] {
    return this.lines.flatMap((line) => (line.event === 'announce' ? [line.text] : []))
  }

  linesOf<E extends BoxLine['event']>(event: E): Extract<BoxLine, { event: E }>[] {
    return this.lines.filter((line): line is Extract<BoxLine, { event: E }> => line.event === event)
  }

  async powerOn() {
    this.#powered = true
    await this.#connect()
  }

  powerOff() {
    this.#powered = false
    this.#cancelTick()
    this.#cancelRetry()
    this.#line?.lose()
    this.#line = undefined
    this.witnesses.push('power lost')
    this.#state = bootedBox(this.#config, this.#state.faults)
  }

  /** Nothing passes, and nobody notices. The box connects anew after a while, unless it stays without a network. */
  cut({ comesBack = true } = {}) {
    this.#line?.lose()
    this.#plugged = comesBack
    this.#lost('the network is cut')
  }

  async plugIn() {
    this.#plugged = true
    await this.#connect()
  }

  /** Nothing passes and nothing ends, until it is over. */
  stall(on: boolean) {
    if (on) this.witnesses.push('stalled')
    this.#line?.stall(on)
  }

  fault(fault: BoxFault, on: boolean) {
    this.act({ type: 'fault', fault, on })
  }

  press(...keys: string[]) {
    for (const key of keys) this.act({ type: 'key', key })
  }

  /** Publishes as no firmware does. */
  publish(topic: string, payload: string, qos: 0 | 1 | 2 = 1) {
    this.#line?.up({ topic, payload, qos })
  }

  /** Subscribes, or confirms, as no firmware does. */
  subscribe(topic: string) {
    this.#line?.subscribe(topic, 1)
  }

  confirmAny(messageId: number) {
    this.#line?.confirm(messageId)
  }

  act(event: BoxEvent): readonly BoxEffect[] {
    const now = START_MS + this.#clock.elapsed()
    const { state, effects } = stepBox(FIRMWARE[this.#kind], this.#state, event, now)
    this.#state = state
    for (const effect of effects) this.#perform(effect)
    this.#planTick()
    return effects
  }

  #perform(effect: BoxEffect) {
    switch (effect.type) {
      case 'subscribe':
        return this.#line?.subscribe(effect.topic, effect.qos)
      case 'publish':
        if (effect.payload.includes('9999999999')) this.witnesses.push('stray answer')
        return this.#line?.up(effect)
      case 'emit':
        this.lines.push(effect.event)
        if (effect.event.event === 'announce' && effect.event.amount !== undefined)
          this.heardAt.push({ amount: effect.event.amount, at: this.#clock.elapsed() })
        return
      case 'die':
        this.powerOff()
        this.#cancelRetry = this.#clock.after(effect.forMs, () => void this.powerOn())
        return
      case 'withhold':
    }
  }

  #planTick() {
    this.#cancelTick()
    const dueMs = this.#powered ? boxDueAtMs(this.#state) : undefined
    if (dueMs === undefined) return
    const ms = dueMs - START_MS - this.#clock.elapsed()
    this.#cancelTick = this.#clock.after(ms, () => void this.act({ type: 'tick' }))
  }

  #lost(reason: string) {
    this.#line = undefined
    if (!this.#powered) return
    const retryInMs = this.#plugged ? RECONNECT_MS : undefined
    this.act({ type: 'closed', reason, retryInMs })
    this.#cancelRetry()
    if (retryInMs !== undefined) this.#cancelRetry = this.#clock.after(retryInMs, () => void this.#connect())
  }

  async #connect() {
    this.#cancelRetry()
    if (this.#hub.isDead()) return this.#lost('the hub does not answer')
    this.act({ type: 'connecting' })
    const login = FIRMWARE[this.#kind].login(this.#config)
    const line = new Line(this.#hub, this.#clock, login, {
      down: (packet) => this.#down(line, packet),
      ended: (how) => {
        this.witnesses.push(how)
        if (this.#line === line) this.#lost('the hub closed the connection')
      },
      note: (witness) => void this.witnesses.push(witness),
    })
    this.#line = line
    const code = await line.connect()
    if (this.#line !== line) return
    if (code !== undefined) {
      this.refused.push(code)
      return this.#lost(`refused with ${code}`)
    }
    this.act({ type: 'connected' })
    this.act({ type: 'subscribed' })
  }

  #down(line: Line, packet: DownPacket) {
    if (packet.cmd !== 'publish') return
    const payload = packet.payload.toString()
    const isMoney = /"payment"|playAudibleMsg|SpeechBroadcast|"money"|amount/.test(payload)
    const breaks = (at: Break['at']) => {
      const found = isMoney ? this.breaks.find((one) => one.at === at) : undefined
      if (!found) return
      this.breaks = this.breaks.filter((one) => one !== found)
      found.act()
    }
    breaks('message')
    if (line.isLost) return void this.witnesses.push('message lost')
    this.sent.push({ topic: packet.topic, payload })
    // What is answered at once leaves behind the PUBACK, and is lost with it.
    line.hold()
    const bytes = packet.payload.length
    const effects = this.act({ type: 'message', topic: packet.topic, payload, bytes })
    breaks('puback')
    if (line.isLost) return void this.witnesses.push('puback lost')
    if (!effects.some(({ type }) => type === 'withhold')) line.confirm(packet.messageId)
    breaks('confirmed')
    line.release()
  }
}
