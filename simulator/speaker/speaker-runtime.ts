import { type Clock, systemClock } from '../platform/clock.ts'
import { messageOf } from '../platform/error-text.ts'
import { Connection, type LinkEvent } from './connection/connection.ts'
import { randomSid } from './connection/sid.ts'
import { step } from './device/device.ts'
import type { Effect } from './device/state/effects.ts'
import type { Adjustment, DeviceEvent } from './device/state/events.ts'
import { type Fault, withFault } from './device/state/faults.ts'
import type { SimulatorEvent, SpeakerEvent } from './device/state/speaker-events.ts'
import {
  DEFAULT_CONFIG,
  type DeviceConfig,
  type DeviceState,
  NORMAL_VITALS,
  switchedOn,
} from './device/state/state.ts'
import { dueAtMs } from './device/timers.ts'
import { vitalsOf } from './device/vitals.ts'
import { EventQueue } from './event-queue.ts'
import { createFeed, type Feed } from './feed.ts'
import { startLate } from './late-start.ts'
import { keyringOf, loadMemory, MemoryError, type MemoryStore } from './memory/memory.ts'
import { type SpeakerSnapshot, snapshotOf, switchedOff } from './snapshot.ts'
import type { SpeakerOptions } from './speaker-options.ts'

/** Feeds events to the device and performs its effects on the connection, the memory and the feed. */
export class SpeakerRuntime {
  readonly serial: string
  readonly subscribe: Feed['subscribe']
  readonly hubNowMs = () => this.#clock.now() + this.#state.hubAheadMs
  readonly owesAck = (n: number) => this.#state.pendingAcks.some(({ body }) => body.n === n)
  readonly #memory: MemoryStore
  readonly #config: DeviceConfig
  readonly #clock: Clock
  readonly #feed = createFeed()
  readonly #connection: Connection
  readonly #step: typeof step
  readonly #random: () => number
  /** Held while the memory is written. */
  readonly #queue = new EventQueue<{ event: DeviceEvent; powerCut: number }>(
    ({ event, powerCut }) => {
      if (!this.#broken && powerCut === this.#powerCut) this.#handle(event)
    },
    () => this.#planTick(),
  )
  /** Counts power cuts. An event or effect of an earlier count is void. */
  #powerCut = 0
  #state: DeviceState
  #powered = true
  /** Battery percentage at the last power cut. */
  #batteryLeft = NORMAL_VITALS.battery
  /** The signal that was reported last: a cable that is plugged in without power changes it. */
  #signalTold = NORMAL_VITALS.signal
  /** Whether the network cable is plugged in. */
  #plugged = true
  #broken = false
  #cancelTick = () => {}

