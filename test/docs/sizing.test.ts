import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MEASURED } from '../../server/operate/measured.ts'
import { sizeOf } from '../../server/operate/size.ts'
import { ROOT } from '../support/docs/markdown.ts'
import { sizingTables } from '../support/docs/sizing.ts'

const page = readFileSync(join(ROOT, 'docs/scale.md'), 'utf8')

it.each(sizingTables(MEASURED))('docs/scale.md has the constants of hub size: %s', (table) => {
  expect(page).toContain(table)
})

it('docs/scale.md says what breaks first of several hubs', () => {
  const fleet = { shops: 10_000_000, paymentsADay: 40, speakersAShop: 1, peak: 10, keepDays: 365 }
  const { decides } = sizeOf({ ...fleet, webhooks: 0, standbys: 2, headroom: 0.5, spareHubs: 1 })
  expect(page.replaceAll(/\s+/g, ' ')).toContain(`What breaks first is the ${decides.what},`)
})
