import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTestShop } from '../../../support/api.ts'
import { settle } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { findProgram } from '../../../support/processes/program.ts'

const soffice = findProgram('soffice', 'libreoffice')
if (soffice === undefined)
  process.stdout.write(
    'no spreadsheet program opens the files: there is no soffice on PATH (libreoffice-calc)\n',
  )

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', apos: "'", quot: '"' }

/**
 * Commas, quotes, and 76, which is UTF-8: what the dialog of LibreOffice takes from the byte order mark. Without its dialog
 * LibreOffice 7 goes by no mark, and reads Windows-1252 unless told otherwise.
 */
const UTF_8 = '--infilter=CSV:44,34,76,1'

/** The cells of a CSV file as LibreOffice Calc opens it: numbers, and texts. */
function opened(csv: Uint8Array): (string | number)[][] {
  const folder = temporaryFolder()
  const file = join(folder, 'file.csv')
  writeFileSync(file, csv)
  const profile = `-env:UserInstallation=file://${folder}/profile`
  const options = ['--headless', UTF_8, '--convert-to', 'fods', '--outdir', folder, file]
  const env = { ...process.env, HOME: folder }
  const { status, stderr } = spawnSync(soffice ?? '', [profile, ...options], { env })
  expect(`${status} ${stderr}`).toMatch(/^0 /)
  const sheet = readFileSync(join(folder, 'file.fods'), 'utf8')
  return [...sheet.matchAll(/<table:table-row\b.*?<\/table:table-row>/gs)].map(([row]) =>
    [...row.matchAll(/<table:table-cell(\b[^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, attributes = '', content = '']) => {
        const number = /office:value="([^"]*)"/.exec(attributes)?.[1]
        const repeated = /number-columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? '1'
        return Array.from({ length: Number(repeated) }, () =>
          number === undefined ? textOf(content) : Number(number),
        )
      },
    ),
  )
}

const textOf = (content: string) =>
  content
    .replace(/<[^>]*>|\n\s*/g, '')
    .replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? `&${name};`)

async function world() {
  const { api, partner, device } = await createTestShop()
  device.leave()
  await partner.pay({ ftCode: 'FT-1', transactionAmount: '9999999999999', notice: 'Bàn 5: cà phê sữa đá' })
  await partner.pay({ ftCode: 'FT-2', transactionAmount: '216000', notice: '=1+1' })
  await settle()
  return async function file(path: string) {
    const headers = { Accept: 'text/csv', Authorization: `Bearer ${partner.token}` }
    const answer = await api.fetch(new Request(`http://localhost/api/v1/partner${path}`, { headers }))
    return opened(new Uint8Array(await answer.arrayBuffer()))
  }
}

it.skipIf(soffice === undefined)('LibreOffice reads amounts as numbers and names as they are', async () => {
  const file = await world()
  const [header = [], row = []] = await file('/payment/summary?bom=true')
  expect(header[0]).toBe('storeId')
  const day = Object.fromEntries(header.map((name, index) => [name, row[index]]))
  expect(day).toMatchObject({ storeName: 'Quán Cà Phê Sáng', count: 2, amount: 10_000_000_215_999 })
  expect(day).toMatchObject({ openCount: 2, openAmount: 10_000_000_215_999, playedCount: 0, playedAmount: 0 })
  expect(day).toMatchObject({ zone: 'Asia/Ho_Chi_Minh' })

  const [columns = [], ...rows] = await file('/payment/transactions?bom=true&zone=Asia/Ho_Chi_Minh')
  const cells = (name: string) => rows.slice(0, 2).map((one) => one[columns.indexOf(name)])
  expect(cells('transactionAmount')).toEqual([216_000, 9_999_999_999_999])
  expect(cells('notice')).toEqual(["'=1+1", 'Bàn 5: cà phê sữa đá'])
  for (const at of cells('receivedAt')) expect(at).toMatch(/^2026-11-20T.*\+07:00$/)
})
