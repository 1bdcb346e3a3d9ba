import { parseAst } from 'vitest/node'

/** A node of the syntax tree (ESTree). Its fields depend on its type. */
export interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

/** Visits every expression and statement with its ancestors, the nearest first. Skips types and imports. */
export function visit(source: string, see: (node: Node, ancestors: readonly Node[]) => void): void {
  const walk = (value: unknown, ancestors: readonly Node[]): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, ancestors)
    if (!isNode(value) || isErased(value)) return
    see(value, ancestors)
    const inner = [value, ...ancestors]
    for (const field of Object.values(value)) walk(field, inner)
  }
  walk(parseAst(source, { lang: 'ts' }), [])
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The nodes in a field that holds a list. */
export function nodesIn(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** Type assertions hold an expression; all other nodes of TypeScript leave nothing behind. */
function isErased({ type }: Node): boolean {
  if (type === 'ImportDeclaration') return true
  return type.startsWith('TS') && !['TSAsExpression', 'TSSatisfiesExpression'].includes(type)
}
