import type { Clock } from '../../../platform/clock.ts'
import { FAULTS, type Fault } from '../../../speaker/device/state/faults.ts'
import type { DeviceConfig } from '../../../speaker/device/state/state.ts'
import type { Speaker } from '../../../speaker/speaker.ts'
import { pick, type Shares } from '../model/shares.ts'
import { spread } from '../model/spread.ts'

/** Networks that a share of a fleet may have. The packets of `2g` and `slow` are late, the line of `flapping` breaks. */
export const NETWORKS = ['2g', 'slow', 'flapping'] as const
export type Network = (typeof NETWORKS)[number]

/** The delay of each packet, each way; `slow` has that of the fault slow-link. */
const DELAY_2G_MS = { least: 150, most: 600 }
/** How long a flapping line holds, and how long it is broken. */
const UP_MS = { least: 20_000, most: 60_000 }
const DOWN_MS = { least: 1_000, most: 10_000 }

/** Shares of a fleet with faults and bad networks. */
export interface ConditionShares {
  faults: Shares<Fault>
  networks: Shares<Network>
}

export interface ConditionsDeps {
  clock: Clock
  /** [0, 1), for the moments at which a line breaks. */
  random: () => number
}

/**
 * The faults and networks of each speaker. They begin when the ramp is over, so that a speaker without a display gets its
 * shop. Each share is spread over the fleet. As long as the shares of the faults are not more than the whole, no speaker
 * has two of them; it may have a fault and a network.
 */
export class Conditions {
  readonly #shares: ConditionShares
  readonly #deps: ConditionsDeps
  readonly #cancels = new Map<number, () => void>()
  /** The flapping speakers. */
  #flapping: { index: number; speaker: Speaker }[] = []

  constructor(shares: ConditionShares, deps: ConditionsDeps) {
    this.#shares = shares
    this.#deps = deps
  }

  /** What differs in the speaker from the others, before it is built. */
  configOf(index: number): Partial<DeviceConfig> {
    return this.networkOf(index) === '2g' ? { slowLinkMs: DELAY_2G_MS } : {}
  }

  faultsOf(index: number): Fault[] {
    const { faults } = this.#shares
    const at = spread(index, 2)
    let from = 0
    return FAULTS.filter((fault) => {
      const share = faults[fault] ?? 0
      const isIn = (at - from + 1) % 1 < share
      from = (from + share) % 1
      return isIn
    })
  }

  networkOf(index: number): Network | undefined {
    return pick(this.#shares.networks, NETWORKS, spread(index, 3))
  }

  /** How many of so many speakers have each fault and network. */
  counts(speakers: number): Record<string, number> {
    const counts: Record<string, number> = {}
    for (let index = 0; index < speakers; index += 1)
      for (const name of [...this.faultsOf(index), this.networkOf(index) ?? []].flat())
        counts[name] = (counts[name] ?? 0) + 1
    return counts
  }

  begin(speakers: readonly Speaker[]): void {
    for (const [index, speaker] of speakers.entries()) {
      for (const fault of this.faultsOf(index)) speaker.setFault(fault, true)
      const network = this.networkOf(index)
      if (network === '2g' || network === 'slow') speaker.setFault('slow-link', true)
      if (network === 'flapping') this.#flapping.push({ index, speaker })
    }
    for (const one of this.#flapping) this.#breakLater(one)
  }

  /** All lines hold from now on. Returns the indexes of the speakers whose line did not. */
  endFlapping(): number[] {
    const ended = this.#flapping
    this.#flapping = []
    for (const cancel of this.#cancels.values()) cancel()
    for (const { speaker } of ended) speaker.start()
    return ended.map(({ index }) => index)
  }

  #breakLater(one: { index: number; speaker: Speaker }): void {
    this.#after(one.index, UP_MS, () => {
      void one.speaker.cutNetwork()
      this.#after(one.index, DOWN_MS, () => {
        one.speaker.start()
        this.#breakLater(one)
      })
    })
  }

  #after(index: number, { least, most }: { least: number; most: number }, act: () => void): void {
    const { clock, random } = this.#deps
    this.#cancels.set(index, clock.wakeAt(clock.now() + least + random() * (most - least), act))
  }
}
