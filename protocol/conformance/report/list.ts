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

function line({ id, clauses, needs, slow }: Case, width: number): string {
  const needed = needs.length > 0 ? ` needs ${needs.join(', ')}` : ''
  return `${id.padEnd(width)}  ${clauses.join(' ').padEnd(11)}${needed}${slow ? ' (slow)' : ''}`
}

/** The same list as data. */
export function listJson(cases: readonly Case[]): object[] {
  return cases.map(({ id, area, title, clauses, why, needs, slow }) => ({
    ...{ id, area, title, clauses, why, needs, slow },
  }))
}
