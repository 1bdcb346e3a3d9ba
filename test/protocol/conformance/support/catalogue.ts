import { readClauseList } from '../../../../protocol/conformance/case/clause-list.ts'
import { loadCases } from '../../../../protocol/conformance/case/load.ts'
import type { Catalogue } from '../../../../protocol/conformance/report/certificate.ts'

/** All cases and clauses, read once. */
export const CATALOGUE: Catalogue = { cases: loadCases(), list: readClauseList() }

/** What a maker declares to get a certificate. */
export const DECLARES: Readonly<Record<string, string>> = Object.fromEntries(
  [...CATALOGUE.list]
    .filter(([, { level, beyond }]) => level === 'must' && beyond !== undefined)
    .map(([number]) => [number, 'by design']),
)
