import type { Clock } from '../platform/clock.ts'
import { allPages, type PageRequest } from '../platform/page.ts'
import { dateIn, zoneDay } from '../platform/time/zone-day.ts'
import { balanceOfDay, type Unbalanced } from './balance.ts'
import { addHub, type DaySums, noSums, total } from './match/summary.ts'
import { plainAccount } from './model/statement.ts'
import type { Statement } from './ports.ts'
import { createRefresh, type RefreshDeps } from './refresh.ts'
import { aroundDay } from './show-statement.ts'

/** Payments of a page, as they are looked for. */
const AT_ONCE = 1_000

/** One day of an account: what the bank says, what the hub says, and whether they agree. */
export interface AccountDay {
  account: string
  sums: DaySums
  /** Empty: the day is balanced. */
  unbalanced: Unbalanced[]
  /** The ids of the statements that have the day. */
  statementIds: string[]
}

export interface AskedDay {
  /** YYYY-MM-DD; today in the zone when absent. */
  date?: string | undefined
  /** A name of the time zone database. */
  zone: string
  /** All accounts with a statement when absent. */
  account?: string | undefined
}

/** The day of a partner's accounts against the bank. */
export function reconcileDay(deps: RefreshDeps & { clock: Pick<Clock, 'now'> }) {
  const { statements, slices, clock } = deps
  const refresh = createRefresh(deps)

  /** The statements of an account that have the day, and those beside it, up to date. */
  async function statementsOf(clientId: string, accountId: string, date: string): Promise<Statement[]> {
    const near = await statements.near(accountId, aroundDay(date))
    const zone = (near[0] && (await statements.find(clientId, near[0].id)))?.zone
    if (zone === undefined) return []
    await refresh({ clientId, accountId, zone, from: date, to: date })
    const found: Statement[] = []
    for (const { id } of await statements.near(accountId, { from: date, to: date })) {
      const one = await statements.find(clientId, id)
      if (one) found.push(one)
    }
    return found
  }

  /** The payments of a day that no statement has. A row of the day beside it may have one of them. */
  async function withoutStatement(clientId: string, account: string, day: { from: number; until: number }) {
    const sums = noSums()
    const read = (page: PageRequest) =>
      slices.run(clientId, () => statements.paymentsOf(clientId, account, day, page))
    for await (const payments of allPages(read, AT_ONCE)) {
      const used = await statements.used(payments.map(({ id }) => id))
      for (const { id, amount } of payments)
        addHub(sums, used.has(id) ? 'matched' : 'hub_only', { count: 1, amount: String(amount) })
    }
    return sums
  }

  async function dayOfAccount(
    clientId: string,
    { id, account }: { id: string | undefined; account: string },
    { date, zone }: { date: string; zone: string },
  ): Promise<AccountDay> {
    const covering = id === undefined ? [] : await statementsOf(clientId, id, date)
    const days = covering.flatMap(({ summary }) => summary.days[date] ?? [])
    const [first] = covering
    // The statements of one account see the same payments.
    const isOfZone = first?.zone === zone
    const hub = isOfZone
      ? (first.summary.days[date] ?? noSums()).hub
      : (await withoutStatement(clientId, account, zoneDay(date, zone))).hub
    const sums = { bank: total(days).bank, hub }
    const unbalanced = balanceOfDay(covering, sums)
    return { account, sums, unbalanced, statementIds: covering.map((one) => one.id) }
  }

  return {
    /** An account without a statement has its payments as `hub_only`. */
    async dayOf(
      clientId: string,
      asked: AskedDay,
    ): Promise<{ date: string; zone: string; accounts: AccountDay[] }> {
      const { zone, date = dateIn(zone)(clock.now()) } = asked
      const given = asked.account === undefined ? undefined : plainAccount(asked.account)
      const accounts =
        given === undefined
          ? await statements.accounts(clientId)
          : [{ id: await statements.account(clientId, given), account: given }]
      const found: AccountDay[] = []
      for (const one of accounts) found.push(await dayOfAccount(clientId, one, { date, zone }))
      return { date, zone, accounts: found }
    },
  }
}
