import { linePrinter } from '../headless/headless.ts'
import { timelineOf } from './timeline.ts'
import type { Transcript } from './transcript.ts'

export const CUT_OFF = 'The recording is incomplete: the speaker was killed, or could not write.'

/** Prints the events of a session as headless mode did, all at once. */
export function printReplay(
  { moments }: Transcript,
  { fromMs, maxIdleMs }: { fromMs: number; maxIdleMs: number },
  write: (text: string) => void,
): void {
  const times = timelineOf(moments, maxIdleMs)
  const print = linePrinter(write, {})
  moments.forEach(({ item }, index) => {
    if (item?.kind === 'event' && (times[index] ?? 0) >= fromMs) print(item.event, item.atMs)
  })
}
