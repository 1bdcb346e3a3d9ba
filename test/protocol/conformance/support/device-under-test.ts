import type { Operator } from '../../../../protocol/conformance/run/operator.ts'
import { deriveKeys } from '../../../../protocol/keys.ts'
import { answerOf } from '../../../../simulator/run/kit/senses.ts'
import type { step } from '../../../../simulator/speaker/device/device.ts'
import type { SpeakerEvent } from '../../../../simulator/speaker/device/state/speaker-events.ts'
import type { DeviceConfig } from '../../../../simulator/speaker/device/state/state.ts'
import { type Memory, type MemoryStore, volatileMemory } from '../../../../simulator/speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../../../simulator/speaker/speaker.ts'
import type { Dial } from './line.ts'
import type { WarpClock } from './warp-clock.ts'

export const SERIAL = 'SPK-TEST-07'
export const KEY = Buffer.alloc(32, 7)
export const KEYS = deriveKeys(KEY)
/** Nothing is resolved or connected: the line is in memory. */
const URL_OF_KIT = 'mqtt://kit'

/** The same in every run, in turn: which sentence outlasts which reconnection must not be left to chance. */
const USUAL_JITTER = [0.4, 0.6]

/** Turns of the event loop that a connection takes from CONNECT to the ack of the welcome, and more. */
const TURNS_TO_COME_BACK = 100

/** What about a speaker is not as the product makes it. */
export interface Mutation {
  /** Builds a speaker from other modules than the product's. */
  create?: typeof createSpeaker
  /** Decides in place of the simulator's own step. */
  step?: typeof step
  /** Stands between the speaker and the kit: wraps the way to connect. */
  line?: (dial: Dial) => Dial
  newSid?: () => string
  /** Hardware of another kind. */
  config?: Partial<DeviceConfig>
  /** For the jitter: always 0 is a storm. */
  random?: () => number
  /** What the memory holds after a power cut. */
  afterPowerCut?: (kept: Memory) => Memory
  /** Fails to say goodbye when it is asked to leave. */
  leavesRudely?: boolean
}

/** A simulated speaker, and a person who stands before it: pulls its plug, hears it, reads its screen. */
export class DeviceUnderTest {
  readonly operator: Operator
  readonly #clock: WarpClock
  readonly #dial: Dial
  readonly #mutation: Mutation
  #memory: MemoryStore = volatileMemory()
  #speaker: Speaker
  /** Counts over all power cuts. */
  #jitters = 0
  /** Over all power cuts: ears have no memory that could be cut. */
  readonly #happenings: SpeakerEvent[] = []

  constructor(dial: Dial, clock: WarpClock, mutation: Mutation) {
    this.#dial = mutation.line?.(dial) ?? dial
    this.#clock = clock
    this.#mutation = mutation
    this.#speaker = this.#build()
    this.operator = {
      answer: async (question) => answerOf(question, this.#happenings, this.#speaker.snapshot()),
      powerCycle: () => clock.holdDuring(this.#powerCycle()),
      goodbye: () => this.#goodbye(),
    }
  }

  switchOn(): void {
    this.#speaker.start()
  }

  async switchOff(): Promise<void> {
    await this.#speaker.cutNetwork()
    await this.#speaker.stop()
  }

  #build(): Speaker {
    const { create = createSpeaker, step, newSid, random, config } = this.#mutation
    const speaker = create({
      ...{ serial: SERIAL, key: KEY, url: URL_OF_KIT, memory: this.#memory, clock: this.#clock },
      ...(step ? { step } : {}),
      ...(newSid ? { newSid } : {}),
      // The kit's offer has no image behind it.
      config: { declinesUpdates: true, ...config },
      random: random ?? (() => this.#usualJitter()),
      dial: this.#dial,
    })
    speaker.subscribe((item) => {
      if (item.kind === 'event' && speaker === this.#speaker) this.#happenings.push(item.event)
    })
    return speaker
  }

  async #powerCycle(): Promise<void> {
    const old = this.#speaker
    const kept = this.#memory.load()
    this.#memory = volatileMemory(this.#mutation.afterPowerCut?.(kept) ?? kept)
    this.#speaker = this.#build()
    await old.cutNetwork()
    await old.stop()
    this.#speaker.start()
  }

  async #goodbye(): Promise<void> {
    if (this.#mutation.leavesRudely) await this.#speaker.cutNetwork()
    // Time passes here: a speaker that gets no answer to its `bye` gives up by its clock.
    else await this.#speaker.stop()
    await this.#clock.holdDuring(this.#comeBack())
  }

  #usualJitter(): number {
    this.#jitters += 1
    return USUAL_JITTER[this.#jitters % USUAL_JITTER.length] ?? 0
  }

  /** As a test rig that returns when the device is back. */
  async #comeBack(): Promise<void> {
    this.#speaker.start()
    for (let turn = 0; turn < TURNS_TO_COME_BACK; turn += 1) await nextTurn()
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
