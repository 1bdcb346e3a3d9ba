import { expect, it } from 'vitest'
import { allPages } from '../../../../server/platform/page.ts'
import { dateAfter, daysOf } from '../../../../server/reconciliation/match/days.ts'
import { NO_SUMMARY } from '../../../../server/reconciliation/match/summary.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, createShop } from '../shop.ts'
import { ZONE } from '../statement-world.ts'
import type { OpenStorage } from '../storage-contract.ts'

const DAY = '2026-11-20'
/** More than one read looks at. */
const STATEMENTS = 300

/** The list of a partner's statements that have a day. */
export function statementDaysContract(open: OpenStorage) {
  it('lists the statements of a day over all accounts, page by page, and none twice', async () => {
    const { storage } = await open()
    const shop = createShop(storage)
    const [clientId, other] = [await shop.partner('sbc_1'), await shop.partner('sbc_2')]
    const span = daysOf(ZONE)

    async function add(id: string, owner: string, account: string, from: string, to: string, isOver = true) {
      const statement = {
        ...{ id, clientId: owner, account, format: 'csv' as const, profile: 'lotus', sha256: id, zone: ZONE },
        ...{
          from,
          to,
          fromAt: span(from).from,
          untilAt: span(to).until,
          opening: 0,
          closing: 0,
          rowCount: 0,
        },
      }
      const begun = await storage.statements.begin(OPERATOR, { ...statement, importedAt: AT })
      expect(begun.kind).toBe('begun')
      if (isOver) await storage.statements.finish(OPERATOR, id, { version: 0, summary: NO_SUMMARY }, AT)
    }

    const listed: { id: string; from: string; account: string }[] = []
    for (let n = 0; n < STATEMENTS; n += 1) {
      // Some begin weeks before, some end before the day, and some begin behind it.
      const from = dateAfter(DAY, (n % 40) - 37)
      const to = dateAfter(from, [0, 6, 30, 1, 0, 30, 6][n % 7] ?? 0)
      const [id, account] = [`s${String((n * 7) % STATEMENTS).padStart(4, '0')}`, `ACCOUNT${n % 90}`]
      await add(id, clientId, account, from, to)
      if (from <= DAY && DAY <= to) listed.push({ id, from, account })
    }
    await add('t1', other, 'ACCOUNT1', DAY, DAY)
    await add('t2', clientId, 'ACCOUNT_UNDER_WAY', DAY, DAY, false)

    async function idsOf(accountEnd: string | undefined, limit: number) {
      const ids: string[] = []
      const read = (page: { limit: number; after?: string | undefined }) =>
        storage.statements.ofDay(clientId, { date: DAY, accountEnd }, page)
      for await (const rows of allPages(read, limit)) {
        expect(rows.length).toBeLessThanOrEqual(limit)
        ids.push(...rows.map(({ id }) => id))
      }
      return ids
    }
    const place = ({ from, id }: { from: string; id: string }) => `${from} ${id}`
    const expected = listed.toSorted((one, two) => (place(one) < place(two) ? 1 : -1))
    expect(expected.length).toBeGreaterThan(50)
    expect(await idsOf(undefined, 20)).toEqual(expected.map(({ id }) => id))
    expect(await idsOf(undefined, 1_000)).toEqual(expected.map(({ id }) => id))
    const ending = expected.filter(({ account }) => account.endsWith('7')).map(({ id }) => id)
    expect(ending.length).toBeGreaterThan(0)
    expect(await idsOf('7', 3)).toEqual(ending)
    expect(
      await storage.statements.ofDay('sbc_none', { date: DAY, accountEnd: undefined }, { limit: 5 }),
    ).toEqual({
      ...{ rows: [], next: undefined },
    })
  })
}
