import { type Gap, LEVELS, type Level } from '../case/evidence.ts'
import type { Case, ExpectStep, Step } from '../case/schema.ts'
import type { CaseResult, Finding, Verdict } from '../report/report.ts'
import { type Bench, CaseRun, NotApplicable } from './case-run.ts'
import { expectPacket, forbidPacket, watchMs } from './expectation.ts'
import { runStep } from './steps.ts'

type Outcome = Pick<CaseResult, 'verdict' | 'findings' | 'note' | 'watched' | 'open'>

/** What the steps came to. `later` is the outcome after what is watched while the next cases run. */
interface Steps {
  outcome: Outcome
  later: Promise<Outcome>
}

/** A case that has ended. */
export interface Ended {
  result: CaseResult
  /** What the next case needs to be independent of it. */
  needs: CaseRun['needs']
  /** The result with what comes during the next cases. */
  later: Promise<CaseResult>
}

/**
 * Runs one case against a device that has a session. Packets from index `from` belong to the case; `attempt` counts its
 * runs, from 1.
 * 1. Runs the steps until one fails. A failed `should` is a warning, and the case continues.
 * 2. Watches the `forbid` steps that apply to the whole case for a little longer: those about one command while the next
 *    cases run, because its id tells which packets are meant.
 * 3. Clears the faults of the stand-in.
 */
export async function runCase(
  bench: Bench,
  one: Case,
  { from = bench.standIn.transcript.end, attempt = 1 }: { from?: number | undefined; attempt?: number },
): Promise<Ended> {
  const { standIn, clock, watches } = bench
  const { transcript } = standIn
  const startMs = clock.now()
  transcript.caseId = one.id
  const run = new CaseRun(bench, one, { from, attempt })
  const { outcome, later } = await runSteps(run, one).catch((error) => ended(outcomeOfError(error)))
  watches.add(later)
  standIn.clearFaults()
  for (const step of one.finally) await runStep(run, step).catch(() => undefined)
  transcript.caseId = undefined
  // After a case that stopped in the middle the next one starts in a new session.
  const needs = ['fail', 'skip'].includes(outcome.verdict) ? 'session' : run.needs
  const range: [number, number] = [from, transcript.end]
  const fields = { ...caseFields(one), durationMs: clock.now() - startMs, range }
  return {
    ...{ result: { ...fields, ...outcome }, needs },
    later: later.then((last) => ({ ...fields, ...last })),
  }
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

async function runSteps(run: CaseRun, { steps = [], note }: Case): Promise<Steps> {
  const findings: Finding[] = []
  const unanswered: { question: string; stillPasses: boolean }[] = []
  for (const step of steps.filter((one) => !comesMeanwhile(one))) {
    const end = await runStep(run, step)
    if (end.kind === 'unanswered') unanswered.push(end)
    if (end.kind !== 'found') continue
    findings.push(end.finding)
    if (end.finding.level === 'must') break
  }
  const outcomeWith = (more: Finding[]): Outcome => {
    // A forbidden packet explains the failure better than a missing one, so it comes first.
    const all = [...more, ...findings]
    const shown = hasFailed(all) ? all.filter(({ level }) => level === 'must') : all
    return { ...judge(shown, unanswered, note), watched: watchedIn(steps, unanswered.length === 0) }
  }
  const come = await forbidFindings(run, { isOver: true })
  if (hasFailed(findings)) return ended(outcomeWith(come))
  const watched = [forbidFindings(run, { isOver: false }), lastFindings(run, steps)]
  const all = Promise.all(watched).then((some) => outcomeWith(some.flat()), outcomeOfError)
  const isOfCommands = run.bans.every(({ step }) => step.of !== undefined)
  if (come.length > 0 || !isOfCommands) return ended(await all)
  return { outcome: outcomeWith([]), later: all }
}

/** Nothing is watched any more. */
function ended(outcome: Outcome): Steps {
  return { outcome, later: Promise.resolve(outcome) }
}

function comesMeanwhile(step: Step | undefined): step is ExpectStep {
  return step !== undefined && 'expect' in step && step.meanwhile
}

/** What is missing of the last step, if the next cases run meanwhile. */
async function lastFindings(run: CaseRun, steps: readonly Step[]): Promise<Finding[]> {
  const last = steps.at(-1)
  const missing = comesMeanwhile(last) && (await expectPacket(run, last))
  return missing ? [missing] : []
}

function watchedIn(steps: NonNullable<Case['steps']>, allAnswered: boolean): Level[] {
  const power = steps.some((step) => 'power-cycle' in step)
  const senses = allAnswered && steps.some((step) => 'ask' in step)
  return LEVELS.filter((level) => level === 'wire' || (level === 'power' ? power : senses))
}

function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === 'must')
}

/** What has come of the forbidden packets, and unless the time is over, what comes in it. */
async function forbidFindings(run: CaseRun, { isOver }: { isOver: boolean }): Promise<Finding[]> {
  const watched = run.bans.map(({ step, from }) =>
    forbidPacket(run, step, { from, ms: isOver ? 0 : watchMs(run, step) }),
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
