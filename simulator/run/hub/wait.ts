import { setTimeout as sleep } from 'node:timers/promises'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { Speaker } from '../../speaker/speaker.ts'

/** Ends a step that hangs. A machine that is busy, or was stopped for some seconds, does not reach it. */
const STEP_WITHIN_MS = 60_000

/** Resolves with the first defined result of `pick`; rejects when none comes in time. */
export function nextEvent<T>(
  speaker: Speaker,
  what: string,
  pick: (event: SpeakerEvent) => T | undefined,
): Promise<T> {
  const awaited = new Promise<T>((resolve, reject) => {
    const late = setTimeout(() => {
      end()
      reject(new Error(`The speaker did not ${what} within ${STEP_WITHIN_MS / 1000} s.`))
    }, STEP_WITHIN_MS).unref()
    const end = speaker.subscribe((item) => {
      if (item.kind !== 'event') return
      const found = pick(item.event)
      if (found === undefined) return
      clearTimeout(late)
      end()
      resolve(found)
    })
  })
  // If the request that should cause the event fails, that error is reported; this must not become an
  // unhandled rejection.
  awaited.catch(() => undefined)
  return awaited
}

/** Polls until the answer is true; false when it is not within a step's time. */
export async function becomesTrue(ask: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + STEP_WITHIN_MS
  while (performance.now() < until) {
    if (await ask()) return true
    await sleep(50)
  }
  return false
}
