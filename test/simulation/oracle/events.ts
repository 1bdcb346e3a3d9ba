import { Violation } from '../kit/violation.ts'
import type { EventRow, Fact, FileReader } from './file.ts'

/** Reads the log of each partner as somebody does who goes on from the last seq. */
export interface Events {
  check(file: FileReader): void
  /** An older file was put in the place of the newer. */
  rewind(file: FileReader): void
  clockWasSet(): void
}

const nameOf = ({ clientId, type, subject }: Fact) => `${clientId} ${type} ${subject}`

/**
 * Every payment, every paid bill and every end of an announcement has its event, once and in the same commit. Seqs rise: no
 * event appears below the last one that was read, over kills, several hubs and a restored backup.
 */
export function createEvents(): Events {
  /** The events that were read, and the last seq of each partner. */
  let read = new Set<string>()
  let last = new Map<string, number>()
  let isClockSet = false

  function readOn(rows: readonly EventRow[]) {
    const before = new Map(last)
    for (const row of rows) {
      const { clientId, seq, type } = row
      const key = `${clientId} ${seq}`
      if (read.has(key)) continue
      if (seq <= (before.get(clientId) ?? 0))
        throw new Violation(
          'events',
          `a reader of ${clientId} has missed ${type}: it appeared below its last seq`,
        )
      read.add(key)
      last.set(clientId, Math.max(seq, last.get(clientId) ?? 0))
    }
  }

  return {
    check(file) {
      const rows = file.events()
      const counts = new Map<string, number>()
      for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1)
      for (const fact of file.facts()) {
        const count = counts.get(nameOf(fact)) ?? 0
        if (count !== 1)
          throw new Violation(
            'events',
            `${fact.type} of the row ${fact.subject} is ${count} times in the log`,
          )
        counts.delete(nameOf(fact))
      }
      const [other] = counts.keys()
      if (other !== undefined) throw new Violation('events', `the log tells of what is not so: ${other}`)
      readOn(rows)
    },
    rewind(file) {
      // What was read and is not in the backup never was, and nothing may come below it. A clock that was set back gives
      // lower seqs to what comes then.
      const kept = file.events()
      read = new Set(kept.map(({ clientId, seq }) => `${clientId} ${seq}`))
      if (isClockSet) {
        last = new Map()
        for (const { clientId, seq } of kept) last.set(clientId, Math.max(seq, last.get(clientId) ?? 0))
      }
    },
    clockWasSet() {
      isClockSet = true
    },
  }
}
