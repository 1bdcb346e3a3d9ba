import type { Case } from '../case/schema.ts'
import type { CaseResult, Finding, Verdict } from '../report/report.ts'
import { type Bench, CaseRun, NotForDevice } from './case-run.ts'
import { forbidPacket } from './expectation.ts'
import { runStep } from './steps.ts'

type Outcome = Pick<CaseResult, 'verdict' | 'findings' | 'note'>

/**
 * Runs one case against a device that has a session. What came from place `from` on counts as its own.
 * 1. Its steps, up to the first that is broken; a broken `should` is a warning and goes on.
 * 2. The bans that hold to its end, watched for a little longer.
 * 3. The stand-in behaves as a hub again.
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
  const outcome = await runSteps(run, one).catch(broken)
  standIn.straighten()
  // Whatever went wrong, the next case starts in a session that knows nothing of it.
  if (run.spoiled || outcome.verdict === 'fail') standIn.cut()
  transcript.caseId = undefined
  return { ...about(one), ...outcome, durationMs: clock.now() - startMs, span: [from, transcript.end] }
}

/** What a result says of its case. */
export function about({
  id,
  area,
  title,
  clauses,
  why,
  always,
}: Case): Pick<CaseResult, 'id' | 'area' | 'title' | 'clauses' | 'why' | 'always'> {
  return { id, area, title, clauses, why, always: always !== undefined }
}

/** A case that was not run, or can't be judged. */
export function notRun(one: Case, verdict: Verdict, note: string): CaseResult {
  return { ...about(one), verdict, note, findings: [], durationMs: 0, span: [0, 0] }
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
  // What was forbidden explains more than what then failed to come.
  const bans = await brokenBans(run, hasFailed(findings))
  const all = [...bans, ...findings]
  return judge(hasFailed(all) ? all.filter(({ level }) => level === 'must') : all, unanswered, note)
}

function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'must')
}

async function brokenBans(run: CaseRun, failed: boolean): Promise<Finding[]> {
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
  if (open) return { verdict: 'inconclusive', findings, note: `nobody answered: ${open.question}` }
  if (unanswered.length > 0) return { verdict: 'pass', findings, note: 'by its acks alone: nobody listened' }
  return { verdict: 'pass', findings, ...(note === undefined ? {} : { note }) }
}

function broken(error: unknown): Outcome {
  const sentence = error instanceof Error ? error.message : String(error)
  if (error instanceof NotForDevice) return { verdict: 'skip', findings: [], note: sentence }
  return { verdict: 'error', findings: [], note: `the kit's own trouble: ${sentence}` }
}
