import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFields, textsOf } from '../../../server/console/pages/day/profile-fields.ts'
import { ENCODINGS } from '../../../server/reconciliation/formats/decode.ts'
import { type BankProfile, profileSchema } from '../../../server/reconciliation/formats/profile.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { BAMBOO, LOTUS } from '../../support/statements/banks.ts'
import { HOSTILE, NOTICE, rowsOf } from './shop.ts'
import { lotus, MOVEMENTS, plain, row, statementConsole } from './statement-console.ts'
import { tagsOf } from './tree.ts'

const lotusProfile = (change: object = {}) => profileSchema.parse({ ...LOTUS.profile, ...change })

function formOf(profile: BankProfile, sample: Uint8Array<ArrayBuffer> | string, name = 'sao.mai') {
  const form = new FormData()
  form.set('name', name)
  for (const [field, text] of Object.entries(textsOf(profile))) form.set(field, text)
  if (typeof sample === 'string') form.set('pasted', sample)
  // A browser sends an empty file when none is chosen.
  form.set(
    'file',
    new File(typeof sample === 'string' ? [] : [sample], typeof sample === 'string' ? '' : 'a.csv'),
  )
  return form
}

/** The fields of the second button, which saves. Undefined: the page has none. */
function saveFields(page: string): Record<string, string> | undefined {
  const [, name, profile] =
    /name="name" value="([^"]*)"><input type="hidden" name="profile" value="([^"]*)"/.exec(page) ?? []
  if (name === undefined || profile === undefined) return undefined
  return { name, profile: profile.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&') }
}

async function profileConsole() {
  const world = await statementConsole()
  const preview = async (form: FormData) => {
    const answer = await world.operator.post('/day/profile/preview', form)
    return { status: answer.status, page: await answer.text() }
  }
  const saved = async () => (await world.storage.statements.profiles()).map(({ name }) => name)
  return { ...world, preview, saved }
}

describe('the preview of a profile', () => {
  it('shows 20 rows as the profile reads them, and saves nothing', async () => {
    const { preview, saved, noted } = await profileConsole()
    const movements = Array.from({ length: 25 }, (_, n) => row({ amount: 1_000 + n, reference: `FT${n}` }))
    const { status, page } = await preview(formOf(lotusProfile(), lotus(movements)))
    const rows = rowsOf(page)
    expect([status, rows.length]).toEqual([200, 20])
    // It is a page of the day, and a change of the language leads there.
    expect(page).toContain('<a href="/day" aria-current="page">')
    expect(page).toContain('name="to" value="/day"')
    // The newest one comes first in the file, in its fifth line.
    expect(rows[0]).toEqual([
      '5',
      '2026-11-20',
      '',
      'credit',
      '1.024 đ',
      'FT24',
      expect.stringContaining(NOTICE),
    ])
    expect(plain(page)).toContain('Nothing is saved yet. 25 rows, 2026-11-20; opening 0 đ, closing 25.300 đ.')
    expect(saveFields(page)?.name).toBe('sao.mai')
    expect(await saved()).toEqual(['lotus'])
    expect(await noted('bank-profile.save')).toHaveLength(1)
  })

  it('shows the reason of each row that can not be read, between those that can, and no button to save', async () => {
    const { preview } = await profileConsole()
    const text = [
      ...['a', 'b', 'c', 'Ngày GD;Số tham chiếu;Số tiền;Số dư;Nội dung', '20/11/2026;FT1;1.000;1.000;x'],
      ...[
        '31/11/2026;FT2;1.000;2.000;y',
        `20/11/2026;FT3;"${HOSTILE.replaceAll('"', '""')}";3.000;z`,
        '20/11/2026;FT4;1.000;4.000;w',
      ],
    ]
    const { status, page } = await preview(formOf(lotusProfile(), text.join('\r\n')))
    expect(status).toBe(200)
    expect(rowsOf(page).map((cells) => cells.slice(0, 3))).toEqual([
      ['5', '', '2026-11-20'],
      ['6', 'the date is not dd/mm/yyyy', ''],
      ['7', 'the amount is not one of whole đồng, or has other marks than the profile', ''],
      ['8', '', '2026-11-20'],
    ])
    expect(plain(page)).toContain('The sample can not be read. Line 6: the date is not dd/mm/yyyy')
    expect(saveFields(page)).toBeUndefined()
    expect(page).not.toContain('<script>alert')
  })

  it.each([
    [
      'another encoding',
      lotusProfile({ encoding: 'utf-16le' }),
      Buffer.from('abc'),
      'The file: it is not in utf-16le',
    ],
    ['a header elsewhere', lotusProfile({ headerRow: 1 }), lotus(MOVEMENTS), 'Line 1: there is no column'],
    ['XML', lotusProfile(), Buffer.from('<Document/>'), 'Line 1: it is XML'],
  ])('says what is wrong with the whole sample: %s', async (_, profile, sample, reason) => {
    const { preview } = await profileConsole()
    const { page } = await preview(formOf(profile, new Uint8Array(sample)))
    expect(plain(page)).toContain(`Nothing is saved yet. The sample can not be read. ${reason}`)
    expect([rowsOf(page), saveFields(page)]).toEqual([[], undefined])
  })

  it('reads pasted lines whatever the encoding of the file, and keeps them for another look', async () => {
    const { preview } = await profileConsole()
    const text =
      '\nDate\tDebit\tCredit\tBalance\tDescription\n20-11-2026 10:00:00\t\t5,000.00\t5,000.00\tcà phê </textarea>'
    const profile = profileSchema.parse({ ...BAMBOO.profile, headerRow: 2 })
    const { page } = await preview(formOf(profile, text))
    expect(rowsOf(page)[0]?.slice(0, 5)).toEqual(['3', '2026-11-20', '10:00:00', 'credit', '5.000 đ'])
    // A browser drops the first line break of a textarea, and this sample begins with one.
    expect(page).toMatch(/<textarea [^>]*>\n\r?\nDate\t/)
    expect(page).toContain('cà phê &lt;/textarea&gt;</textarea>')
  })

  it.each([
    ['no name', { name: ' ' }, 'It has 1 to 32 letters'],
    ['the name of camt.053', { name: 'camt.053' }, 'It has 1 to 32 letters'],
    ['a hostile name', { name: HOSTILE }, 'It has 1 to 32 letters'],
    ['no sample', { file: '' }, 'Choose a file, or paste its first lines.'],
    ['a long sample', { file: '', pasted: 'x'.repeat(40_000) }, 'What is pasted is too long'],
    ['a zone that is none', { zone: HOSTILE }, 'Time zone: must be a name of the IANA'],
    ['a separator that is none', { separator: HOSTILE }, 'Separator: Invalid option'],
    ['the same marks', { thousand: 'comma' }, 'Mark of thousands: must differ from `decimal`'],
    ['no column of the date', { 'columns.date': '' }, 'Date: Invalid input'],
    ['no column of the amount', { 'columns.amount': '' }, 'Columns: must have `amount`'],
    ['a line that is none', { headerRow: HOSTILE }, 'Line with the names of the columns: Invalid input'],
  ])('refuses %s with a sentence, and keeps the form', async (_, fields, sentence) => {
    const { preview } = await profileConsole()
    const form = formOf(lotusProfile(), lotus(MOVEMENTS))
    for (const [name, text] of Object.entries(fields)) form.set(name, text)
    const { status, page } = await preview(form)
    expect([status, plain(page)]).toEqual([400, expect.stringContaining(sentence)])
    expect(page).toContain('name="columns.text" value="Nội dung"')
    expect(page).not.toContain('<script>alert')
  })

  it('shows hostile texts of a sample as texts', async () => {
    const { preview } = await profileConsole()
    const page = async (text: string) => {
      const profile = lotusProfile({ headerRow: 0, columns: { date: 1, amount: 2, reference: 3, text: 4 } })
      const cell = (value: string) => `"${value.replaceAll('"', '""')}"`
      const rows = [`20/11/2026;5;${cell(`R${text}`)};${cell(`T${text}`)}`, `${cell(text)};1;;`]
      return tagsOf((await preview(formOf(profile, rows.join('\n')))).page)
    }
    const harmless = await page('x')
    expect(harmless).toContain('<textarea name rows maxlength>')
    const hostile = fc.oneof(
      fc.constant(HOSTILE),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }),
    )
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        expect(await page(`${text}</textarea><b onx=1>`)).toEqual(harmless)
      }),
      { numRuns: 10, endOnFailure: true },
    )
  })
})

