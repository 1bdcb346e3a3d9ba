import { setTimeout as sleep } from 'node:timers/promises'
import { volatileMemory } from '../../simulator/speaker/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../simulator/speaker/speaker.ts'
import type { LinkedSpeaker } from '../server/storage/shop.ts'
import type { Heard } from '../support/judge.ts'
import { watchOnLine } from '../support/on-line.ts'

/** How long a speaker stays on the line, and away from it, each time; milliseconds. */
const UP_MS = { min: 2_000, max: 40_000 }
const DOWN_MS = { min: 50, max: 15_000 }

export interface FlappingSpeaker {
  readonly heard: Heard
  /** The longest time that it was on the line within a span of `performance.now()`, milliseconds. */
  longestOnLine(from: number, until: number): number
  flaps: number
  /** Stops flapping; resolves when it is on its way back to the line, to stay there. */
  calm(): Promise<void>
  stop(): Promise<void>
}

/**
 * A speaker whose network or power fails at random, the power also in the middle of a sentence: what it keeps is
 * what it has written down.
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
    // Nobody waits for it yet, and a speaker that no longer flaps proves less: it is said at once.
    process.stderr.write(`${serial} no longer flaps: ${String(error)}\n`)
  })
  return self
}
