import { z } from 'zod'
import { type Issue, inBrackets, issuesOf, issueText } from './issues.ts'
import { variableName } from './steps.ts'
import { fill, isOpenAt, knownOf, referenceIssues, valueAt } from './variables.ts'

/** Unrolls loops, and fills in the variables that have a value before the scenario starts. */

/** Enough for a loop over a hundred amounts in ten languages. */
const MOST_STEPS = 5_000
const MOST_ROUNDS = 1_000
const DEEPEST = 8

/** A step as it is written, with the values of its round. */
export interface Unrolled {
  /** Its place in the file: `['steps', 1, 'steps', 0]`. */
  path: PropertyKey[]
  raw: unknown
  /** The step without these values. */
  written: unknown
  /** `round 2 of 3`, `amount "2000"`, `payment 2 of 3`: the rounds of the loops around it, the outermost first. */
  rounds: string[]
  /** The variables that have a value here. */
  variables: ReadonlyMap<string, unknown>
}

/** What the steps of a loop have in common. */
type Around = Omit<Unrolled, 'raw' | 'written'>

const rounds = z.int().min(1).max(MOST_ROUNDS)
const steps = z.array(z.unknown()).min(1, 'a loop has at least one step')
export const repeatBlock = z.strictObject({ repeat: rounds, as: variableName.optional(), steps })
export const forBlock = z.strictObject({
  for: z
    .record(variableName, z.array(z.unknown(), 'write a list of values').min(1).max(MOST_ROUNDS))
    .refine(
      (given) => Object.keys(given).length === 1,
      'a loop has one variable, as for: { amount: ["1000", "2000"] }',
    ),
  steps,
})

export function unroll(
  given: readonly unknown[],
  variables: ReadonlyMap<string, unknown>,
): { steps: Unrolled[]; issues: Issue[] } {
  const unrolled: Unrolled[] = []
  const issues: Issue[] = []
  visit(given, { path: [], rounds: [], variables })
  return { steps: unrolled, issues }

  function visit(inner: readonly unknown[], around: Around): void {
    for (const [index, raw] of inner.entries()) {
      const path = [...around.path, 'steps', index]
      if (unrolled.length >= MOST_STEPS)
        return void issues.push({ path, message: `the loops make more than ${MOST_STEPS} steps` })
      if (isBlock(raw)) unrollBlock(raw, { ...around, path })
      else unrolled.push(...castEach({ ...around, path, written: raw, raw: fillIn(raw, around.variables) }))
    }
  }

  function unrollBlock(raw: object, around: Around): void {
    const { path, variables } = around
    if (path.length > 2 * DEEPEST)
      return void issues.push({ path, message: `loops are at most ${DEEPEST} deep` })
    const { steps: inner, ...head }: Record<string, unknown> = { ...raw }
    // A field that no loop has is reported as such.
    const unknown = referenceIssues({ repeat: head.repeat, for: head.for }, knownOf(variables)).map(
      (issue) => ({
        ...issue,
        message: `${issue.message} (a loop can't use the result of a step)`,
      }),
    )
    if (unknown.length > 0) return void report(unknown, path)
    const filled = { ...Object(fillIn(head, variables)), steps: inner }
    const block = 'for' in filled ? forBlock : repeatBlock
    const parsed = block.safeParse(filled, { error: issueText })
    if (!parsed.success) {
      const round = inBrackets(around.rounds.join(', '))
      const found = issuesOf(parsed.error).map((issue) =>
        isOpenAt(raw, issue.path) ? { ...issue, message: issue.message + round } : issue,
      )
      return void report(found, path)
    }
    for (const { round, values } of roundsOf(parsed.data)) {
      const clash = Object.keys(values).find((name) => variables.has(name))
      if (clash !== undefined)
        return void issues.push({ path, message: `there is a variable "${clash}" around this loop already` })
      const before = issues.length
      visit(parsed.data.steps, {
        path,
        rounds: [...around.rounds, round],
        variables: new Map([...variables, ...Object.entries(values)]),
      })
      // The other rounds have the same mistakes, and nested ones would multiply them.
      if (issues.length > before) return
    }
  }

  function report(found: readonly Issue[], path: PropertyKey[]): void {
    for (const issue of found) issues.push({ ...issue, path: [...path, ...issue.path] })
  }
}

/** A step with steps in it, or one that lacks them. `for` is also a field of `expectNone`. */
function isBlock(raw: unknown): raw is object {
  if (typeof raw !== 'object' || raw === null) return false
  return 'steps' in raw || 'repeat' in raw || (Object.keys(raw)[0] === 'for' && !('expectNone' in raw))
}

function roundsOf(
  block: z.infer<typeof repeatBlock> | z.infer<typeof forBlock>,
): { round: string; values: Record<string, unknown> }[] {
  if ('for' in block)
    return Object.entries(block.for).flatMap(([name, values]) =>
      values.map((value, index) => ({
        // The fields of a value are in the steps that use them.
        round:
          typeof value === 'object'
            ? `${name} ${index + 1} of ${values.length}`
            : `${name} ${JSON.stringify(value)}`,
        values: { [name]: value },
      })),
    )
  const { repeat, as } = block
  return Array.from({ length: repeat }, (_, index) => ({
    round: `round ${index + 1} of ${repeat}`,
    values: as === undefined ? {} : { [as]: index + 1 },
  }))
}

/** `on: [counter, door]` is a step for each of them, in this order. */
function castEach(step: Unrolled): Unrolled[] {
  const on: unknown = Object(step.raw).on
  if (!Array.isArray(on) || on.length === 0) return [step]
  return on.map((name: unknown) => ({ ...step, raw: { ...Object(step.raw), on: name } }))
}

function fillIn(raw: unknown, variables: ReadonlyMap<string, unknown>): unknown {
  return fill(raw, ([name = '', ...path]) =>
    variables.has(name) ? valueAt(variables.get(name), path) : undefined,
  )
}
