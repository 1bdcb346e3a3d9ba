import type { Memory } from '../bench/parts/memory.ts'
import { percentile } from '../support/percentile.ts'
import type { Machine } from './parts/machine.ts'
import { type Fared, KINDS } from './parts/newcomers.ts'
import type { Noticed } from './parts/victim.ts'

/** The victim's p99 under attack may be so many times its calm one. */
const MOST_TIMES = 5
/**
 * A calm p99 counts as at least this. On an idle machine it is 5 to 10 ms, so five times that is less than one process
 * that the scheduler prefers for a moment, or one slow flush of the disk. Nobody hears 100 ms before a sentence of
 * three seconds; what silences a shop takes seconds.
 */
const FLOOR_MS = 20
/** Of the victim's new connections of each kind, so many are answered, and their p99 takes at most so long. */
const ANSWERED = 0.99
const NEW_MS = 1_000
/** What may be used after an attack beyond the memory before it. */
const LIVE_SHARE = 1.2
const LIVE_ROOM = 10 * 1024 ** 2
/** The hub's two page caches of SQLite take 48 MiB as its file grows, and V8 keeps some room for young objects. */
const RESIDENT_SHARE = 1.2
const RESIDENT_ROOM = 64 * 1024 ** 2

export interface Compared {
  calm: Noticed
  under: Noticed
  /** The calm after the attack. */
  after: Noticed
  memory: { before: Memory; peak: number; after: Memory }
  /**
   * The attack fills a table. Thousands of connections that end at once are 0.2 to 0.7 s of the hub's work: the limit of new
   * connections holds for all callbacks under it.
   */
  fillsTable?: boolean
}

export function p99(times: readonly number[]): number {
  return percentile(times, 0.99)
}

/**
 * Milliseconds that a p99 may reach. What the machine itself made everybody wait in those seconds, for a processor and
 * for the disk, is added: no hub can be faster than its machine.
 */
function limitOf(
  calmTimes: readonly number[],
  { processorMs, flushMs }: Machine,
  leastMs = MOST_TIMES * FLOOR_MS,
): number {
  return Math.max(leastMs, MOST_TIMES * (p99(calmTimes) || 0)) + processorMs + flushMs
}

/** A sentence for each broken promise. */
export function brokenIn({ calm, under, after, memory, fillsTable = false }: Compared): string[] {
  return [
    ...late('under attack', calm, under, fillsTable ? NEW_MS : undefined),
    ...late('after it', calm, after),
    ...wronged(under),
    ...wronged(after),
    ...(hasComeBack(memory.before, memory.after) ? [] : [`memory did not come back: ${kept(memory)}`]),
  ]
}

function late(when: string, calm: Noticed, noticed: Noticed, leastMs?: number): string[] {
  const kinds = [
    ['callback', calm.callback, noticed.callback],
    ['callback to socket', calm.socket, noticed.socket],
  ] as const
  return kinds
    .flatMap(([what, before, now]) => {
      const [is, limit] = [p99(now), limitOf(before, noticed.machine, leastMs)]
      return above(`p99 ${what} ${when}`, is, limit)
    })
    .concat(lateNewcomers(when, noticed))
}

function lateNewcomers(when: string, { newcomers, machine }: Noticed): string[] {
  const limit = limitOf([], machine, NEW_MS)
  return KINDS.flatMap((kind) => above(`p99 new ${kind} ${when}`, p99(newcomers[kind]?.times ?? []), limit))
}

function above(what: string, is: number, limit: number): string[] {
  return is > limit ? [`${what} ${Math.round(is)} ms, above ${Math.round(limit)} ms`] : []
}

/** What no attack may do to the victim, however slow the machine is. */
export function wronged(noticed: Noticed): string[] {
  const { refused, lost, doubled, wrong, cuts, payments, newcomers, downs } = noticed
  return [
    ...[...refused].map(([sentence, times]) => `${times} of ${payments} refused: ${sentence}`),
    ...(lost > 0 ? [`${lost} of ${payments} payments lost`] : []),
    ...(doubled > 0 ? [`${doubled} of ${payments} payments doubled`] : []),
    ...(wrong.length > 0 ? [`${wrong.length} of ${payments} payments wrong, such as: ${wrong[0]}`] : []),
    ...(cuts > 0 ? [`the speakers lost their connections ${cuts} times`] : []),
    ...(downs > 0 ? [`the proxy took the hub for dead ${downs} times`] : []),
    ...KINDS.flatMap((kind) => turnedAway(kind, newcomers[kind])),
  ]
}

function turnedAway(kind: string, fared: Fared | undefined): string[] {
  if (!fared || fared.times.length >= fared.opened * ANSWERED) return []
  const { opened, times, unanswered } = fared
  const [reason = ''] = unanswered.keys()
  return [`${opened - times.length} of ${opened} new connections (${kind}) unanswered, such as: ${reason}`]
}

export function hasComeBack(before: Memory, after: Memory): boolean {
  return (
    liveOf(after) <= liveOf(before) * LIVE_SHARE + LIVE_ROOM &&
    after.rss <= before.rss * RESIDENT_SHARE + RESIDENT_ROOM
  )
}

/** Live memory on and off the JavaScript heap. */
export function liveOf({ heapUsed, external }: Memory): number {
  return heapUsed + external
}

function kept({ before, after }: Compared['memory']): string {
  const both = (of: (memory: Memory) => number) => `${megabytes(of(before))} → ${megabytes(of(after))} MB`
  return `live ${both(liveOf)}, resident ${both(({ rss }) => rss)}`
}

export function megabytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(0)
}
