import { expect, it } from 'vitest'
import { HubError } from '../../../../server/platform/errors.ts'
import type { ShownStatement } from '../../../../server/reconciliation/show-statement.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { BAMBOO, cedar, LOTUS, type Movement } from '../../../support/statements/banks.ts'
import { AT } from '../shop.ts'
import { ACCOUNT, statementWorld, ZONE } from '../statement-world.ts'
import type { OpenStorage } from '../storage-contract.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const CEDAR = cedar(ACCOUNT)

const credit = (amount: number, reference = '', change: Partial<Movement> = {}): Movement => ({
  ...{ at: AT, amount, direction: 'credit', reference, text: '' },
  ...change,
})
const debit = (amount: number, reference = '', change: Partial<Movement> = {}): Movement =>
  credit(amount, reference, { direction: 'debit', ...change })

/** The counts of the buckets that have a row or a payment. */
function counts({ sums: { bank, hub } }: ShownStatement) {
  const filled = (side: Record<string, { count: number }>) =>
    Object.fromEntries(
      Object.entries(side).flatMap(([name, { count }]) => (count > 0 ? [[name, count]] : [])),
    )
  return { bank: filled(bank), hub: filled(hub) }
}

async function refusal(act: () => Promise<unknown>) {
  try {
    await act()
  } catch (error) {
    if (error instanceof HubError)
      return [error.kind, ...error.details.map(({ field, issue }) => `${field}: ${issue}`)]
    throw error
  }
  return ['done']
}

