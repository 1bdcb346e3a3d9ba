import type { AcceptanceCase } from '../formats/acceptance.ts'
import { announcementCases } from './announcements.ts'
import { billCases } from './bills.ts'
import { finish } from './draft.ts'
import { frameCases } from './frames.ts'
import { refusalCases } from './refusals.ts'
import { rekeyCases } from './rekeys.ts'
import { screenCases } from './screens.ts'
import { sessionCases } from './sessions.ts'
import { settingsCases } from './settings.ts'
import { updateCases } from './updates.ts'

/** The content of acceptance.json. */
export function acceptanceVectors(): { about: string; cases: AcceptanceCase[] } {
  const drafts = [
    ...sessionCases,
    ...frameCases,
    ...announcementCases,
    ...refusalCases,
    ...billCases,
    ...screenCases,
    ...settingsCases,
    ...rekeyCases,
    ...updateCases,
  ]
  return {
    about:
      'What a device must do about one event, given what it knows: see README.md beside this file. Expectations are written by hand; only bytes are computed.',
    cases: drafts.map(finish),
  }
}
