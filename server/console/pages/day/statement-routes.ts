import type { Route } from '../../parts/visit.ts'
import { showStatement } from './statement.ts'
import { askToSign, decide, sign } from './statement-changes.ts'
import { askForFile, importFile, MOST_UPLOAD } from './statement-import.ts'
import { statementsFile } from './statements.ts'

/** The statements of banks: each of them, what people decide of it, and the import. */
export const statementPages: readonly Route[] = [
  { method: 'GET', path: '/day/import', role: 'operator', answer: askForFile },
  { method: 'POST', path: '/day/import', role: 'operator', mostBytes: MOST_UPLOAD, answer: importFile },
  { method: 'GET', path: '/day/statements', role: 'viewer', answer: statementsFile },
  { method: 'GET', path: '/day/statements/:id', role: 'viewer', answer: showStatement },
  { method: 'POST', path: '/day/statements/:id/decide', role: 'operator', answer: decide },
  { method: 'GET', path: '/day/statements/:id/sign', role: 'operator', answer: askToSign },
  { method: 'POST', path: '/day/statements/:id/sign', role: 'operator', answer: sign },
]
