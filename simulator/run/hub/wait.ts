import { setTimeout as sleep } from 'node:timers/promises'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { Speaker } from '../../speaker/speaker.ts'

/** No step of the line takes this long unless something is wrong. */
const STEP_WITHIN_MS = 10_000

/** Resolves with what `pick` finds in the next happening that it knows; rejects when none comes in time. */
export function nextEvent<T>(
  speaker: Speaker,
  what: string,
  pick: (event: SpeakerEvent) => T | undefined,
): Promise<T> {
  const awaited = new Promise<T>((resolve, reject) => {
    const late = setTimeout(() => {
      end()
      reject(new Error(`The speaker did not ${what} within ${STEP_WITHIN_MS / 1000} s.`))
    }, STEP_WITHIN_MS)
    const end = speaker.subscribe((item) => {
      if (item.kind !== 'event') return
      const found = pick(item.event)
      if (found === undefined) return
      clearTimeout(late)
      end()
      resolve(found)
    })
  })
  // Should what was to cause it fail, that is what is told: this is then nobody's rejection.
  awaited.catch(() => undefined)
  return awaited
}

/** Asks again and again until the answer is yes; false when it is still no after a step's time. */
export async function becomesTrue(ask: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + STEP_WITHIN_MS
  while (performance.now() < until) {
    if (await ask()) return true
    await sleep(50)
  }
  return false
}
