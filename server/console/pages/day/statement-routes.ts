import type { Route } from '../../parts/visit.ts'
import { previewProfile } from './profile-preview.ts'
import { askForProfile, listProfiles, saveProfile } from './profiles.ts'
import { showStatement } from './statement.ts'
import { askToSign, decide, sign } from './statement-changes.ts'
import { askForFile, importFile, MOST_UPLOAD } from './statement-import.ts'
import { statementsFile } from './statements.ts'

/** The statements of banks: each of them, what people decide of it, the import, and how the files of a bank are read. */
export const statementPages: readonly Route[] = [
  { method: 'GET', path: '/day/import', role: 'operator', answer: askForFile },
  { method: 'POST', path: '/day/import', role: 'operator', mostBytes: MOST_UPLOAD, answer: importFile },
  { method: 'GET', path: '/day/statements', role: 'viewer', answer: statementsFile },
  { method: 'GET', path: '/day/statements/:id', role: 'viewer', answer: showStatement },
  { method: 'POST', path: '/day/statements/:id/decide', role: 'operator', answer: decide },
  { method: 'GET', path: '/day/statements/:id/sign', role: 'operator', answer: askToSign },
  { method: 'POST', path: '/day/statements/:id/sign', role: 'operator', answer: sign },
  { method: 'GET', path: '/day/profiles', role: 'operator', answer: listProfiles },
  { method: 'GET', path: '/day/profile', role: 'operator', answer: askForProfile },
  {
    ...{ method: 'POST', path: '/day/profile/preview', role: 'operator', mostBytes: MOST_UPLOAD },
    answer: previewProfile,
  },
  { method: 'POST', path: '/day/profile', role: 'operator', answer: saveProfile },
]
