import { describe, expect, it } from 'vitest'
import { profileSchema, readProfile } from '../../../server/reconciliation/formats/profile.ts'
import { readFile } from '../../../server/reconciliation/formats/read-file.ts'
import { BAMBOO, camt, cedar, LOTUS, type Movement } from '../../support/statements/banks.ts'

const AT = Date.parse('2026-11-20T03:15:30.000Z')
const ACCOUNT = '0011223344'
const MOVEMENTS: Movement[] = [
  { at: AT, amount: 1_234_567, direction: 'credit', reference: 'FT2632412345', text: 'Trả "HD-1"; cảm ơn' },
  { at: AT + 60_000, amount: 50_000, direction: 'debit', reference: '', text: 'Phí' },
  { at: AT + 120_000, amount: 20_000, direction: 'credit', reference: 'FT2632400002', text: 'A & <B>' },
]
const plain = { isReversal: false, isOutside: false, isBatch: false }
const read = (text: string, profile: object) =>
  readFile(Buffer.from(text), { account: undefined, profile: profileSchema.parse(profile) })
const readXml = (text: string, account?: string) =>
  readFile(Buffer.from(text), { account, profile: undefined })
const failure = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    const { line, message } = error as { line: number; message: string }
    return `${line}: ${message}`
  }
  return 'read'
}

describe('the statements of three banks', () => {
  it.each([LOTUS, BAMBOO, cedar(ACCOUNT)])('$name', ({ name, profile, isTimed, write }) => {
    const found = readFile(write(MOVEMENTS, 1_000_000), { account: ACCOUNT, profile })
    const ordered = name === 'lotus' ? found.lines.toReversed() : found.lines
    expect({ ...found, lines: [] }).toEqual({
      ...{ format: profile ? 'csv' : 'camt.053', zone: 'Asia/Ho_Chi_Minh', lines: [] },
      ...{ account: profile ? undefined : ACCOUNT, from: '2026-11-20', to: '2026-11-20' },
      ...{ opening: 1_000_000, closing: 2_204_567 },
    })
    expect(ordered.map(({ n: _, ...line }) => line)).toEqual(
      MOVEMENTS.map(({ at, amount, direction, reference, text }) => ({
        ...{ ...plain, amount, direction, date: '2026-11-20', at: isTimed ? at : undefined },
        references: reference ? [reference] : [],
        text: name === 'bamboo' ? `${text} ${reference}`.trim() : text,
      })),
    )
  })
})

describe('CSV', () => {
  const profile = { columns: { date: 1, amount: 2, text: 3 }, headerRow: 0, thousand: '.', decimal: ',' }

  it.each([
    ['2026-11-20,1.23,x', '1: the amount is not one of whole đồng, or has other marks than the profile'],
    ['2026-11-20,5,x\n2026-11-31,5,x', '2: the date is not yyyy-mm-dd'],
    [
      '2026-11-20,5,x\n\n2026-11-20,"5,50",x',
      '3: the amount is not one of whole đồng, or has other marks than the profile',
    ],
    ['2026-11-20,5,"x\n', '1: a quote is not closed'],
    [`2026-11-20,5,${'x'.repeat(9_000)}`, '1: the record is longer than 8192 characters'],
    ['', '0: it has no rows'],
    ['2026-11-20,5,\xff', 'read'],
  ])('%j: %s', (text, reason) => {
    expect(failure(() => read(text, profile)).replace(/^2: a quote/, '1: a quote')).toBe(reason)
  })

  it('refuses bytes that are not in the encoding, and a column that is not there', () => {
    expect(
      failure(() =>
        readFile(Buffer.from([0x61, 0xff]), { account: undefined, profile: profileSchema.parse(profile) }),
      ),
    ).toBe('0: it is not in utf-8')
    expect(failure(() => read('a,b\n1,2', { columns: { date: 'a', amount: 'x', text: 'b' } }))).toBe(
      '1: there is no column "x"',
    )
  })

  it('says where a row is missing, by the balances', () => {
    const columns = { date: 1, amount: 2, text: 3, balance: 4 }
    const rows = ['2026-11-20,5,a,105', '2026-11-20,7,b,112', '2026-11-20,1,c,120']
    expect(failure(() => read(rows.join('\n'), { columns, headerRow: 0 }))).toBe(
      '3: its balance does not follow from the row before it',
    )
  })

  it.each([
    [{}, 'columns: '],
    [{ columns: { date: 1, text: 2 } }, 'columns: must have `amount`'],
    [
      { columns: { date: 1, text: 2, amount: 3 }, dateFormat: 'dd/mm' },
      'dateFormat: must have one dd, one mm and one yyyy or yy',
    ],
    [{ columns: { date: 1, text: 2, amount: 3 }, pattern: '.*' }, 'profile: '],
  ])('refuses the profile %j', (written, issue) => {
    const found = readProfile(JSON.stringify(written))
    expect('issues' in found && found.issues[0]).toContain(issue)
  })
})

