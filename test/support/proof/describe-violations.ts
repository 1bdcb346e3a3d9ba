import type { Entry, History } from './history.ts'
import type { Violation } from './judge.ts'

const MOST_REPORTED = 10
/** The first and the last entries in the report of one violation: a processor may have asked for minutes. */
const FIRST = 12
const LAST = 12
/** A report has what was done to the hub, and how its speaker was connected, for so long before and after. */
const AROUND_MS = 5_000

/** A text for each of the first violations: what is wrong, and what was seen of it, in order. */
export function describeViolations(history: History, violations: readonly Violation[]): string[] {
  const reports = violations.slice(0, MOST_REPORTED).map((one) => describeOne(history, one))
  const left = violations.length - reports.length
  return left > 0 ? [...reports, `and ${left} more`] : reports
}

function describeOne({ entries }: History, { says, seen, terminalID }: Violation): string {
  const times = seen.map(({ at }) => at)
  const [from, until] = [Math.min(...times) - AROUND_MS, Math.max(...times) + AROUND_MS]
  const own = new Set(seen)
  const isAround = (entry: Entry) =>
    from < entry.at && entry.at < until && (entry.kind === 'done' || isState(entry, terminalID))
  const lines = entries
    .filter((entry) => own.has(entry) || isAround(entry))
    .map((entry) => `    ${Math.round(entry.at - Math.min(...times))} ms: ${sentenceFor(entry)}`)
  const left = lines.length - FIRST - LAST
  if (left > 1) lines.splice(FIRST, left, `    … ${left} more …`)
  return [says, ...lines].join('\n')
}

function isState(entry: Entry, terminalID: string): boolean {
  return (entry.kind === 'online' || entry.kind === 'offline') && entry.terminalID === terminalID
}

function sentenceFor(entry: Entry): string {
  switch (entry.kind) {
    case 'asked':
      return `${entry.ftCode} is reported to ${entry.base}`
    case 'answered':
      return `${entry.ftCode} gets ${entry.answer}${entry.id ? `, ${entry.isReplay ? 'again' : 'as new'}, id ${entry.id}` : ''}`
    case 'heard':
      return `${entry.terminalID} speaks ${entry.amount}`
    case 'shown':
      return `${entry.terminalID} shows ${entry.count} of ${entry.sum} as missed`
    case 'online':
    case 'offline':
      return `${entry.terminalID} is ${entry.kind}`
    case 'done':
      return entry.what
  }
}
