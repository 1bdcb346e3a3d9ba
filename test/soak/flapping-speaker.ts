import { setTimeout as sleep } from 'node:timers/promises'
import { volatileMemory } from '../../simulator/speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../simulator/speaker/speaker.ts'
import type { LinkedSpeaker } from '../server/storage/shop.ts'
import type { Heard } from '../support/proof/judge.ts'
import { watchOnLine } from '../support/proof/on-line.ts'

/** How long a speaker stays connected, and offline, each time, in milliseconds. */
const UP_MS = { min: 2_000, max: 40_000 }
const DOWN_MS = { min: 50, max: 15_000 }

export interface FlappingSpeaker {
  readonly heard: Heard
  /** The longest connected time between two moments of `performance.now()`, in milliseconds. */
  longestOnLine(from: number, until: number): number
  flaps: number
  /** Stops flapping. Resolves when it reconnects for good. */
  calm(): Promise<void>
  stop(): Promise<void>
}

/**
 * A speaker whose network or power fails at random, the power also in the middle of a sentence. It keeps only its
 * persistent memory.
 */
export function startFlappingSpeaker(
  { serial, key }: LinkedSpeaker,
  url: string,
  random: () => number,
): FlappingSpeaker {
  const memory = volatileMemory()
  const heard = new Map<string, number[]>()
  const onLine = watchOnLine()
  const calmed = new AbortController()
  let speaker = switchOn()
  const between = ({ min, max }: { min: number; max: number }) => min + random() * (max - min)

  function switchOn(): Speaker {
    const made = createSpeaker({ serial, key, url, memory, config: { msPerClip: 20 }, random })
    made.subscribe((item) => {
      if (item.kind !== 'event') return
      const { event } = item
      if (event.event === 'announce')
        heard.set(event.amount, [...(heard.get(event.amount) ?? []), performance.now()])
      if (event.event === 'connected') onLine.begin()
      if (event.event === 'disconnected') onLine.end()
    })
    made.start()
    return made
  }

  async function flap() {
    while (!calmed.signal.aborted) {
      await sleep(between(UP_MS), undefined, { signal: calmed.signal })
      self.flaps += 1
      onLine.end()
      await speaker.cutNetwork()
      const powerFails = random() < 0.5
      if (powerFails) await speaker.stop()
      await sleep(between(DOWN_MS))
      if (powerFails) speaker = switchOn()
      else speaker.start()
    }
  }

  const self: FlappingSpeaker = {
    heard,
    flaps: 0,
    longestOnLine: onLine.longest,
    async calm() {
      calmed.abort()
      await flapping
    },
    stop: () => speaker.stop(),
  }
  const flapping = flap().catch((error: unknown) => {
    if (calmed.signal.aborted) return
    // Report the error at once: nobody awaits this promise yet, and a speaker that no longer flaps proves less.
    process.stderr.write(`${serial} no longer flaps: ${String(error)}\n`)
  })
  return self
}
