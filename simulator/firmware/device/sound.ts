import type { Clock } from '../../platform/clock.ts'
import { fromMuLaw } from '../../sound/mulaw.ts'
import type { Audio } from '../../sound/wav.ts'

/** What the DAC gets: samples a second, one byte each. */
export const DAC_RATE = 8_000
/** A pause this long ends a sound: the DAC gets nothing in silence. */
const SILENCE_MS = 300

/**
 * Joins what the DAC gets to sounds, and passes each on as a whole when silence follows, because a player of this system
 * takes files. So a sound is heard after its end.
 */
export class DacListener {
  readonly #clock: Clock
  readonly #onSound: (audio: Audio) => void
  #blocks: Uint8Array[] = []
  #cancel = () => {}

  constructor(clock: Clock, onSound: (audio: Audio) => void) {
    this.#clock = clock
    this.#onSound = onSound
  }

  receive(bytes: Uint8Array): void {
    this.#blocks.push(bytes)
    this.#cancel()
    this.#cancel = this.#clock.wakeAt(this.#clock.now() + SILENCE_MS, () => this.end())
  }

  /** Passes on what has come. */
  end(): void {
    this.#cancel()
    const samples = fromMuLaw(Buffer.concat(this.#blocks))
    this.#blocks = []
    if (samples.length > 0) this.#onSound({ rate: DAC_RATE, samples })
  }
}
