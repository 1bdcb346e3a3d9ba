import { z } from 'zod'
import { BOX_KINDS } from '../../../boxes/kinds.ts'
import { parseDuration } from '../../../platform/duration.ts'
import { FAULTS } from '../../../speaker/device/state/faults.ts'
import { parseShare, sumOf } from '../model/shares.ts'
import { KINDS } from '../pay/kinds.ts'
import type { Stage } from '../pay/load.ts'
import { parseThreshold } from '../report/thresholds.ts'
import { NETWORKS } from '../run/conditions.ts'

/** The schema of a fleet's scenario file; README.md describes it for authors. */

const MOST_PER_SECOND = 100_000
const perSecond = z.number().min(0).max(MOST_PER_SECOND)

const length = z.string().transform((text, context) => {
  const ms = parseDuration(text)
  if (ms) return ms
  context.addIssue({ code: 'custom', message: 'must be a time with its unit, such as 30s or 5m' })
  return z.NEVER
})

const stage = z.union(
  [
    z.strictObject({ ramp: perSecond, for: length }),
    z.strictObject({ hold: length }),
    z.strictObject({ spike: perSecond, for: length }),
    z.strictObject({ pause: length }),
  ],
  {
    error:
      'a stage is one of {ramp: 50, for: 30s}, {hold: 2m}, {spike: 200, for: 10s} and {pause: 30s}; rates are payments per second',
  },
)
type GivenStage = z.infer<typeof stage>

const share = z.string('must be a share, such as 5%').transform((text, context) => {
  const parsed = parseShare(text)
  if (parsed !== undefined) return parsed
  context.addIssue({ code: 'custom', message: 'must be a share, such as 5%' })
  return z.NEVER
})

const shares = <const Names extends readonly string[]>(names: Names) => z.partialRecord(z.enum(names), share)

const threshold = z.string().transform((text, context) => {
  const parsed = parseThreshold(text)
  if (typeof parsed !== 'string') return parsed
  context.addIssue({ code: 'custom', message: parsed })
  return z.NEVER
})

const fields = {
  /** What the scenario shows, in a sentence. */
  about: z.string().min(1, 'must say what the scenario shows, in a sentence'),
  /** Payments per second before the first stage. */
  pay: z.exactOptional(perSecond),
  stages: z.exactOptional(z.array(stage).min(1, 'name at least one stage')),
  /** The kinds of payments besides the plain one. */
  mix: shares(KINDS)
    .refine((mix) => sumOf(mix) <= 1, 'is more than 100 % in all')
    .default({}),
  /** Shares of the fleet that are boxes of other makers. */
  dialects: shares(BOX_KINDS)
    .refine((dialects) => sumOf(dialects) <= 1, 'is more than 100 % in all')
    .default({}),
  /** Shares of the fleet. */
  faults: shares(FAULTS).default({}),
  networks: shares(NETWORKS)
    .refine((networks) => sumOf(networks) <= 1, 'is more than 100 % in all')
    .default({}),
  expect: z.array(threshold).default([]),
}

export const fleetScenarioFile = z.strictObject(fields, {
  error: ({ code, input }) => {
    if (code !== 'invalid_type') return undefined
    const has = `a fleet's scenario has ${Object.keys(fields).join(', ')}`
    return input === null ? `the file is empty: ${has}` : has
  },
})

/** The stages as they follow each other: each begins at the rate at which the one before ended. */
export function stagesOf(given: readonly GivenStage[], first: number): Stage[] {
  let rate = first
  return given.map((one): Stage => {
    if ('ramp' in one) {
      const from = rate
      rate = one.ramp
      return { name: 'ramp', from, to: rate, ms: one.for }
    }
    if ('hold' in one) return { name: 'hold', from: rate, to: rate, ms: one.hold }
    if ('spike' in one) return { name: 'spike', from: one.spike, to: one.spike, ms: one.for }
    return { name: 'pause', from: 0, to: 0, ms: one.pause }
  })
}
