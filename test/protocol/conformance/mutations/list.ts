import { readFileSync } from 'node:fs'
import { applyEdit, type Edit, keyOf } from './edit.ts'
import { type Replacement, RULES } from './rules.ts'
import { isNode, type Node, visit } from './tree.ts'

/** A shorter text does not tell what it is about. */
const TELLING_LENGTH = 24
const LONGEST_TEXT = 110

/** Every edit that the rules can make in these files, each once. */
export function listEdits(root: string, files: readonly string[]): Edit[] {
  const all = files.flatMap((file) => editsOf(file, readFileSync(`${root}/${file}`, 'utf8')))
  return [...new Map(all.map((edit) => [keyOf(edit), edit])).values()]
}

export function editsOf(file: string, source: string): Edit[] {
  const edits: Edit[] = []
  const read = ({ start, end }: Node) => source.slice(start, end)
  visit(source, (node, ancestors) => {
    for (const [rule, replace] of Object.entries(RULES))
      for (const { start, end, text } of replace(node, ancestors, read)) {
        const line = source.slice(0, node.start).split('\n').length
        const shown = around({ start, end, text }, [node, ...ancestors], source)
        const was = onOneLine(source.slice(start, end))
        edits.push({ file, line, place: placeOf(ancestors), rule, start, end, was, text, ...shown })
      }
  })
  return edits
}

/** The smallest part of the code that tells what is changed, before and after. */
function around(change: Replacement, nodes: readonly Node[], source: string): Pick<Edit, 'before' | 'after'> {
  const covers = nodes.filter(({ start, end }) => start <= change.start && end >= change.end)
  const texts = covers.map(({ start, end }) => {
    const before = source.slice(start, end)
    const inner = { ...change, start: change.start - start, end: change.end - start }
    return { before: onOneLine(before), after: onOneLine(applyEdit(before, inner)) }
  })
  const short = texts.filter(({ before }) => before.length <= LONGEST_TEXT)
  return (
    short.find(({ before }) => before.length >= TELLING_LENGTH) ??
    short.at(-1) ??
    texts[0] ?? { before: '', after: '' }
  )
}

/** The name of the outermost function, method or constant. */
function placeOf(ancestors: readonly Node[]): string {
  const names = ancestors.flatMap(({ type, id, key }) => {
    const name = type === 'MethodDefinition' || type === 'PropertyDefinition' ? key : id
    return isNode(name) && type !== 'ClassDeclaration' ? [String(name.name)] : []
  })
  return names.at(-1) ?? ''
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
