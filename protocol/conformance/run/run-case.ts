import { type Gap, LEVELS, type Level } from '../case/evidence.ts'
import type { Case } from '../case/schema.ts'
import type { CaseResult, Finding, Verdict } from '../report/report.ts'
import { type Bench, CaseRun, NotApplicable } from './case-run.ts'
import { forbidPacket, watchMs } from './expectation.ts'
import { runStep } from './steps.ts'

type Outcome = Pick<CaseResult, 'verdict' | 'findings' | 'note' | 'watched' | 'open'>

/**
 * Runs one case against a device that has a session. Packets from index `from` belong to the case; `attempt` counts its
 * runs, from 1.
 * 1. Runs the steps until one fails. A failed `should` is a warning, and the case continues.
 * 2. Watches the `forbid` steps that apply to the whole case for a little longer.
 * 3. Clears the faults of the stand-in.
 */
export async function runCase(
  bench: Bench,
  one: Case,
  { from = bench.standIn.transcript.end, attempt = 1 }: { from?: number | undefined; attempt?: number },
): Promise<CaseResult> {
  const { standIn, clock } = bench
  const { transcript } = standIn
  const startMs = clock.now()
  transcript.caseId = one.id
  const run = new CaseRun(bench, one, { from, attempt })
  const outcome = await runSteps(run, one).catch(outcomeOfError)
  standIn.clearFaults()
  for (const step of one.finally) await runStep(run, step).catch(() => undefined)
  // After a case that stopped in the middle the next one starts in a new session.
  if (run.needsNewSession || ['fail', 'skip'].includes(outcome.verdict)) standIn.cut()
  transcript.caseId = undefined
  return { ...caseFields(one), ...outcome, durationMs: clock.now() - startMs, range: [from, transcript.end] }
}

/** The fields of a case that its result repeats. */
export function caseFields({
  id,
  area,
  title,
  clauses,
  why,
  always,
}: Case): Pick<CaseResult, 'id' | 'area' | 'title' | 'clauses' | 'why' | 'always'> {
  return { id, area, title, clauses, why, always: always !== undefined }
}

/** The result of a case that was not run. `open` is what it takes to run it, if it applies to the device. */
export function notRun(one: Case, verdict: Verdict, note: string, open?: Gap): CaseResult {
  const result = { ...caseFields(one), verdict, note, findings: [], watched: [], durationMs: 0 }
  return { ...result, range: [0, 0], ...(open === undefined ? {} : { open }) }
}

async function runSteps(run: CaseRun, { steps = [], note }: Case): Promise<Outcome> {
  const findings: Finding[] = []
  const unanswered: { question: string; stillPasses: boolean }[] = []
  for (const step of steps) {
    const end = await runStep(run, step)
    if (end.kind === 'unanswered') unanswered.push(end)
    if (end.kind !== 'found') continue
    findings.push(end.finding)
    if (end.finding.level === 'must') break
  }
  // A forbidden packet explains the failure better than a missing one, so it comes first.
  const forbidden = await forbidFindings(run, hasFailed(findings))
  const all = [...forbidden, ...findings]
  const shown = hasFailed(all) ? all.filter(({ level }) => level === 'must') : all
  return { ...judge(shown, unanswered, note), watched: watchedIn(steps, unanswered.length === 0) }
}

function watchedIn(steps: NonNullable<Case['steps']>, allAnswered: boolean): Level[] {
  const power = steps.some((step) => 'power-cycle' in step)
  const senses = allAnswered && steps.some((step) => 'ask' in step)
  return LEVELS.filter((level) => level === 'wire' || (level === 'power' ? power : senses))
}

function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'must')
}

async function forbidFindings(run: CaseRun, failed: boolean): Promise<Finding[]> {
  const watched = run.bans.map(({ step, from }) =>
    forbidPacket(run, step, { from, ms: failed ? 0 : watchMs(run, step) }),
  )
  return (await Promise.all(watched)).filter((finding) => finding !== undefined)
}

function judge(
  findings: Finding[],
  unanswered: readonly { question: string; stillPasses: boolean }[],
  note: string | undefined,
): Omit<Outcome, 'watched'> {
  if (hasFailed(findings)) return { verdict: 'fail', findings }
  const gap = unanswered.length > 0 ? ({ open: 'senses' } as const) : {}
  if (findings.length > 0) return { verdict: 'warn', findings, ...gap }
  const open = unanswered.find(({ stillPasses }) => !stillPasses)
  if (open)
    return {
      verdict: 'inconclusive',
      findings,
      note: `nobody answered the question: ${open.question}`,
      ...gap,
    }
  if (unanswered.length > 0)
    return { verdict: 'pass', findings, note: 'proven by its acks only: nobody listened', ...gap }
  return { verdict: 'pass', findings, ...(note === undefined ? {} : { note }) }
}

function outcomeOfError(error: unknown): Outcome {
  const sentence = error instanceof Error ? error.message : String(error)
  if (error instanceof NotApplicable)
    return {
      ...{ verdict: 'skip', findings: [], watched: [], note: sentence },
      ...(error.open === undefined ? {} : { open: error.open }),
    }
  return { verdict: 'error', findings: [], watched: [], open: 'session', note: `the kit failed: ${sentence}` }
}
