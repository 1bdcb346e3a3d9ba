import { headlessLine } from '../headless.ts'
import { timelineOf } from './timeline.ts'
import type { Transcript } from './transcript.ts'

export const CUT_OFF = 'The recording stops here without its end: the speaker was killed, or could not write.'

/** Prints the happenings of a session as headless mode did, all at once. */
export function printReplay(
  { moments }: Transcript,
  { fromMs, maxIdleMs }: { fromMs: number; maxIdleMs: number },
  write: (text: string) => void,
): void {
  const times = timelineOf(moments, maxIdleMs)
  moments.forEach(({ item }, index) => {
    const line = item && (times[index] ?? 0) >= fromMs ? headlessLine(item) : undefined
    if (line !== undefined) write(`${line}\n`)
  })
}