  constructor(options: SpeakerOptions) {
    const { serial, key, url, memory, clock, random, newSid } = options
    this.serial = serial
    this.subscribe = this.#feed.subscribe
    this.#memory = memory
    this.#step = options.step ?? step
    this.#clock = clock ?? systemClock
    this.#config = { ...DEFAULT_CONFIG, ...options.config }
    this.#state = this.#boot(options.faults ?? [])
    this.#random = random ?? Math.random
    this.#connection = new Connection({
      serial,
      keyring: () => keyringOf(this.#state.memory, key),
      url,
      clock: this.#clock,
      random: this.#random,
      newSid: newSid ?? randomSid,
      delayMs: () => this.#delayMs(),
      stopWhenRefused: options.stopWhenRefused ?? false,
      dial: options.dial,
      listener: (event) => this.#onLink(event),
    })
  }

  start(): void {
    this.#plugged = true
    if (!this.#powered || this.#broken) return
    this.#dispatch({ type: 'tick', nowMs: this.#clock.now() })
    this.#connection.start()
  }

  async stop(): Promise<void> {
    await this.#connection.stop()
    await this.#queue.released()
    this.#cancelTick()
  }

  async reconnect(): Promise<void> {
    if (!this.#powered || this.#broken) return
    this.#plugged = true
    await this.#connection.reconnect()
  }

  cutNetwork(): Promise<void> {
    this.#plugged = false
    return this.#connection.cut()
  }

  async powerOff(): Promise<void> {
    if (!this.#powered) return
    this.#powered = false
    this.#batteryLeft = vitalsOf(this.#state, this.#clock.now()).battery
    this.#signalTold = this.#state.vitals.signal
    this.#powerCut += 1
    this.#cancelTick()
    this.#state = switchedOn(this.#state.memory, this.#config, this.#state.faults)
    this.#emit({ event: 'power', on: false })
    await this.#connection.cut('no power')
  }

  powerOn(reset: DeviceState['start']['reset'] = 'power'): void {
    if (this.#powered) return
    this.#powered = true
    this.#emit({ event: 'power', on: true })
    this.#guard(() => {
      const vitals = { ...NORMAL_VITALS, signal: this.#signalTold }
      this.#state = { ...this.#boot(this.#state.faults, reset), vitals }
    })
    if (this.#plugged) this.start()
    else void this.#connection.cut()
  }

  setFault(fault: Fault, on: boolean): void {
    if (this.#powered) this.#dispatch({ type: 'fault', fault, on, nowMs: this.#clock.now() })
    else if (this.#state.faults.includes(fault) !== on) {
      // A fault can be switched without power; the device does not react.
      this.#state = { ...this.#state, faults: withFault(this.#state.faults, fault, on) }
      this.#emit({ event: 'fault', fault, on })
    }
  }

  adjust(change: Adjustment): void {
    if (this.#powered) this.#dispatch({ type: 'adjusted', change, nowMs: this.#clock.now() })
  }

  dismiss(): void {
    if (this.#powered) this.#dispatch({ type: 'dismiss', nowMs: this.#clock.now() })
  }

  note(event: SimulatorEvent): void {
    this.#emit(event)
  }

  snapshot(): SpeakerSnapshot {
    const snapshot = snapshotOf(this.serial, this.#state, this.#clock.now())
    return this.#powered ? snapshot : switchedOff(snapshot, this.#batteryLeft)
  }

  #boot(faults: readonly Fault[], reset: DeviceState['start']['reset'] = 'power'): DeviceState {
    const { memory, saving } = loadMemory(this.#memory, faults.includes('forgets-played'))
    if (saving !== undefined) this.#awaitDurable(saving)
    return switchedOn(memory, this.#config, faults, { reset, atMs: this.#clock.now() })
  }

  #onLink(event: LinkEvent): void {
    // Without power, nobody receives what the connection still reports.
    if (!this.#powered) return
    const nowMs = this.#clock.now()
    switch (event.type) {
      case 'packet':
        this.#feed.publish({ atMs: nowMs, kind: 'packet', note: event.note })
        break
      case 'ignored':
        this.#emit({ event: 'ignored', reason: event.reason })
        break
      case 'closed':
        this.#dispatch({ ...event, unplugged: !this.#plugged, nowMs })
        break
      case 'connecting':
      case 'opened':
      case 'command':
      case 'unknown_command':
      case 'ack_stored':
        this.#dispatch({ ...event, nowMs })
        break
    }
  }

  #dispatch(event: DeviceEvent): void {
    this.#queue.push({ event, powerCut: this.#powerCut })
  }

  #handle(event: DeviceEvent): void {
    const { state, effects } = this.#step(this.#state, event)
    this.#state = state
    this.#performAll(effects)
  }

  /** Performs effects in order. Those behind a write of the memory wait until it is durable (sb/1 12.2). */
  #performAll(effects: readonly Effect[]): void {
    const powerCut = this.#powerCut
    this.#guard(() => {
      for (const [index, effect] of effects.entries()) {
        if (powerCut !== this.#powerCut) return
        const saving = this.#perform(effect)
        if (saving !== undefined) return this.#awaitDurable(saving, effects.slice(index + 1))
      }
    })
  }

  /** Lets all events wait for a write. After a power cut, neither its effects nor its failure count any more. */
  #awaitDurable(saving: Promise<void>, effects: readonly Effect[] = []): void {
    const powerCut = this.#powerCut
    const sinceMs = this.#clock.now()
    const unlessCut = (act: () => void) => () => {
      if (powerCut === this.#powerCut) act()
    }
    const durable = saving.then(
      () => unlessCut(() => this.#performLate(effects, sinceMs)),
      (error: unknown) => unlessCut(() => this.#break(messageOf(error))),
    )
    this.#queue.hold(durable)
  }

  #performLate(waiting: readonly Effect[], sinceMs: number): void {
    const { state, effects } = startLate(this.#state, waiting, { sinceMs, nowMs: this.#clock.now() })
    this.#state = state
    this.#performAll(effects)
  }

  /** Runs `act`; an error breaks the speaker. It is thrown again if it is a mistake of the program. */
  #guard(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#break(messageOf(error))
      if (!(error instanceof MemoryError)) throw error
    }
  }

  /** Returns a promise when the effect takes time. */
  #perform(effect: Effect): void | Promise<void> {
    switch (effect.type) {
      case 'publish':
        this.#connection.publish(effect.message)
        break
      case 'persist':
        return this.#memory.save(effect.memory)
      case 'emit':
        this.#emit(effect.event)
        break
      case 'switch_off':
        void this.powerOff()
        break
      case 'reconnect':
        void this.reconnect()
        break
      case 'restart':
        void this.#restart()
        break
    }
  }

  /** With `bye`: nothing is lost. */
  async #restart(): Promise<void> {
    const powerCut = this.#powerCut
    await this.#connection.stop()
    if (powerCut !== this.#powerCut) return
    await this.powerOff()
    this.powerOn('update')
  }

  /**
   * A speaker that can't store `played` could announce a payment twice, and one whose sound or screen has thrown could ack
   * what nobody heard or saw: it stops instead.
   */
  #break(reason: string): void {
    this.#broken = true
    void this.#connection.stop()
    this.#emit({ event: 'broken', reason })
  }

  #emit(event: SpeakerEvent): void {
    this.#feed.publish({ atMs: this.#clock.now(), kind: 'event', event })
  }

  #delayMs(): number {
    if (!this.#state.faults.includes('slow-link')) return 0
    const { least, most } = this.#config.slowLinkMs
    return least + Math.round(this.#random() * (most - least))
  }

  #planTick(): void {
    this.#cancelTick()
    const isIdle = this.#broken || !this.#powered || this.#queue.isHeld
    const dueMs = isIdle ? undefined : dueAtMs(this.#state)
    if (dueMs === undefined) return
    this.#cancelTick = this.#clock.wakeAt(dueMs, () =>
      this.#dispatch({ type: 'tick', nowMs: this.#clock.now() }),
    )
  }
}
