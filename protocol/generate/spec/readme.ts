import { announceBudget, memoryBudget, packTable } from './budget.ts'
import { workedExample } from './example.ts'
import { fieldTables } from './fields.ts'

/** The text between `<!-- name -->` and `<!-- /name -->` in the specification. */
const REGIONS: Readonly<Record<string, () => string>> = {
  fields: fieldTables,
  example: workedExample,
  'announce-budget': announceBudget,
  'memory-budget': memoryBudget,
  packs: packTable,
}

/** Replaces the generated regions of the specification. */
export function fillSpecification(text: string): string {
  return Object.entries(REGIONS).reduce((filled, [name, write]) => fillRegion(filled, name, write()), text)
}

/** Replaces what is between `<!-- name -->` and `<!-- /name -->` in a page. */
export function fillRegion(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page has no region ${name}`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}
