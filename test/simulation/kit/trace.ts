import { hash } from './dice.ts'

/** Lines that are kept to be shown with a failure. */
const KEPT = 400

/** What has happened in a world, a line each; the hash tells two runs apart however long they were. */
export interface Trace {
  note(line: string): void
  /** Counts something that has happened. */
  count(what: string, times?: number): void
  counts(): ReadonlyMap<string, number>
  /** The newest lines, oldest first. */
  tail(count: number): string[]
  hash(): string
}

export function createTrace(elapsedMs: () => number): Trace {
  let lines: string[] = []
  let first = 0x811c9dc5
  let second = 0x01000193
  let count = 0
  const counts = new Map<string, number>()
  return {
    note(line) {
      const text = `${(elapsedMs() / 1000).toFixed(3).padStart(9)}  ${line}`
      first = hash(text, first)
      second = hash(text, second ^ first)
      count += 1
      lines.push(text)
      if (lines.length > 2 * KEPT) lines = lines.slice(-KEPT)
    },
    count: (what, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times),
    counts: () => counts,
    tail: (wanted) => lines.slice(-wanted),
    hash: () => `${count}-${first.toString(16).padStart(8, '0')}${second.toString(16).padStart(8, '0')}`,
  }
}
