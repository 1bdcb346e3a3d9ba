import { resolve } from 'node:path'
import { messageOf } from '../../platform/error-text.ts'
import { CannotStart } from '../../platform/errors.ts'
import type { Host } from '../../platform/host.ts'
import { reserveFile } from '../../platform/reserve-file.ts'
import { canDraw } from '../../screen/terminal.ts'
import { linePrinter } from '../headless/headless.ts'
import type { SpeakerOptions } from '../run-speaker.ts'
import { findScenarios, isFolder } from './file/find.ts'
import { loadScenario, type Scenario } from './file/load.ts'
import { describeMistake, type Mistake, ScenarioError } from './file/scenario-error.ts'
import { isBoxHardware } from './file/schema.ts'
import { type PerformOptions, perform } from './perform.ts'
import type { Outcome } from './play/run.ts'
import { unplayable } from './playable.ts'
import { describeOutcome, reasonOf, seconds } from './report/describe.ts'
import { junitOf } from './report/junit.ts'
import { type FileResult, summaryOf } from './report/results.ts'
import { type StageOptions, Stages } from './stages.ts'

/** Scenarios as the command line asks for them. */
export interface ScenarioOptions extends StageOptions {
  /** Files, and folders of files. */
  paths: readonly string[]
  /** The file for results as JUnit XML. */
  junit: string | undefined
}

/** 0: passed; 1: one failed; 2: an invalid scenario. The explanation goes to standard error. */
type ExitCode = 0 | 1 | 2

/** Loads scenarios, starts what they need, plays one after another and stops everything again. */
export async function runScenarios(
  given: ScenarioOptions,
  options: SpeakerOptions,
  host: Host,
): Promise<ExitCode> {
  // From here, a signal ends the scenario and everything that it started.
  const ended = host.ended().then(() => true)
  const write = given.junit === undefined ? undefined : reserveFile('--junit', given.junit)
  const startedAtMs = Date.now()
  const writeJunit = (results: readonly FileResult[]) => write?.(junitOf(results, new Date(startedAtMs)))
  const { scenarios, mistakes, files } = loadAll(given.paths)
  mistakes.push(...(await unplayable(scenarios, given, options)))
  if (mistakes.length > 0) {
    for (const mistake of mistakes) host.stderr.write(`${describeMistake(mistake)}\n`)
    writeJunit(resultsOfMistakes(files, mistakes))
    return 2
  }
  const report = reporterOf(given, scenarios, options, host)
  const results: FileResult[] = []
  const stages = new Stages(given, options, scenarios, host)
  try {
    for (const scenario of scenarios) {
      if (results.length > 0 && (await Promise.race([ended, false]))) break
      results.push(await playOne(scenario, stages, { ...options, quiet: report.quiet }, host))
      report.played(results)
      if (results.at(-1)?.result === 'broken') break
    }
  } finally {
    await stages.close()
    const played = new Set(results.map(({ file }) => file))
    for (const { file } of scenarios)
      if (!played.has(file)) results.push(skipped(file, 'the run ended before it'))
    writeJunit(results)
    report.over(results, Date.now() - startedAtMs)
  }
  return results.every(({ result }) => result === 'passed') ? 0 : 1
}

function loadAll(paths: readonly string[]) {
  const scenarios: Scenario[] = []
  const mistakes: Mistake[] = []
  const attempt = <T>(act: () => T): T | undefined => {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      mistakes.push(...error.mistakes)
      return undefined
    }
  }
  const found = paths.flatMap((path) => attempt(() => findScenarios(path)) ?? [])
  const files = [...new Map(found.map((file) => [resolve(file), file])).values()]
  for (const file of files) {
    const scenario = attempt(() => loadScenario(file))
    if (scenario) scenarios.push(scenario)
  }
  return { scenarios, mistakes, files }
}

async function playOne(
  scenario: Scenario,
  stages: Stages,
  options: PerformOptions,
  host: Host,
): Promise<FileResult> {
  const { file } = scenario
  try {
    const outcome = await perform(scenario, await stages.stageFor(scenario), options, host)
    return resultOf(scenario, outcome)
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    const reason = messageOf(error)
    return { file, result: 'broken', ms: 0, reason, details: [`${file}: ${reason}`] }
  }
}

function resultOf(scenario: Scenario, outcome: Outcome): FileResult {
  const { file } = scenario
  if (outcome.ok) return { file, result: 'passed', ms: outcome.ms, reason: '', details: [] }
  const reason = reasonOf(outcome, scenario)
  return { file, result: 'failed', ms: outcome.ms, reason, details: describeOutcome(scenario, outcome) }
}

function skipped(file: string, reason: string): FileResult {
  return { file, result: 'skipped', ms: 0, reason, details: [] }
}

function resultsOfMistakes(files: readonly string[], mistakes: readonly Mistake[]): FileResult[] {
  const all = new Set([...files, ...mistakes.map(({ file }) => file)])
  return [...all].map((file) => {
    const details = mistakes.filter((one) => one.file === file).map(describeMistake)
    const [reason] = details
    if (reason === undefined) return skipped(file, 'another file is wrong')
    return { file, result: 'invalid', ms: 0, reason, details }
  })
}

function isOnScreen(scenario: Scenario | undefined): boolean {
  const hardware = [...(scenario?.hardware.values() ?? [])]
  return hardware.length === 1 && !hardware.some(isBoxHardware)
}

/** How a run is shown: one scenario by its view, several by a line each. */
function reporterOf(
  { paths }: ScenarioOptions,
  scenarios: readonly Scenario[],
  options: SpeakerOptions,
  { stdout, stderr, env }: Host,
) {
  const isSuite = scenarios.length > 1 || paths.some(isFolder)
  const isDrawn = !options.headless && canDraw(stdout, env.TERM)
  // A screen shows one speaker of sb/1.
  const quiet = !options.headless && (isSuite || (isDrawn && !isOnScreen(scenarios[0])))
  const width = Math.max(...scenarios.map(({ file }) => file.length))
  const print = linePrinter((line) => stdout.write(line), options)
  return {
    quiet,
    played(results: readonly FileResult[]) {
      const last = results.at(-1)
      if (!last) return
      if (quiet)
        stdout.write(
          `${last.result === 'passed' ? '✓' : '✗'} ${last.file.padEnd(width)}  ${seconds(last.ms).padStart(8)}\n`,
        )
      if (last.details.length > 0) stderr.write(`${last.details.join('\n')}\n`)
    },
    over(results: readonly FileResult[], ms: number) {
      if (quiet) stdout.write(`${summaryOf(results, ms)}\n`)
      else if (isSuite)
        print(
          {
            event: 'summary',
            scenarios: results.length,
            passed: results.filter(({ result }) => result === 'passed').length,
            ms,
          },
          Date.now(),
        )
    },
  }
}
