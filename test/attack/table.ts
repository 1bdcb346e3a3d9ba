import { percentile } from '../support/percentile.ts'
import { KINDS } from './parts/newcomers.ts'
import type { Noticed } from './parts/victim.ts'
import type { Result } from './run.ts'
import { liveOf, megabytes } from './verdict.ts'

const COLUMNS = [
  ['attack', 16],
  ['callback, calm', 15],
  ['under attack', 17],
  ['to socket, calm', 15],
  ['under attack', 17],
  ['hub MB before/peak/after (live)', 32],
  ['', 8],
] as const

/** Milliseconds: p50, p99 and the highest. */
export const HEADINGS = `The victim's milliseconds: p50 / p99 / max. The hub's memory: resident, and live on the heap and beside it.\n${line(COLUMNS.map(([heading]) => heading))}`

function line(cells: readonly string[]): string {
  return COLUMNS.map(([, width], index) => (cells[index] ?? '').padEnd(width))
    .join('  ')
    .trimEnd()
}

/** The result's line of the table, and a line for each broken promise. */
export function rowsOf({ name, calm, under, memory, tally, broken }: Result): string[] {
  const { before, peak, after } = memory
  const live = `(${megabytes(liveOf(before))} → ${megabytes(liveOf(after))})`
  const resident = [before.rss, peak, after.rss].map(megabytes).join(' / ')
  const did = Object.entries(tally).map(([what, times]) => `${times} ${what}`)
  return [
    line([
      ...[name, spread(calm.callback), spread(under.callback), spread(calm.socket), spread(under.socket)],
      ...[`${resident} ${live}`, broken.length === 0 ? 'held' : 'FAILED'],
    ]),
    ...broken.map((sentence) => `  FAILED    ${sentence}`),
    `  new       ${newOf(under)} (answered, and in how long, under attack)`,
    `  attackers ${did.join(', ')}`,
    `  machine   ${saidOf(calm)} calm, ${saidOf(under)} under attack (p99 of a wait for a processor, of a flush of the disk)`,
  ]
}

export function spread(times: readonly number[]): string {
  return [percentile(times, 0.5), percentile(times, 0.99), times.at(-1) ?? Number.NaN]
    .map((ms) => ms.toFixed(0))
    .join(' / ')
}

function newOf({ newcomers }: Noticed): string {
  return KINDS.flatMap((kind) => {
    const fared = newcomers[kind]
    return fared ? [`${kind} ${fared.times.length} of ${fared.opened}, ${spread(fared.times)} ms`] : []
  }).join('; ')
}

function saidOf({ machine }: Noticed): string {
  return `${machine.processorMs.toFixed(0)} and ${machine.flushMs.toFixed(0)} ms`
}
