import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { reconcileProfile } from '../../../../server/operate/cli/reconcile-profile.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { LOTUS } from '../../../support/statements/banks.ts'
import { openTestStorage } from '../../../support/storage.ts'

it('a profile is saved only when its sample can be read; each row that can not be read has its reason', async () => {
  const folder = temporaryFolder()
  const file = (name: string, text: string | Buffer) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { storage } = openTestStorage()
  const workspace = { storage, clock: systemClock, ids: createRandomIds(), by: OPERATOR }
  const from = file('lotus.json', JSON.stringify(LOTUS.profile))
  const at = Date.parse('2026-11-20T03:00:00Z')
  const bytes = LOTUS.write([{ at, amount: 5, direction: 'credit', reference: 'FT1', text: 'x' }], 0)
  const good = file('good.csv', bytes)
  const bad = file('bad.csv', bytes.toString().replace('Tổng', '31/11/2026;FT2;5;10;y\r\nTổng'))
  const save = (sample: string, name = 'lotus') =>
    reconcileProfile(workspace, name, { from, sample, save: true })

  const refused = await save(bad)
  expect(refused.done).toBe(false)
  expect(refused.json).toMatchObject({
    ...{ error: 'STATEMENT_UNREADABLE', saved: false },
    details: [{ field: 'line 6', issue: 'the date is not dd/mm/yyyy' }],
    rows: [
      { n: 1, amount: 5 },
      { fileLine: 6, reason: 'the date is not dd/mm/yyyy' },
    ],
  })
  expect(refused.text).toContain('line 6: the date is not dd/mm/yyyy')
  expect(await save(good, 'camt.053')).toMatchObject({ done: false, json: { error: 'VALIDATION_FAILED' } })
  expect(await storage.statements.profiles()).toEqual([])

  expect(await save(good)).toMatchObject({ done: true, json: { saved: true, rowCount: 1, rows: [{ n: 1 }] } })
  expect(await storage.statements.profiles()).toMatchObject([{ name: 'lotus', profile: LOTUS.profile }])
})
