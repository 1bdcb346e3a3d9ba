import { readFileSync } from 'node:fs'
import { compare, type Pair } from '../parts/in-turn.ts'
import { type Figure, milliseconds } from '../parts/table.ts'
import type { Bed } from './bed.ts'

/** The goal: what an act costs with many payments, as a share of what it costs with few. */
export const GOAL = 'at most 1.15'

/** What one act has taken. */
export interface Cost {
  /** CPU of this process, of PostgreSQL and of its connections. NaN if the system does not report it. */
  cpuMs: number
  ms: number
}

/** Measures `act`, which does something so many times. */
export type Meter = (times: number, act: () => Promise<unknown>) => Promise<Cost>

export function createMeter({ pid }: Pick<Bed, 'pid'>): Meter {
  return async (times, act) => {
    const servers = serverTimes(pid())
    const own = process.cpuUsage()
    const startedAt = performance.now()
    await act()
    const ms = performance.now() - startedAt
    const { user, system } = process.cpuUsage(own)
    return {
      cpuMs: ((user + system) / 1_000 + usedSince(servers, serverTimes(pid()))) / times,
      ms: ms / times,
    }
  }
}

/** CPU in milliseconds of each process of a server, by its id. Undefined if there is no /proc. */
type Times = ReadonlyMap<string, number> | undefined

/** A connection that was opened meanwhile had used nothing before. What an ended one has used is not known. */
export function usedSince(before: Times, after: Times): number {
  if (!before || !after) return Number.NaN
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
}

/** Each process of PostgreSQL has one thread. The first number of its schedstat is its CPU in nanoseconds. */
function serverTimes(pid: number | undefined): Times {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return new Map(children.flatMap(timeOf))
  } catch {
    return undefined
  }
}

function timeOf(pid: string): [string, number][] {
  try {
    return [[pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6]]
  } catch {
    // It has ended.
    return []
  }
}

/** What is measured of both databases. `goal`: the goal, or why there is none. */
export interface Measured {
  pairs: Pair<Cost>[]
  goal: string
}

/** Names a measurement after the numbers of payments, as the other benchmarks do. */
export function figuresOf(
  { large, small }: Pick<Bed, 'large' | 'small'>,
  what: string,
  { pairs, goal }: Measured,
): Figure[] {
  const named = (measure: string) =>
    `${what}${measure}, with ${large.size.payments.toLocaleString('en')} payments`
  const peer = `with ${small.size.payments.toLocaleString('en')}`
  const of = (value: (cost: Cost) => number) => pairs.map(([many, few]): Pair => [value(many), value(few)])
  return [
    ...compare(
      named(', CPU'),
      peer,
      of(({ cpuMs }) => cpuMs),
      inMilliseconds,
      goal,
    ),
    ...compare(
      named(', time'),
      peer,
      of(({ ms }) => ms),
      inMilliseconds,
      goal,
    ),
  ]
}

/** With three digits below 10 ms. */
function inMilliseconds(value: number): string {
  return value < 10 ? `${value.toFixed(3)} ms` : milliseconds(value)
}
