import type { BoxEffect } from '../../../simulator/boxes/core/effects.ts'
import type { BoxFault } from '../../../simulator/boxes/core/faults.ts'
import type { BoxLine } from '../../../simulator/boxes/core/lines.ts'
import {
  type BoxConfig,
  type BoxEvent,
  type BoxState,
  bootedBox,
} from '../../../simulator/boxes/core/state.ts'
import { boxDueAtMs, stepBox } from '../../../simulator/boxes/core/step.ts'
import { type BoxKind, FIRMWARE } from '../../../simulator/boxes/kinds.ts'
import { DEFAULT_PACKS } from '../../../simulator/boxes/oneway/packs.ts'

export const START_MS = 1_763_678_400_000

export function configOf(change: Partial<BoxConfig> = {}): BoxConfig {
  return {
    serial: 'BOX-0001',
    password: undefined,
    productKey: 'pk',
    secret: 'secret',
    topic: undefined,
    lang: 'vi',
    packs: DEFAULT_PACKS,
    playReport: undefined,
    wordMs: 220,
    deadMs: 3_000,
    ...change,
  }
}

/** A box on a bench: the test hands it events and reads what it does. */
export class BoxBench {
  state: BoxState
  nowMs = START_MS
  readonly effects: BoxEffect[] = []
  readonly #kind: BoxKind

  constructor(kind: BoxKind, config: Partial<BoxConfig> = {}, faults: readonly BoxFault[] = []) {
    this.#kind = kind
    this.state = bootedBox(configOf(config), faults)
  }

  /** Connects it and forgets what it did meanwhile. */
  online(): this {
    this.act({ type: 'connecting' })
    this.act({ type: 'connected' })
    this.act({ type: 'subscribed' })
    this.effects.length = 0
    return this
  }

  act(event: BoxEvent): readonly BoxEffect[] {
    const { state, effects } = stepBox(FIRMWARE[this.#kind], this.state, event, this.nowMs)
    this.state = state
    this.effects.push(...effects)
    return effects
  }

  /** Hands it a message; true when it confirms it. */
  hear(payload: unknown): boolean {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const effects = this.act({
      type: 'message',
      topic: 'down',
      payload: text,
      bytes: Buffer.byteLength(text),
    })
    return !effects.some(({ type }) => type === 'withhold')
  }

  keys(...keys: string[]): void {
    for (const key of keys) this.act({ type: 'key', key })
  }

  /** Lets time pass, with all that is due. */
  wind(ms: number): void {
    const endMs = this.nowMs + ms
    for (
      let dueMs = boxDueAtMs(this.state);
      dueMs !== undefined && dueMs <= endMs;
      dueMs = boxDueAtMs(this.state)
    ) {
      this.nowMs = dueMs
      this.act({ type: 'tick' })
    }
    this.nowMs = endMs
  }

  get lines(): BoxLine[] {
    return this.effects.flatMap((effect) => (effect.type === 'emit' ? [effect.event] : []))
  }

  /** The texts of all sounds so far. */
  get heard(): string[] {
    return this.lines.flatMap((line) => (line.event === 'announce' ? [line.text] : []))
  }

  linesOf<E extends BoxLine['event']>(event: E): Extract<BoxLine, { event: E }>[] {
    return this.lines.filter((line): line is Extract<BoxLine, { event: E }> => line.event === event)
  }

  /** What it has published, parsed. */
  get published(): { topic: string; body: Record<string, unknown>; qos: number }[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'publish'
        ? [{ topic: effect.topic, body: Object(JSON.parse(effect.payload)), qos: effect.qos }]
        : [],
    )
  }
}
