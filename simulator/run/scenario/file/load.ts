import { stringify } from 'yaml'
import { type Cast, castIssues, ONLY } from './cast.ts'
import { type Issue, issuesOf, issueText, pathText } from './issues.ts'
import { readText } from './read-text.ts'
import { readYaml, type Source } from './read-yaml.ts'
import { Results } from './results.ts'
import { ScenarioError } from './scenario-error.ts'
import { type Hardware, scenarioFile } from './schema.ts'
import { readStep, type Step } from './steps.ts'
import { type Unrolled, unroll } from './unroll.ts'
import { referenceIssues, referencesIn, valueAt } from './variables.ts'

/** A step with its line in the file. Each round of a loop has its own. */
export interface PlacedStep {
  line: number
  /** The source of the step, in one line, and its round. */
  text: string
  /** The source; it may have variables that only the run knows. */
  raw: unknown
  /** Undefined when the source has such variables. */
  step: Step | undefined
}

export interface Scenario extends Cast {
  file: string
  about: string
  /** What differs from the default, for each speaker. */
  hardware: ReadonlyMap<string, Hardware>
  steps: PlacedStep[]
}

/** Reads a scenario file; throws a `ScenarioError`. */
export function loadScenario(file: string): Scenario {
  return parseScenario(file, readText(file))
}

/** Reads the text of a scenario; throws a `ScenarioError`. */
export function parseScenario(file: string, text: string): Scenario {
  const source = readYaml(file, text)
  const parsed = scenarioFile.safeParse(source.value, { error: issueText })
  const { steps, variables }: { steps?: unknown; variables?: unknown } = Object(source.value)
  const values = new Map<string, unknown>(Object.entries(Object(variables)))
  const unrolled = unroll(Array.isArray(steps) ? steps : [], values)
  const given = parsed.success ? parsed.data : undefined
  const hardware = new Map(
    given?.speakers ? Object.entries(given.speakers) : [[ONLY.speaker, given?.speaker ?? { faults: [] }]],
  )
  const cast = {
    speakers: [...hardware.keys()],
    partners: given?.partners ?? [ONLY.partner],
    hubs: given?.hubs ?? 1,
  }
  // Without a cast, every step would be wrong.
  const read = readSteps(unrolled.steps, source, given && cast)
  const issues = [...(parsed.success ? [] : issuesOf(parsed.error)), ...unrolled.issues, ...read.issues]
  if (!given || issues.length > 0) throw new ScenarioError(mistakesOf(file, issues, source))
  return { file, about: given.about, hardware, ...cast, steps: read.steps }
}

function readSteps(unrolled: readonly Unrolled[], { lineOf }: Source, cast: Cast | undefined) {
  const results = new Results()
  /** By place and text: a mistake in a loop is reported once, with its first round. */
  const issues = new Map<string, Issue>()
  const steps = unrolled.map(({ path, raw, written, rounds, variables }): PlacedStep => {
    const read = readStep(raw)
    const round = rounds.length === 0 ? '' : ` (${rounds.join(', ')})`
    const found = [
      ...referenceIssues(raw, results.known, variables),
      // What the run will fill in can't be judged yet.
      ...('issues' in read ? read.issues : []).filter((issue) => !isOpenAt(raw, issue.path)),
      ...results.add(raw, variables),
      ...(cast ? castIssues(raw, cast) : []),
    ]
    for (const issue of found) {
      const place = [...path, ...issue.path]
      const key = `${place.map(String).join('.')} ${issue.message}`
      const message = isOpenAt(written, issue.path) ? `${issue.message}${round}` : issue.message
      if (!issues.has(key)) issues.set(key, { path: place, message })
    }
    const isOpen = referencesIn(raw).length > 0
    const step = 'step' in read && !isOpen ? read.step : undefined
    return { line: lineOf(path), text: `${inOneLine(raw)}${round}`, raw, step }
  })
  return { steps, issues: [...issues.values()] }
}

function isOpenAt(raw: unknown, path: readonly PropertyKey[]): boolean {
  return path.length > 0 && referencesIn(valueAt(raw, path)).length > 0
}

function mistakesOf(file: string, issues: readonly Issue[], { lineOf }: Source) {
  const mistakes = issues.map(({ path, message }) => {
    const place = pathText(path)
    return { file, line: lineOf(path), message: place === '' ? message : `${place}: ${message}` }
  })
  return mistakes.sort((a, b) => a.line - b.line)
}

/** `pay: "50000", bill: B-1` */
function inOneLine(step: unknown): string {
  return Object.entries(Object(step))
    .map(([key, value]) => `${key}: ${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`)
    .join(', ')
}
