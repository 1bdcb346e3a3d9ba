import type { Clock } from '../../platform/clock.ts'
import { randomFrom } from '../../platform/seeded-random.ts'
import { type Faults, NO_FAULTS } from './faults.ts'
import type { Modem } from './modem.ts'

/** Something that goes wrong once, at any moment. `random` gives numbers in [0, 1). */
type Mischief = (modem: Modem, random: () => number) => void

const whole = (random: () => number, most: number) => 1 + Math.floor(random() * most)
const counted =
  (fault: keyof Faults, most: number): Mischief =>
  (modem, random) =>
    modem.set({ [fault]: whole(random, most) })

/** Every single thing that can go wrong, by name. */
export const MISCHIEF = {
  reset: (modem) => modem.reset(),
  pdpdeact: (modem) => modem.dropContext(),
  noise: (modem, random) =>
    modem.noise(Uint8Array.from({ length: whole(random, 40) }, () => Math.floor(random() * 256))),
  'lost-answer': counted('lostAnswers', 1),
  'lost-prompt': counted('lostPrompts', 1),
  'send-fail': counted('sendFails', 3),
  'lost-to-module': counted('lostUp', 8),
  'lost-to-host': counted('lostDown', 8),
} as const satisfies Record<string, Mischief>
export type MischiefName = keyof typeof MISCHIEF

/** States that last a while, by name. */
export const WEATHER = {
  delay: { upMs: 700, downMs: 700 },
  bursts: { burstMs: 2_000 },
  silence: { silence: true },
  'no-registration': { registration: 2 },
  'no-dns': { noDns: true },
  'no-sim': { noSim: true },
  unannounced: { unannounced: true },
} as const satisfies Record<string, Partial<Faults>>
export type WeatherName = keyof typeof WEATHER

/** The values that end a state. */
export function without(name: WeatherName): Partial<Faults> {
  return Object.fromEntries(Object.entries(NO_FAULTS).filter(([fault]) => fault in WEATHER[name]))
}

export const isMischief = (name: string): name is MischiefName => Object.hasOwn(MISCHIEF, name)
export const isWeather = (name: string): name is WeatherName => Object.hasOwn(WEATHER, name)

export interface RandomFaults {
  clock: Clock
  seed: number
  /** The mean time between two of them. */
  everyMs: number
  /** Called with each, for a log: `silence`, `silence ends`. */
  onFault?(what: string): void
}

/** Lets things go wrong at random moments, the same ones for the same seed. Returns a function that ends it all. */
export function randomFaults(modem: Modem, { clock, seed, everyMs, onFault }: RandomFaults): () => void {
  const random = randomFrom(seed)
  const names = [...Object.keys(MISCHIEF), ...Object.keys(WEATHER)]
  let cancelNext = () => {}
  let end = () => {}
  const next = () => {
    cancelNext = clock.wakeAt(clock.now() + everyMs * (0.5 + random()), () => {
      end()
      end = () => {}
      const name = names[Math.floor(random() * names.length)] ?? ''
      onFault?.(name)
      if (isMischief(name)) MISCHIEF[name](modem, random)
      if (isWeather(name)) {
        modem.set(WEATHER[name])
        end = () => {
          onFault?.(`${name} ends`)
          modem.set(without(name))
        }
      }
      next()
    })
  }
  next()
  return () => {
    cancelNext()
    end()
  }
}