export function statementContract(open: OpenStorage) {
  it('matches the rows of a day with the payments', async () => {
    const { verbs, pay, importAs, rowsOf, clientId } = await statementWorld(open)
    const [byCode, other] = [
      await pay({ ftCode: 'FT2632400001' }),
      await pay({ ftCode: 'FT2632400002', amount: '70000' }),
    ]
    const byBill = await pay({ ftCode: '', billNumber: 'HD-7', amount: '30000' })
    const timed = await pay({ ftCode: '', amount: '20000', paidAt: AT + 5 * MINUTE_MS })
    const alone = await pay({ ftCode: 'FT2632400009', amount: '90000' })
    const id = await importAs(
      BAMBOO,
      [
        credit(50_000, 'FT2632400001'),
        credit(60_000, 'FT2632400002'),
        credit(30_000, '', { text: 'Thanh toan hd-7' }),
        credit(20_000),
        credit(10_000, 'FT2632400003'),
        debit(5_000),
      ],
      1_000_000,
    )
    const shown = await verbs.showStatement(clientId, id)
    expect(counts(shown)).toEqual({
      bank: { matched: 2, differs: 1, undecided: 1, bank_only: 1, other: 1 },
      hub: { matched: 2, differs: 1, undecided: 1, hub_only: 1 },
    })
    expect(shown.unbalanced).toEqual(['differs', 'bank_only', 'undecided', 'hub_only'])
    expect(shown.statement).toMatchObject({
      opening: 1_000_000,
      closing: 1_165_000,
      state: 'open',
      account: ACCOUNT,
    })
    expect(
      (await rowsOf(id)).map(({ paymentId, proposedId, rule }) => [paymentId ?? proposedId, rule]),
    ).toEqual([
      [byCode, 'reference'],
      [other, 'reference'],
      [byBill, 'bill'],
      [timed, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ])
    const { lines } = await verbs.statementRows(clientId, id, 'hub_only', { limit: 10 })
    expect(lines.map((line) => 'payment' in line && line.payment.id)).toEqual([alone])
  })

  it('changes no payment, bill, announcement or total by an import, a decision, a sign-off or a look', async () => {
    const { verbs, shop, storage, pay, importAs, untouched, clientId, storeId } = await statementWorld(open)
    for (const billNumber of ['HD-7', 'HD-8', 'HD-9'])
      await storage.bills.put(clientId, shop.bill(storeId, { billNumber, amount: '30000' }), AT)
    await pay({ ftCode: 'FT2632400001' })
    await pay({ ftCode: '', billNumber: 'HD-7', amount: '30000' })
    const timed = await pay({ ftCode: '', amount: '20000', paidAt: AT + 5 * MINUTE_MS })
    const before = await untouched()
    const id = await importAs(BAMBOO, [
      credit(60_000, 'FT2632400001'),
      credit(30_000, '', { text: 'HD-7' }),
      credit(30_000, '', { text: 'HD-8' }),
      credit(20_000),
      debit(50_000, 'FT2632400001', { isReversal: true }),
    ])
    expect(await untouched()).toEqual(before)
    expect(await verbs.decide(OPERATOR, id, 4, timed)).toMatchObject({ kind: 'decided' })
    expect(await untouched()).toEqual(before)
    expect(await verbs.sign(OPERATOR, id, 'the rest tomorrow')).toMatchObject({ kind: 'signed' })
    expect(await untouched()).toEqual(before)

    const late = await pay({ ftCode: '', billNumber: 'HD-9', amount: '30000' })
    const after = await untouched()
    const changed = Object.keys(after).filter((name) => after[name] !== before[name])
    // The hashes see what a payment does. The totals of SQLite are in two tables.
    expect(changed.map((name) => name.replace(/_(recent|\d+)$/, ''))).toEqual(
      expect.arrayContaining(['payments', 'bills', 'announcements', 'store_totals']),
    )
    expect(await verbs.showStatement(clientId, id)).toMatchObject({ isChangedSince: true })
    expect(await verbs.decide(OPERATOR, id, 3, late)).toMatchObject({ kind: 'decided' })
    expect(await untouched()).toEqual(after)
  })

  it('refuses a file that it has, and shows a statement to its partner alone', async () => {
    const { verbs, shop, importAs, clientId, storage } = await statementWorld(open)
    const movements = [credit(50_000, 'FT2632400001')]
    const id = await importAs(CEDAR, movements)
    expect(await refusal(() => importAs(CEDAR, movements))).toEqual(['STATEMENT_KNOWN', `id: ${id}`])
    const other = await shop.partner('sbc_2')
    expect(await refusal(() => verbs.showStatement(other, id))).toEqual(['STATEMENT_NOT_FOUND'])
    expect(await refusal(() => verbs.decide(byPartner(other), id, 1, undefined))).toEqual([
      'STATEMENT_NOT_FOUND',
    ])
    const listed = async (of: string) =>
      (await verbs.listStatements(of, { limit: 10 })).rows.map((one) => one.statement.id)
    expect([await listed(clientId), await listed(other)]).toEqual([[id], []])
    const bytes = Buffer.from('<?xml version="1.0"?><x>')
    const broken = { clientId, account: ACCOUNT, profile: undefined, bytes }
    expect(await refusal(() => verbs.importStatement(OPERATOR, broken))).toEqual([
      'STATEMENT_UNREADABLE',
      'line 1: it is no camt.053: camt.053.001.02 to .13 are read',
    ])
    expect(await listed(clientId)).toEqual([id])
    expect(
      (await storage.audit.list({ action: 'statement', limit: 10 })).map((row) => [
        row.action,
        row.actor,
        row.subject,
      ]),
    ).toEqual([['statement.import', 'lan', id]])
  })

  it('finds rows that an earlier statement has, the second of two alike too', async () => {
    const { verbs, importAs, rowsOf } = await statementWorld(open)
    const first = await importAs(BAMBOO, [credit(50_000, 'FT2632400001'), credit(20_000), credit(20_000)])
    const second = await importAs(LOTUS, [
      credit(50_000, 'FT2632400001'),
      ...[credit(20_000), credit(20_000), credit(20_000)],
      credit(60_000, 'FT2632400001'),
    ])
    const rows = await rowsOf(second)
    // The newest stands first.
    expect(rows.map(({ bucket }) => bucket)).toEqual([
      'bank_only',
      'repeated',
      'repeated',
      'bank_only',
      'repeated',
    ])
    expect(rows.flatMap(({ otherRow }) => otherRow ?? []).toSorted()).toEqual(
      [1, 2, 3].map((n) => `${first}/00000${n}`),
    )
    expect((await verbs.showStatement(undefined, second)).sums.bank.repeated.count).toBe(3)
  })

  it('shows what came later: a callback, a decision, and a statement that takes a credit back', async () => {
    const { verbs, pay, importAs, rowsOf, clientId, storage } = await statementWorld(open)
    const id = await importAs(CEDAR, [credit(50_000, 'FT1'), credit(70_000)], 10)
    expect(counts(await verbs.showStatement(clientId, id)).bank).toEqual({ bank_only: 2 })
    expect(await verbs.sign(OPERATOR, id, ' ')).toMatchObject({
      kind: 'note_needed',
      unbalanced: ['bank_only'],
    })
    expect(await verbs.sign(OPERATOR, id, 'late callbacks')).toMatchObject({ kind: 'signed' })
    expect(await verbs.showStatement(clientId, id)).toMatchObject({
      ...{ isChangedSince: false, statement: { state: 'signed' } },
      signOffs: [{ signedBy: 'lan', note: 'late callbacks' }],
    })
    const [coded, plain] = [
      await pay({ ftCode: 'FT1' }),
      await pay({ ftCode: 'FT2', amount: '70000', paidAt: AT + 3 * DAY_MS }),
    ]
    expect(await verbs.showStatement(clientId, id)).toMatchObject({ isChangedSince: true })
    expect(await verbs.decide(OPERATOR, id, 2, 'none-such')).toEqual({ kind: 'payment_not_found' })
    expect(await verbs.decide(OPERATOR, id, 3, plain)).toEqual({ kind: 'row_not_found' })
    expect(await verbs.decide(OPERATOR, id, 2, coded)).toEqual({ kind: 'taken', statementId: id, n: 1 })
    expect(await verbs.decide(OPERATOR, id, 2, plain)).toEqual({ kind: 'decided', bucket: 'matched' })
    expect((await verbs.showStatement(clientId, id)).unbalanced).toEqual([])
    expect(await verbs.sign(OPERATOR, id, '')).toMatchObject({ kind: 'signed', unbalanced: [] })
    expect((await rowsOf(id))[1]).toMatchObject({
      rule: 'decided',
      paymentId: plain,
      decidedBy: 'lan',
      decidedAt: AT,
    })
    const next = await importAs(CEDAR, [debit(50_000, 'FT1', { at: AT + DAY_MS, isReversal: true })], 120_010)
    expect((await rowsOf(next))[0]).toMatchObject({ bucket: 'reversed', otherRow: `${id}/000001` })
    expect((await rowsOf(id))[0]).toMatchObject({
      bucket: 'reversed',
      paymentId: coded,
      otherRow: `${next}/000001`,
    })
    expect(await verbs.decide(OPERATOR, id, 1, undefined)).toEqual({ kind: 'not_open', bucket: 'reversed' })
    expect(await verbs.showStatement(clientId, id)).toMatchObject({
      isChangedSince: true,
      signOffs: [{}, {}],
    })
    const audit = await storage.audit.list({ action: 'statement', limit: 10 })
    expect(audit.map(({ action }) => action)).toEqual([
      ...['statement.import', 'statement.sign', 'statement.decide', 'statement.sign', 'statement.import'],
    ])
    expect(audit[2]?.details).toEqual({ row: 2, payment: plain, bucket: ['bank_only', 'matched'] })
  })

  it('tells the day of an account, with a statement and without', async () => {
    const { verbs, pay, importAs, clientId } = await statementWorld(open)
    await pay({ ftCode: 'FT1' })
    await pay({ ftCode: 'FT2', paidAt: AT + DAY_MS })
    const asked = { date: '2026-11-20', zone: ZONE, account: '00-0123 4567' }
    const dayOf = async (change = {}) => (await verbs.dayOf(clientId, { ...asked, ...change })).accounts
    expect(await dayOf()).toMatchObject([
      {
        account: ACCOUNT,
        unbalanced: ['not_covered', 'hub_only'],
        sums: { hub: { hub_only: { count: 1, amount: '50000' } } },
      },
    ])
    expect(await dayOf({ account: undefined })).toEqual([])
    const id = await importAs(CEDAR, [credit(50_000, 'FT1')])
    expect(await dayOf({ account: undefined })).toMatchObject([
      {
        account: ACCOUNT,
        unbalanced: [],
        statementIds: [id],
        sums: { bank: { matched: { count: 1, credit: '50000' } } },
      },
    ])
    expect(await dayOf({ zone: 'UTC' })).toMatchObject([
      { unbalanced: [], sums: { hub: { matched: { count: 1 } } } },
    ])
    expect(await dayOf({ date: '2026-11-21' })).toMatchObject([
      { unbalanced: ['not_covered', 'hub_only'], statementIds: [] },
    ])
  })

  it('keeps its results when retention deletes the payments', async () => {
    const { verbs, pay, importAs, rowsOf, clientId, storage, serial } = await statementWorld(open)
    // A locked speaker has nothing to say, and the payments can go.
    await storage.devices.setActive(OPERATOR, serial, false, AT)
    await pay({ ftCode: 'FT1' })
    await pay({ ftCode: 'FT2' })
    const id = await importAs(CEDAR, [credit(50_000, 'FT1'), credit(1)])
    const before = [await verbs.showStatement(clientId, id), await rowsOf(id)]
    let after: string | undefined = ''
    while (after !== undefined)
      after = (await storage.retention.prunePayments(AT + 2 * DAY_MS, after, AT + 2 * DAY_MS)).next
    expect((await storage.lists.payments.page({ clientId }, { limit: 10 })).rows).toEqual([])
    await importAs(CEDAR, [credit(7)])
    expect([await verbs.showStatement(clientId, id), await rowsOf(id)]).toEqual(before)
  })

  it('leaves nothing of an import that has died, which another one takes away', async () => {
    const { verbs, pay, importAs, rowsOf, storage, clock, clientId, reopen } = await statementWorld(open)
    const payment = await pay({ ftCode: 'FT1' })
    const first = await importAs(CEDAR, [credit(50_000, 'FT1')])
    const { statement } = await verbs.showStatement(clientId, first)
    const dying = { ...statement, id: first.replace(/^./, 'f'), sha256: 'x', rowCount: 600, importedAt: AT }
    expect(await storage.statements.begin(OPERATOR, dying)).toMatchObject({ kind: 'begun' })
    const [row] = await rowsOf(first)
    if (!row) throw new Error('there is a row')
    expect(await storage.statements.addRows(dying.id, [{ ...row, id: `${dying.id}/000001` }], AT)).toBe(true)
    expect(await storage.statements.begin(OPERATOR, { ...dying, id: 'other' })).toEqual({ kind: 'busy' })
    const reopened = await reopen()
    expect(await reopened.statements.find(undefined, dying.id)).toBeUndefined()
    expect(await reopened.statements.list(clientId, { limit: 10, after: undefined })).toHaveLength(1)
    expect(await reopened.statements.used([payment])).toEqual(new Set())
    expect(await reopened.statements.removeDead(AT)).toBe(0)
    clock.at = AT + DAY_MS
    expect(await reopened.statements.begin(OPERATOR, { ...dying, importedAt: clock.at })).toMatchObject({
      kind: 'begun',
    })
    expect(await reopened.statements.removeDead(clock.at + 1)).toBe(1)
    expect(await reopened.statements.hold(dying.id, clock.at)).toBe(false)
    expect(await reopened.statements.addRows(dying.id, [], clock.at)).toBe(false)
  })
}
