import type { Duplex } from 'node:stream'
import { loadCases } from '../../../../protocol/conformance/case/load.ts'
import { type Profile, profileSchema } from '../../../../protocol/conformance/case/profile.ts'
import { selectCases } from '../../../../protocol/conformance/case/select.ts'
import type { Report } from '../../../../protocol/conformance/report/report.ts'
import { runConformance } from '../../../../protocol/conformance/run/run.ts'
import type { Clock } from '../../../../protocol/conformance/wire/clock.ts'
import { DeviceUnderTest, KEY, KEYS, type Mutation, SERIAL } from './device-under-test.ts'
import { linePair } from './line.ts'
import { type Network, slowLine } from './slow-line.ts'
import { WarpClock } from './warp-clock.ts'

/** The simulated speaker reckons with the hub's clock, whatever its birth says. */
export const PROFILE = profileSchema.parse({ clock: 'hub' })

/** Read once: a test file runs the kit dozens of times. */
const ALL = loadCases()
const CASES = selectCases(ALL, [], { slow: false }).cases

export interface KitRun {
  mutation?: Mutation
  /** Patterns; slow cases are among them when they are named. */
  only?: readonly string[]
  profile?: Profile
  /** Whether somebody answers, pulls plugs and presses buttons. */
  attended?: boolean
  /** The kit's own waits take so many times as long, as on a busy machine beside a device that is not busy. */
  waitsTake?: number
  /** What is between the speaker and the kit; `random` chooses the segments that are late. */
  over?: Network & { random: () => number }
}

/** Runs the kit against a simulated speaker, on a clock that waits for nobody. */
export async function runKit({
  mutation = {},
  only = [],
  profile = PROFILE,
  attended = true,
  waitsTake = 1,
  over,
}: KitRun = {}): Promise<Report> {
  const cases = only.length === 0 ? CASES : selectCases(ALL, only, { slow: false }).cases
  const clock = new WarpClock(Date.parse('2026-11-20T03:00:00.300Z'))
  const slowly: Clock = {
    now: () => clock.now(),
    wakeAt: (atMs, wake) => clock.wakeAt(clock.now() + (atMs - clock.now()) * waitsTake, wake),
  }
  const serving = Promise.withResolvers<(line: Duplex) => void>()
  const device = serving.promise.then((serve) => {
    const dial = () => {
      // A network carries to its end what is under way to the side that has ended the line.
      const [near, far] = linePair({ allowHalfOpen: over !== undefined })
      serve(far)
      return near
    }
    const made = new DeviceUnderTest(over ? slowLine(dial, over, { clock, ...over }) : dial, clock, mutation)
    made.switchOn()
    return made
  })
  const after = async () => (await device).operator
  const run = runConformance({
    ...{
      kit: '0.0.0',
      identity: { serial: SERIAL, key: KEY, keys: KEYS },
      profile,
      cases,
      leftOut: [],
      clock: slowly,
    },
    ...{ waitMs: 60_000, interrupted: new Promise(() => {}) },
    listen: async (serve) => {
      serving.resolve(serve)
      return { port: 0, close: () => undefined }
    },
    operator: attended
      ? {
          answer: async (question) => (await after()).answer?.(question),
          powerCycle: async (when) => (await after()).powerCycle?.(when),
          goodbye: async (how) => (await after()).goodbye?.(how),
        }
      : {},
    listener: {
      listening: () => undefined,
      connected: () => undefined,
      started: () => undefined,
      ended: () => undefined,
    },
  })
  try {
    return await clock.passDuring(run)
  } finally {
    await (await device).switchOff()
  }
}

/** The ids of the cases that came out so. */
export function idsOf({ results }: Report, verdict: string): string[] {
  return results.filter((result) => result.verdict === verdict).map(({ id }) => id)
}

/** The cases that a device does not stand. */
export function faulty(report: Report): string[] {
  return [...idsOf(report, 'fail'), ...idsOf(report, 'warn'), ...idsOf(report, 'error')]
}
