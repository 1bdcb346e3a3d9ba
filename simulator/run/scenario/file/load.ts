import { stringify } from 'yaml'
import { type Cast, castIssues, ONLY } from './cast.ts'
import { type Issue, inBrackets, issuesOf, issueText, pathText } from './issues.ts'
import type { SpeakerKind } from './pattern.ts'
import { readText } from './read-text.ts'
import { readYaml, type Source } from './read-yaml.ts'
import { Results } from './results.ts'
import { ScenarioError } from './scenario-error.ts'
import { type Hardware, scenarioFile } from './schema.ts'
import { readStep, type Step } from './steps.ts'
import { type Unrolled, unroll } from './unroll.ts'
import { isOpenAt, referenceIssues, referencesIn } from './variables.ts'

/** A step with its line in the file. Each round of a loop has its own. */
export interface PlacedStep {
  line: number
  /** The source of the step, in one line, and its round. */
  text: string
  /** The source; it may have variables that only the run knows. */
  raw: unknown
  /** The kind of its speaker. */
  kind: SpeakerKind
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

function readSteps(unrolled: readonly Unrolled[], { value, lineOf }: Source, cast: Cast | undefined) {
  const results = new Results()
  /** By place and text: a mistake in a loop is reported once, with the rounds that have it. */
  const issues = new Map<string, Issue & { rounds: Set<string> }>()
  const steps = unrolled.map(({ path, raw, written, rounds, variables }): PlacedStep => {
    const kind = kindIn(value, Object(raw).on)
    const read = readStep(raw, kind)
    const round = rounds.join(', ')
    const found = [
      ...referenceIssues(raw, results.known, variables),
      // What the run will fill in can't be judged yet.
      ...('issues' in read ? read.issues : []).filter((issue) => !isOpenAt(raw, issue.path)),
      ...results.add(raw, variables, kind),
      ...(cast ? castIssues(raw, cast) : []),
    ]
    for (const issue of found) {
      const place = [...path, ...issue.path]
      const key = `${place.map(String).join('.')} ${issue.message}`
      const known = issues.get(key) ?? { path: place, message: issue.message, rounds: new Set() }
      issues.set(key, known)
      if (round !== '' && isOpenAt(written, issue.path)) known.rounds.add(round)
    }
    const isOpen = referencesIn(raw).length > 0
    const step = 'step' in read && !isOpen ? read.step : undefined
    return { line: lineOf(path), text: inOneLine(raw) + inBrackets(round), raw, kind, step }
  })
  const messages = [...issues.values()].map(({ path, message, rounds }) => {
    return { path, message: message + inBrackets(roundsText([...rounds])) }
  })
  return { steps, issues: messages }
}

/** The kind of a speaker, or of the only one, also when the rest of the file is wrong. */
function kindIn(file: unknown, on: unknown): SpeakerKind {
  const { speaker, speakers }: { speaker?: unknown; speakers?: unknown } = Object(file)
  const { dialect = 'sb1' }: { dialect?: unknown } = Object(Object(speakers)[String(on)] ?? speaker)
  return dialect === 'sb1' ? 'sb1' : 'box'
}

/** More rounds are counted. */
const MOST_ROUNDS = 3

/** `amount "0"; amount "abc"; and 2 more rounds` */
function roundsText(rounds: readonly string[]): string {
  const more = rounds.length - MOST_ROUNDS
  const rest = more > 0 ? [`and ${more} more ${more === 1 ? 'round' : 'rounds'}`] : []
  return [...rounds.slice(0, MOST_ROUNDS), ...rest].join('; ')
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
