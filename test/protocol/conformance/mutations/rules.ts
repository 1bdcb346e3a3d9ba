import { isNode, type Node, nodesIn } from './tree.ts'

/** What a rule puts in place of some characters. */
export interface Replacement {
  start: number
  end: number
  text: string
}

/** Finds the replacements that it can make at a node. `read` gives a node's text. */
export type Rule = (
  node: Node,
  ancestors: readonly Node[],
  read: (node: Node) => string,
) => readonly Replacement[]

const COMPARISONS = pairs(['<', '<='], ['>', '>='], ['===', '!=='])
const ARITHMETIC = pairs(['+', '-'], ['*', '/'])
const LOGIC = pairs(['&&', '||'])
const METHODS = pairs(['min', 'max'], ['some', 'every'])

/** Texts of which the code uses one: the rule takes the next. */
const UNIONS: readonly (readonly string[])[] = [
  ['received', 'shown', 'played'],
  ['expired', 'too_large', 'unsupported', 'no_clip', 'muted'],
  ['connecting', 'offline', 'born', 'welcomed'],
  ['code', 'qr'],
  ['screen', 'speaker'],
  ['vi', 'en'],
]

/** Fields that say which kind of object it is. */
const TAGS = ['type', 'kind', 'event', 'phase', 't', 'screen', 'ok']

export const RULES: Readonly<Record<string, Rule>> = {
  comparison: (node, _, read) =>
    node.type === 'BinaryExpression' ? operator(node, COMPARISONS.get(node.operator), read) : [],

  arithmetic: (node, _, read) =>
    node.type === 'BinaryExpression' ? operator(node, ARITHMETIC.get(node.operator), read) : [],

  logic: (node, _, read) => {
    if (node.type === 'UnaryExpression' && node.operator === '!' && isNode(node.argument))
      return [{ ...node, text: read(node.argument) }]
    if (node.type !== 'LogicalExpression' || !isNode(node.right)) return []
    if (node.operator === '??') return [{ ...node, text: `(${read(node.right)})` }]
    return operator(node, LOGIC.get(node.operator), read)
  },

  method: (node) => {
    const { callee } = node
    if (node.type !== 'CallExpression' || !isNode(callee) || !isNode(callee.property)) return []
    const other = METHODS.get(callee.property.name)
    return other === undefined ? [] : [{ ...callee.property, text: other }]
  },

  constant: (node, [parent]) => {
    if (node.type !== 'Literal' || parent?.type === 'SwitchCase') return []
    const { value } = node
    if (typeof value === 'boolean') return [{ ...node, text: String(!value) }]
    if (typeof value === 'string') return otherOf(value).map((text) => ({ ...node, text: `'${text}'` }))
    if (typeof value !== 'number') return []
    // One more than a large number is too near to it for any clause.
    const more = value < 100 ? value + 1 : value * 2
    return [more, ...(value > 1 ? [0] : [])].map((other) => ({ ...node, text: String(other) }))
  },

  condition: (node) => {
    const { test } = node
    if (!['IfStatement', 'ConditionalExpression'].includes(node.type) || !isNode(test)) return []
    return ['true', 'false'].map((text) => ({ ...test, text }))
  },

  'dropped statement': (node) => (node.type === 'ExpressionStatement' ? [{ ...node, text: '{}' }] : []),

  'dropped field': (node, [parent]) => {
    const isField = node.type === 'Property' || node.type === 'SpreadElement'
    if (!isField || parent?.type !== 'ObjectExpression') return []
    // Without the object that it begins with, or without its tag, it would be no object of its type.
    const isBase = node.type === 'SpreadElement' && nodesIn(parent.properties)[0]?.start === node.start
    const isTag = isNode(node.key) && TAGS.includes(String(node.key.name))
    // A field without a value is as good as none, except in place of another value.
    const isNothing = isNode(node.value) && node.value.name === 'undefined'
    const hasBase = nodesIn(parent.properties)[0]?.type === 'SpreadElement'
    return isBase || isTag || (isNothing && !hasBase) ? [] : [withoutComma(node, parent)]
  },

  'dropped element': (node, [parent]) =>
    parent?.type === 'ArrayExpression' ? [withoutComma(node, parent)] : [],

  /** `chain(first, next)` does both. */
  'dropped step': (node, _, read) => {
    if (node.type !== 'CallExpression' || !isNode(node.callee) || read(node.callee) !== 'chain') return []
    const [first] = nodesIn(node.arguments)
    return first ? [{ ...node, text: read(first) }] : []
  },
}

/** Each of two becomes the other. */
function pairs(...list: [string, string][]): ReadonlyMap<unknown, string> {
  return new Map(
    list.flatMap(([one, other]) => [
      [one, other],
      [other, one],
    ]),
  )
}

function operator(node: Node, other: string | undefined, read: (node: Node) => string): Replacement[] {
  const { left, right } = node
  if (other === undefined || !isNode(left) || !isNode(right)) return []
  return [{ ...node, text: `${read(left)} ${other} ${read(right)}` }]
}

function otherOf(value: string): string[] {
  const union = UNIONS.find((members) => members.includes(value)) ?? []
  const next = union[(union.indexOf(value) + 1) % union.length]
  return next === undefined ? [] : [next]
}

/** A part of a list goes with the comma behind it, or before it when it is the last. */
function withoutComma(node: Node, list: Node | undefined): Replacement {
  const parts = nodesIn(list?.properties ?? list?.elements)
  const at = parts.findIndex(({ start }) => start === node.start)
  const [previous, next] = [parts[at - 1], parts[at + 1]]
  if (next) return { start: node.start, end: next.start, text: '' }
  return { start: previous?.end ?? node.start, end: node.end, text: '' }
}