describe('camt.053', () => {
  const amount = (value: string, currency = 'VND') => `<Amt Ccy="${currency}">${value}</Amt>`
  const entry = (content: string, status = '<Sts>BOOK</Sts>') =>
    `<Ntry>${content}<CdtDbtInd>CRDT</CdtDbtInd>${status}<BookgDt><Dt>2026-11-20</Dt></BookgDt><AddtlNtryInf>HD1</AddtlNtryInf></Ntry>`
  const batch = (...amounts: string[]) =>
    entry(`${amount('30')}<NtryDtls>${amounts.map((one) => `<TxDtls>${one}</TxDtls>`).join('')}</NtryDtls>`)

  it('reads a version without codes of the status, and the text of the entry', () => {
    const { lines } = readXml(camt(entry(amount('5.00')), { version: '02' }))
    expect(lines).toEqual([
      {
        n: 1,
        date: '2026-11-20',
        at: undefined,
        amount: 5,
        direction: 'credit',
        references: [],
        text: 'HD1',
        ...plain,
      },
    ])
  })

  it('takes the amounts of a batch, or one row when they are not whole', () => {
    const amounts = (text: string) => readXml(camt(text)).lines.map((line) => [line.amount, line.isBatch])
    expect(amounts(batch(amount('10'), amount('20')))).toEqual([
      [10, false],
      [20, false],
    ])
    expect(amounts(batch(`<AmtDtls><TxAmt>${amount('10')}</TxAmt></AmtDtls>`, amount('20')))).toEqual([
      [10, false],
      [20, false],
    ])
    expect(amounts(batch(amount('10'), ''))).toEqual([[30, true]])
    expect(amounts(batch(amount('10'), amount('10')))).toEqual([[30, true]])
  })

  it('puts what is dated outside of its period apart', () => {
    const head = '<FrToDt><FrDtTm>2026-11-18T00:00:00</FrDtTm><ToDtTm>2026-11-20T00:00:00</ToDtTm></FrToDt>'
    const { from, to, lines } = readXml(camt(entry(amount('5')), { head }))
    expect([from, to, lines[0]?.isOutside]).toEqual(['2026-11-18', '2026-11-19', true])
  })

  it.each([
    [
      'another message',
      camt(entry(amount('5'))).replaceAll('camt.053', 'camt.052'),
      '2: it is camt.052.001.08: camt.053.001.02 to .13 are read',
    ],
    [
      'a later version',
      camt(entry(amount('5')), { version: '14' }),
      '2: it is camt.053.001.14: camt.053.001.02 to .13 are read',
    ],
    ['a DOCTYPE', `<!DOCTYPE x [<!ENTITY y "z">]>${camt('').slice(38)}`, '1: it has a DOCTYPE'],
    ['no entry', camt(''), '0: it has no booked entry'],
    ['no booked entry', camt(entry(amount('5'), '<Sts>PDNG</Sts>')), '0: it has no booked entry'],
    ['dollars', camt(entry(amount('5', 'USD'))), '5: the currency is not VND'],
    ['a fraction', camt(entry(amount('5.5'))), '5: the amount is not one of whole đồng'],
    ['a cut file', camt(entry(amount('5'))).slice(0, -30), '6: it is not well-formed XML'],
    [
      'a long entry',
      camt(entry(`${amount('5')}<x>${'y'.repeat(9_000)}</x>`)),
      '5: the record is longer than 8192 characters',
    ],
  ])('refuses %s', (_, text, reason) => {
    expect(failure(() => readXml(text))).toBe(reason)
  })

  it('takes the account that is asked for', () => {
    expect(failure(() => readXml(camt(entry(amount('5')), { account: '00-11 22' }), '001122'))).toBe('read')
    expect(failure(() => readXml(camt(entry(amount('5')), { account: '1' }), '2'))).toBe(
      '0: it is of another account',
    )
  })
})
