import type { Case } from '../case/schema.ts'
import type { CaseResult, Finding, Verdict } from '../report/report.ts'
import { type Bench, CaseRun, NotApplicable } from './case-run.ts'
import { forbidPacket } from './expectation.ts'
import { runStep } from './steps.ts'

type Outcome = Pick<CaseResult, 'verdict' | 'findings' | 'note'>

/**
 * Runs one case against a device that has a session. Packets from index `from` belong to the case.
 * 1. Runs the steps until one fails. A failed `should` is a warning, and the case continues.
 * 2. Watches the `forbid` steps that apply to the whole case for a little longer.
 * 3. Clears the faults of the stand-in.
 */
export async function runCase(
  bench: Bench,
  one: Case,
  from = bench.standIn.transcript.end,
): Promise<CaseResult> {
  const { standIn, clock } = bench
  const { transcript } = standIn
  const startMs = clock.now()
  transcript.caseId = one.id
  const run = new CaseRun(bench, one, from)
  const outcome = await runSteps(run, one).catch(outcomeOfError)
  standIn.clearFaults()
  for (const step of one.finally) await runStep(run, step).catch(() => undefined)
  // After a failure the next case starts in a new session.
  if (run.needsNewSession || outcome.verdict === 'fail') standIn.cut()
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

/** The result of a case that was not run or not decided. */
export function notRun(one: Case, verdict: Verdict, note: string): CaseResult {
  return { ...caseFields(one), verdict, note, findings: [], durationMs: 0, range: [0, 0] }
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
  return judge(hasFailed(all) ? all.filter(({ level }) => level === 'must') : all, unanswered, note)
}

function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'must')
}

async function forbidFindings(run: CaseRun, failed: boolean): Promise<Finding[]> {
  const ms = failed ? 0 : run.bench.profile.timings.quietMs
  const watched = run.bans.map(({ step, from }) => forbidPacket(run, step, { from, ms }))
  return (await Promise.all(watched)).filter((finding) => finding !== undefined)
}

function judge(
  findings: Finding[],
  unanswered: readonly { question: string; stillPasses: boolean }[],
  note: string | undefined,
): Outcome {
  if (hasFailed(findings)) return { verdict: 'fail', findings }
  if (findings.length > 0) return { verdict: 'warn', findings }
  const open = unanswered.find(({ stillPasses }) => !stillPasses)
  if (open)
    return { verdict: 'inconclusive', findings, note: `nobody answered the question: ${open.question}` }
  if (unanswered.length > 0)
    return { verdict: 'pass', findings, note: 'proven by its acks only: nobody listened' }
  return { verdict: 'pass', findings, ...(note === undefined ? {} : { note }) }
}

function outcomeOfError(error: unknown): Outcome {
  const sentence = error instanceof Error ? error.message : String(error)
  if (error instanceof NotApplicable) return { verdict: 'skip', findings: [], note: sentence }
  return { verdict: 'error', findings: [], note: `the kit failed: ${sentence}` }
}