describe('a profile', () => {
  it('is saved by the second button, with an audit row of the person, and its statements can be imported', async () => {
    const { preview, operator, noted, importFile, storage } = await profileConsole()
    const fields = saveFields((await preview(formOf(lotusProfile(), lotus(MOVEMENTS)))).page) ?? {}
    const answer = await operator.post('/day/profile', fields)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/day/profiles?done=saved&name=sao.mai',
    ])
    const [row] = await noted('bank-profile.save')
    expect(row).toMatchObject({
      actor: 'minh',
      actorKind: 'operator',
      subject: 'sao.mai',
      details: { via: 'console' },
    })
    const stored = (await storage.statements.profiles()).find(({ name }) => name === 'sao.mai')
    expect(stored?.profile).toEqual(lotusProfile())
    const list = await (await operator.get(answer.headers.get('location') ?? '')).text()
    expect(plain(list)).toContain('This profile is saved: sao.mai')
    const form = new FormData()
    for (const [name, text] of Object.entries({
      partner: 'sbc_1',
      account: '0001234567',
      profile: 'sao.mai',
    }))
      form.set(name, text)
    form.set('file', new File([lotus(MOVEMENTS)], 'a.csv'))
    expect((await importFile(form)).status).toBe(303)
  })

  it('is listed, opened as it is stored, and replaced with a warning', async () => {
    const { preview, operator, saved } = await profileConsole()
    const list = await (await operator.get('/day/profiles')).text()
    expect(list).toContain('href="/day/profile?name=lotus"')
    const form = await (await operator.get('/day/profile?name=lotus')).text()
    for (const text of ['name="name" value="lotus"', 'value="semicolon" selected', 'value="Số tham chiếu"'])
      expect(form).toContain(text)
    const changed = formOf(lotusProfile({ footer: 'Hết' }), lotus(MOVEMENTS), 'lotus')
    const { page } = await preview(changed)
    expect(plain(page)).toContain('The sample can not be read')
    const again = await preview(formOf(lotusProfile(), lotus(MOVEMENTS), 'lotus'))
    expect(plain(again.page)).toContain('Saving replaces the saved profile of this name: lotus')
    expect((await operator.post('/day/profile', saveFields(again.page))).status).toBe(303)
    expect(await saved()).toEqual(['lotus'])
    expect((await operator.get('/day/profile?name=none')).status).toBe(400)
  })

  it.each([
    ['a name that is none', { name: '../x', profile: JSON.stringify(LOTUS.profile) }],
    ['the name of camt.053', { name: 'camt.053', profile: JSON.stringify(LOTUS.profile) }],
    ['no profile', { name: 'x', profile: HOSTILE }],
    ['half a profile', { name: 'x', profile: '{}' }],
  ])('is not saved with %s', async (_, fields) => {
    const { operator, saved, noted } = await profileConsole()
    const answer = await operator.post('/day/profile', fields)
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain('<script>alert')
    expect(await saved()).toEqual(['lotus'])
    expect(await noted('bank-profile.save')).toHaveLength(1)
  })

  const column = fc.oneof(
    fc.integer({ min: 1, max: 256 }),
    fc.stringMatching(/^[\p{L}\d"]([\p{L}\d "]{0,8}[\p{L}\d"])?$/u),
    fc.constantFrom('2026', '"3"', '""'),
  )
  const profiles = fc.record({
    ...{ encoding: fc.constantFrom(...ENCODINGS), separator: fc.constantFrom(',', ';', '\t', '|') },
    headerRow: fc.integer({ min: 0, max: 1_000 }),
    columns: fc.record({ date: column, text: column, amount: column, credit: column, debit: column }),
    thousand: fc.constantFrom('', ' ', '.'),
    decimal: fc.constant(','),
    sign: fc.constantFrom('plus', 'minus', 'columns'),
    reference: fc.constantFrom(undefined, { prefix: 'FT', length: 12 }),
  })
  it('goes through its form unchanged', () => {
    fc.assert(
      fc.property(profiles, (raw) => {
        const profile = profileSchema.parse(raw)
        expect(readFields(textsOf(profile))).toEqual({ profile })
      }),
    )
  })
})
