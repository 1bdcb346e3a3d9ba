import { readFileSync } from 'node:fs'
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, stringify } from 'yaml'
import type { z } from 'zod'
import { fileTrouble } from '../../platform/error-text.ts'
import { issuesOf, issueText, pathText } from './issues.ts'
import { type Step, scenarioFile } from './schema.ts'

/** The file is not a valid scenario. The message lists every error with its line. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
}

/** A step with its line in the file. */
export interface PlacedStep {
  line: number
  /** The source of the step, in one line. */
  text: string
  step: Step
}

export interface Scenario {
  file: string
  about: string
  speaker: z.infer<typeof scenarioFile>['speaker']
  steps: PlacedStep[]
}

/** Reads a scenario file; throws a `ScenarioError`. */
export function loadScenario(file: string): Scenario {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ScenarioError(`${file} can't be read: ${fileTrouble(error)}`)
  }
  return parseScenario(file, text)
}

/** Reads the text of a scenario; throws a `ScenarioError`. */
export function parseScenario(file: string, text: string): Scenario {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [broken] = document.errors
  if (broken)
    throw new ScenarioError(`${file}:${broken.linePos?.[0].line ?? 1}: ${firstLine(broken.message)}`)
  const given: unknown = document.toJS()
  const parsed = scenarioFile.safeParse(given, { error: issueText })
  /** The line of the node at the path, or of its nearest parent. */
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = nodeAt(document, path.slice(0, length))
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    }
    return 1
  }
  if (!parsed.success) throw new ScenarioError(issuesText(file, parsed.error, lineOf))
  const { steps, ...rest } = parsed.data
  const written: { steps: unknown[] } = Object(given)
  return {
    file,
    ...rest,
    steps: steps.map((step, index) => ({
      line: lineOf(['steps', index]),
      text: inOneLine(written.steps[index]),
      step,
    })),
  }
}

/** The node at the path; for a field its name, because the value may start on another line. */
function nodeAt(document: Document, path: readonly PropertyKey[]): unknown {
  const parent: unknown = document.getIn(path.slice(0, -1), true)
  if (!isMap(parent)) return document.getIn(path, true)
  return parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))?.key
}

function issuesText(
  file: string,
  error: z.ZodError,
  lineOf: (path: readonly PropertyKey[]) => number,
): string {
  const found = issuesOf(error).map(({ path, message }) => {
    const place = pathText(path)
    return { line: lineOf(path), text: place === '' ? message : `${place}: ${message}` }
  })
  return found
    .sort((a, b) => a.line - b.line)
    .map(({ line, text }) => `${file}:${line}: ${text}`)
    .join('\n')
}

/** `pay: "50000", bill: B-1` */
function inOneLine(step: unknown): string {
  return Object.entries(Object(step))
    .map(([key, value]) => `${key}: ${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`)
    .join(', ')
}

/** Removes the code frame from a YAML message. */
function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message
}
