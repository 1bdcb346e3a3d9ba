import type { Command } from 'commander'
import {
  LEAST_RATE,
  parseThreshold,
  SHORT_NAMES,
  type ShortName,
  shortThreshold,
  type Threshold,
} from '../fleet/report/thresholds.ts'
import { invalidValue, milliseconds, percent, wholeOrZero } from './values.ts'

/** The options that say what a fleet must reach, as the command line gives them. */
export interface GivenThresholds {
  expectConnected?: number
  expectShops?: number
  expectRate?: number
  expectP99?: number
  expectHeard?: number
  expectMissed?: number
  expect?: readonly Threshold[]
}

export function withExpectations(command: Command): Command {
  return command
    .optionsGroup('What the run must reach, or it fails with exit code 1:')
    .option(
      '--expect-connected <number>',
      'speakers that are connected when it ends (default: all)',
      wholeOrZero,
    )
    .option(
      '--expect-shops <number>',
      'shops that can be paid to (default: one for each speaker)',
      wholeOrZero,
    )
    .option(
      '--expect-rate <percent>',
      `payments that are made, of those that --pay asks for (default: ${LEAST_RATE})`,
      percent,
    )
    .option(
      '--expect-p99 <ms>',
      'the longest time from callback to speech for 99 of 100 payments (default: not judged)',
      milliseconds,
    )
    .option(
      '--expect-heard <percent>',
      'payments that are heard, of those that are made; in place of --expect-missed',
      percent,
    )
    .option(
      '--expect-missed <percent>',
      'the most payments that are not heard because their speaker was away or could not play them (default: 0)',
      percent,
    )
    .option(
      '--expect <limit>',
      'any figure of the report (may be repeated), such as "heard >= 99%" or "speechMs.p90 < 300"',
      threshold,
    )
}

function threshold(text: string, before: readonly Threshold[] = []): readonly Threshold[] {
  const parsed = parseThreshold(text)
  return typeof parsed === 'string' ? invalidValue(parsed) : [...before, parsed]
}

/** The thresholds with the options that gave them. */
export function thresholdsIn(given: GivenThresholds): { option: string; threshold: Threshold }[] {
  const short: Record<ShortName, number | undefined> = {
    ...{ connected: given.expectConnected, shops: given.expectShops, rate: given.expectRate },
    ...{ heard: given.expectHeard, missed: given.expectMissed, p99: given.expectP99 },
  }
  const named = SHORT_NAMES.flatMap((name) => {
    const bound = short[name]
    return bound === undefined ? [] : [{ option: `--expect-${name}`, threshold: shortThreshold(name, bound) }]
  })
  const free = (given.expect ?? []).map((threshold) => ({
    ...{ option: `--expect "${threshold.expect}"`, threshold },
  }))
  return [...named, ...free]
}
