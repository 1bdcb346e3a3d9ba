import { describe, expect, it } from 'vitest'
import { HOSTILE } from './shop.ts'
import { fileOf, importedConsole, lotus, MOVEMENTS, plain, statementConsole } from './statement-console.ts'

describe('an import', () => {
  it('takes the file of a form, with an audit row of the person', async () => {
    const { operator, to, id, noted } = await importedConsole()
    expect(to).toBe(`/day/statements/${id}?done=imported`)
    expect(await (await operator.get(to)).text()).toContain('The statement is imported.')
    expect(await noted('statement.import')).toMatchObject([
      { actor: 'minh', actorKind: 'operator', details: { via: 'console' } },
    ])
    const form = await (await operator.get('/day/import?partner=sbc_1')).text()
    for (const text of ['multipart/form-data', '>lotus</option>', '>camt.053</option>'])
      expect(form).toContain(text)
  })

  it('leads to the first statement of a file that is known', async () => {
    const { importFile, path, noted } = await importedConsole()
    const again = await importFile(fileOf(lotus(MOVEMENTS)))
    expect(again.status).toBe(409)
    expect(await again.text()).toContain(`This file was imported before: <a href="${path}">`)
    expect(await noted('statement.import')).toHaveLength(1)
  })

  it('says line and reason of a file that can not be read, and imports nothing', async () => {
    const { importFile, noted } = await statementConsole()
    const broken = new TextEncoder().encode(
      `a\nb\nc\nNgày GD;Số tham chiếu;Số tiền;Số dư;Nội dung\n20/11/2026;FT1;${HOSTILE};1;x\nTổng cộng`,
    )
    const answer = await importFile(fileOf(broken))
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(plain(page)).toContain('can not be read. Nothing was imported. Line 5:')
    expect(page).toContain('sao kê &lt;script&gt;')
    for (const text of ['<script>alert', '<img src=x']) expect(page).not.toContain(text)
    expect(await noted('statement.import')).toEqual([])
  })

  it.each([
    ['no partner', { partner: 'sbc_9' }, 'Choose the partner.'],
    ['an account that is none', { account: HOSTILE }, 'This is no number of an account.'],
    ['no account', { account: '' }, 'Give the account: the file does not name it.'],
    ['no such profile', { profile: HOSTILE }, 'There is no such profile.'],
  ])('refuses %s with a sentence, and keeps the form', async (_, fields, sentence) => {
    const { importFile } = await statementConsole()
    const answer = await importFile(fileOf(lotus(MOVEMENTS), fields))
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(page).toContain(sentence)
    expect(page).not.toContain('<script>alert')
  })

  // test/whole/server/console/statement-import.test.ts sends more than 20 MB.
  it('takes more than other forms', async () => {
    const { importFile, operator, path } = await importedConsole()
    expect((await importFile(fileOf(new Uint8Array(0)))).status).toBe(400)
    const large = await importFile(fileOf(new Uint8Array(1024 * 1024)))
    expect([large.status, await large.text()]).toEqual([400, expect.stringContaining('can not be read')])
    expect((await operator.post(`${path}/sign`, { note: 'x'.repeat(65 * 1024) })).status).toBe(413)
  })
})
