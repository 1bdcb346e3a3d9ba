import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { messageOf } from '../../../platform/error-text.ts'
import { ScenarioError } from './scenario-error.ts'

/** Far above what a scenario needs, and far below what recursion can do. */
const DEEPEST = 50

/** The commonest mistake with variables. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is written like this in a scenario
const QUOTES = ' (inside { } and [ ], a variable stands in quotes: "${amount}")'

/** A YAML file with the lines of its values. */
export interface Source {
  value: unknown
  /** The line of the node at the path, or of its nearest parent. */
  lineOf(path: readonly PropertyKey[]): number
}

/** Parses YAML. Throws a `ScenarioError` with the line of the first mistake. */
export function readYaml(file: string, text: string): Source {
  const lines = new LineCounter()
  const failAt = (line: number, why: string): never => {
    throw new ScenarioError([{ file, line, message: why }])
  }
  let document: Document
  try {
    document = parseDocument(text, { lineCounter: lines, logLevel: 'error' })
  } catch (error) {
    return failAt(1, whyNot(error))
  }
  const lineOfNode = (node: Node | undefined) => (node?.range ? lines.linePos(node.range[0]).line : 1)
  const [broken] = document.errors
  if (broken) {
    const line = broken.linePos?.[0].line ?? 1
    const hint = text.split('\n')[line - 1]?.includes('${') ? QUOTES : ''
    failAt(line, `${whyNot(broken)}${hint}`)
  }
  return {
    value: jsOf(document, (why) => failAt(lineOfNode(firstAlias(document)), why)),
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const node = nodeAt(document, path.slice(0, length))
        if (isNode(node) && node.range) return lineOfNode(node)
      }
      return 1
    },
  }
}

function jsOf(document: Document, fail: (why: string) => never): unknown {
  let value: unknown
  try {
    value = document.toJS()
  } catch (error) {
    return fail(whyNot(error))
  }
  return isDeeper(value, DEEPEST)
    ? fail('the values are nested too deeply, or an alias (*) contains itself')
    : value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}

/** The library's error in words for an author. */
function whyNot(error: unknown): string {
  const message = messageOf(error)
  if (/call stack/i.test(message)) return 'the values are nested too deeply'
  return /alias count/i.test(message) ? 'there are too many aliases (*) of aliases' : firstLine(message)
}

function firstAlias(document: Document): Node | undefined {
  let found: Node | undefined
  try {
    visit(document, {
      Alias(_, node) {
        found = node
        return visit.BREAK
      },
    })
  } catch {
    // Nested more deeply than the stack is high.
  }
  return found
}

/** The node at the path; for a field its name, because the value may start on another line. */
function nodeAt(document: Document, path: readonly PropertyKey[]): unknown {
  const parent: unknown = document.getIn(path.slice(0, -1), true)
  if (!isMap(parent)) return document.getIn(path, true)
  return parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))?.key
}

/** Removes the code frame from a YAML message. */
function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message
}
