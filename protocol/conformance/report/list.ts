import { levelsOf } from '../case/evidence.ts'
import type { Case } from '../case/schema.ts'

/** Lists the cases with their clauses by area. */
export function listText(cases: readonly Case[]): string {
  const width = Math.max(...cases.map(({ id }) => id.length))
  const areas = Map.groupBy(cases, ({ area }) => area)
  return [...areas]
    .flatMap(([area, some]) => ['', area, ...some.map((one) => `  ${line(one, width)}`)])
    .slice(1)
    .map((text) => `${text.trimEnd()}\n`)
    .join('')
}

function line(one: Case, width: number): string {
  const { id, clauses, needs, slow } = one
  const all = [...needs, ...(levelsOf(one).includes('senses') ? ['eyes and ears'] : [])]
  const needed = all.length > 0 ? ` needs ${all.join(', ')}` : ''
  return `${id.padEnd(width)}  ${clauses.join(' ').padEnd(11)}${needed}${slow ? ' (slow)' : ''}`
}

/** The same list as data. */
export function listJson(cases: readonly Case[]): object[] {
  return cases.map((one) => {
    const { id, area, title, clauses, why, needs, slow } = one
    return { id, area, title, clauses, why, needs, levels: levelsOf(one), slow }
  })
}
