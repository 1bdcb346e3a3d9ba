import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Facts } from '../wire/transcript.ts'

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])

/**
 * The expected value of a fact: a value, or one of these conditions. A string that starts with `$` is a variable:
 * `$serial`, or `$pay.n`, a field of the command that was sent as `pay`.
 */
export const expected = z.union([
  scalar,
  z.strictObject({ any: z.array(scalar).min(2) }),
  z.strictObject({ not: scalar }),
  z.strictObject({ from: z.number(), to: z.number().optional() }),
  z.strictObject({ matches: z.string() }),
])
export type Expected = z.infer<typeof expected>

export const expectedFacts = z.record(z.string(), expected)
export type ExpectedFacts = z.infer<typeof expectedFacts>

/** Returns the value of a variable, given its name without the `$`. */
export type Lookup = (name: string) => unknown

/** One fact that differs from the expected value. */
export interface Mismatch {
  fact: string
  wanted: string
  came: string
}

/** Compares facts. Facts that are not in `wanted` may have any value. */
export function mismatches(wanted: ExpectedFacts, facts: Facts, lookup: Lookup): Mismatch[] {
  return Object.entries(wanted).flatMap(([fact, want]) => {
    const value = factAt(facts, fact)
    if (isAsWanted(want, value, lookup)) return []
    return [{ fact, wanted: `${fact} ${describeExpected(want, lookup)}`, came: `${fact} ${show(value)}` }]
  })
}

/** The expected facts that have one value each, without the variables. */
export function expectedValues(wanted: ExpectedFacts, lookup: Lookup): Facts {
  const scalars = Object.entries(wanted).filter(([, want]) => typeof want !== 'object' || want === null)
  return Object.fromEntries(scalars.map(([fact, want]) => [fact, resolved(scalar.parse(want), lookup)]))
}

/** Describes expected facts for a sentence: `n from 15 to 120`. */
export function describeFacts(wanted: ExpectedFacts, lookup: Lookup): string {
  return Object.entries(wanted)
    .map(([fact, want]) => `${fact} ${describeExpected(want, lookup)}`)
    .join(', ')
}

/** Reads a nested fact by its path, for example `will.qos`. */
export function factAt(facts: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const isOwn = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    return isOwn ? Reflect.get(value, name) : undefined
  }, facts)
}

function isAsWanted(want: Expected, value: unknown, lookup: Lookup): boolean {
  if (typeof want !== 'object' || want === null) return isDeepStrictEqual(value, resolved(want, lookup))
  if ('any' in want) return want.any.some((one) => isDeepStrictEqual(value, resolved(one, lookup)))
  if ('not' in want) return !isDeepStrictEqual(value, resolved(want.not, lookup))
  if ('matches' in want) return typeof value === 'string' && new RegExp(want.matches).test(value)
  return typeof value === 'number' && value >= want.from && value <= (want.to ?? Number.POSITIVE_INFINITY)
}

/** The expected value itself. `null` means that the fact must be absent. */
function resolved(want: z.infer<typeof scalar>, lookup: Lookup): unknown {
  if (want === null) return undefined
  return typeof want === 'string' && want.startsWith('$') ? lookup(want.slice(1)) : want
}

function describeExpected(want: Expected, lookup: Lookup): string {
  if (typeof want !== 'object' || want === null) return show(resolved(want, lookup))
  if ('any' in want) return want.any.map((one) => show(resolved(one, lookup))).join(' or ')
  if ('not' in want) return `other than ${show(resolved(want.not, lookup))}`
  if ('matches' in want) return `like /${want.matches}/`
  return want.to === undefined ? `${want.from} or more` : `from ${want.from} to ${want.to}`
}

function show(value: unknown): string {
  return value === undefined ? 'left out' : JSON.stringify(value)
}
