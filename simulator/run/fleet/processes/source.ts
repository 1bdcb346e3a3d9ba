import type { Clock } from '../../../platform/clock.ts'
import { recentOf, reportOf, summaryOf } from '../report/figures.ts'
import type { Buckets, Report, Summary } from '../report/lines.ts'
import type { Threshold } from '../report/thresholds.ts'
import type { Run } from '../run/run.ts'

/** A running fleet for its viewers: of this process, or of several. */
export interface Source {
  readonly startedAtMs: number
  /** Resolves when every speaker is switched off; rejects when a process fails. */
  readonly ended: Promise<void>
  /** Ends the run. The first call waits for open payments; the second does not. */
  end(): void
  /** What is known at this moment; undefined: nothing so far. */
  summary(): Summary | undefined
  /** The report, once it has ended. `given`: its thresholds besides, or in place of, the defaults. */
  report(given: readonly Threshold[]): Report
}

/** What a process tells of its part of a fleet. */
export type FromChild =
  | { kind: 'summary'; summary: Summary; recent: Record<string, Buckets> }
  | { kind: 'report'; report: Report }

export function sourceOf(run: Run, clock: Clock): Source {
  return {
    ...{ startedAtMs: run.startedAtMs, ended: run.ended },
    end: () => run.end(),
    summary: () => summaryOf(run, clock.now()),
    report: (given) => reportOf(run, clock.now(), given),
  }
}

/** The figures of this moment, with what it takes to add those of several processes. */
export function partSummary(run: Run, nowMs: number): FromChild {
  return { kind: 'summary', summary: summaryOf(run, nowMs), recent: recentOf(run, nowMs) }
}
