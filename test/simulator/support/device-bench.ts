import type { Command, CommandBody, CommandType } from '../../../protocol/messages/command.ts'
import { announcementClips } from '../../../protocol/money/sentence.ts'
import { step } from '../../../simulator/speaker/device/device.ts'
import { type Display, displayOf } from '../../../simulator/speaker/device/display.ts'
import type { Effect } from '../../../simulator/speaker/device/state/effects.ts'
import type { DeviceEvent } from '../../../simulator/speaker/device/state/events.ts'
import type { Fault } from '../../../simulator/speaker/device/state/faults.ts'
import type { SpeakerEvent } from '../../../simulator/speaker/device/state/speaker-events.ts'
import {
  DEFAULT_CONFIG,
  type DeviceConfig,
  type DeviceState,
  switchedOn,
} from '../../../simulator/speaker/device/state/state.ts'
import { dueAtMs } from '../../../simulator/speaker/device/timers.ts'
import {
  FACTORY_MEMORY,
  loadMemory,
  type Memory,
  volatileMemory,
} from '../../../simulator/speaker/memory/memory.ts'
import { snapshotOf } from '../../../simulator/speaker/snapshot.ts'
import { commandIdOf } from './hub-double.ts'

/** The hub's clock at the start of every test, Unix seconds. */
export const HUB_START = 1_763_678_400
/** Its K. */
export const KEY = Buffer.alloc(32, 7).toString('base64url')
/** The device's own clock differs by an hour: code that confuses the two fails. */
const DEVICE_START_MS = (HUB_START - 3_600) * 1_000

type Loose<T> = T extends unknown ? Omit<T, 'nowMs'> : never

/** A command; the bench fills in everything but the type. */
export type Order<T extends CommandType> = Partial<Omit<Command<T>, 't' | 'd'>>

/** A device with a manual clock and storage that survives a power cut. */
export class DeviceBench {
  state: DeviceState
  effects: Effect[] = []
  stored: Memory = FACTORY_MEMORY
  #nowMs = DEVICE_START_MS
  #n = 0
  #session = 0
  readonly #config: DeviceConfig

  constructor(config: Partial<DeviceConfig> = {}, faults: readonly Fault[] = []) {
    this.#config = { ...DEFAULT_CONFIG, ...config }
    this.state = switchedOn(this.stored, this.#config, faults)
  }

  /** The device's own clock. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** The number of the next command, unless its order has one. */
  get nextN(): number {
    return this.#n + 1
  }

  /** The hub's clock in seconds. */
  get hubNow(): number {
    return Math.floor(this.#nowMs / 1000) + 3_600
  }

  /** Sends one event now; returns its effects. */
  event(event: Loose<DeviceEvent>): Effect[] {
    const { state, effects } = step(this.state, { ...event, nowMs: this.#nowMs } as DeviceEvent)
    this.state = state
    this.effects.push(...effects)
    for (const effect of effects) if (effect.type === 'persist') this.stored = effect.memory
    return [...effects]
  }

  /** Connects and publishes the birth; no welcome yet. `sid` is how the session id begins. */
  open(key = KEY, sid = ''): Effect[] {
    this.event({ type: 'connecting' })
    this.#session += 1
    return this.event({
      type: 'opened',
      sid: sid + this.#session.toString(16).padStart(16 - sid.length, '0'),
      key,
    })
  }

  /** Connects and is welcomed. */
  connect(linked = true, key = KEY, sid = ''): Effect[] {
    return [...this.open(key, sid), ...this.send('welcome', { now: this.hubNow, n: this.#n, linked })]
  }

  send<T extends CommandType>(t: T, d: CommandBody<T>, order: Order<T> = {}, bytes = 200): Effect[] {
    const n = order.n ?? this.#n + 1
    this.#n = Math.max(this.#n, n)
    const command = { id: commandIdOf(n), n, at: this.hubNow, ttl: 120, ...order, t, d }
    return this.event({ type: 'command', command: command as never, bytes })
  }

  announce(amount: string, order: Order<'announce'> = {}, bill?: string): Effect[] {
    const clips = announcementClips('vi', amount)
    const d = { amount, currency: 'VND', lang: 'vi', clips, ...(bill === undefined ? {} : { bill }) } as const
    return this.send('announce', d, order)
  }

  /** Switches a fault on or off. */
  fault(fault: Fault, on = true): Effect[] {
    return this.event({ type: 'fault', fault, on })
  }

  lose(reason = 'lost'): Effect[] {
    return this.event({ type: 'closed', end: { reason }, retryInMs: undefined })
  }

  /** The hub stores every ack that it has not confirmed: each gets its PUBACK. */
  storeAcks(): Effect[] {
    return this.state.pendingAcks.flatMap(({ token }) => this.event({ type: 'ack_stored', token }))
  }

  /** Cuts the power: keeps only the storage. */
  powerCut(): void {
    const store = volatileMemory(this.stored)
    const { faults } = this.state
    this.state = switchedOn(loadMemory(store, faults.includes('forgets-played')).memory, this.#config, faults)
    this.stored = store.load()
  }

  /** Advances time and ticks the device when a timer is due. */
  wind(ms: number): Effect[] {
    const endMs = this.#nowMs + ms
    const effects: Effect[] = []
    for (let due = dueAtMs(this.state); due !== undefined && due <= endMs; due = dueAtMs(this.state)) {
      this.#nowMs = Math.max(this.#nowMs, due)
      effects.push(...this.event({ type: 'tick' }))
    }
    this.#nowMs = endMs
    return effects
  }

  get display(): Display {
    return displayOf(this.state, this.#nowMs)
  }

  /** The spoken part of the current sentence. */
  get said(): string | undefined {
    const { sounding } = snapshotOf('BENCH', this.state, this.#nowMs)
    return sounding?.kind === 'sentence' ? sounding.said : undefined
  }
}

/** The acks in the effects, without their envelope. */
export function acksIn(effects: readonly Effect[]) {
  return effects.flatMap((effect) => {
    if (effect.type !== 'publish' || effect.message.kind !== 'ack') return []
    const { n, st, rc, dup } = effect.message.body
    return [{ n, st, ...(rc ? { rc } : {}), ...(dup ? { dup } : {}) }]
  })
}

export function eventsIn(effects: readonly Effect[]): SpeakerEvent[] {
  return effects.flatMap((effect) => (effect.type === 'emit' ? [effect.event] : []))
}

/** The numbers of the started announcements. */
export function spokenIn(effects: readonly Effect[]): number[] {
  return eventsIn(effects).flatMap((event) => (event.event === 'announce' ? [event.n] : []))
}
